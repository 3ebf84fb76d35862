import { expect, test } from 'vitest'
import { conditionOf } from '../../src/api/conditions.ts'
import { nodePools } from '../../src/kube/karpenter-kinds.ts'
import { deployments, events } from '../../src/kube/kinds.ts'
import { type Scenario, startScenario } from './incidents/scenario.ts'
import { aPool } from './objects.ts'
import { minute } from './world.ts'

async function scale({ world }: Scenario, replicas: number): Promise<void> {
  const key = { namespace: 'default', name: 'web' }
  await world.stack.cluster.client.patch(deployments, key, { kind: 'merge', body: { spec: { replicas } } })
}

async function breakerOf({ world }: Scenario, pool = 'general') {
  return conditionOf(await world.stack.cluster.client.get(nodePools, { name: pool }), 'CircuitOpen')
}

async function reasonsOn({ world }: Scenario): Promise<readonly string[]> {
  const { items } = await world.stack.cluster.client.list(events)
  return items.flatMap(({ reason = '' }) => (reason.startsWith('Circuit') ? [reason] : []))
}

test('nodes that never join: the breaker opens, one node at a time tries, a crash forgets nothing, a good node closes it', async () => {
  const scenario = await startScenario()
  const { aws, behaviours } = scenario.world.stack.cluster
  behaviours.chooser = () => ({ joins: false })
  const launched = (): number => aws.faults.count('ec2:CreateFleet')
  await scale(scenario, 60)
  await scenario.run(17 * minute)
  const opened = await breakerOf(scenario)
  expect(opened).toMatchObject({ status: 'True', reason: 'RegistrationFailed' })
  expect(opened?.message).toMatch(/in a row: nodes did not register: .*; one node tries again at 20\S+Z/)
  expect(new Set(await reasonsOn(scenario))).toEqual(new Set(['CircuitOpened']))
  const before = launched()
  await scenario.run(10 * minute)
  scenario.crash()
  await scenario.run(25 * minute)
  // A node that is tried for a quarter of an hour, and a wait of minutes before the next one.
  expect(launched() - before).toBeLessThanOrEqual(4)
  expect(launched() - before).toBeGreaterThan(0)
  expect((await breakerOf(scenario))?.lastTransitionTime).toBe(opened?.lastTransitionTime)
  behaviours.chooser = () => ({})
  await scenario.run(30 * minute)
  expect(await breakerOf(scenario)).toBeUndefined()
  expect(await scenario.waitingPods()).toEqual([])
  expect(await reasonsOn(scenario)).toContain('CircuitClosed')
  expect(await scenario.end()).toEqual([])
})

test('another pool takes the pods of a pool whose nodes never join', async () => {
  const scenario = await startScenario({
    pools: [
      { name: 'general', weight: 10 },
      { name: 'spare', capacityTypes: ['spot'] },
    ],
  })
  const { behaviours } = scenario.world.stack.cluster
  behaviours.chooser = ({ tags }) => (tags['karpenter.sh/nodepool'] === 'general' ? { joins: false } : {})
  await scale(scenario, 60)
  await scenario.run(25 * minute)
  expect(await scenario.waitingPods()).toEqual([])
  const pools = new Set((await scenario.nodes()).map(({ metadata }) => metadata.labels?.['karpenter.sh/nodepool']))
  expect(pools).toEqual(new Set(['general', 'spare']))
  expect(await scenario.end()).toEqual([])
})

test('a zone without capacity opens no lasting breaker while another zone has some', async () => {
  const scenario = await startScenario()
  const { aws } = scenario.world.stack.cluster
  aws.setCapacity({ zone: 'us-west-2a' }, 0)
  aws.setCapacity({ zone: 'us-west-2b' }, 0)
  await scale(scenario, 60)
  await scenario.run(4 * minute)
  expect(await scenario.waitingPods()).toEqual([])
  expect(await breakerOf(scenario)).toBeUndefined()
  expect(await scenario.end()).toEqual([])
})

test('a static pool without capacity asks for its nodes as slowly as pods do', async () => {
  const scenario = await startScenario({ settings: { featureGates: { StaticCapacity: true } } })
  const { aws, client } = scenario.world.stack.cluster
  aws.setCapacity({}, 0)
  const before = aws.faults.count('ec2:CreateFleet')
  const pool = aPool({ name: 'static' })
  await client.create(nodePools, { ...pool, spec: { template: pool.spec.template, replicas: 40 } })
  await scenario.run(60 * minute)
  const tried = aws.faults.count('ec2:CreateFleet') - before
  // Fewer than claims: while all offerings rest EC2 is not asked. I20 counts the claims.
  expect(tried).toBeGreaterThan(3)
  expect(tried).toBeLessThanOrEqual(60)
  aws.clearCapacity()
  await scenario.run(15 * minute)
  const made = (await scenario.nodes()).filter(
    ({ metadata }) => metadata.labels?.['karpenter.sh/nodepool'] === 'static',
  )
  expect(made).toHaveLength(40)
  expect(scenario.invariants.violations).toEqual([])
})
