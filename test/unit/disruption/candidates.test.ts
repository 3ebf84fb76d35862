import { describe, expect, test } from 'vitest'
import type { PodInfo } from '../../../src/model/pod.ts'
import { isEmpty, surveyCandidates, type DisruptionClass } from '../../../src/disruption/candidates.ts'
import { readDoNotDisrupt } from '../../../src/disruption/do-not-disrupt.ts'
import {
  aBudget,
  aPool,
  aRunningPod,
  aStateNode,
  aType,
  aWorld,
  condition,
  daemonSetOwner,
  minute,
  nodeOwner,
  type NodeOptions,
  noon,
  statefulSetOwner,
} from '../../support/disruption-builders.ts'

function verdict(
  options: NodeOptions,
  world: Parameters<typeof aWorld>[0] = {},
  disruptionClass: DisruptionClass = 'graceful',
) {
  const survey = surveyCandidates(aWorld({ ...world, nodes: [aStateNode('n', options)] }), {
    disruptionClass,
    queued: new Set(),
  })
  return survey.candidates.length === 1 ? 'candidate' : survey.blocked[0]?.message
}

const protectedPod = (value: string, more: Partial<PodInfo> = {}): PodInfo =>
  aRunningPod({ name: 'p', annotations: { 'karpenter.sh/do-not-disrupt': value }, ...more })
const blockedByPod = 'Pod has "karpenter.sh/do-not-disrupt" annotation (Pod=default/p)'
const guarded = (more: Partial<PodInfo> = {}): PodInfo => aRunningPod({ name: 'p', labels: { app: 'a' }, ...more })
const selector = { matchLabels: { app: 'a' } }
const spent = aBudget('pdb', { selector, maxUnavailable: 1 }, 0)

