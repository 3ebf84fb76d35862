import { expect, test } from 'vitest'
import { AWSError, internalError } from '../../../src/embedded/aws/errors.ts'
import type { Node } from '../../../src/api/kubernetes.ts'
import { labelZone } from '../../../src/api/labels.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import { deployments, pods } from '../../../src/kube/kinds.ts'
import { isWrite } from '../hooks.ts'
import { minute } from '../world.ts'
import { type Scenario, startScenario } from './scenario.ts'

async function scale({ world }: Scenario, replicas: number): Promise<void> {
  const key = { namespace: 'default', name: 'web' }
  await world.stack.cluster.client.patch(deployments, key, { kind: 'merge', body: { spec: { replicas } } })
}

async function expectWhole(scenario: Scenario): Promise<void> {
  expect(await scenario.waitingPods()).toEqual([])
  expect(scenario.machines()).toHaveLength((await scenario.claims()).length)
  expect(await scenario.end()).toEqual([])
}

test('incident 1: a launch whose answer is lost leaks no machine', async () => {
  const scenario = await startScenario()
  let left = 3
  scenario.world.stack.cluster.aws.faults.add(({ action }) =>
    action === 'CreateFleet' && left-- > 0 ? { kind: 'failAfterEffect', error: internalError() } : undefined,
  )
  await scale(scenario, 40)
  await scenario.run(40 * minute)
  await expectWhole(scenario)
})

test('incident 2: a crash between the launch and the status write leaks no machine', async () => {
  const scenario = await startScenario()
  let crashed = false
  scenario.hooks.addCall((call) => {
    if (crashed || call.resource.plural !== 'nodeclaims' || call.subresource !== 'status' || !isWrite(call))
      return undefined
    crashed = true
    scenario.crash()
    return { failBefore: new KubeError('Network', 0, 'connection reset') }
  })
  await scale(scenario, 40)
  await scenario.run(40 * minute)
  expect(crashed).toBe(true)
  await expectWhole(scenario)
})

test('incident 3: after a termination by hand node and claim go, and the pods run elsewhere', async () => {
  const scenario = await startScenario()
  const [machine] = scenario.machines()
  if (machine === undefined) throw new Error('no machine was launched')
  scenario.world.stack.cluster.aws.terminateOutOfBand(machine.id)
  await scenario.run(15 * minute)
  const providerIDs = (await scenario.nodes()).map(({ spec }) => spec.providerID ?? '')
  expect(providerIDs.filter((id) => id.endsWith(machine.id))).toEqual([])
  await expectWhole(scenario)
})

test('incident 4: a machine that the cloud cannot find for a moment keeps its healthy node', async () => {
  const scenario = await startScenario()
  const before = (await scenario.nodes()).map(({ metadata }) => metadata.uid)
  const heal = scenario.world.stack.cluster.aws.faults.add(({ action }) =>
    action === 'DescribeInstances' ? { kind: 'answer', output: { Reservations: [] } } : undefined,
  )
  await scenario.run(5 * minute)
  heal()
  await scenario.run(10 * minute)
  expect((await scenario.nodes()).map(({ metadata }) => metadata.uid)).toEqual(before)
  await expectWhole(scenario)
})

test('incident 5: a claim stays until its machine is gone, however long that takes', async () => {
  const scenario = await startScenario()
  const { aws } = scenario.world.stack.cluster
  Object.assign(aws.account.timings, { terminationMs: 12 * minute })
  await scale(scenario, 1)
  await scenario.run(40 * minute)
  await expectWhole(scenario)
})

test.each([5 * minute, -5 * minute])(
  'incident 6: a clock that is %i ms off kills no launch in progress',
  async (ms) => {
    const scenario = await startScenario()
    await scale(scenario, 40)
    await scenario.run(5_000)
    scenario.world.stack.cluster.clock.jump(ms)
    await scenario.run(20 * minute)
    expect(scenario.world.stack.cluster.aws.faults.count('ec2:TerminateInstances')).toBe(0)
    await expectWhole(scenario)
  },
)

test.each([5 * minute, -5 * minute])(
  'incident 6: a clock that is %i ms off gives up no machine that boots slowly',
  async (ms) => {
    const scenario = await startScenario()
    // Machines boot by the wall clock: set back, they take as much longer.
    scenario.world.stack.cluster.behaviours.chooser = () => ({ bootMs: ms > 0 ? 12 * minute : 8 * minute })
    await scale(scenario, 40)
    await scenario.run(2 * minute)
    scenario.world.stack.cluster.clock.jump(ms)
    await scenario.run(20 * minute)
    expect((await scenario.world.stack.metrics.render()).text).not.toContain('registration_timeout')
    await expectWhole(scenario)
  },
)

