import { afterAll, beforeAll, expect, test } from 'vitest'
import { deployments } from '../../../src/kube/kinds.ts'
import { type AWSEdge, type Fault, startAWSEdge } from '../support/aws-edge.ts'
import { type EmbeddedWorld, startEmbeddedWorld } from '../support/embedded-world.ts'
import { eventually } from '../support/eventually.ts'
import { priceList } from '../support/price-list.ts'
import { reportFailures } from '../support/failure-report.ts'
import { accountIsClean, type Fleet } from '../support/fleet.ts'
import type { OperatorProcess } from '../support/operator-process.ts'
import { describeWithPeers } from '../support/peers.ts'

const throttled: Fault = { kind: 'error', status: 503, code: 'RequestLimitExceeded' }
const broken: Fault = { kind: 'error', status: 500, code: 'InternalError' }
const unauthorized: Fault = {
  kind: 'error',
  status: 403,
  code: 'UnauthorizedOperation',
  message: 'You are not authorized to perform this operation.',
}

/** moto's instances are always well. */
function impaired(id: string): Fault {
  const since = new Date(Date.now() - 5 * 60_000).toISOString()
  const details = `<details><item><name>reachability</name><status>failed</status><impairedSince>${since}</impairedSince></item></details>`
  const status = `<item><instanceId>${id}</instanceId><systemStatus><status>impaired</status>${details}</systemStatus></item>`
  const body = `<DescribeInstanceStatusResponse><instanceStatusSet>${status}</instanceStatusSet></DescribeInstanceStatusResponse>`
  return { kind: 'answer', type: 'text/xml', body: () => body }
}

