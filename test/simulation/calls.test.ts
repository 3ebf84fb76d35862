import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { throttled, unauthorized } from '../../src/embedded/aws/errors.ts'
import { SeededRandom } from '../../src/embedded/random.ts'
import { BackOff } from '../../src/kube/back-off.ts'
import { KubeError } from '../../src/kube/errors.ts'
import { nodeClaims, nodePools } from '../../src/kube/karpenter-kinds.ts'
import type { KubeClient } from '../../src/kube/port.ts'
import { type Scenario, startScenario } from './incidents/scenario.ts'
import { minute } from './world.ts'

/** The operator is gone, and somebody with its credentials calls as it must not; each case another request. */
describe('I22: calls that nothing holds back are told of', () => {
  let scenario: Scenario
  let client: KubeClient
  let seen = 0

  beforeAll(async () => {
    scenario = await startScenario()
    scenario.world.stack.crashOperator()
    client = scenario.world.stack.cluster.clientFor('karpenter', scenario.hooks.of(0))
  })
  afterAll(() => scenario.end())

  function found(): readonly string[] {
    const all = scenario.invariants.violations.map(({ invariant, message }) => `${invariant} ${message}`)
    const fresh = all.slice(seen)
    seen = all.length
    return fresh
  }

  /** Tries so often, waiting as it is told in between. */
  async function attempts(count: number, call: () => Promise<unknown>, waitMs: (index: number) => number) {
    const { clock } = scenario.world.stack.cluster
    for (let index = 0; index < count; index += 1) {
      await call().catch(() => undefined)
      await clock.run({ forMs: waitMs(index) })
    }
  }

  function failing(error: Error): () => void {
    return scenario.hooks.addCall(() => ({ failBefore: error }))
  }

  const patch = (name: string) => () =>
    client.patch(nodeClaims, { name }, { kind: 'merge', body: { metadata: { annotations: { a: 'b' } } } })
  const internal = new KubeError('InternalError', 500, 'etcdserver: request timed out')
  const forbidden = new KubeError('Forbidden', 403, 'admission webhook "policy.example.com" denied the request')
  const jittered = (maxMs: number) => {
    const backOff = new BackOff({ baseMs: 5, maxMs, random: new SeededRandom(22) })
    return () => backOff.nextMs()
  }

  test('reads at AWS, beyond their bucket', async () => {
    const { ec2 } = scenario.world.stack.cluster.aws.clients
    await attempts(
      60,
      () => ec2.describeInstances({}),
      () => 0,
    )
    expect(found()).toEqual([])
    await attempts(
      10,
      () => ec2.describeInstances({}),
      () => 0,
    )
    expect(found()).toEqual([expect.stringMatching(/^I22 ec2:DescribeInstances .* more often than \d+ times at once/)])
  })

  test('changes at AWS, beyond theirs', async () => {
    const { ec2 } = scenario.world.stack.cluster.aws.clients
    await attempts(
      40,
      () => ec2.terminateInstances({ InstanceIds: [] }),
      () => 100,
    )
    expect(found()).toEqual([expect.stringMatching(/^I22 ec2:TerminateInstances .* more often than/)])
  })

  test('writes at the API server, beyond their bucket', async () => {
    const change = (index: number) => () =>
      client.patch(
        nodePools,
        { name: 'general' },
        { kind: 'merge', body: { metadata: { annotations: { 'joinery.dev/a': `${index}` } } } },
      )
    for (let index = 0; index < 200; index += 1) await change(index)()
    expect(found()).toEqual([expect.stringMatching(/^I22 patch nodepools .* more often than/)])
  })

  test('at a pace that holds, none', async () => {
    await attempts(
      300,
      () => client.list(nodeClaims),
      () => 500,
    )
    expect(found()).toEqual([])
  })

  test('a failure that is tried again at once, again and again', async () => {
    const end = failing(internal)
    await attempts(20, patch('at-once'), (index) => 1 + ((index * 7) % 5))
    end()
    expect(found()).toEqual([expect.stringMatching(/^I22 patch nodeclaims\/ \/at-once: failed, and comes again/)])
  })

  test('every three seconds, for ever: a back-off has to grow', async () => {
    const end = failing(internal)
    await attempts(60, patch('steady'), (index) => 3_000 + ((index * 37) % 100))
    end()
    expect(found()).toEqual([expect.stringMatching(/^I22 patch nodeclaims\/ \/steady: failed, and comes again/)])
  })

  test('by the clock, doubling', async () => {
    const end = failing(internal)
    await attempts(9, patch('doubling'), (index) => 10 * 2 ** index)
    end()
    expect(found()).toEqual([expect.stringMatching(/^I22 patch nodeclaims\/ \/doubling: .* has no jitter$/)])
  })

  test('by the clock, at one pace', async () => {
    const end = failing(internal)
    await attempts(9, patch('ticking'), () => 4_000)
    end()
    expect(found()).toEqual([expect.stringMatching(/^I22 patch nodeclaims\/ \/ticking: .* has no jitter$/)])
  })

  test('a request that was refused, as often as one that failed', async () => {
    const end = failing(forbidden)
    await attempts(60, patch('refused'), jittered(4_000))
    end()
    expect(found()).toEqual([expect.stringMatching(/^I22 patch nodeclaims\/ \/refused: was refused, and comes again/)])
  })

  test('the same at AWS, whatever token it carries', async () => {
    const { aws } = scenario.world.stack.cluster
    let token = 0
    const launch = () =>
      aws.clients.ec2.createFleet({
        ClientToken: `t${(token += 1)}`,
        LaunchTemplateConfigs: [],
        TargetCapacitySpecification: { TotalTargetCapacity: 1 },
      })
    const refuse = aws.faults.add(({ action }) =>
      action === 'CreateFleet' ? { kind: 'fail', error: unauthorized('ec2:CreateFleet') } : undefined,
    )
    await attempts(60, launch, (index) => 1 + ((index * 7) % 5))
    refuse()
    expect(found()).toContainEqual(expect.stringMatching(/^I22 ec2:CreateFleet: was refused, and comes again/))
  })

  test('no back-off with jitter, however long it lasts', async () => {
    const { aws } = scenario.world.stack.cluster
    const end = failing(internal)
    await attempts(60, patch('patient'), jittered(10_000))
    end()
    const throttle = aws.faults.add(() => ({ kind: 'fail', error: throttled() }))
    await attempts(60, () => aws.clients.ec2.describeSubnets({}), jittered(10_000))
    throttle()
    await scenario.run(minute)
    expect(found()).toEqual([])
  })
})
