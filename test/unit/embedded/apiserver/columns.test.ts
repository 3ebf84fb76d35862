import { expect, test } from 'vitest'
import { builtinDefinitions } from '../../../../src/embedded/apiserver/registry/builtin.ts'

type Fields = Readonly<Record<string, unknown>>

interface Case {
  readonly kind: string
  readonly object: Fields & { readonly metadata?: Fields }
  readonly want: Readonly<Record<string, unknown>>
}

const going = { deletionTimestamp: '2026-01-01T00:00:00Z' }
const conditions = (...types: readonly string[]) => types.map((type) => ({ type, status: 'True' }))

/** What `kubectl get` prints beside names and ages, as kube-apiserver has it. */
const cases: Record<string, Case> = {
  'a claim that is bound': {
    kind: 'PersistentVolumeClaim',
    object: { status: { phase: 'Bound' } },
    want: { Status: 'Bound' },
  },
  'a claim that a pod keeps from going': {
    kind: 'PersistentVolumeClaim',
    object: { metadata: going, status: { phase: 'Bound' } },
    want: { Status: 'Terminating' },
  },
  'a volume that its claim keeps from going': {
    kind: 'PersistentVolume',
    object: { metadata: going, status: { phase: 'Bound' } },
    want: { Status: 'Terminating' },
  },
  'a job at work': {
    kind: 'Job',
    object: { spec: { completions: 3 }, status: { succeeded: 1 } },
    want: { Status: 'Running', Completions: '1/3' },
  },
  'a suspended job': {
    kind: 'Job',
    object: { spec: { completions: 3 }, status: { conditions: conditions('Suspended') } },
    want: { Status: 'Suspended', Completions: '0/3' },
  },
  'a job whose failure is certain, while its pods end': {
    kind: 'Job',
    object: { status: { conditions: conditions('FailureTarget') } },
    want: { Status: 'FailureTarget' },
  },
  'a job that goes while its pods end': {
    kind: 'Job',
    object: { metadata: going, status: { conditions: conditions('Suspended') } },
    want: { Status: 'Terminating' },
  },
  'a job that has ended and goes': {
    kind: 'Job',
    object: { metadata: going, status: { conditions: conditions('SuccessCriteriaMet', 'Complete') } },
    want: { Status: 'Complete' },
  },
  'a job of which one success is enough': {
    kind: 'Job',
    object: { spec: { parallelism: 4 }, status: { succeeded: 0 } },
    want: { Completions: '0/1 of 4' },
  },
  'a claim of devices that waits': { kind: 'ResourceClaim', object: {}, want: { State: 'pending' } },
  'a claim of devices that a pod has': {
    kind: 'ResourceClaim',
    object: { status: { allocation: {}, reservedFor: [{ resource: 'pods', name: 'a' }] } },
    want: { State: 'allocated,reserved' },
  },
  'a claim of devices that goes': {
    kind: 'ResourceClaim',
    object: { metadata: going, status: { allocation: {} } },
    want: { State: 'deleted,allocated' },
  },
  'devices of a node': {
    kind: 'ResourceSlice',
    object: { spec: { nodeName: 'a', driver: 'gpu.example.com', pool: { name: 'a' } } },
    want: { Node: 'a', Driver: 'gpu.example.com', Pool: 'a' },
  },
  'the storage drivers of a node': {
    kind: 'CSINode',
    object: { spec: { drivers: [{ name: 'ebs.csi.aws.com' }] } },
    want: { Drivers: 1 },
  },
}
test.each(Object.entries(cases))('%s', (_name, { kind, object, want }) => {
  const definition = builtinDefinitions().find((each) => each.kind === kind)
  const metadata = { name: 'x', uid: 'x', resourceVersion: '1', creationTimestamp: '', ...object.metadata }
  const stored = { apiVersion: 'v1', kind, ...object, metadata }
  const printed = definition?.columns.map(({ name, value }) => [name, value(stored, 0)] as const)
  expect(Object.fromEntries(printed ?? [])).toMatchObject(want)
})
