import { expect, test } from 'vitest'
import type { PodSpec, PodTemplateSpec } from '../../../src/api/kubernetes.ts'
import type { PodInfo } from '../../../src/model/pod.ts'
import type { Snapshot, StateNode } from '../../../src/model/snapshot.ts'
import { surveyCandidates } from '../../../src/disruption/candidates.ts'
import { runToEnd } from '../../../src/model/sliced.ts'
import {
  placeWithout,
  prepareWhatIf,
  simulatorOn,
  unplacedPods,
  unplacedText,
} from '../../../src/disruption/what-if.ts'
import { virtualPods } from '../../../src/scheduling/capacity-buffer.ts'
import { defaultSettings, solveInSlices, type SolveRequest } from '../../../src/scheduling/index.ts'
import { toTimestamp } from '../../../src/model/clock.ts'
import { toResources } from '../../../src/model/resources.ts'
import {
  aPool,
  aRunningPod,
  aStateNode,
  aWorld,
  condition,
  noon,
  type NodeOptions,
} from '../../support/disruption-builders.ts'
import { anOffering, aType } from '../../support/scheduling-world.ts'

/** Node `a` with one pod, and `b`, the only other place. */
function twoNodes(other: NodeOptions, consolidateAfter = '0s'): Snapshot {
  const pools = [aPool({ disruption: { consolidateAfter } })]
  return aWorld({ pools, nodes: [aStateNode('a', { pods: [aRunningPod()] }), aStateNode('b', other)] })
}

/** What keeps `a` from going when nothing can be launched: undefined when nothing does. */
function held(
  snapshot: Snapshot,
  awaiting?: ReadonlySet<string>,
  virtual: readonly PodInfo[] = [],
): string | undefined {
  const survey = surveyCandidates(snapshot, { disruptionClass: 'graceful', queued: new Set() })
  const candidates = survey.candidates.filter(({ name }) => name === 'a')
  expect(candidates).toHaveLength(1)
  const full: Snapshot = { ...snapshot, instanceTypes: new Map([['default', { kind: 'resolved', types: [] }]]) }
  const result = runToEnd(
    simulatorOn(full, defaultSettings, { virtual, awaiting })({ candidates, destinations: 'stable' }),
  )
  return result.kind === 'placed' ? result.unplaced : result.kind
}

function afterPodEvent(snapshot: Snapshot, agoMs: number): Snapshot {
  const lastPodEventTime = toTimestamp(noon - agoMs)
  const nodes = snapshot.nodes.map((node) =>
    node.name === 'b' && node.nodeClaim !== undefined
      ? { ...node, nodeClaim: { ...node.nodeClaim, status: { ...node.nodeClaim.status, lastPodEventTime } } }
      : node,
  )
  return { ...snapshot, nodes }
}

test('a pod that fits elsewhere lets its node go', () => {
  expect(held(twoNodes({}))).toBeUndefined()
})

test('of a node that has begun to go since it was found nothing is asked any more, nor of others with it', () => {
  const before = twoNodes({})
  const { candidates } = surveyCandidates(before, { disruptionClass: 'graceful', queued: new Set() })
  const going = candidates.filter(({ name }) => name === 'a')
  const nodes = before.nodes.map((node) => ({ ...node, markedForDeletion: node.name === 'a' }))
  const simulate = simulatorOn({ ...before, nodes }, defaultSettings)
  expect(runToEnd(simulate({ candidates: going, destinations: 'stable' }))).toEqual({ kind: 'candidateDeleting' })
  expect(candidates).toHaveLength(2)
  expect(runToEnd(simulate({ candidates, destinations: 'stable' }))).toEqual({ kind: 'candidateDeleting' })
})

test('case 74: a place on a node that is not initialized is none, whenever a pod last came or went there', () => {
  const starting = { initialized: false }
  const because = 'would schedule against uninitialized nodeclaim/claim-b'
  expect(held(twoNodes(starting))).toContain(because)
  expect(held(afterPodEvent(twoNodes(starting, '1m'), 30_000))).toContain(because)
})

test.each([
  ['within', '1m', 30_000, true],
  ['to the end of', '1m', 59_000, true],
  ['after', '1m', 60_000, false],
  ['with none in', 'Never', 30_000, false],
])('case 75: %s the time for which its pool leaves a node in peace', (_when, consolidateAfter, agoMs, isHeld) => {
  const because = held(afterPodEvent(twoNodes({}, consolidateAfter), agoMs))
  expect(because !== undefined).toBe(isHeld)
})

