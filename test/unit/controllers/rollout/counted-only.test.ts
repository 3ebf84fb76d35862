import { expect, test } from 'vitest'
import type { KubeObject } from '../../../../src/api/kubernetes.ts'
import { isCountedOnly, isStatusOnly } from '../../../../src/controllers/rollout/counted-only.ts'

const condition = (type: string, message = '') => ({
  type,
  status: 'True' as const,
  reason: type,
  message,
  lastTransitionTime: '2026-01-01T00:00:00Z',
})
const base = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: {
    name: 'default',
    uid: 'u',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    generation: 1,
    annotations: { a: '1' },
  },
  spec: { role: 'nodes' },
  status: { driftedNodes: 0, amis: [{ id: 'ami-1' }], conditions: [condition('Reconciling'), condition('Ready')] },
}
type Object = typeof base & KubeObject
const withStatus = (status: object): Object => ({
  ...base,
  metadata: { ...base.metadata, resourceVersion: '2' },
  status: { ...base.status, ...status },
})
const withMetadata = (metadata: object): Object => ({ ...base, metadata: { ...base.metadata, ...metadata } })

test.each<[string, Object, counted: boolean, status: boolean]>([
  ['nothing but its version', withStatus({}), true, true],
  ['counts', withStatus({ driftedNodes: 3, target: 't', blockedBy: [] }), true, true],
  [
    'what a condition of the rollout says',
    withStatus({ conditions: [condition('Reconciling', '1 of 3'), condition('Ready')] }),
    true,
    true,
  ],
  [
    'a condition of the rollout that comes',
    withStatus({ conditions: [...base.status.conditions, condition('Stalled')] }),
    true,
    true,
  ],
  ['its images', withStatus({ amis: [{ id: 'ami-2' }] }), false, true],
  ['whether it is ready', withStatus({ conditions: [condition('Reconciling'), condition('Ready', 'x')] }), false, true],
  ['an annotation', withMetadata({ annotations: { a: '2' } }), false, false],
  ['its deletion', withMetadata({ deletionTimestamp: '2026-01-02T00:00:00Z' }), false, false],
  ['its spec', { ...base, spec: { role: 'others' } }, false, false],
])('an object that changed in %s', (_name, after, counted, status) => {
  expect([isCountedOnly(base, after), isStatusOnly(base, after)]).toEqual([counted, status])
})

test('an object that comes or goes has changed', () => {
  expect([isCountedOnly(undefined, base), isCountedOnly(base, undefined), isStatusOnly(undefined, base)]).toEqual([
    false,
    false,
    false,
  ])
})
