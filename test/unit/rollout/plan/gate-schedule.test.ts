import { describe, expect, test } from 'vitest'
import { nodePoolHash } from '../../../../src/api/hash/index.ts'
import type { EC2NodeClass, RolloutPolicy } from '../../../../src/api/karpenter.ts'
import type { KubeObject } from '../../../../src/api/kubernetes.ts'
import { classTarget, poolTarget, shortDigest } from '../../../../src/rollout/target.ts'
import { aFleetClass, aFleetPool, aMachine, annotated, aPodOn } from '../../../support/fleet-objects.ts'
import { planOf } from '../../../support/plan-of.ts'
import { aStoredPolicy } from '../../../support/stored-policy.ts'

const names = ['n1', 'n2', 'n3', 'n4', 'n5']
const budgets = { consolidateAfter: 'Never', consolidationPolicy: 'WhenEmpty' as const, budgets: [{ nodes: '100%' }] }
const pool = aFleetPool({ disruption: budgets })
const changed = aFleetPool({ disruption: budgets, labels: { team: 'a' } })
const nodeClass = aFleetClass()
const cluster = [
  pool,
  nodeClass,
  ...names.flatMap((name, index) => [
    ...aMachine(name, pool, nodeClass, { zone: index % 2 === 0 ? 'us-east-1b' : 'us-east-1a' }),
    aPodOn(name, `pod-${name}`, { cpu: '1500m' }),
  ]),
]

function waves(manifests: Parameters<typeof planOf>[1]): readonly string[] {
  const plan = planOf(cluster, manifests)
  return plan.waves.map(({ notBefore, nodes }) => `${notBefore.slice(5, 16)} ${nodes.join(' ')}`)
}