describe('which nodes may be disrupted', () => {
  const cases: Record<string, [NodeOptions, string, (Parameters<typeof aWorld>[0] & { class?: DisruptionClass })?]> = {
    'a healthy node of a pool': [{}, 'candidate'],
    'case 23: promised to a pending pod': [{ nominatedUntil: noon + 15_000 }, 'Node is nominated for a pending pod'],
    'case 23: the promise has run out': [{ nominatedUntil: noon - 1_000 }, 'candidate'],
    'case 24: the node annotation knows only "true", no duration': [
      { annotations: { 'karpenter.sh/do-not-disrupt': '1h' } },
      'candidate',
    ],
    'case 24: nor "false"': [{ annotations: { 'karpenter.sh/do-not-disrupt': 'false' } }, 'candidate'],
    'case 25: annotated': [
      { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } },
      'Disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation',
    ],
    'case 26: a protected DaemonSet pod blocks': [
      { pods: [protectedPod('true', { ownerReferences: daemonSetOwner })] },
      blockedByPod,
    ],
    'case 27: a protected static pod blocks': [
      { pods: [protectedPod('true', { ownerReferences: nodeOwner })] },
      blockedByPod,
    ],
    'case 28: a terminating protected pod does not': [
      { pods: [protectedPod('true', { deletedAt: noon })] },
      'candidate',
    ],
    'case 28: a finished protected pod does not': [
      { pods: [protectedPod('true', { phase: 'Succeeded' })] },
      'candidate',
    ],
    'case 29: within its time': [{ pods: [protectedPod('10m', { startedAt: noon - 9 * minute })] }, blockedByPod],
    'case 29: after its time': [{ pods: [protectedPod('10m', { startedAt: noon - 11 * minute })] }, 'candidate'],
    'case 30: not started': [{ pods: [protectedPod('10m', { startedAt: undefined })] }, blockedByPod],
    'case 31: zero': [{ pods: [protectedPod('0s')] }, 'candidate'],
    'case 31: negative': [{ pods: [protectedPod('-5m')] }, 'candidate'],
    'case 31: words': [{ pods: [protectedPod('soon')] }, 'candidate'],
    'case 32: the longer of two protections holds': [
      {
        pods: [
          protectedPod('1m', { name: 'q', startedAt: noon - 2 * minute }),
          protectedPod('5m', { startedAt: noon - 2 * minute }),
        ],
      },
      blockedByPod,
    ],
    'case 33: a spent PDB': [
      { pods: [guarded()] },
      'Pdb prevents pod evictions (PodDisruptionBudget=[default/pdb])',
      { budgets: [spent] },
    ],
    'case 33: drift of a claim with a grace period goes ahead': [
      { pods: [guarded()], terminationGracePeriod: '5m' },
      'candidate',
      { budgets: [spent], class: 'eventual' },
    ],
    'case 33: drift without one does not': [
      { pods: [guarded()] },
      'Pdb prevents pod evictions (PodDisruptionBudget=[default/pdb])',
      { budgets: [spent], class: 'eventual' },
    ],
    'a PDB that lets one more pod go': [
      { pods: [guarded(), guarded()] },
      'candidate',
      { budgets: [aBudget('pdb', { selector, maxUnavailable: 1 }, 1)] },
    ],
    'case 34: DaemonSet pods are held against PDBs': [
      { pods: [guarded({ ownerReferences: daemonSetOwner })] },
      'Pdb prevents pod evictions (PodDisruptionBudget=[default/pdb])',
      { budgets: [spent] },
    ],
    'case 35: static pods are not': [
      { pods: [guarded({ ownerReferences: nodeOwner })] },
      'candidate',
      { budgets: [spent] },
    ],
    'case 35: nor are those that have ended': [
      { pods: [guarded({ phase: 'Succeeded' }), guarded({ phase: 'Failed' })] },
      'candidate',
      { budgets: [spent] },
    ],
    'case 35: nor are those that tolerate the taint, and stay to the end': [
      { pods: [guarded({ tolerations: [{ key: 'karpenter.sh/disrupted', operator: 'Exists' }] })] },
      'candidate',
      { budgets: [spent] },
    ],
    'case 36: a PDB elsewhere': [{ pods: [guarded({ namespace: 'other' })] }, 'candidate', { budgets: [spent] }],
    'case 37: two PDBs, whatever they allow': [
      { pods: [guarded()] },
      'Eviction does not support multiple PDBs (PodDisruptionBudget(s)=[default/pdb-a default/pdb-b])',
      { budgets: [aBudget('pdb-a', { selector }, 5), aBudget('pdb-b', { selector }, 5)] },
    ],
    'case 38: an unhealthy pod under AlwaysAllow': [
      { pods: [guarded({ ready: 'False' })] },
      'candidate',
      { budgets: [aBudget('pdb', { selector, unhealthyPodEvictionPolicy: 'AlwaysAllow' }, 0)] },
    ],
    'case 38: a healthy one': [
      { pods: [guarded()] },
      'Pdb prevents pod evictions (PodDisruptionBudget=[default/pdb])',
      { budgets: [aBudget('pdb', { selector, unhealthyPodEvictionPolicy: 'AlwaysAllow' }, 0)] },
    ],
    'case 39: a grace period does not help consolidation': [
      { pods: [protectedPod('true')], terminationGracePeriod: '5m' },
      blockedByPod,
    ],
    'case 39: but drift': [
      { pods: [protectedPod('true')], terminationGracePeriod: '5m' },
      'candidate',
      { class: 'eventual' },
    ],
    'case 40: what counts is the claim’s own': [
      { pods: [protectedPod('true')] },
      blockedByPod,
      {
        class: 'eventual',
        pools: [aPool({ template: { spec: { ...aPool().spec.template.spec, terminationGracePeriod: '5m' } } })],
      },
    ],
    'case 41: zone and capacity type are not asked for': [{ zone: '', capacityType: '' }, 'candidate'],
    'case 42: its pool is gone': [{ pool: 'old' }, 'NodePool not found (NodePool=old)'],
    'a pool whose types cannot be listed': [{}, 'NodePool not found (NodePool=default)', { types: [] }],
    'case 44: a claim without node': [{ node: 'none' }, 'Nodeclaim does not have an associated node'],
    'not initialized': [{ initialized: false }, "Node isn't initialized"],
    'on its way out': [{ markedForDeletion: true }, 'Node is deleting or marked for deletion'],
    'of no pool': [{ pool: '' }, 'NodePool not found (NodePool=)'],
    'no pool label': [{ pool: 'none' }, "Node doesn't have required label (label=karpenter.sh/nodepool)"],
  }
  test.each(Object.entries(cases))('%s', (_name, [node, want, world]) => {
    expect(verdict(node, world, world?.class)).toBe(want)
  })

  test('cases 43 and 45: unmanaged and queued nodes are left alone without an event', () => {
    const nodes = [aStateNode('own', { claim: 'none' }), aStateNode('queued')]
    const survey = surveyCandidates(aWorld({ nodes }), {
      disruptionClass: 'graceful',
      queued: new Set(['aws:///z1/i-queued']),
    })
    expect(survey.candidates).toEqual([])
    expect(survey.blocked.map(({ code, reported }) => [code, reported])).toEqual([
      ['NotManaged', 'silently'],
      ['InQueue', 'silently'],
    ])
  })
})