test('case 75: nor once its pool leaves nobody in peace any more', () => {
  const settling = afterPodEvent(twoNodes({}, '1m'), 30_000)
  expect(held(settling)).toBeDefined()
  expect(held({ ...settling, nodePools: [aPool({ disruption: { consolidateAfter: '0s' } })] })).toBeUndefined()
})

test('a node of somebody else takes pods, whatever it says of itself', () => {
  expect(held(twoNodes({ claim: 'none', initialized: false }))).toBeUndefined()
})

test('a pod that no place was looked for in the time that there was holds its node', () => {
  const pod = aRunningPod({ name: 'p' })
  const { context } = runToEnd(prepareWhatIf(twoNodes({}), defaultSettings))
  const nothing = runToEnd(solveInSlices(context, { pods: [], excludedNodes: new Set(), reservedMode: 'fallback' }))
  expect(unplacedText(unplacedPods({ ...nothing, unattempted: [pod] }, new Set()))).toBe(
    'not all pods would schedule, default/p => scheduling simulation timed out ',
  )
})

test('a node that is left in peace takes pods that have not started, and those of nodes that are on their way out', () => {
  const settling = afterPodEvent(twoNodes({}, '1m'), 30_000)
  const withPods = (podsOfA: readonly PodInfo[], ...more: readonly StateNode[]): Snapshot => ({
    ...settling,
    nodes: [...settling.nodes.map((node) => (node.name === 'a' ? { ...node, pods: podsOfA } : node)), ...more],
  })
  expect(held(withPods([aRunningPod({ phase: 'Running' })]))).toBeDefined()
  expect(held(withPods([aRunningPod({ phase: 'Pending' })]))).toBeUndefined()
  const leaving = aStateNode('c', { pods: [aRunningPod()], markedForDeletion: true })
  expect(held(withPods([], leaving))).toBeUndefined()
})

test('case 76: a pod that waits anyway and fits nowhere holds nobody', () => {
  const snapshot = twoNodes({})
  const waiting = aRunningPod({
    uid: 'waits',
    name: 'waits',
    nodeName: '',
    phase: 'Pending',
    scheduledReason: 'Unschedulable',
    nodeSelector: { of: 'nobody' },
  })
  const unboundPods = [waiting]
  expect(runToEnd(prepareWhatIf({ ...snapshot, unboundPods }, defaultSettings)).pending).toEqual(unboundPods)
  expect(held({ ...snapshot, unboundPods })).toBeUndefined()
})

test('nor does a stand-in of a buffer that fits nowhere', () => {
  const template = { spec: { containers: [], nodeSelector: { of: 'nobody' } } }
  const virtual = virtualPods({ namespace: 'shop', name: 'spare', uid: 'u' }, template, 1)
  expect(runToEnd(prepareWhatIf(twoNodes({}), defaultSettings, virtual)).pending).toHaveLength(1)
  expect(held(twoNodes({}), undefined, virtual)).toBeUndefined()
})

test('no node is planned for stand-ins that may have none now; those that are there take them', () => {
  const pools = [{ ...aPool(), status: { conditions: [condition('Ready')] } }]
  const types = [aType({ name: 'm5.large', cpu: '2', memory: '8Gi', offerings: [anOffering('z1', 'on-demand', 0.1)] })]
  const allocatable = toResources({ cpu: '2', pods: '10' })
  const nodes = ['a', 'b'].map((name) => ({ ...aStateNode(name), allocatable }))
  const snapshot = aWorld({ pools, types, nodes })
  const template = { spec: { containers: [{ name: 'main', resources: { requests: { cpu: '1500m' } } }] } }
  const virtual = virtualPods({ namespace: 'shop', name: 'spare', uid: 'u' }, template, 2)
  const { candidates } = surveyCandidates(snapshot, { disruptionClass: 'graceful', queued: new Set() })
  const withoutA = (held?: SolveRequest['held']) => {
    const gone = candidates.filter(({ name }) => name === 'a')
    const simulate = simulatorOn(snapshot, defaultSettings, { virtual, held })
    const result = runToEnd(simulate({ candidates: gone, destinations: 'any' }))
    return result.kind === 'placed'
      ? [result.replacements.map(({ pods }) => pods.length), result.unplaced]
      : result.kind
  }
  expect(withoutA()).toEqual([[1], undefined])
  expect(withoutA(new Map([['u-2', 'two nodes did not take it']]))).toEqual([[], undefined])
})

