import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeClaimConditions, setCondition } from '../../src/api/conditions.ts'
import type { NodeClaim } from '../../src/api/karpenter.ts'
import type { Pod } from '../../src/api/kubernetes.ts'
import { annotationTerminationTimestamp } from '../../src/api/labels.ts'
import { runAsController } from '../../src/kube/current-controller.ts'
import { nodeClaims } from '../../src/kube/karpenter-kinds.ts'
import { deployments, nodes, pods } from '../../src/kube/kinds.ts'
import type { KubeClient } from '../../src/kube/port.ts'
import { type Scenario, startScenario } from './incidents/scenario.ts'
import { minute } from './world.ts'

/** The operator is gone, and somebody with its credentials is hurried by a clock; each case takes another node. */
describe('I31: what happens before its time is told of', () => {
  let scenario: Scenario
  let client: KubeClient
  let claims: readonly NodeClaim[]
  let seen = 0

  beforeAll(async () => {
    const shapes = [{ name: 'web', replicas: 14, cpu: '3', memory: '4Gi', maxUnavailable: '100%' }]
    scenario = await startScenario({
      shapes,
      database: 0,
      pools: [{ name: 'general', budget: '100%', consolidateAfter: '10m' }],
    })
    scenario.world.stack.crashOperator()
    client = scenario.world.stack.cluster.clientFor('karpenter', scenario.hooks.of(0))
    claims = await scenario.claims()
    expect(claims.length).toBeGreaterThanOrEqual(6)
  })
  afterAll(() => scenario.end())

  function found(): readonly string[] {
    const all = scenario.invariants.violations.map(({ invariant, message }) => `${invariant} ${message}`)
    const fresh = all.slice(seen)
    seen = all.length
    return fresh.filter((text) => text.startsWith('I31'))
  }

  function claimAt(index: number): NodeClaim {
    const claim = claims[index]
    if (claim === undefined) throw new Error(`only ${claims.length} claims`)
    return claim
  }

  const key = ({ metadata }: NodeClaim) => ({ name: metadata.name })
  const jump = (ms: number): void => scenario.world.stack.cluster.clock.jump(ms)
  const podsOn = async ({ status }: NodeClaim): Promise<readonly Pod[]> =>
    (await client.list(pods, { namespace: 'default' })).items.filter(({ spec }) => spec.nodeName === status?.nodeName)
  const machineOf = ({ status }: NodeClaim): string => status?.providerID?.split('/').at(-1) ?? ''
  const deleteAs = (controller: string, claim: NodeClaim) =>
    runAsController(controller, () => client.delete(nodeClaims, key(claim), { dryRun: true }))
  const terminate = (id: string, controller = 'node.termination') =>
    runAsController(controller, () =>
      scenario.world.stack.cluster.aws.clients.ec2.terminateInstances({ InstanceIds: [id] }),
    )

  test('a pod is deleted five minutes early, and at its time not', async () => {
    const claim = claimAt(0)
    const [first, second] = await podsOn(claim)
    const at = new Date(scenario.world.stack.cluster.clock.now() + 6 * minute).toISOString()
    const annotations = { [annotationTerminationTimestamp]: `${at.slice(0, 19)}Z` }
    await client.patch(nodeClaims, key(claim), { kind: 'merge', body: { metadata: { annotations } } })
    await scenario.run(minute)
    jump(5 * minute)
    await client.delete(pods, { namespace: 'default', name: first?.metadata.name ?? '' })
    expect(found()).toEqual([expect.stringMatching(/^I31 web-\S+: is deleted 2\d\d s before its time$/)])
    jump(-5 * minute)
    await scenario.run(5 * minute)
    await client.delete(pods, { namespace: 'default', name: second?.metadata.name ?? '' })
    expect(found()).toEqual([])
  })

  test('a node is repaired before its condition has lasted, and after that not', async () => {
    const claim = claimAt(1)
    scenario.world.stack.cluster.behaviours.setInstance(machineOf(claim), { healthy: false })
    await scenario.run(26 * minute)
    jump(5 * minute)
    await deleteAs('node.health', claim)
    jump(-5 * minute)
    expect(found()).toEqual([expect.stringMatching(/^I31 \S+: is repaired before any of its conditions/)])
    await scenario.run(5 * minute)
    await deleteAs('node.health', claim)
    expect(found()).toEqual([])
  })

  test('a claim expires before its time', async () => {
    await deleteAs('nodeclaim.expiration', claimAt(2))
    expect(found()).toEqual([expect.stringMatching(/^I31 \S+: expires before its time$/)])
  })

  test('a node is consolidated before its pods have been quiet, and after that not', async () => {
    const disrupt = async (claim: NodeClaim): Promise<void> => {
      const change = { type: 'DisruptionReason', status: 'True' as const, reason: 'Underutilized', message: '' }
      const { status } = setCondition(claim, nodeClaimConditions, change, scenario.world.stack.cluster.clock.now())
      const body = { status: { conditions: status?.conditions } }
      await client.patch(nodeClaims, key(claim), { kind: 'merge', body }, { subresource: 'status' })
    }
    const [pod] = await podsOn(claimAt(3))
    await client.delete(pods, { namespace: 'default', name: pod?.metadata.name ?? '' })
    await scenario.run(6 * minute)
    jump(5 * minute)
    await disrupt(claimAt(3))
    jump(-5 * minute)
    expect(found()).toEqual([
      expect.stringMatching(/^I31 \S+: is consolidated 3\d\d s after the last change of its pods$/),
    ])
    await scenario.run(5 * minute)
    await disrupt(claimAt(4))
    expect(found()).toEqual([])
  })

  test('a machine ends while its pods may still be stopping', async () => {
    const claim = claimAt(5)
    scenario.world.stack.cluster.behaviours.setInstance(machineOf(claim), { podsHang: true })
    for (const { metadata } of await podsOn(claim)) await client.evict({ namespace: 'default', name: metadata.name })
    await scenario.run(minute)
    await terminate(machineOf(claim))
    expect(found()).toContainEqual(expect.stringMatching(/^I31 ip-\S+: ends 60 s after web-\S+ was told to stop$/))
  })

  test("a machine is ended as nobody's before its claim may have learnt of it", async () => {
    const { aws, clock } = scenario.world.stack.cluster
    const known = new Set(aws.state.instances.map(({ id }) => id))
    scenario.world.stack.startOperator()
    const body = { spec: { replicas: 40 } }
    await client.patch(deployments, { namespace: 'default', name: 'web' }, { kind: 'merge', body })
    const young = () => aws.state.instances.find(({ id }) => !known.has(id))
    await clock.run({ until: () => young() !== undefined, withinMs: 5 * minute })
    found()
    await terminate(young()?.id ?? '', 'instance.garbagecollection')
    expect(found()).toEqual([expect.stringMatching(/^I31 i-\S+: is ended as nobody's \d s after its launch$/)])
    expect((await client.list(nodes)).items.length).toBeGreaterThan(0)
  })
})
