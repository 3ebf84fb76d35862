import { describe, expect, test } from 'vitest'
import { aClaim } from '../../../support/controller-builders.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { anInterruptionWorld, type InterruptionWorld } from '../../../support/interruption-world.ts'

const reasons = (world: InterruptionWorld) =>
  world.recorder.published.map((event) => `${event.object.kind} ${event.reason}`)

describe('case 84: instance status', () => {
  const impairedFor = (seconds: number, now: number) => ({
    InstanceStatuses: [
      {
        InstanceId: 'i-0aa1',
        SystemStatus: { Details: [{ Status: 'failed', ImpairedSince: new Date(now - seconds * 1_000) }] },
        InstanceStatus: { Details: [{ Status: 'passed' }] },
        AttachedEbsStatus: { Details: [{ Status: 'failed', ImpairedSince: new Date(0) }] },
      },
    ],
  })

  async function polled(output: (world: InterruptionWorld) => object) {
    const world = await anInterruptionWorld()
    world.aws.faults.add((call) =>
      call.action === 'DescribeInstanceStatus' ? { kind: 'answer', output: output(world) } : undefined,
    )
    await world.world.run(61_000)
    return world
  }
  const termination = async (world: InterruptionWorld) =>
    (await world.kube.get(nodeClaims, { name: 'c1' })).metadata.annotations?.[
      'karpenter.sh/nodeclaim-termination-timestamp'
    ]

  const unhealthy = 'karpenter_interruption_instance_status_unhealthy_total'

  test.each(['SystemStatus', 'InstanceStatus'])(
    'a check that fails for two minutes ends the claim at once: %s',
    async (category) => {
      const world = await polled((it) => {
        const ImpairedSince = new Date(it.clock.now() - 121_000)
        const { InstanceStatuses } = impairedFor(0, it.clock.now())
        const failed = { [category]: { Details: [{ Status: 'failed', ImpairedSince }] } }
        return { InstanceStatuses: InstanceStatuses.map((each) => ({ ...each, SystemStatus: {}, ...failed })) }
      })
      expect(await world.claimExists()).toBe(false)
      expect(await termination(world)).toMatch(/^2026-01-01T00:01:/)
      await world.world.run(120_000)
      expect(world.counts.sum(unhealthy, { category })).toBe(1)
      expect(world.counts.sum(unhealthy)).toBe(1)
    },
  )

  test.each(['instance-status.status', 'system-status.status', 'event.code'])(
    'instances are asked for by %s',
    async (name) => {
      const world = await anInterruptionWorld()
      world.aws.faults.add(({ action, input }) => {
        if (action !== 'DescribeInstanceStatus') return undefined
        const isAsked = JSON.stringify(input).includes(JSON.stringify(name))
        return { kind: 'answer', output: isAsked ? impairedFor(121, world.clock.now()) : { InstanceStatuses: [] } }
      })
      await world.world.run(61_000)
      expect(await world.claimExists()).toBe(false)
    },
  )

  test('instances of others are not counted', async () => {
    const world = await polled((it) => ({
      InstanceStatuses: impairedFor(121, it.clock.now()).InstanceStatuses.map((each) => ({
        ...each,
        InstanceId: 'i-db',
      })),
    }))
    expect(world.counts.sum(unhealthy)).toBe(0)
  })

  test('a poll that fails is made again soon', async () => {
    const world = await anInterruptionWorld()
    let isThrottled = true
    world.aws.faults.add(({ action }) => {
      if (action !== 'DescribeInstanceStatus') return undefined
      return isThrottled
        ? { kind: 'fail', error: new Error('Request limit exceeded') }
        : { kind: 'answer', output: impairedFor(121, world.clock.now()) }
    })
    await world.world.run(61_000)
    isThrottled = false
    await world.world.run(61_000)
    expect(await world.claimExists()).toBe(false)
  })

  async function failsWhileDraining(world: InterruptionWorld) {
    await world.kube.delete(nodeClaims, { name: 'c1' })
    await fails(world)
  }

  async function fails({ aws, clock, world }: InterruptionWorld) {
    aws.faults.add((call) =>
      call.action === 'DescribeInstanceStatus' ? { kind: 'answer', output: impairedFor(121, clock.now()) } : undefined,
    )
    await world.run(65_000)
  }

  test('a check that fails sets the deadline of a drain that has begun', async () => {
    const world = await anInterruptionWorld()
    await failsWhileDraining(world)
    expect(await termination(world)).toMatch(/^2026-01-01T00:01:/)
    expect(reasons(world)).not.toContain('NodeClaim TerminatingOnInterruption')
  })

  test('the deadline that a drain has already stays what it is', async () => {
    const world = await anInterruptionWorld()
    const annotations = { 'karpenter.sh/nodeclaim-termination-timestamp': '2026-01-01T06:00:00Z' }
    await world.kube.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: { metadata: { annotations } } })
    await failsWhileDraining(world)
    expect(await termination(world)).toBe('2026-01-01T06:00:00Z')
  })

  test('so does one that the claim has before it is deleted', async () => {
    const world = await anInterruptionWorld()
    const annotations = { 'karpenter.sh/nodeclaim-termination-timestamp': '2026-01-01T06:00:00Z' }
    await world.kube.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: { metadata: { annotations } } })
    await fails(world)
    expect(reasons(world)).toContain('NodeClaim TerminatingOnInterruption')
    expect(await termination(world)).toBe('2026-01-01T06:00:00Z')
  })

  test('the deadline stays also when the cache has not heard of it yet', async () => {
    const world = await anInterruptionWorld()
    world.kube.delivers = (event) => event.type === 'BOOKMARK' || event.object.kind !== 'NodeClaim'
    const annotations = { 'karpenter.sh/nodeclaim-termination-timestamp': '2026-01-01T06:00:00Z' }
    await world.kube.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: { metadata: { annotations } } })
    await failsWhileDraining(world)
    expect(await termination(world)).toBe('2026-01-01T06:00:00Z')
  })

  test('a claim that may not be deleted keeps no deadline, which would force out the pods of a later drain', async () => {
    const world = await anInterruptionWorld()
    world.kube.fault = ({ operation }) => {
      if (operation === 'delete') throw new KubeError('Forbidden', 403, 'a policy says no')
    }
    let isImpaired = true
    world.aws.faults.add(({ action }) =>
      action === 'DescribeInstanceStatus' && isImpaired
        ? { kind: 'answer', output: impairedFor(121, world.clock.now()) }
        : undefined,
    )
    await world.world.run(65_000)
    expect(await termination(world)).toBeUndefined()
    isImpaired = false
    world.kube.fault = () => undefined
    await world.world.run(120_000)
    expect([await world.claimExists(), await termination(world)]).toEqual([true, undefined])
  })

  test('a claim that was made anew under the name meanwhile is left alone', async () => {
    const world = await anInterruptionWorld()
    world.kube.delivers = (event) => event.type === 'BOOKMARK' || event.object.kind !== 'NodeClaim'
    await world.kube.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: { metadata: { finalizers: [] } } })
    await world.kube.delete(nodeClaims, { name: 'c1' })
    await world.kube.create(nodeClaims, aClaim('c1'))
    world.aws.faults.add(({ action }) =>
      action === 'DescribeInstanceStatus' ? { kind: 'answer', output: impairedFor(121, world.clock.now()) } : undefined,
    )
    await world.world.run(61_000)
    expect(await world.claimExists()).toBe(true)
    expect(await termination(world)).toBeUndefined()
    expect(world.world.logged('Reconciler error')).toEqual([])
  })

  test.each([
    [60, true],
    [119, true],
    [120, false],
  ])('one that fails for %d seconds leaves the claim: %s', async (seconds, left) => {
    const world = await polled((it) => impairedFor(seconds, it.clock.now()))
    expect(await world.claimExists()).toBe(left)
  })

  test.each([
    ['forward', 300_000],
    ['back', -300_000],
  ])('a clock that is set %s neither hurries nor delays what is measured already', async (_name, byMs) => {
    const since = Date.parse('2026-01-01T00:00:30Z')
    let isFailing = false
    const world = await polled((it) => {
      isFailing ||= it.clock.now() > since
      return isFailing ? impairedFor(0, since) : { InstanceStatuses: [] }
    })
    world.clock.jump(byMs)
    await world.world.run(60_000)
    expect(await world.claimExists()).toBe(true)
    await world.world.run(60_000)
    expect(await world.claimExists()).toBe(false)
  })

  test('a check that has failed and says nothing any more leaves the claim', async () => {
    const Details = [{ Status: 'insufficient-data', ImpairedSince: new Date(0) }]
    const world = await polled(() => ({ InstanceStatuses: [{ InstanceId: 'i-0aa1', SystemStatus: { Details } }] }))
    expect(await world.claimExists()).toBe(true)
  })

  test('a scheduled event drains without a deadline', async () => {
    const world = await polled(() => ({
      InstanceStatuses: [{ InstanceId: 'i-0aa1', Events: [{ Code: 'instance-retirement' }] }],
    }))
    expect(await world.claimExists()).toBe(false)
    expect(await termination(world)).toBeUndefined()
  })

  test('an event that is over does nothing, which EC2 describes for a week', async () => {
    const events = [
      '[Completed] The instance was rebooted',
      '[Canceled] The instance is on degraded hardware',
      '[Cancelled] The instance is on degraded hardware',
    ]
    const over = events.map((Description) => ({ Code: 'system-reboot' as const, Description }))
    const world = await polled(() => ({ InstanceStatuses: [{ InstanceId: 'i-0aa1', Events: over }] }))
    expect(await world.claimExists()).toBe(true)
    expect(world.counts.sum('karpenter_interruption_instance_status_unhealthy_total')).toBe(0)
    const ahead = { Code: 'system-reboot' as const, Description: 'The instance is scheduled for a reboot' }
    const both = await polled(() => ({ InstanceStatuses: [{ InstanceId: 'i-0aa1', Events: [...over, ahead] }] }))
    expect(await both.claimExists()).toBe(false)
  })

  test('without permission the polling stops without an error', async () => {
    const world = await anInterruptionWorld()
    world.aws.deny('ec2:DescribeInstanceStatus')
    await world.world.run(300_000)
    expect(world.countOf('ec2:DescribeInstanceStatus')).toBeLessThanOrEqual(4)
    expect(world.log.lines.filter((line) => line.message === 'Reconciler error')).toEqual([])
  })
})