test('of many pods that fit nowhere five are named', () => {
  const snapshot = twoNodes({})
  const pods = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => aRunningPod({ name, nodeSelector: { of: 'nobody' } }))
  const nodes = snapshot.nodes.map((node) => (node.name === 'a' ? { ...node, pods } : node))
  expect(held({ ...snapshot, nodes })?.match(/default\/\w/g)).toHaveLength(5)
  expect(held({ ...snapshot, nodes })).toMatch(/2 other/)
})

test('a node whose room is promised to pods that wait takes no pod that runs elsewhere, on its way or ready', () => {
  const awaiting = new Set(['aws:///z1/i-b'])
  expect(held(twoNodes({}), awaiting)).toBeDefined()
  expect(held(twoNodes({ initialized: false }), awaiting)).not.toContain('uninitialized')
})

test('stand-ins of a buffer take part as in provisioning: all but those that the solve would misjudge', () => {
  const template = (more: Partial<PodSpec>): PodTemplateSpec => ({ spec: { containers: [], ...more } })
  const only = { matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: ['b'] }] }
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [only] } }
  const virtual = [
    template({ nodeSelector: { 'kubernetes.io/hostname': 'b' } }),
    template({ affinity: { nodeAffinity } }),
  ].flatMap((one, index) => virtualPods({ namespace: 'shop', name: `spare-${index}`, uid: `u-${index}` }, one, 1))
  const { pending } = runToEnd(prepareWhatIf(twoNodes({}), defaultSettings, virtual))
  expect(pending.map(({ name }) => name)).toEqual(['capacity-buffer-spare-0-1'])
})

test('of pods without a node those take part that the scheduler has no place for and that could run somewhere', () => {
  const pod = (name: string, more: Partial<PodInfo> = {}): PodInfo =>
    aRunningPod({ name, nodeName: '', phase: 'Pending', scheduledReason: 'Unschedulable', ...more })
  const unboundPods = [
    pod('waits'),
    pod('not-looked-at', { scheduledReason: '' }),
    pod('promised', { nominatedNodeName: 'b' }),
    pod('nowhere', { nodeSelector: { 'kubernetes.io/hostname': 'x' } }),
  ]
  const { pending } = runToEnd(prepareWhatIf({ ...twoNodes({}), unboundPods }, defaultSettings))
  expect(pending.map(({ name }) => name)).toEqual(['waits'])
})

test('pods of several nodes come to one new node, or to one each and in turn where that is asked', () => {
  const [one, other] = [aRunningPod({ uid: 'one' }), aRunningPod({ uid: 'other' })]
  const nodes = [aStateNode('a', { pods: [one] }), aStateNode('b', { pods: [other] })]
  const pools = [{ ...aPool(), status: { conditions: [condition('Ready')] } }]
  const types = [aType({ name: 'm5.large', cpu: '2', memory: '8Gi', offerings: [anOffering('z1', 'on-demand', 0.1)] })]
  const snapshot = aWorld({ pools, nodes, types })
  const { candidates } = surveyCandidates(snapshot, { disruptionClass: 'eventual', queued: new Set() })
  const prepared = runToEnd(prepareWhatIf(snapshot, defaultSettings))
  const comeTo = (wish: Pick<SolveRequest, 'bins' | 'turns'> = {}) =>
    runToEnd(placeWithout(prepared, { candidates, destinations: 'any', ...wish })).newNodePlans.map(({ pods }) =>
      pods.map(({ uid }) => uid),
    )
  const inOrder = (...uids: readonly string[]) => new Map(uids.map((uid, turn) => [uid, turn]))
  expect(comeTo()).toEqual([['one', 'other']])
  expect(comeTo({ bins: inOrder('one', 'other') })).toEqual([['one'], ['other']])
  expect(comeTo({ bins: inOrder('one', 'other'), turns: inOrder('other', 'one') })).toEqual([['other'], ['one']])
})