describe('a plan under a rollout policy', () => {
  test('without one all nodes go at once, as the budget says', () => {
    expect(waves([changed])).toEqual(['06-14T12:00 n1 n2 n3 n4 n5'])
  })

  test('the canary soaks before the rest follows', () => {
    const policy = aStoredPolicy({ steps: [{ nodes: 1, soak: '30m' }] })
    // The canary is replaced within three minutes, and soaks thirty.
    expect(waves([changed, policy])).toEqual(['06-14T12:00 n1', '06-14T12:33 n2 n3 n4 n5'])
  })

  test('a step of a percentage is a share of the nodes that change', () => {
    const policy = aStoredPolicy({ steps: [{ nodes: '40%' }] })
    expect(waves([changed, policy])).toEqual(['06-14T12:00 n1 n2', '06-14T12:03 n3 n4 n5'])
  })

  test('drifted nodes of a pool that is being deleted are none of those that steps count', () => {
    const other = aFleetPool({ name: 'other', disruption: budgets })
    const drifted = { driftedSince: '2026-06-14T11:00:00Z' }
    const going = { ...other, metadata: { ...other.metadata, deletionTimestamp: '2026-06-14T11:59:00Z' } }
    const machines = ['o1', 'o2', 'o3', 'o4', 'o5'].flatMap((name) => [
      ...aMachine(name, other, nodeClass, drifted),
      aPodOn(name, `pod-${name}`, { cpu: '1500m' }),
    ])
    const policy = aStoredPolicy({ nodePoolSelector: { names: ['default', 'other'] }, steps: [{ nodes: '40%' }] })
    const { waves: planned } = planOf([...cluster, going, ...machines], [changed, policy])
    expect(planned.map(({ nodes }) => nodes)).toEqual([
      ['n1', 'n2'],
      ['n3', 'n4', 'n5'],
    ])
  })

  test('a shared budget bounds how many are away at once', () => {
    expect(waves([changed, aStoredPolicy({ sharedBudget: '2' })])).toEqual([
      '06-14T12:00 n1 n2',
      '06-14T12:03 n3 n4',
      '06-14T12:06 n5',
    ])
  })

  test('a maintenance window is waited for', () => {
    const policy = aStoredPolicy({ windows: [{ schedule: '0 2 * * *', duration: '4h' }] })
    expect(waves([changed, policy])).toEqual(['06-15T02:00 n1 n2 n3 n4 n5'])
  })

  test('a node whose pods need no new one drains for a minute, and the step takes the next until there is a new one to soak', () => {
    const idle = [pool, nodeClass, ...names.flatMap((name) => aMachine(name, pool, nodeClass))]
    const pods = names.slice(1).map((name) => aPodOn(name, `pod-${name}`, { cpu: '1500m' }))
    const policy = aStoredPolicy({ steps: [{ nodes: 1, soak: '30m' }] })
    const plan = planOf([...idle, ...pods], [changed, policy])
    expect(plan.waves.map(({ notBefore, nodes }) => `${notBefore.slice(5, 16)} ${nodes.join(' ')}`)).toEqual([
      '06-14T12:00 n1',
      '06-14T12:01 n2',
      '06-14T12:34 n3 n4 n5',
    ])
  })

  test('a rate is paid when a replacement begins', () => {
    const policy = aStoredPolicy({ rate: { nodes: 2, per: '20m' } })
    expect(waves([changed, policy])).toEqual([
      '06-14T12:00 n1 n2',
      '06-14T12:10 n3',
      '06-14T12:20 n4',
      '06-14T12:30 n5',
    ])
  })

  test('a node that goes because it stands empty pays no rate', () => {
    const open = { ...budgets, consolidateAfter: '3m' }
    const policy = aStoredPolicy({ rate: { nodes: 1, per: '20m' } })
    const machines = names.flatMap((name) => aMachine(name, pool, nodeClass))
    const plan = planOf(
      [pool, nodeClass, ...machines, aPodOn('n2', 'a'), aPodOn('n3', 'b')],
      [aFleetPool({ disruption: open, labels: { team: 'a' } }), policy],
    )
    expect(plan.waves.map(({ notBefore, nodes }) => `${notBefore.slice(11, 16)} ${nodes.join(' ')}`)).toEqual([
      '12:00 n1 n4 n5 n2',
      '12:20 n3',
    ])
  })

  test('a deadline that comes earlier than the window lets the nodes go', () => {
    const policy = aStoredPolicy({ windows: [{ schedule: '0 2 * * *', duration: '4h' }], deadline: '1h' })
    expect(waves([changed, policy])).toEqual(['06-14T13:00 n1 n2 n3 n4 n5'])
  })

  test('new nodes that take longer than the policy waits for them fail the rollout', () => {
    const policy = aStoredPolicy({ steps: [{ nodes: 1 }], gates: { nodeReadyTimeout: '90s' } })
    const plan = planOf(cluster, [changed, policy])
    expect(plan.waves.flatMap(({ nodes }) => nodes)).toEqual(['n1'])
    expect(plan.blockedBy[0]?.message).toContain('failed to come up, 0 allowed')
  })

  test('a static pool that shrinks as well replaces the others once its budget has got back those that are too many', () => {
    const twoAway = { ...budgets, budgets: [{ nodes: '2' }] }
    const fixed = (replicas: number, labels?: Record<string, string>) =>
      aFleetPool({ disruption: twoAway, replicas, ...(labels === undefined ? {} : { labels }) })
    const machines = names.flatMap((name) => aMachine(name, fixed(5), nodeClass))
    const plan = planOf([fixed(5), nodeClass, ...machines], [fixed(3, { team: 'a' })])
    // Two go at once and are gone after a minute.
    expect(plan.waves.map(({ notBefore, nodes }) => `${notBefore.slice(11, 16)} ${nodes.length}`)).toEqual([
      '12:00 2',
      '12:01 2',
      '12:04 1',
    ])
  })

  test('an approval that is missing holds everything, and the plan prints what to approve', () => {
    const plan = planOf(cluster, [changed, aStoredPolicy({ mode: 'Approve' })])
    expect(plan.waves).toEqual([])
    expect(plan.blockedBy.map(({ node }) => node)).toEqual(names)
    expect(plan.blockedBy[0]?.message).toMatch(
      /^RolloutPolicy careful: NodePool default awaits joinery\.dev\/approve: \d+-[0-9a-f]{8}$/,
    )
  })

  test('the approval that the plan asks for lets the nodes go', () => {
    const asked = planOf(cluster, [changed, aStoredPolicy({ mode: 'Approve' })]).blockedBy[0]?.message ?? ''
    const token = /approve: (\d+-[0-9a-f]{8})/.exec(asked)?.[1] ?? ''
    const approved = annotated(changed, { 'joinery.dev/approve': token })
    expect(waves([approved, aStoredPolicy({ mode: 'Approve' })])).toEqual(['06-14T12:00 n1 n2 n3 n4 n5'])
  })

  test('what to approve is not told while nobody knows the images', () => {
    const alias = aFleetClass({ amiSelectorTerms: [{ alias: 'al2023@v20260701' }] })
    const message = (resolved?: string): string => {
      const amis = resolved === undefined ? {} : { amis: [{ id: resolved, requirements: [] }] }
      const options = { resolved: new Map(resolved === undefined ? [] : [['default', amis]]) }
      return planOf(cluster, [alias, aStoredPolicy({ mode: 'Approve' })], options).blockedBy[0]?.message ?? ''
    }
    expect(message()).toBe(
      'RolloutPolicy careful: NodePool default awaits joinery.dev/approve; what to approve is known once EC2NodeClass default has found its images, or to a plan that is told them (--images)',
    )
    expect(message('ami-2')).toMatch(/awaits joinery\.dev\/approve: \d+-[0-9a-f]{8}/)
    expect(message('ami-2')).not.toBe(message('ami-3'))
  })

  test('a policy that leaves present nodes alone holds them', () => {
    const plan = planOf(cluster, [changed, aStoredPolicy({ mode: 'NewNodesOnly' })])
    expect(plan.waves).toEqual([])
    expect(plan.blockedBy.length).toBe(5)
  })

  test('a policy that the manifests add is younger than those that are there', () => {
    const { metadata, ...policy } = aStoredPolicy({ mode: 'NewNodesOnly' })
    const added = { ...policy, metadata: { name: 'added' } } as RolloutPolicy
    const there = { ...aStoredPolicy({}), metadata }
    const plan = planOf([...cluster, there], [changed, added])
    expect(plan.waves.flatMap(({ nodes }) => nodes)).toEqual(names)
  })

  test('a shared budget bounds how many empty nodes of all its pools go at once, where it covers them', () => {
    const open = { ...budgets, consolidateAfter: '3m' }
    const poolNames = ['default', 'other']
    const pools = poolNames.map((name) => aFleetPool({ name, disruption: budgets }))
    const machines = pools.flatMap((each, index) =>
      names.slice(index * 2, index * 2 + 2).flatMap((name) => aMachine(name, each, nodeClass)),
    )
    const policy = aStoredPolicy({
      nodePoolSelector: { names: poolNames },
      sharedBudget: '1',
      covers: ['Drift', 'Consolidation'],
    })
    const opened = poolNames.map((name) => aFleetPool({ name, disruption: open }))
    const plan = planOf([...pools, nodeClass, ...machines], [...opened, policy])
    expect(plan.waves.map(({ nodes }) => nodes.length)).toEqual([1, 1, 1, 1])
  })

  test('a static pool whose own budget is closed does not keep another one from what they have in common', () => {
    const of = (name: string, nodes: string, labels?: Record<string, string>) =>
      aFleetPool({
        name,
        replicas: 2,
        disruption: { ...budgets, budgets: [{ nodes }] },
        ...(labels === undefined ? {} : { labels }),
      })
    const pools = [of('closed', '0'), of('open', '2')]
    const machines = pools.flatMap((each, index) =>
      names.slice(index * 2, index * 2 + 2).flatMap((name) => aMachine(name, each, nodeClass)),
    )
    const policy = aStoredPolicy({ nodePoolSelector: { names: ['closed', 'open'] }, sharedBudget: '1' })
    const plan = planOf(
      [...pools, nodeClass, ...machines],
      [of('closed', '0', { team: 'a' }), of('open', '2', { team: 'a' }), policy],
    )
    expect(plan.waves.map(({ nodes }) => nodes)).toEqual([['n3'], ['n4']])
  })

  test('the nodes of a static pool go in the order that is asked for', () => {
    const of = (labels?: Record<string, string>) =>
      aFleetPool({
        replicas: 4,
        disruption: { ...budgets, budgets: [{ nodes: '2' }] },
        ...(labels === undefined ? {} : { labels }),
      })
    const zones = ['us-east-1a', 'us-east-1b', 'us-east-1a', 'us-east-1b']
    const machines = zones.flatMap((zone, index) => aMachine(`n${index + 1}`, of(), nodeClass, { zone }))
    const policy = aStoredPolicy({ order: { by: 'Zone', first: ['us-east-1b'] } })
    const plan = planOf([of(), nodeClass, ...machines], [of({ team: 'a' }), policy])
    expect(plan.waves.map(({ nodes }) => nodes)).toEqual([
      ['n2', 'n4'],
      ['n1', 'n3'],
    ])
  })

  test('a query counts as good, also that of a step under way', () => {
    const gates = {
      prometheus: { address: 'http://p', query: 'errors', operator: 'LessThan' as const, threshold: '1' },
    }
    const hash = nodeClass.metadata.annotations?.['karpenter.k8s.aws/ec2nodeclass-hash'] ?? ''
    const target = poolTarget(nodePoolHash(changed), changed, classTarget(hash, nodeClass, ['ami-1']))
    const policy: RolloutPolicy = {
      ...aStoredPolicy({ gates }),
      status: {
        revision: shortDigest(`default=${target}@`),
        startTime: '2026-06-14T11:00:00Z',
        startNodes: 5,
        stepGoal: 5,
        nodePools: [{ name: 'default', startNodes: 5 }],
        inForce: { generation: 1, gates },
      },
    }
    const { waves: planned } = planOf([...cluster.slice(1), changed, policy], [changed])
    expect(planned.map(({ nodes }) => nodes)).toEqual([names])
  })

  describe('whose rollout has failed', () => {
    const alias = aFleetClass({ amiSelectorTerms: [{ alias: 'al2023@v20260701' }] })

    /** The class is at ami-1, on which the rollout failed or to which it was rolled back. */
    function failed(state: 'Halted' | 'RolledBack'): readonly KubeObject[] {
      const insteadOf = '1-00000000'
      const target = classTarget(
        nodeClass.metadata.annotations?.['karpenter.k8s.aws/ec2nodeclass-hash'] ?? '',
        nodeClass,
        ['ami-1'],
      )
      const wanted = poolTarget(nodePoolHash(pool), pool, state === 'Halted' ? target : insteadOf)
      const here: EC2NodeClass = {
        ...nodeClass,
        status: {
          ...nodeClass.status,
          ...(state === 'Halted' ? {} : { pinnedImages: { images: [{ id: 'ami-1' }], insteadOf, reason: 'failed' } }),
        },
      }
      const policy: RolloutPolicy = {
        ...aStoredPolicy({}),
        status: {
          revision: shortDigest(`default=${wanted}@`),
          startTime: '2026-06-14T10:00:00Z',
          startNodes: 5,
          nodePools: [{ name: 'default', startNodes: 5 }],
          failure: { reason: 'NodesFailed', message: 'failed', time: '2026-06-14T11:00:00Z', state, generation: 1 },
        },
      }
      const imageID = state === 'Halted' ? 'ami-0' : 'ami-1'
      return [pool, here, policy, ...names.flatMap((name) => aMachine(name, pool, nodeClass, { imageID }))]
    }

    test('goes no further by itself', () => {
      const plan = planOf(failed('Halted'), [pool])
      expect(plan.waves).toEqual([])
      expect(plan.blockedBy[0]?.message).toContain('the rollout has failed')
    })

    test.each(['Halted', 'RolledBack'] as const)(
      'begins anew with another image, also when nobody knows it: %s',
      (state) => {
        expect(planOf(failed(state), [alias]).waves.flatMap(({ nodes }) => nodes)).toEqual(names)
      },
    )
  })

  test('a policy that only observes changes nothing', () => {
    expect(waves([changed, aStoredPolicy({ mode: 'Observe' })])).toEqual(['06-14T12:00 n1 n2 n3 n4 n5'])
  })
})

