import { describe, expect, test } from 'vitest'
import type { NodePool } from '../../../../src/api/karpenter.ts'
import type { ObjectMeta } from '../../../../src/api/kubernetes.ts'
import { redact } from '../../../../src/cli/snapshot/redact.ts'
import { propose } from '../../../../src/rollout/plan/proposal.ts'
import { aPool } from '../../../support/disruption-builders.ts'

function pool(metadata: Partial<ObjectMeta>, spec: Partial<NodePool['spec']> = {}): NodePool {
  const plain = aPool(spec)
  return { ...plain, metadata: { ...plain.metadata, ...metadata } }
}

function proposed(present: NodePool, manifest: NodePool) {
  const nothing = { nodePools: [], nodeClasses: [], nodeOverlays: [], rolloutPolicies: [] }
  const { objects, proposed: after } = propose(
    { ...nothing, nodePools: [present] },
    { ...nothing, nodePools: [manifest] },
    { prune: false },
  )
  const [{ metadata } = present] = after.nodePools
  return { change: objects[0]?.change, ...metadata }
}

describe('the generation', () => {
  test('goes on with the spec alone, as the API server counts it', () => {
    const present = pool({ generation: 3 })
    expect(proposed(present, pool({}, { weight: 2 }))).toMatchObject({ change: 'changed', generation: 4 })
    expect(proposed(present, pool({ labels: { a: 'b' } }))).toMatchObject({ change: 'changed', generation: 3 })
    expect(proposed(present, pool({ annotations: { a: 'b' } }))).toMatchObject({ change: 'changed', generation: 3 })
    expect(proposed(present, pool({}))).toMatchObject({ change: 'unchanged', generation: 3 })
  })
})

const retire = 'joinery.dev/retire'
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'
const keys = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [`f:${name}`, {}]))

interface EntryOptions {
  readonly manager?: string
  readonly operation?: 'Apply' | 'Update'
  readonly time?: string
  readonly labels?: readonly string[]
  readonly annotations?: readonly string[]
  readonly spec?: 'none'
  readonly subresource?: string
}

/** An entry of managedFields, as the API server writes it. */
function anEntry(options: EntryOptions = {}) {
  const { manager = 'kustomize-controller', operation = 'Apply', time = '2026-06-01T00:00:00Z', subresource } = options
  return {
    manager,
    operation,
    apiVersion: 'karpenter.sh/v1',
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: {
      'f:metadata': {
        'f:labels': { '.': {}, ...keys(...(options.labels ?? [])) },
        'f:annotations': { '.': {}, ...keys(...(options.annotations ?? [])) },
      },
      ...(options.spec === 'none' ? {} : { 'f:spec': { 'f:weight': {} } }),
    },
    ...(subresource === undefined ? {} : { subresource }),
  }
}

function manifestText(metadata: Pick<ObjectMeta, 'labels' | 'annotations'>): string {
  return JSON.stringify({ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata, spec: { secret: 'text' } })
}

describe('what a manifest no longer names', () => {
  const there = { [retire]: 'default', note: 'x' }
  const cases: Record<string, { present: Partial<ObjectMeta>; want: readonly string[] }> = {
    'goes when kubectl or Argo CD applied it': {
      present: { annotations: { ...there, [lastApplied]: manifestText({ annotations: { [retire]: 'default' } }) } },
      want: ['note'],
    },
    'goes when Flux applied it': {
      present: { annotations: there, managedFields: [anEntry({ annotations: [retire] })] },
      want: ['note'],
    },
    'stays when somebody else set it': {
      present: {
        annotations: there,
        managedFields: [
          anEntry({ annotations: ['other'] }),
          anEntry({ manager: 'kubectl-annotate', operation: 'Update', annotations: [retire] }),
        ],
      },
      want: [retire, 'note'],
    },
    'stays when somebody else has set it as well': {
      present: {
        annotations: there,
        managedFields: [
          anEntry({ annotations: [retire] }),
          anEntry({ manager: 'kubectl-annotate', operation: 'Update', annotations: [retire] }),
        ],
      },
      want: [retire, 'note'],
    },
    'stays when who applies it does not apply the manifest': {
      present: {
        annotations: there,
        managedFields: [
          anEntry({ manager: 'button', time: '2026-06-02T00:00:00Z', spec: 'none', annotations: [retire] }),
          anEntry({ annotations: ['note'] }),
        ],
      },
      want: [retire],
    },
    'goes by whom applied the manifest last, not by what kubectl once did': {
      present: {
        annotations: { ...there, [lastApplied]: manifestText({ annotations: { note: 'x' } }) },
        managedFields: [
          anEntry({ manager: 'kubectl', annotations: ['note'] }),
          anEntry({ time: '2026-06-02T00:00:00Z', annotations: [retire] }),
        ],
      },
      want: ['note'],
    },
    'goes by whom applied the manifest last, in whatever order they are listed': {
      present: {
        annotations: there,
        managedFields: [
          anEntry({ time: '2026-06-02T00:00:00Z', annotations: [retire] }),
          anEntry({ manager: 'kubectl', annotations: ['note'] }),
        ],
      },
      want: ['note'],
    },
    'stays when nothing tells who set it': { present: { annotations: there }, want: [retire, 'note'] },
    'stays when the annotation tells nothing': {
      present: { annotations: { ...there, [lastApplied]: '{"metadata":' } },
      want: [retire, 'note'],
    },
    'stays where the tool adds it when it applies': {
      present: {
        annotations: { ...there, 'argocd.argoproj.io/tracking-id': 'a' },
        managedFields: [anEntry({ annotations: ['argocd.argoproj.io/tracking-id'] })],
      },
      want: [retire, 'note', 'argocd.argoproj.io/tracking-id'],
    },
  }

  test.each(Object.entries(cases))('%s', (_name, { present, want }) => {
    const live = pool(present)
    const isGone = want.length < Object.keys(present.annotations ?? {}).filter((key) => key !== lastApplied).length
    // A snapshot tells the same, and nothing else of what was applied.
    const recorded = redact(live)
    for (const object of [live, recorded]) {
      const { change, annotations = {} } = proposed(object, pool({}))
      expect(Object.keys(annotations).filter((key) => key !== lastApplied)).toEqual(want)
      expect(change).toBe(isGone ? 'changed' : 'unchanged')
    }
    expect(JSON.stringify(recorded)).not.toContain('secret')
  })

  test('goes from the labels, too', () => {
    const labels = { team: 'web', tier: 'front', 'app.kubernetes.io/instance': 'fleet' }
    const applied = pool({ labels, annotations: { [lastApplied]: manifestText({ labels }) } })
    const manifest = pool({ labels: { tier: 'front' } })
    const want = { change: 'changed', labels: { tier: 'front', 'app.kubernetes.io/instance': 'fleet' } }
    expect(proposed(applied, manifest)).toMatchObject(want)
    const byFlux = pool({ labels, managedFields: [anEntry({ labels: Object.keys(labels) })] })
    expect(proposed(byFlux, manifest)).toMatchObject(want)
    expect(proposed(byFlux, pool({ labels }))).toMatchObject({ change: 'unchanged', labels })
  })

  test('is no change where the manifest comes from the cluster, kept copy and all', () => {
    const annotations = { note: 'x', [lastApplied]: manifestText({ annotations: { note: 'x' } }) }
    const live = pool({ annotations })
    expect(proposed(redact(live), live).change).toBe('unchanged')
  })
})
