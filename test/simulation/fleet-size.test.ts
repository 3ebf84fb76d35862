import { beforeEach, describe, expect, test } from 'vitest'
import { nodeClaimConditions, setConditionTrue } from '../../src/api/conditions.ts'
import { labelNodePool, labelZone } from '../../src/api/labels.ts'
import { runAsController } from '../../src/kube/current-controller.ts'
import { nodeClaims } from '../../src/kube/karpenter-kinds.ts'
import { deployments } from '../../src/kube/kinds.ts'
import { toResourceList } from '../../src/model/resources.ts'
import type { PlacementObserver } from '../../src/operator/solver/index.ts'
import { type Scenario, startScenario } from './incidents/scenario.ts'
import { nodesAllowed } from './invariants/node-bound.ts'
import { minute } from './world.ts'

type Decided = Parameters<PlacementObserver>[0]
type Plan = Decided['placement']['newNodePlans'][number]

test('1.25 times the least number of nodes, and one more for each part that cannot share', () => {
  const asked = Array.from({ length: 10 }, () => new Map([['cpu', 3]]))
  const sizes = Array.from({ length: 6 }, () => new Map([['cpu', 8]]))
  const options = { parts: 1, resources: ['cpu'] }
  expect(nodesAllowed(asked, sizes, options)).toBe(7)
  expect(nodesAllowed(asked, sizes, { ...options, parts: 3 })).toBe(9)
  // Two of 3 share a node of 8, but only one of 5 does.
  expect(
    nodesAllowed(
      asked.map(() => new Map([['cpu', 5]])),
      sizes,
      options,
    ),
  ).toBe(13)
  expect(nodesAllowed([], sizes, options)).toBe(2)
  expect(nodesAllowed(asked, [], options)).toBe(0)
})

describe('I16: more nodes than their pods need are told of', () => {
  let scenario: Scenario
  let decided: Decided

  beforeEach(async () => {
    scenario = await startScenario({ shapes: [{ name: 'web', replicas: 2, cpu: '1500m', memory: '2Gi' }], database: 0 })
    const seen: Decided[] = []
    scenario.hooks.observePlacement((each) => void seen.push(each))
    const { client } = scenario.world.stack.cluster
    await client.patch(
      deployments,
      { namespace: 'default', name: 'web' },
      { kind: 'merge', body: { spec: { replicas: 22 } } },
    )
    await scenario.run(40 * minute)
    expect(scenario.invariants.violations).toEqual([])
    scenario.world.stack.crashOperator()
    const whole = seen.find(({ placement }) => placement.newNodePlans.length > 0)
    if (whole === undefined) throw new Error('nothing was planned')
    decided = whole
  })

  const found = (): readonly string[] =>
    scenario.invariants.violations.filter(({ invariant }) => invariant === 'I16').map(({ message }) => message)
  const withPlans = (newNodePlans: readonly Plan[]): Decided => ({
    ...decided,
    placement: { ...decided.placement, newNodePlans },
  })

  test('in one plan', () => {
    scenario.hooks.onPlacement(decided)
    expect(found()).toEqual([])
    const each = decided.placement.newNodePlans.flatMap((plan) =>
      plan.pods.map((pod) => ({ ...plan, pods: [pod], requests: pod.requests })),
    )
    scenario.hooks.onPlacement(withPlans(each))
    expect(found()).toEqual([expect.stringMatching(/^web-\S+: 20 nodes are planned, \d+ would do$/)])
  })

  test('plan after plan for the same pods', async () => {
    const [plan] = decided.placement.newNodePlans
    if (plan === undefined) throw new Error('no plan')
    for (let index = 0; index < 3; index += 1) {
      expect(found()).toEqual([])
      scenario.hooks.onPlacement(withPlans([plan]))
      await launch(plan, `again-${index}`)
    }
    expect(found()).toContainEqual(
      expect.stringMatching(/^web-\S+: 3 nodes were launched in an hour for \d+ pods, 2 would do$/),
    )
  })

  async function launch(plan: Plan, name: string): Promise<void> {
    const { cluster } = scenario.world.stack
    const client = cluster.clientFor('karpenter', scenario.hooks.of(0))
    const zones = [...(plan.requirements.get(labelZone)?.values ?? [])]
    const claim = {
      apiVersion: 'karpenter.sh/v1' as const,
      kind: 'NodeClaim' as const,
      metadata: { name, labels: { [labelNodePool]: plan.nodePool } },
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: zones.length === 0 ? [] : [{ key: labelZone, operator: 'In' as const, values: zones }],
        resources: { requests: toResourceList(plan.requests) },
      },
    }
    const made = await runAsController('provisioner', () => client.create(nodeClaims, claim))
    const { status } = setConditionTrue(made, nodeClaimConditions, 'Launched', cluster.clock.now())
    await client.patch(nodeClaims, { name }, { kind: 'merge', body: { status } }, { subresource: 'status' })
  }
})
