import { describe, expect, test } from 'vitest'
import type { NodePool } from '../../../../src/api/karpenter.ts'
import { PodTimesBook } from '../../../../src/cluster/pod-times.ts'
import type { FailedPod, PlannedClaim, SolveOutcome } from '../../../../src/controllers/provisioning/index.ts'
import { recordPlacements, unplacedOf } from '../../../../src/controllers/provisioning/record-results.ts'
import { type PodInfo, podKey } from '../../../../src/model/pod.ts'
import type { StateNode } from '../../../../src/model/snapshot.ts'
import { virtualPods } from '../../../../src/scheduling/capacity-buffer.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { provisioningMemory } from '../../../support/provisioning-memory.ts'
import { aNode, aPod, aPool, aSnapshot } from '../../../support/scheduling-world.ts'

const standIns = virtualPods({ namespace: 'shop', name: 'spare', uid: 'u' }, { spec: { containers: [] } }, 2)
const on = (node: StateNode, ...pods: readonly PodInfo[]) => [{ key: node.key, pods }]
const claimFor = (...pods: readonly PodInfo[]): PlannedClaim => ({ nodePool: 'np', pods }) as unknown as PlannedClaim

/** What is told, written and remembered of one answer of the solver. */
function recorded(
  solved: Partial<Extract<SolveOutcome, { kind: 'solved' }>>,
  {
    nodes = [],
    pools = [aPool()],
  }: { readonly nodes?: readonly StateNode[]; readonly pools?: readonly NodePool[] } = {},
) {
  const world = aControllerWorld()
  const podTimes = new PodTimesBook()
  const nominated: string[] = []
  const cluster = {
    nominate: (key: string) => void nominated.push(key),
    node: (key: string) => nodes.find((node) => node.key === key),
    podTimes,
  }
  const outcome = { notices: [], claims: [], existing: [], failed: [], relaxed: [], timedOut: false, ...solved }
  const acknowledged = [...outcome.claims, ...outcome.existing].flatMap(({ pods }) => pods)
  for (const pod of acknowledged) podTimes.acknowledge(podKey(pod), world.clock.now())
  recordPlacements(
    { ...world, ...provisioningMemory(world.clock), cluster },
    { kind: 'solved', ...outcome },
    aSnapshot({ pools, nodes }),
    world.log,
  )
  return { ...world, podTimes, nominated, messages: world.log.lines.map(({ message }) => message) }
}

describe('stand-ins of a buffer', () => {
  const node = aNode({ name: 'n', pool: 'np' })
  const decisions = 'karpenter_pods_scheduling_decision_duration_seconds'

  test('nominate no node, hear of none and are no decision', () => {
    for (const solved of [{ existing: on(node, ...standIns) }, { claims: [claimFor(...standIns)] }]) {
      const { nominated, podTimes, counts, events } = recorded(solved, { nodes: [node] })
      expect(nominated).toEqual([])
      expect(events()).toEqual([])
      expect(counts.observed(decisions)).toEqual([])
      expect(podTimes.get('shop/capacity-buffer-spare-1').decidedAt).toBeUndefined()
    }
  })

  test('do not keep a node from being nominated for a real pod beside them', () => {
    const { nominated, counts, events, recorder } = recorded(
      { existing: on(node, ...standIns, aPod({ name: 'p' })) },
      { nodes: [node] },
    )
    expect(nominated).toEqual([node.key])
    expect(events()).toEqual(['Nominated: Pod should schedule on: nodeclaim/n, node/n'])
    expect(recorder.published).toMatchObject([
      { type: 'Normal', rateLimit: { name: 'Nominated', perSecond: 5, burst: 10 } },
    ])
    expect(counts.observed(decisions)).toEqual([0])
  })
})

describe('pods without a place', () => {
  const failed = (kind: FailedPod['kind']): FailedPod => ({
    pod: aPod({ name: kind, uid: `uid-${kind}` }),
    error: 'no room',
    kind,
  })
  const all = (['unschedulable', 'deferred', 'unsupported', 'waiting'] as const).map(failed)

  test('hear of it every five minutes at the most, each by itself', () => {
    const { recorder } = recorded({ failed: [failed('unschedulable')] })
    expect(recorder.published).toMatchObject([
      { reason: 'FailedScheduling', type: 'Warning', dedupeValues: ['uid-unschedulable'], dedupeMs: 300_000 },
    ])
  })

  test('hear nothing as long as they wait for reserved capacity, or for the first launches', () => {
    const { recorder, podTimes, messages } = recorded({ failed: all })
    const told = recorder.published.map(({ object }) => object.metadata.name)
    expect(told).toEqual(['unschedulable', 'unsupported'])
    const decided = all.filter(({ pod }) => podTimes.get(podKey(pod)).decidedAt !== undefined)
    expect(decided.map(({ kind }) => kind)).toEqual(['unschedulable', 'unsupported'])
    expect(messages).toEqual([
      'could not schedule pod',
      'skipping pod with Dynamic Resource Allocation requirements, not yet supported by Karpenter',
      'deferring scheduling decision for provisionable pod(s) to future simulation due to limited reserved offering capacity',
    ])
    expect([...unplacedOf(all)]).toEqual(['uid-unschedulable', 'uid-unsupported'])
  })
})

describe('that a pod could be placed', () => {
  const healthy = (status: 'True' | 'False') => {
    const pool = aPool()
    const condition = { type: 'NodeRegistrationHealthy', status, lastTransitionTime: '2026-01-01T00:00:00Z' }
    return { ...pool, status: { ...pool.status, conditions: [...(pool.status?.conditions ?? []), condition] } }
  }
  const node = aNode({ name: 'n', pool: 'np' })
  const pod = aPod({ name: 'p' })

  test.each([
    ['on a new node', { claims: [claimFor(pod)] }],
    ['on one that is there', { existing: on(node, pod) }],
  ])('%s counts against a pool only where nodes are known to register', (_where, solved) => {
    const timesIn = (status: 'True' | 'False') =>
      recorded(solved, { pools: [healthy(status)], nodes: [node] }).podTimes.get(podKey(pod))
    const { schedulableAt, schedulableInHealthyPoolAt } = timesIn('True')
    expect(schedulableAt).toBeDefined()
    expect(schedulableInHealthyPoolAt).toBe(schedulableAt)
    expect(timesIn('False')).toMatchObject({ schedulableAt })
    expect(timesIn('False').schedulableInHealthyPoolAt).toBeUndefined()
  })
})

describe('the summary', () => {
  const node = aNode({ name: 'n', pool: 'np' })
  const lines = (solved: Parameters<typeof recorded>[0]) =>
    recorded(solved, { nodes: [node] })
      .log.lines.filter(({ message }) => message.startsWith('computed'))
      .map(({ message, fields }) => [message, fields])

  test('tells of new nodes, and of those that are there only beside new ones', () => {
    const taken = on(node, aPod(), aPod())
    const claims = [claimFor(aPod(), aPod(), aPod()), claimFor(aPod())]
    expect(lines({ existing: taken })).toEqual([])
    expect(lines({ claims })).toEqual([['computed new nodeclaim(s) to fit pod(s)', { nodeclaims: 2, pods: 4 }]])
    expect(lines({ claims, existing: taken })).toEqual([
      ['computed new nodeclaim(s) to fit pod(s)', { nodeclaims: 2, pods: 4 }],
      ['computed unready node(s) will fit pod(s)', { nodes: 1, pods: 2 }],
    ])
  })
})
