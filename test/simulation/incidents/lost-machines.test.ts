import { expect, test } from 'vitest'
import { AWSError, internalError } from '../../../src/embedded/aws/errors.ts'
import { interruptionNotice, stateChangeNotice } from '../../../src/embedded/aws/notices.ts'
import type { ClientCall } from '../../../src/embedded/apiserver/index.ts'
import type { Node, Pod } from '../../../src/api/kubernetes.ts'
import { labelZone } from '../../../src/api/labels.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import { ec2NodeClasses } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, nodes, pods } from '../../../src/kube/kinds.ts'
import { minute } from '../world.ts'
import { type Scenario, startScenario } from './scenario.ts'

function podsOf({ world }: Scenario, nodeName: string): readonly Pod[] {
  const all = world.stack.cluster.apiServer.context.store.list('/pods') as unknown as readonly Pod[]
  return all.filter(({ metadata, spec }) => spec.nodeName === nodeName && metadata.name.startsWith('web'))
}

async function scale({ world }: Scenario, replicas: number): Promise<void> {
  const key = { namespace: 'default', name: 'web' }
  await world.stack.cluster.client.patch(deployments, key, { kind: 'merge', body: { spec: { replicas } } })
}

async function expectNoneOf(scenario: Scenario, instanceID: string): Promise<void> {
  const claims = (await scenario.claims()).map(({ status }) => status?.providerID ?? '')
  const providerIDs = [...claims, ...(await scenario.nodes()).map(({ spec }) => spec.providerID ?? '')]
  expect(providerIDs.filter((id) => id.endsWith(instanceID))).toEqual([])
}

/** Metadata comes first, then the status. */
function isRecordOfLaunch(call: ClientCall): boolean {
  return (
    call.resource.plural === 'nodeclaims' &&
    call.verb === 'patch' &&
    JSON.stringify(call.body).includes('instance-type')
  )
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

test('incident 1: a machine that has the address, and so the node name, of one that is gone is cleaned up like any other', async () => {
  const shapes = [{ name: 'web', replicas: 6, cpu: '3', memory: '4Gi' }]
  const pools = [{ name: 'general', consolidateAfter: 'Never' }]
  const scenario = await startScenario({ shapes, pools, settings: { interruptionQueue: '' } })
  const { aws, client } = scenario.world.stack.cluster
  const [ended] = scenario.machines()
  if (ended === undefined) throw new Error('no machine')
  const name = (await scenario.nodes()).find(({ spec }) => spec.providerID?.endsWith(ended.id))?.metadata.name ?? ''
  let heir: string | undefined
  aws.onInstance(({ instance }) => {
    if (heir !== undefined || instance.launchedAt <= ended.launchedAt || instance.state !== 'pending') return
    heir = instance.id
    instance.privateIP = ended.privateIP
  })
  aws.terminateOutOfBand(ended.id)
  await scenario.run(15 * minute)
  expect((await client.get(nodes, { name })).spec.providerID).toMatch(new RegExp(`${heir}$`))
  await expectNoneOf(scenario, ended.id)
  if (heir !== undefined) aws.terminateOutOfBand(heir)
  await scenario.run(15 * minute)
  await expectNoneOf(scenario, heir ?? '')
  await expectWhole(scenario)
})

test('incident 2: a crash between the launch and the first word of it leaks no machine', async () => {
  const scenario = await startScenario()
  const { aws } = scenario.world.stack.cluster
  const launched = aws.faults.count('ec2:CreateFleet')
  let crashed = false
  scenario.hooks.addCall((call) => {
    const isFirstWord = aws.faults.count('ec2:CreateFleet') > launched && isRecordOfLaunch(call)
    if (crashed || !isFirstWord) return undefined
    crashed = true
    scenario.crash()
    return { failBefore: new KubeError('Network', 0, 'connection reset') }
  })
  await scale(scenario, 40)
  await scenario.run(40 * minute)
  expect(crashed).toBe(true)
  await expectWhole(scenario)
})

test.each([
  ['as EC2 says on the queue', {}],
  ['of which no message tells', { interruptionQueue: '' }],
])(
  'incident 3: after a termination by hand, %s, node and claim go, and the pods run elsewhere',
  async (_how, settings) => {
    const scenario = await startScenario({ settings })
    const [machine] = scenario.machines()
    if (machine === undefined) throw new Error('no machine was launched')
    scenario.world.stack.cluster.aws.terminateOutOfBand(machine.id)
    await scenario.run(10 * minute)
    await expectNoneOf(scenario, machine.id)
    await expectWhole(scenario)
  },
)

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
  expect(aws.faults.count('ec2:TerminateInstances')).toBeGreaterThan(0)
  await expectWhole(scenario)
})

test.each([5 * minute, -5 * minute])(
  'incident 6: a clock that is %i ms off kills no launch in progress',
  async (ms) => {
    const scenario = await startScenario()
    const { aws, clock } = scenario.world.stack.cluster
    const machines = scenario.machines().length
    // What has been launched cannot be written down, while whoever looks for machines without a claim comes by.
    const heal = scenario.hooks.addCall((call) =>
      isRecordOfLaunch(call)
        ? { failBefore: new KubeError('InternalError', 500, 'etcdserver: request timed out') }
        : undefined,
    )
    await scale(scenario, 40)
    await clock.run({ until: () => scenario.machines().length > machines, withinMs: minute })
    clock.jump(ms)
    await scenario.run(150_000)
    heal()
    await scenario.run(20 * minute)
    expect(aws.faults.count('ec2:TerminateInstances')).toBe(0)
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
  const { aws, clock } = scenario.world.stack.cluster
  const { launchTemplates } = aws.state
  await scale(scenario, 20)
  const launched = aws.faults.count('ec2:CreateFleet')
  await clock.run({ until: () => aws.faults.count('ec2:CreateFleet') > launched, withinMs: minute })
  await clock.run({ forMs: 5_000 })
  // It is remembered for a minute.
  expect(launchTemplates.length).toBeGreaterThan(0)
  launchTemplates.splice(0)
  await scale(scenario, 40)
  await clock.run({ forMs: 30_000 })
  expect(launchTemplates.length).toBeGreaterThan(0)
  await scenario.run(15 * minute)
  await expectWhole(scenario)
})