test('a node that somebody has begun to delete is on its way out, though its claim does not say so yet', () => {
  const state = aStateNode('n')
  if (state.node === undefined) throw new Error('it has one')
  const node = { ...state.node, metadata: { ...state.node.metadata, deletionTimestamp: '2026-06-14T12:00:00Z' } }
  const world = aWorld({ nodes: [{ ...state, node }] })
  const { blocked } = surveyCandidates(world, { disruptionClass: 'graceful', queued: new Set() })
  expect(blocked).toMatchObject([{ code: 'Deleting', message: 'Node is deleting or marked for deletion' }])
})

test('where nobody knows the types of a pool its nodes are candidates that say so', () => {
  const because = 'no instance types are at hand for NodePool default'
  const world = aWorld({ nodes: [aStateNode('n')] })
  const offline = { ...world, instanceTypes: new Map([['default', { kind: 'unknown' as const, because }]]) }
  const { candidates } = surveyCandidates(offline, { disruptionClass: 'eventual', queued: new Set() })
  expect(candidates).toMatchObject([{ name: 'n', instanceType: undefined, typesUnknown: because }])
})

describe('what the annotation of a pod says is told once', () => {
  test('a time that will come is named to the second', () => {
    const pod = protectedPod('10m', { startedAt: noon })
    expect(readDoNotDisrupt(pod, noon + minute)).toEqual({ kind: 'until', untilMs: noon + 10 * minute })
  })
  test('a value that is no duration is quoted', () => {
    expect(readDoNotDisrupt(protectedPod('false'), noon)).toEqual({
      kind: 'invalid',
      message:
        'Invalid karpenter.sh/do-not-disrupt annotation: failed to parse "false" as a duration: time: invalid duration "false", ignoring annotation',
    })
  })
  test('a duration that is not positive is, too', () => {
    expect(readDoNotDisrupt(protectedPod('-5m'), noon)).toEqual({
      kind: 'invalid',
      message: 'Invalid karpenter.sh/do-not-disrupt annotation: duration "-5m" must be positive, ignoring annotation',
    })
  })
})

describe('a node is empty when moving its pods costs nothing', () => {
  const cost = (value: string): PodInfo =>
    aRunningPod({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': value } })
  const cases: Record<string, [readonly PodInfo[], boolean]> = {
    'case 46: DaemonSet pods only': [[aRunningPod({ ownerReferences: daemonSetOwner })], true],
    'case 47: terminating Deployment pods': [[aRunningPod({ deletedAt: noon })], true],
    'case 48: a terminating StatefulSet pod': [
      [aRunningPod({ deletedAt: noon, ownerReferences: statefulSetOwner })],
      false,
    ],
    'case 49: a pod that costs nothing': [[cost('-134217728')], true],
    'case 49: one step more': [[cost('-134217727')], false],
    'a pod of very low priority': [[aRunningPod({ priority: -33_554_432 })], true],
    'an ordinary pod': [[aRunningPod()], false],
    'a deletion cost that is no number counts as none': [[cost('dear')], false],
  }
  test.each(Object.entries(cases))('%s', (_name, [pods, want]) => {
    const { candidates } = surveyCandidates(aWorld({ nodes: [aStateNode('n', { pods })] }), {
      disruptionClass: 'graceful',
      queued: new Set(),
    })
    expect(candidates.map(isEmpty)).toEqual([want])
  })
})

test('the price of a node is that of its own offering, available or not; 0 when unknown (cases 81, 82)', () => {
  const types = [
    aType('m5.large', { price: 0.4, zone: 'z2' }, { price: 0.7, available: false }),
    aType('odd', { price: Number.NaN }),
  ]
  const nodes = [
    aStateNode('a'),
    aStateNode('b', { type: 'vanished' }),
    aStateNode('c', { zone: 'z9' }),
    aStateNode('d', { type: 'odd' }),
  ]
  const { candidates } = surveyCandidates(aWorld({ types, nodes }), { disruptionClass: 'graceful', queued: new Set() })
  expect(candidates.map(({ price }) => price)).toEqual([0.7, 0, 0, 0])
  expect(condition('Ready').status).toBe('True')
})