describe('a plan under annotations', () => {
  test('a pause is waited for', () => {
    const paused = annotated(changed, { 'joinery.dev/pause-until': '2026-06-14T18:00:00Z' })
    expect(waves([paused])).toEqual(['06-14T18:00 n1 n2 n3 n4 n5'])
  })

  test('a restart replaces nodes that are older', () => {
    const restarted = annotated(pool, { 'joinery.dev/restart-at': '2026-06-14T11:00:00Z' })
    const plan = planOf(cluster, [restarted])
    expect(new Set(plan.nodes.map(({ action, reason }) => `${action} ${reason}`))).toEqual(
      new Set(['replace RestartRequested']),
    )
  })

  test('a pool that retires gives its nodes up; pods that no other pool takes fit nowhere', () => {
    const retired = annotated(pool, { 'joinery.dev/retire': 'default' })
    const alone = planOf(cluster, [retired])
    expect(alone.nodes.map(({ reason }) => reason)).toEqual(names.map(() => 'Retiring'))
    expect(alone.unplaceablePods.length).toBe(5)
    const withHeir = planOf(cluster, [retired, aFleetPool({ name: 'heir', disruption: budgets })])
    expect(withHeir.unplaceablePods).toEqual([])
    expect(withHeir.waves.flatMap(({ nodes }) => nodes)).toEqual(names)
  })
})