await describeWithPeers('the operator over HTTP against an AWS that fails', ['moto'], () => {
  let world: EmbeddedWorld
  let edge: AWSEdge
  let operator: OperatorProcess
  let fleet: Fleet

  beforeAll(async () => {
    world = await startEmbeddedWorld()
    edge = await startAWSEdge(world.account.endpoint)
    fleet = world.fleetOf()
    // Whatever is asked first fails in every way there is, before the operator has read anything at all.
    edge.add(
      { action: 'DescribeInstanceTypes', times: 1, fault: throttled },
      { action: 'DescribeInstanceTypeOfferings', times: 1, fault: { kind: 'page', status: 502 } },
      { action: 'DescribeSubnets', times: 1, fault: { kind: 'reset' } },
      { action: 'DescribeSecurityGroups', times: 1, fault: broken },
      { action: 'GetParameter', times: 1, fault: { kind: 'error', status: 400, code: 'ThrottlingException' } },
      { action: 'DescribeImages', times: 1, fault: { kind: 'slow', ms: 2_000 } },
      { action: 'CreateInstanceProfile', times: 1, fault: { kind: 'lost answer' } },
      { action: 'CreateLaunchTemplate', times: 1, fault: { kind: 'lost answer' } },
      // moto has no price list.
      { action: 'GetProducts', times: 1, fault: { kind: 'reset' } },
      { action: 'GetProducts', times: Infinity, about: 'bare metal', fault: priceList('c5.metal', '4.01') },
      { action: 'GetProducts', times: Infinity, fault: priceList('m5.large', '0.0911') },
    )
    operator = await world.startOperator({ endpoint: edge.endpoint })
  })
  reportFailures(async () => {
    const calls = edge.calls.slice(-60).map(({ action, fault = '' }) => `${action} ${fault}`)
    return `${await world.report()}\n${calls.join('\n')}`
  })
  afterAll(async () => {
    await world.stop()
    await edge.stop()
  })

  const launches = () => edge.callsOf('CreateFleet')
  const settled = async (replicas: number): Promise<void> => {
    await eventually('every pod runs', () => fleet.allRun(replicas))
    await eventually('cluster and account agree', () => fleet.isBalanced())
  }
  /** Without waiting for anything. */
  const order = async (replicas: number): Promise<void> => {
    const body = { spec: { replicas } }
    await world.kube.patch(deployments, { namespace: 'default', name: 'peers' }, { kind: 'merge', body })
  }

  test('throttling, errors, error pages, broken connections and lost answers at the start delay it, and that is all', async () => {
    await fleet.start('v20260101', 2)
    await settled(2)
    await eventually('everything has failed that was to', async () => edge.pending() === 0)
    expect((await fleet.books()).instances).toHaveLength(1)
    const attempts = (labels: Record<string, string>) =>
      operator.metric('aws_sdk_go_request_attempt_total', { service: 'ec2', ...labels })
    expect(await attempts({ action: 'DescribeInstanceTypes', status_code: '503' })).toBe(1)
    expect(await attempts({ action: 'DescribeSecurityGroups', status_code: '500' })).toBe(1)
  })

  test('prices of the price list take the place of the static ones', async () => {
    const price = (instance_type: string, zone: string) =>
      operator.metric('karpenter_cloudprovider_instance_type_offering_price_estimate', {
        instance_type,
        zone,
        capacity_type: 'on-demand',
      })
    await eventually('the price is known', async () => (await price('m5.large', 'us-east-1a')) === 0.0911)
    expect(await price('c5.large', 'us-east-1a')).toBe(0.085)
  })

  test('a launch whose answer is lost is not made twice', async () => {
    const before = launches().length
    edge.add({ action: 'CreateFleet', times: 1, fault: { kind: 'lost answer' } })
    await order(4)
    await settled(4)
    const [first, second, ...more] = launches().slice(before)
    expect(first?.fault).toBe('lost answer')
    const tokenOf = (body = '') => new URLSearchParams(body).get('ClientToken')
    expect(tokenOf(second?.body)).toBe(tokenOf(first?.body))
    expect(more).toEqual([])
    expect((await fleet.books()).instances).toHaveLength(2)
  })

  test('throttled launches wait and come through; each claim has one instance', async () => {
    edge.add({ action: 'CreateFleet', times: 2, fault: throttled }, { action: 'CreateFleet', times: 1, fault: broken })
    await order(6)
    await settled(6)
    expect(edge.pending()).toBe(0)
    expect((await fleet.books()).instances).toHaveLength(3)
  })

  test('where the cheapest type has no capacity the next one is launched, and nobody asks for it again soon', async () => {
    edge.empty('c5.large')
    const before = launches().length
    await order(8)
    await settled(8)
    const types = (await fleet.instances()).map(({ InstanceType }) => InstanceType)
    expect(types.filter((type) => type === 'm5.large')).toHaveLength(1)
    await order(10)
    await settled(10)
    const [first, ...later] = launches().slice(before)
    expect(first?.body).toContain('c5.large')
    expect(later.length).toBeGreaterThan(0)
    for (const { body } of later) expect(body).not.toContain('c5.large')
    edge.empty()
  })

  test('instances that DescribeInstances does not show for a while are neither given up nor launched again', async () => {
    const claims = new Set(await fleet.claimNames())
    const before = launches().length
    edge.hideNew(10_000)
    await order(12)
    await settled(12)
    await eventually('the instance shows up', async () => edge.hidden() === 0)
    edge.hideNew(0)
    await settled(12)
    expect(launches().length).toBe(before + 1)
    const names = await fleet.claimNames()
    expect(names.filter((name) => !claims.has(name))).toHaveLength(1)
    expect(names).toEqual(expect.arrayContaining([...claims]))
  })

  test('an instance whose system check has failed for minutes is replaced', async () => {
    const [instance] = await fleet.instances()
    const id = instance?.InstanceId ?? ''
    edge.add({ action: 'DescribeInstanceStatus', times: Infinity, fault: impaired(id) })
    // Asked once a minute.
    await eventually('it is gone', async () => !(await fleet.books()).instances.includes(id))
    edge.drop('DescribeInstanceStatus')
    await settled(12)
    expect(
      await operator.metric('karpenter_interruption_instance_status_unhealthy_total', { category: 'SystemStatus' }),
    ).toBe(1)
  })

  test('terminations that are refused, throttled or lost are tried again until the instances are gone', async () => {
    const before = edge.callsOf('TerminateInstances').length
    edge.add(
      { action: 'TerminateInstances', times: 1, fault: unauthorized },
      { action: 'TerminateInstances', times: 1, fault: throttled },
      { action: 'TerminateInstances', times: 1, fault: { kind: 'lost answer' } },
    )
    await fleet.end()
    expect(edge.pending()).toBe(0)
    expect(edge.callsOf('TerminateInstances').length).toBeGreaterThan(before + 3)
  })

  test('credentials that expired are told on the claim, and spot launches go on when there are new ones', async () => {
    const spot = world.fleetOf({ name: 'spot', capacityTypes: ['spot'] })
    edge.add(
      { action: 'CreateFleet', times: 1, fault: { kind: 'error', status: 400, code: 'RequestExpired' } },
      { action: 'CreateFleet', times: 2, fault: unauthorized },
    )
    await spot.start('v20260101', 2)
    await eventually('cluster and account agree', () => spot.isBalanced())
    const instances = await spot.instances()
    expect(instances.map(({ InstanceLifecycle }) => InstanceLifecycle)).toEqual(['spot'])
    expect(edge.pending()).toBe(0)
    await spot.end()
  })

  test('when all that is over nothing is left', async () => {
    await accountIsClean(world.account)
  })
})
