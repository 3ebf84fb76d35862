import { describe, expect, test } from 'vitest'
import type { NodeClaim, NodePool, RolloutPolicy } from '../../../../src/api/karpenter.ts'
import type { KubeObject, Node, PodDisruptionBudget } from '../../../../src/api/kubernetes.ts'
import { aFleetClass, aFleetPool, aMachine, aPodOn, type MachineOptions } from '../../../support/fleet-objects.ts'
import { aFleet, labelled, waves } from '../../../support/plan-fleet.ts'
import { planOf } from '../../../support/plan-of.ts'

describe('what stands in the way', () => {
  const pdb = (allowed: number): PodDisruptionBudget => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'pdb',
      resourceVersion: '1',
      creationTimestamp: '2026-06-01T00:00:00Z',
    },
    spec: { selector: { matchLabels: { app: 'web' } } },
    status: { disruptionsAllowed: allowed },
  })
  const web = { pods: [{ cpu: '1500m', labels: { app: 'web' } }] }

  test('a PDB that allows nothing holds its nodes back', () => {
    const plan = planOf(aFleet({ machines: { n1: web, n2: {} }, others: [pdb(0)] }), [aFleetPool(labelled)])
    expect(plan.blockedBy).toEqual([
      { node: 'n1', message: 'Pdb prevents pod evictions (PodDisruptionBudget=[default/web])' },
    ])
    expect(waves(plan)).toEqual(['1 12:00:00 n2'])
  })

  test('a PDB with room does not', () => {
    expect(planOf(aFleet({ machines: { n1: web }, others: [pdb(1)] }), [aFleetPool(labelled)]).blockedBy).toEqual([])
  })

  test('do-not-disrupt holds a node back', () => {
    const machines = { n1: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } }
    const plan = planOf(aFleet({ machines }), [aFleetPool(labelled)])
    expect(plan.blockedBy).toEqual([
      { node: 'n1', message: 'Disruption is blocked through the "karpenter.sh/do-not-disrupt" annotation' },
    ])
  })

  test('a taint that pods do not tolerate leaves them without a place, and their nodes where they are', () => {
    const taints = [{ key: 'team', value: 'a', effect: 'NoSchedule' as const }]
    const machines = { n1: {}, n2: { pods: [] } }
    const plan = planOf(aFleet({ machines }), [aFleetPool({ template: { taints } })])
    expect(plan.unplaceablePods).toEqual([
      { pod: 'default/pod-n1-0', node: 'n1', message: 'did not tolerate taint (taint=team=a:NoSchedule)' },
    ])
    expect(plan.blockedBy.map(({ node }) => node)).toEqual(['n1'])
    expect(plan.limits).toEqual([])
    expect(waves(plan)).toEqual(['1 12:00:00 n2'])
  })

  test('pods that do not tolerate the taint of a new node are not counted on it', () => {
    // The nodes of the others are new by the time that this pool begins.
    const later = {
      disruption: {
        consolidateAfter: 'Never',
        consolidationPolicy: 'WhenEmpty' as const,
        budgets: [{ nodes: '0', schedule: '0 12 * * *', duration: '1h' }, { nodes: '2' }],
      },
    }
    const costAfter = (taints: NonNullable<MachineOptions['taints']>) => {
      const others = { name: 'others', template: { taints: [...taints] } }
      const pod = aPodOn('o1', 'pod-o1', { nodeSelector: { 'karpenter.sh/nodepool': 'others' } })
      const tolerating = { ...pod, spec: { ...pod.spec, tolerations: [{ operator: 'Exists' as const }] } }
      const cluster = [
        ...aFleet({ pool: aFleetPool(later), machines: { n1: { pods: [{ cpu: '500m' }] } } }),
        ...[aFleetPool(others), ...aMachine('o1', aFleetPool(others), aFleetClass()), tolerating],
      ]
      const manifests = [aFleetPool({ ...labelled, ...others }), aFleetPool({ ...labelled, ...later })]
      return planOf(cluster, manifests).cost?.after
    }
    expect(costAfter([])).toBe(0.096)
    expect(costAfter([{ key: 'team', value: 'a', effect: 'NoSchedule' }])).toBe(0.192)
  })

  test('a limit that leaves no room for a replacement is told', () => {
    const limits = { cpu: '6' }
    const plan = planOf(aFleet({ pool: aFleetPool({ limits }) }), [aFleetPool({ ...labelled, limits })])
    // A simulation leaves out the node that goes, so its share of the limit is free for what comes instead.
    expect(plan.limits).toEqual([])
    const tight = planOf(aFleet({ pool: aFleetPool({ limits }) }), [aFleetPool({ ...labelled, limits: { cpu: '4' } })])
    // Of three nodes one goes, which leaves 4 and nothing for another two.
    expect(tight.limits).toEqual([
      { nodePool: 'default', message: 'limit of cpu is 4, nodes hold 6' },
      { nodePool: 'default', message: 'pods would fit with 2 more under limits.cpu' },
    ])
  })

  test('so is a limit of nodes', () => {
    const limits = { nodes: '2' }
    const { limits: told } = planOf(aFleet(), [aFleetPool({ ...labelled, limits })])
    expect(told).toEqual([
      { nodePool: 'default', message: 'limit of nodes is 2, nodes hold 3' },
      { nodePool: 'default', message: 'pods would fit with 1 more under limits.nodes' },
    ])
  })

  describe('a node that is still on its way up', () => {
    /** It has room for the pods of two others. */
    const young = (pool: NodePool): readonly [NodeClaim, Node] => {
      const [claim, node] = aMachine('young', pool, aFleetClass(), { type: 'm5.xlarge' })
      const { 'karpenter.sh/initialized': _, ...labels } = node.metadata.labels ?? {}
      const conditions = claim.status?.conditions?.map((condition) =>
        condition.type === 'Initialized' ? { ...condition, status: 'Unknown' as const } : condition,
      )
      return [
        { ...claim, status: { ...claim.status, ...(conditions === undefined ? {} : { conditions }) } },
        { ...node, metadata: { ...node.metadata, labels } },
      ]
    }

    test('holds no other back whose pods will find their place there', () => {
      const cluster = aFleet({ machines: { n1: {}, n2: {} }, others: young(aFleetPool(labelled)) })
      const plan = planOf(cluster, [aFleetPool(labelled)])
      expect({ held: plan.blockedBy, unplaced: plan.unplaceablePods }).toEqual({ held: [], unplaced: [] })
      expect(waves(plan)).toEqual(['1 12:00:00 n1 n2'])
    })

    test('counts for budgets once it is there, and does not count as out of service meanwhile', () => {
      const disruption = {
        consolidateAfter: 'Never',
        consolidationPolicy: 'WhenEmpty' as const,
        budgets: [{ nodes: '50%' }],
      }
      const pool = aFleetPool({ ...labelled, disruption })
      const machines = { n1: {}, n2: {} }
      const [claim, node] = young(pool)
      const unready = { type: 'Ready', status: 'False' as const, lastTransitionTime: '2026-06-14T11:59:00Z' }
      const joining = { ...node, status: { ...node.status, conditions: [unready] } }
      const timing = { launchMs: 60_000, drainMs: 300_000 }
      // Half of two is one, half of three two.
      const plan = planOf(aFleet({ machines, others: [claim, joining] }), [pool], { timing })
      expect(waves(plan)).toEqual(['1 12:00:00 n1', '2 12:01:00 n2'])
    })

    test('takes the pods of a pool that goes', () => {
      const other = aFleetPool({ name: 'other' })
      const cluster = aFleet({ machines: { n1: {} }, others: [other, ...young(other)] })
      const plan = planOf(cluster, [other, aFleetClass()], { prune: true })
      expect(plan.unplaceablePods).toEqual([])
      expect(waves(plan)).toEqual(['1 12:00:00 n1'])
    })

    test('is replaced once it is there when it is made of what is no longer asked for', () => {
      const cluster = aFleet({ machines: { n1: {} }, others: young(aFleetPool()) })
      expect(waves(planOf(cluster, [aFleetPool(labelled)]))).toEqual(['1 12:00:00 n1', '2 12:02:00 young'])
    })
  })

  test('a shared budget without room is told as what it is, and the budget of the pool as that', () => {
    const policy: RolloutPolicy = {
      apiVersion: 'joinery.dev/v1alpha1',
      kind: 'RolloutPolicy',
      metadata: { name: 'frozen', uid: 'frozen', resourceVersion: '1', creationTimestamp: '2026-06-01T00:00:00Z' },
      spec: { nodePoolSelector: { names: ['default'] }, sharedBudget: '0' },
    }
    const told = (manifests: readonly KubeObject[]) =>
      planOf(aFleet({ machines: { n1: {} } }), manifests).blockedBy.map(({ message }) => message)
    expect(told([aFleetPool(labelled), policy])).toEqual([
      'RolloutPolicy frozen: its shared budget lets no more nodes go',
    ])
    const disruption = {
      consolidateAfter: 'Never',
      consolidationPolicy: 'WhenEmpty' as const,
      budgets: [{ nodes: '0' }],
    }
    expect(told([aFleetPool({ ...labelled, disruption }), policy])).toEqual([
      'No allowed disruptions for disruption reason Drifted due to blocking budget',
    ])
  })

  test('pods of a pool that goes, which no other pool takes, fit nowhere', () => {
    const plan = planOf(aFleet({ machines: { n1: {} } }), [aFleetClass()], { prune: true })
    expect(plan.unplaceablePods.map(({ pod, node }) => ({ pod, node }))).toEqual([
      { pod: 'default/pod-n1-0', node: 'n1' },
    ])
  })
})