test('incident 36: a launch template that somebody deleted is made again', async () => {
  const scenario = await startScenario()
  scenario.world.stack.cluster.aws.state.launchTemplates.splice(0)
  await scale(scenario, 40)
  await scenario.run(15 * minute)
  await expectWhole(scenario)
})

test('incident 37: an API server that loses lease writes for a while costs no machine', async () => {
  const scenario = await startScenario()
  const heal = scenario.hooks.addCall((call) =>
    call.resource.plural === 'leases' ? { failBefore: new KubeError('Timeout', 504, 'timeout') } : undefined,
  )
  await scenario.run(8_000)
  heal()
  await scale(scenario, 40)
  await scenario.run(15 * minute)
  await expectWhole(scenario)
})

test.each([120])(
  'incident 22: without any capacity claims for %i pods come and go slowly, and all is well when it is back',
  async (replicas) => {
    const scenario = await startScenario({
      pools: [
        { name: 'general', cpu: '4000' },
        { name: 'other', cpu: '4000', weight: 5 },
      ],
    })
    const { aws } = scenario.world.stack.cluster
    aws.setCapacity({}, 0)
    const before = aws.faults.count('ec2:CreateFleet')
    await scale(scenario, replicas)
    await scenario.run(60 * minute)
    expect(aws.faults.count('ec2:CreateFleet') - before).toBeLessThanOrEqual(60)
    aws.clearCapacity()
    await scenario.run(15 * minute)
    await expectWhole(scenario)
  },
)

test('incident 35: messages about machines that are not ours change nothing', async () => {
  const scenario = await startScenario()
  const before = (await scenario.claims()).map(({ metadata }) => metadata.uid)
  const { aws } = scenario.world.stack.cluster
  const detail = { 'instance-id': 'i-0aaaaaaaaaaaaaaaa', 'instance-action': 'terminate' }
  const warning = { version: '0', source: 'aws.ec2', 'detail-type': 'EC2 Spot Instance Interruption Warning', detail }
  for (const body of [JSON.stringify(warning), 'no json', '{}', JSON.stringify(warning)]) aws.sendMessage(body)
  await scenario.run(10 * minute)
  expect((await scenario.claims()).map(({ metadata }) => metadata.uid)).toEqual(before)
  await expectWhole(scenario)
})

test('a terminated machine that EC2 says it never knew ends its claim', async () => {
  const scenario = await startScenario()
  scenario.invariants.allowances.cloudIsStale = true
  const heal = scenario.world.stack.cluster.aws.faults.add(({ action }) =>
    action === 'TerminateInstances'
      ? { kind: 'failAfterEffect', error: new AWSError('InvalidInstanceID.NotFound', 'does not exist') }
      : undefined,
  )
  await scale(scenario, 1)
  await scenario.run(30 * minute)
  heal()
  await expectWhole(scenario)
})

test('a pod whose volume is in a zone without capacity waits for that zone: now and then one machine is asked for, and none elsewhere', async () => {
  const scenario = await startScenario({ shapes: [{ name: 'web', replicas: 20, cpu: '2', memory: '2Gi' }] })
  const { aws, client } = scenario.world.stack.cluster
  const homes = new Map((await scenario.nodes()).map((node) => [node.metadata.name, node]))
  const [pod] = (await client.list(pods)).items.filter(
    ({ metadata, spec }) => metadata.name.startsWith('db-') && homes.has(spec.nodeName ?? ''),
  )
  const zoneOf = (node: Node | undefined): string => node?.metadata.labels?.[labelZone] ?? ''
  const zone = zoneOf(homes.get(pod?.spec.nodeName ?? ''))
  expect(zone).not.toBe('')
  aws.setCapacity({ zone }, 0)
  for (const node of homes.values()) {
    if (zoneOf(node) === zone) aws.terminateOutOfBand(node.spec.providerID?.split('/').at(-1) ?? '')
  }
  await scenario.run(20 * minute)
  const settled = (await scenario.claims()).length
  const asked = aws.faults.count('ec2:CreateFleet')
  await scenario.run(60 * minute)
  expect((await scenario.waitingPods()).map(({ metadata }) => metadata.name)).toContain(pod?.metadata.name)
  // The launch budget gives one failed launch back every two minutes.
  expect(aws.faults.count('ec2:CreateFleet') - asked).toBeLessThanOrEqual(30)
  expect((await scenario.claims()).length).toBeLessThanOrEqual(settled + 1)
  aws.clearCapacity()
  await scenario.run(30 * minute)
  await expectWhole(scenario)
}, 120_000)