test('incident 36: after the class has another role no machine is launched with the old one', async () => {
  const scenario = await startScenario()
  const { aws, client, clock } = scenario.world.stack.cluster
  aws.state.roles.push('another-role')
  await scale(scenario, 12)
  await clock.run({ forMs: 10_000 })
  const before = new Set(scenario.machines().map(({ instanceProfile }) => instanceProfile))
  const known = new Set(scenario.machines().map(({ id }) => id))
  await client.patch(ec2NodeClasses, { name: 'default' }, { kind: 'merge', body: { spec: { role: 'another-role' } } })
  await clock.run({ forMs: 5_000 })
  await scale(scenario, 40)
  await scenario.run(2 * minute)
  const launched = scenario.machines().filter(({ id }) => !known.has(id))
  expect(launched.length).toBeGreaterThan(0)
  expect(launched.filter(({ instanceProfile }) => before.has(instanceProfile))).toEqual([])
  await scenario.run(60 * minute)
  expect(scenario.machines().filter(({ id }) => known.has(id))).toEqual([])
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
  expect(scenario.world.stack.operators).toBe(1)
  await expectWhole(scenario)
})

test('incident 37: an API server that takes four seconds for everything is worked with, by one process all the while', async () => {
  const scenario = await startScenario()
  const heal = scenario.hooks.addCall(({ verb }) => (verb === 'watch' ? undefined : { delayMs: 4_000 }))
  await scale(scenario, 40)
  await scenario.run(15 * minute)
  heal()
  const { stack } = scenario.world
  expect(stack.operators).toBe(1)
  expect(stack.operator.lifecycle.state).toBe('running')
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

test('incident 35: what a machine says when it starts, or somebody when it is long gone, is no interruption', async () => {
  const scenario = await startScenario()
  const { aws } = scenario.world.stack.cluster
  const [ended] = scenario.machines()
  if (ended === undefined) throw new Error('no machine')
  aws.terminateOutOfBand(ended.id)
  await scenario.run(15 * minute)
  const before = (await scenario.claims()).map(({ metadata }) => metadata.uid)
  const ids = scenario.machines().map(({ id }) => id)
  for (const id of ids)
    for (const state of ['pending', 'running']) aws.sendMessage(stateChangeNotice(aws.account, id, state))
  aws.sendMessage(interruptionNotice(aws.account, 'spot', ended.id))
  aws.sendMessage(stateChangeNotice(aws.account, ended.id, 'terminated'))
  await scenario.run(10 * minute)
  expect((await scenario.claims()).map(({ metadata }) => metadata.uid)).toEqual(before)
  await expectWhole(scenario)
})

test('incident 35: of two minutes nothing is wasted: the next machine is asked for while the pods go one by one, and this one ends without them', async () => {
  const shapes = [{ name: 'web', replicas: 6, cpu: '3', memory: '4Gi', maxUnavailable: 1 }]
  const pools = [{ name: 'general', capacityTypes: ['spot'], budget: '50%' }]
  const scenario = await startScenario({ shapes, pools, database: 0 })
  const { aws, apiServer, clock } = scenario.world.stack.cluster
  const ours = (await scenario.nodes()).find(({ metadata }) => podsOf(scenario, metadata.name).length >= 2)
  const id = ours?.spec.providerID?.split('/').at(-1) ?? ''
  const name = ours?.metadata.name ?? ''
  const startAt = clock.monotonicMs()
  const firstAt = new Map<string, number>()
  let gone = 0
  const note = (what: string): void => void (firstAt.has(what) || firstAt.set(what, clock.monotonicMs() - startAt))
  apiServer.context.store.subscribe('/pods', ({ type, object }) => {
    if (type !== 'DELETED' || (object as unknown as Pod).spec.nodeName !== name) return
    if (!object.metadata.name.startsWith('web')) return
    gone += 1
    note(`${gone} pods have gone`)
  })
  aws.faults.observe(({ action, input }) => {
    if (action === 'CreateFleet') note('the next machine is asked for')
    if (action !== 'TerminateInstances' || !JSON.stringify(input).includes(id)) return
    note('the machine is ended')
    if (podsOf(scenario, name).length > 0) note('with pods on it')
  })
  aws.interrupt(id, 'spot')
  await scenario.run(10 * minute)
  const at = (what: string): number => firstAt.get(what) ?? Number.POSITIVE_INFINITY
  expect(gone).toBeGreaterThanOrEqual(2)
  expect(at('the next machine is asked for')).toBeLessThan(at('2 pods have gone'))
  expect(at('the next machine is asked for')).toBeLessThan(20_000)
  expect(at('the machine is ended')).toBeGreaterThan(at('2 pods have gone'))
  expect(at('the machine is ended')).toBeLessThan(2 * minute)
  expect(firstAt.has('with pods on it')).toBe(false)
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
