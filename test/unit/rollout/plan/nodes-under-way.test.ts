import { describe, expect, test } from 'vitest'
import type { NodeClaim, NodePool } from '../../../../src/api/karpenter.ts'
import type { KubeObject, Node } from '../../../../src/api/kubernetes.ts'
import { aFleetClass, aFleetPool, aMachine, aPodOn, type FleetPoolOptions } from '../../../support/fleet-objects.ts'
import { actions, labelled, waves } from '../../../support/plan-fleet.ts'
import { planOf } from '../../../support/plan-of.ts'

const since = '2026-06-14T11:59:00Z'
const drifted = { driftedSince: '2026-06-14T11:58:00Z' }
const disruption = {
  consolidateAfter: 'Never',
  consolidationPolicy: 'WhenEmpty' as const,
  budgets: [{ nodes: '1' }],
}
const changed: FleetPoolOptions = { ...labelled, disruption }

/** Full machines of the pool as it was before the change. */
function old(name: string, pool = aFleetPool({ disruption })): [NodeClaim, Node, KubeObject] {
  const [claim, node] = aMachine(name, pool, aFleetClass(), drifted)
  return [claim, node, aPodOn(name, `pod-${name}`, { cpu: '1500m' })]
}

/** As the disruption queue marks them until what replaces them is ready. */
function queued([claim, node, pod]: [NodeClaim, Node, KubeObject]): KubeObject[] {
  const reason = { type: 'DisruptionReason', status: 'True' as const, reason: 'Drifted', message: '' }
  const conditions = [...(claim.status?.conditions ?? []), { ...reason, lastTransitionTime: since }]
  const taints = [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' as const }]
  return [
    { ...claim, status: { ...claim.status, conditions } } as NodeClaim,
    { ...node, spec: { ...node.spec, taints } } as Node,
    pod,
  ]
}

function deleted([claim, node, pod]: [NodeClaim, Node, KubeObject]): KubeObject[] {
  const gone = <T extends KubeObject>(object: T): T => ({
    ...object,
    metadata: { ...object.metadata, deletionTimestamp: since },
  })
  return [gone(claim), gone(node), pod]
}

/** Launched for the pods of another one, and not ready yet. */
function coming(name: string, pool: NodePool): KubeObject[] {
  const [claim, node] = aMachine(name, pool, aFleetClass(), { createdAt: since })
  const { 'karpenter.sh/initialized': _, ...labels } = node.metadata.labels ?? {}
  const conditions = (claim.status?.conditions ?? []).filter(({ type }) => type !== 'Initialized' && type !== 'Ready')
  return [
    { ...claim, status: { ...claim.status, conditions } } as NodeClaim,
    { ...node, metadata: { ...node.metadata, labels } } as Node,
  ]
}

describe('a node that the disruption queue works on', () => {
  const pool = aFleetPool(changed)
  const plan = planOf([pool, aFleetClass(), ...queued(old('n1')), ...old('n2'), ...coming('n3', pool)], [pool])

  test('goes already, and is not planned once more', () => {
    expect(actions(plan)).toEqual({ n1: 'remove InQueue', n2: 'replace NodePoolDrifted', n3: 'stay' })
  })

  test('uses its budget until what replaces it is ready and it is gone', () => {
    expect(waves(plan)).toEqual(['1 12:03:00 n2'])
  })

  test('pays for a rate that is new, as the operator has it', () => {
    const rate = { nodes: 1, per: '20m' }
    const policy = {
      apiVersion: 'joinery.dev/v1alpha1',
      kind: 'RolloutPolicy',
      metadata: { name: 'careful', uid: 'policy', resourceVersion: '1', creationTimestamp: since },
      spec: { nodePoolSelector: {}, rate },
    }
    const cluster = [pool, aFleetClass(), ...queued(old('n1')), ...old('n2'), ...coming('n3', pool)]
    expect(waves(planOf(cluster, [pool, policy]))).toEqual(['1 12:20:00 n2'])
  })

  test('has its pods where they will be', () => {
    // m5.large costs 0.096 in us-east-1: two in the end, one of them for the pod of n2.
    expect(plan.cost).toEqual({ before: 0.288, during: 0.288, after: 0.192 })
  })

  test('is not kept by what it was made of', () => {
    const back = aFleetPool({ disruption })
    expect(actions(planOf([pool, aFleetClass(), ...queued(old('n1'))], [back]))).toEqual({ n1: 'remove InQueue' })
  })
})

test('a static pool has not one node too many while another replaces one', () => {
  const options = { replicas: 2, ...changed }
  const before = aFleetPool({ replicas: 2, disruption })
  const pool = aFleetPool(options)
  const fleet = [...queued(old('n1', before)), ...old('n2', before), ...coming('n3', pool)]
  const plan = planOf([pool, aFleetClass(), ...fleet], [pool])
  expect(actions(plan)).toEqual({ n1: 'remove InQueue', n2: 'replace NodePoolDrifted', n3: 'stay' })
  expect(waves(plan)).toEqual(['1 12:03:00 n2'])
})

test('a node on its way up that a static pool gives up is none that its budget counts', () => {
  const halves = { ...disruption, budgets: [{ nodes: '50%' }] }
  const before = aFleetPool({ replicas: 3, disruption: halves })
  const fleet = [...old('n1', before), ...old('n2', before), ...coming('n3', before)]
  const plan = planOf([before, aFleetClass(), ...fleet], [aFleetPool({ ...labelled, replicas: 2, disruption: halves })])
  expect(actions(plan)).toMatchObject({ n3: 'remove ScaledDown' })
  expect(waves(plan)).toEqual(['1 12:00:00 n3 n1', '2 12:03:00 n2'])
})

test('a node that is being deleted costs nothing in the end, what its pods need does', () => {
  const pool = aFleetPool({ disruption })
  const plan = planOf([pool, aFleetClass(), ...deleted(old('n1')), ...deleted(old('n2'))], [pool])
  expect(actions(plan)).toEqual({ n1: 'remove Deleting', n2: 'remove Deleting' })
  expect(plan.cost).toEqual({ before: 0.192, during: 0.384, after: 0.192 })
})

test('a node on its way up that the change concerns is replaced, also where nothing but its claim is there yet', () => {
  const before = aFleetPool({ disruption })
  const machine = coming('n1', before)
  const [joined, launched] = [machine, machine.slice(0, 1)].map((objects) =>
    planOf([before, aFleetClass(), ...objects], [aFleetPool(changed)]),
  )
  expect(launched).toMatchObject({ blockedBy: [], cost: joined?.cost })
  expect(launched?.nodes).toMatchObject([{ node: 'claim-n1', action: 'replace', reason: 'NodePoolDrifted', wave: 1 }])
  // Two minutes are what a launch takes here.
  for (const plan of [joined, launched])
    expect(plan?.waves.map(({ notBefore }) => notBefore.slice(11))).toEqual(['12:02:00Z'])
})

describe('a NodeClaim without a machine', () => {
  const unlaunched = (name: string, pool: NodePool): NodeClaim => {
    const [claim] = aMachine(name, pool, aFleetClass(), { createdAt: since })
    return { ...claim, status: { conditions: [] } }
  }
  const pool = aFleetPool(changed)
  const notices = (starting: readonly NodeClaim[], wanted: NodePool, nodeClass = aFleetClass()) =>
    planOf([pool, aFleetClass(), ...queued(old('n1')), ...old('n2'), ...starting], [wanted, nodeClass]).notices

  test('is told where the change makes it drift as soon as it is a node', () => {
    const other = aFleetPool({ ...changed, labels: { team: 'b' } })
    expect(notices([unlaunched('n3', pool), unlaunched('n4', pool)], other)).toEqual([
      'NodePool default has 2 node(s) without a machine yet, made otherwise than it asks for: the plan leaves them out, and they are replaced once they are up.',
    ])
  })

  test('is not told where it is as the pool asks for, or will be given what the class asks for', () => {
    expect(notices([unlaunched('n3', pool)], pool, aFleetClass({ tags: { team: 'a' } }))).toEqual([])
  })

  test('is not told while it is being deleted', () => {
    const claim = unlaunched('n3', aFleetPool({ disruption }))
    expect(notices([claim], pool)).toHaveLength(1)
    expect(notices([{ ...claim, metadata: { ...claim.metadata, deletionTimestamp: since } }], pool)).toEqual([])
  })
})
