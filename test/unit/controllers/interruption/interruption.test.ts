import { describe, expect, test } from 'vitest'
import type { NodeClaim } from '../../../../src/api/karpenter.ts'
import { interruptionController } from '../../../../src/controllers/interruption/index.ts'
import { done } from '../../../../src/kube/controller.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { aClaim } from '../../../support/controller-builders.ts'
import { aLaunchedInstance } from '../../../support/launched-instance.ts'
import { aReservation } from '../../../support/reservation-record.ts'
import { aReconcileContext } from '../../../support/reconcile-context.ts'
import { aNotice, anInterruptionWorld, type InterruptionWorld } from '../../../support/interruption-world.ts'

const spotWarning = aNotice('EC2 Spot Instance Interruption Warning', {
  'instance-id': 'i-0aa1',
  'instance-action': 'terminate',
})
const health = (detail: object) => aNotice('AWS Health Event', detail, { source: 'aws.health' })
const reasons = (world: InterruptionWorld) =>
  world.recorder.published.map((event) => `${event.object.kind} ${event.reason}`)
const isQueueEmpty = (world: InterruptionWorld) => world.aws.state.queues.every((queue) => queue.messages.length === 0)

describe('messages of the queue', () => {
  test('a stop does not wait for messages that may come', async () => {
    const { world, clock, aws, cloud, handler } = await anInterruptionWorld()
    const stop = new AbortController()
    const controller = interruptionController({
      sqs: {
        ...aws.clients.sqs,
        receiveMessage: async ({ WaitTimeSeconds = 0 }, options) => {
          await clock.sleep(WaitTimeSeconds * 1_000, options?.signal)
          return {}
        },
      },
      clock,
      queueName: 'interruptions',
      region: aws.clients.region,
      handler,
      metrics: cloud.metrics,
    })
    const looking = controller.reconcile({ ...aReconcileContext(world.log), stopping: stop.signal })
    await clock.run({ forMs: 5_000 })
    stop.abort(new Error('stopped'))
    expect(await looking).toEqual(done)
  })

  test('a poll that fails leaves none of those beside it behind, and the next goes alone', async () => {
    const { world, clock, aws, cloud, handler } = await anInterruptionWorld()
    const full = { Messages: Array.from({ length: 10 }, (_, index) => ({ MessageId: `m-${index}`, Body: '{}' })) }
    const polls = [async () => full, async () => Promise.reject(new Error('unavailable')), () => clock.sleep(20_000)]
    let underWay = 0
    const controller = interruptionController({
      sqs: {
        ...aws.clients.sqs,
        receiveMessage: async () => {
          underWay += 1
          const answer = await (polls.shift()?.() ?? clock.sleep(20_000)).finally(() => (underWay -= 1))
          return answer ?? {}
        },
      },
      clock,
      queueName: 'interruptions',
      region: aws.clients.region,
      handler,
      metrics: cloud.metrics,
    })
    const context = aReconcileContext(world.log)
    const reconciled = async () => {
      const outcome = controller.reconcile(context).catch((error: unknown) => String(error))
      await clock.run({ forMs: 1_000 })
      return { beside: underWay, outcome }
    }
    await (await reconciled()).outcome
    const failing = await reconciled()
    expect(failing.beside).toBe(1)
    await clock.run({ forMs: 20_000 })
    expect(await failing.outcome).toBe('Error: unavailable')
    expect((await reconciled()).beside).toBe(1)
  })

  test('case 79: a spot warning ends the claim and marks its pool', async () => {
    const world = await anInterruptionWorld()
    await world.send(spotWarning)
    expect(await world.claimExists()).toBe(false)
    expect(
      world.cloud.unavailable.isUnavailable({ instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'spot' }, []),
    ).toBe(true)
    expect(
      world.cloud.unavailable.isUnavailable(
        { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'on-demand' },
        [],
      ),
    ).toBe(false)
    expect(reasons(world)).toEqual([
      'NodeClaim SpotInterrupted',
      'Node SpotInterrupted',
      'NodeClaim TerminatingOnInterruption',
      'Node TerminatingOnInterruption',
    ])
    expect(world.recorder.published.map((event) => event.message).slice(2)).toEqual([
      'Interruption triggered termination for the NodeClaim',
      'Interruption triggered termination for the Node',
    ])
    expect(world.world.logged('initiating delete from interruption message')).toMatchObject([
      { NodeClaim: { name: 'c1' }, Node: { name: 'n1' }, action: 'CordonAndDrain', messageKind: 'spot_interrupted' },
    ])
    expect(isQueueEmpty(world)).toBe(true)
    expect(
      world.counts.sum('karpenter_interruption_received_messages_total', { message_type: 'spot_interrupted' }),
    ).toBe(1)
    expect(world.counts.sum('karpenter_interruption_deleted_messages_total')).toBe(1)
    expect(world.counts.observed('karpenter_interruption_message_queue_duration_seconds')).toHaveLength(1)
    expect(world.counts.sum('disrupted', { reason: 'spot_interrupted', nodepool: 'web', capacity_type: 'spot' })).toBe(
      1,
    )
  })

  test('spot warnings close their pool for three minutes each, however many have come', async () => {
    const world = await anInterruptionWorld()
    const pool = { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'spot' } as const
    const labels = {
      'node.kubernetes.io/instance-type': pool.instanceType,
      'topology.kubernetes.io/zone': pool.zone,
      'karpenter.sh/capacity-type': pool.capacityType,
    }
    for (const name of ['c2', 'c3', 'c4']) {
      const id = `i-0${name}`
      const status = { providerID: `aws:///us-east-1a/${id}` }
      await world.kube.create(nodeClaims, aClaim(name, { metadata: { labels }, status }))
      await world.world.run(1_000)
      const detail = { 'instance-id': id, 'instance-action': 'terminate' }
      await world.send(aNotice('EC2 Spot Instance Interruption Warning', detail))
      expect(world.cloud.unavailable.isUnavailable(pool, [])).toBe(true)
      await world.world.run(3 * 60_000)
      expect(world.cloud.unavailable.isUnavailable(pool, [])).toBe(false)
    }
  })

  test('a reservation that takes an instance back has no others to give, and ends the claim', async () => {
    const world = await anInterruptionWorld()
    world.aws.state.reservations.push(aReservation({ id: 'cr-1', total: 3 }), aReservation({ id: 'cr-2', total: 3 }))
    await world.cloud.reservations.list([{ id: 'cr-1' }, { id: 'cr-2' }])
    const labels = { 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1', 'karpenter.sh/capacity-type': 'reserved' }
    const status = { providerID: 'aws:///us-east-1a/i-0cr1' }
    await world.kube.create(
      nodeClaims,
      aClaim('reserved', { metadata: { labels, finalizers: ['karpenter.sh/termination'] }, status }),
    )
    await world.world.run(1_000)
    const detail = { 'instance-id': 'i-0cr1', 'instance-action': 'terminate' }
    await world.send(aNotice('EC2 Capacity Reservation Instance Interruption Warning', detail))
    expect(await world.claimExists('reserved')).toBe(false)
    expect(['cr-1', 'cr-2'].map((id) => world.cloud.reservations.remaining(id))).toEqual([0, 3])
  })

  test('a claim says that the cloud took it back before its node was up: rollouts do not blame its image', async () => {
    const markOf = async (world: InterruptionWorld): Promise<string | undefined> =>
      (await world.kube.get(nodeClaims, { name: 'c1' })).metadata.annotations?.['joinery.dev/interrupted']
    const early = await anInterruptionWorld()
    await early.send(spotWarning)
    expect(await markOf(early)).toBe('spot_interrupted')

    const up = await anInterruptionWorld()
    const conditions = [
      {
        type: 'Initialized',
        status: 'True',
        reason: 'Initialized',
        message: '',
        lastTransitionTime: '2026-05-04T12:00:00Z',
      },
    ]
    await up.kube.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: { status: { conditions } } })
    await up.world.run(1_000)
    await up.send(spotWarning)
    expect(await up.claimExists()).toBe(false)
    expect(await markOf(up)).toBeUndefined()

    const takenBack: Record<string, object> = {
      capacity_reservation_interrupted: aNotice('EC2 Capacity Reservation Instance Interruption Warning', {
        'instance-id': 'i-0aa1',
        'instance-action': 'terminate',
      }),
      scheduled_change: health({
        service: 'EC2',
        eventTypeCategory: 'scheduledChange',
        affectedEntities: [{ entityValue: 'i-0aa1' }],
      }),
    }
    for (const [kind, notice] of Object.entries(takenBack)) {
      const world = await anInterruptionWorld()
      await world.send(notice)
      expect(await markOf(world)).toBe(kind)
    }

    // An image may power its machine off.
    const stopped = await anInterruptionWorld()
    await stopped.send(
      aNotice('EC2 Instance State-change Notification', { 'instance-id': 'i-0aa1', state: 'stopping' }),
    )
    expect(await stopped.claimExists()).toBe(false)
    expect(await markOf(stopped)).toBeUndefined()
  })

  test('a note that somebody refuses does not keep the claim from being deleted', async () => {
    const world = await anInterruptionWorld()
    world.kube.fault = ({ operation, resource }) => {
      if (operation === 'patch' && resource === 'nodeclaims') throw new KubeError('Forbidden', 403, 'denied by policy')
    }
    await world.send(spotWarning)
    expect(await world.claimExists()).toBe(false)
    expect(world.world.logged('failed annotating interrupted nodeclaim')).toHaveLength(1)
  })

  test('an unmanaged claim on the instance is left alone', async () => {
    const world = await anInterruptionWorld()
    const claim = aClaim('unmanaged', {
      metadata: { finalizers: ['hold'] },
      spec: { nodeClassRef: { group: '', kind: 'EC2NodeClass', name: 'default' } },
      status: { providerID: 'aws:///us-east-1a/i-0bb2' },
    })
    await world.kube.create(nodeClaims, claim)
    await world.send(
      aNotice('EC2 Spot Instance Interruption Warning', { 'instance-id': 'i-0bb2', 'instance-action': 'terminate' }),
    )
    expect(await world.claimExists('unmanaged')).toBe(true)
    expect(world.handler.owns('i-0bb2')).toBe(false)
    expect(reasons(world)).toEqual([])
    expect(isQueueEmpty(world)).toBe(true)
  })

  describe('an instance that ends before its claim names it', () => {
    const notice = aNotice('EC2 Instance State-change Notification', { 'instance-id': 'i-0cc3', state: 'terminated' })

    async function launched(status: NodeClaim['status'] = {}) {
      const world = await anInterruptionWorld()
      const claim = aClaim('young', { metadata: { finalizers: ['karpenter.sh/termination'] }, status })
      const { uid } = (await world.kube.create(nodeClaims, claim)).metadata
      await world.world.run(1_000)
      return { world, uid }
    }

    test('ends the claim that it was launched for, whose pods would wait until the registration times out', async () => {
      const { world, uid } = await launched()
      world.cloud.instances.remember(aLaunchedInstance('i-0cc3'), { name: 'young', uid })
      await world.send(notice)
      expect(await world.claimExists('young')).toBe(false)
      expect(world.counts.sum('disrupted', { reason: 'instance_terminated' })).toBe(1)
      expect(isQueueEmpty(world)).toBe(true)
    })

    test('ends it also where EC2 tells of its end before it has answered the launch', async () => {
      const { world, uid } = await launched()
      const launching = world.cloud.instances.launch({ name: 'young', uid }, async () => {
        await world.clock.sleep(3_000)
        return aLaunchedInstance('i-0cc3')
      })
      await world.send(notice)
      await launching
      expect(await world.claimExists('young')).toBe(false)
      expect(isQueueEmpty(world)).toBe(true)
    })

    test('is done with once the launches that it may come from are answered, whatever is launched since', async () => {
      const { world } = await launched()
      const launch = (name: string, ms: number) =>
        world.cloud.instances.launch({ name, uid: `uid-${name}` }, async () => {
          await world.clock.sleep(ms)
          return aLaunchedInstance(`i-${name}`)
        })
      const first = launch('first', 10_000)
      const second = world.clock.sleep(5_000).then(() => launch('second', 60_000))
      await world.send(notice)
      expect(isQueueEmpty(world)).toBe(true)
      await world.world.run(60_000)
      await Promise.all([first, second])
    })

    test('ends neither a claim that was made anew under the name, nor one that has another instance by now', async () => {
      const anew = await launched()
      anew.world.cloud.instances.remember(aLaunchedInstance('i-0cc3'), { name: 'young', uid: 'before' })
      await anew.world.send(notice)
      expect(await anew.world.claimExists('young')).toBe(true)

      const again = await launched({ providerID: 'aws:///us-east-1a/i-0dd4' })
      again.world.cloud.instances.remember(aLaunchedInstance('i-0cc3'), { name: 'young', uid: again.uid })
      await again.world.send(notice)
      expect(await again.world.claimExists('young')).toBe(true)
    })
  })

  describe('of a claim that the watch still shows', () => {
    async function behind() {
      const world = await anInterruptionWorld()
      world.kube.delivers = () => false
      await world.kube.patch(nodeClaims, { name: 'c1' }, { kind: 'merge', body: { metadata: { finalizers: [] } } })
      await world.kube.delete(nodeClaims, { name: 'c1' })
      return world
    }

    test('and that is gone, a warning is done with, and counted for nobody', async () => {
      const world = await behind()
      await world.send(spotWarning)
      expect(isQueueEmpty(world)).toBe(true)
      expect(world.counts.sum('disrupted')).toBe(0)
      expect(world.world.logged('initiating delete from interruption message')).toEqual([])
      expect(world.world.logged('failed annotating interrupted nodeclaim')).toEqual([])
    })

    test('and whose name another one bears by now, that one stays', async () => {
      const world = await behind()
      await world.kube.create(nodeClaims, aClaim('c1', { status: { providerID: 'aws:///us-east-1a/i-0new' } }))
      await world.send(spotWarning)
      expect(await world.claimExists()).toBe(true)
    })
  })

  test('the same message twice ends the claim once', async () => {
    const world = await anInterruptionWorld()
    await world.send(spotWarning)
    await world.send(spotWarning)
    expect(world.counts.sum('disrupted')).toBe(1)
  })

  test('a message that comes after its instance is gone ends nothing, and does not come again', async () => {
    const world = await anInterruptionWorld()
    await world.send(
      aNotice('EC2 Instance State-change Notification', { 'instance-id': 'i-gone', state: 'terminated' }),
    )
    expect(isQueueEmpty(world)).toBe(true)
    expect(await world.claimExists()).toBe(true)
    expect(world.counts.sum('disrupted')).toBe(0)
    expect(world.counts.sum('karpenter_interruption_deleted_messages_total')).toBe(1)
  })

  test('case 80: a rebalance recommendation is only told', async () => {
    const world = await anInterruptionWorld()
    await world.send(aNotice('EC2 Instance Rebalance Recommendation', { 'instance-id': 'i-0aa1' }))
    expect(await world.claimExists()).toBe(true)
    expect(reasons(world)).toEqual(['NodeClaim SpotRebalanceRecommendation', 'Node SpotRebalanceRecommendation'])
    expect(isQueueEmpty(world)).toBe(true)
  })

  test.each([
    ['EC2 Instance Rebalance Recommendation', { 'instance-id': 'i-0aa1' }],
    ['EC2 Instance State-change Notification', { 'instance-id': 'i-0aa1', state: 'stopping' }],
    ['EC2 Capacity Reservation Instance Interruption Warning', { 'instance-id': 'i-0aa1' }],
  ])('%s says nothing of the spot capacity that there is', async (type, detail) => {
    const world = await anInterruptionWorld()
    await world.send(aNotice(type, detail))
    expect(reasons(world)).not.toEqual([])
    const pool = { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'spot' } as const
    expect(world.cloud.unavailable.isUnavailable(pool, [])).toBe(false)
  })

  test('case 81: a state that ends nothing', async () => {
    const world = await anInterruptionWorld()
    await world.send(aNotice('EC2 Instance State-change Notification', { 'instance-id': 'i-0aa1', state: 'pending' }))
    expect(await world.claimExists()).toBe(true)
    expect(world.counts.sum('karpenter_interruption_received_messages_total', { message_type: 'no_op' })).toBe(1)
    expect(isQueueEmpty(world)).toBe(true)
  })

  test('case 82: what is not JSON is logged and dropped', async () => {
    const world = await anInterruptionWorld()
    await world.send('not json')
    expect(isQueueEmpty(world)).toBe(true)
    expect(world.world.logged('failed parsing interruption message')).toHaveLength(1)
    expect(world.counts.sum('karpenter_interruption_received_messages_total')).toBe(0)
  })

  const elsewhere = { 'another account': { account: '999999999999' }, 'another region': { region: 'eu-west-1' } }
  test.each(Object.entries(elsewhere))(
    'a message of %s ends no claim of ours, whatever instance it names',
    async (_of, more) => {
      const world = await anInterruptionWorld()
      await world.send({ ...spotWarning, ...more })
      expect(await world.claimExists()).toBe(true)
      expect(
        world.cloud.unavailable.isUnavailable(
          { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'spot' },
          [],
        ),
      ).toBe(false)
      expect(isQueueEmpty(world)).toBe(true)
      expect(world.counts.sum('karpenter_interruption_received_messages_total')).toBe(1)
      expect(world.world.logged('ignoring interruption message from elsewhere')).toMatchObject([
        { messageKind: 'spot_interrupted', account: '111122223333', region: 'us-east-1', ...more },
      ])
    },
  )

  test('a message that does not say where it comes from is heard', async () => {
    const world = await anInterruptionWorld()
    await world.send({ ...spotWarning, account: undefined, region: undefined })
    expect(await world.claimExists()).toBe(false)
  })

  test("case 83: of a health event's entities only ours count", async () => {
    const world = await anInterruptionWorld()
    const entities = [{ entityValue: 'i-0other' }, { entityValue: 'i-0aa1' }]
    await world.send(health({ service: 'EC2', eventTypeCategory: 'issue', affectedEntities: entities }))
    expect(await world.claimExists()).toBe(true)
    await world.send(health({ service: 'EC2', eventTypeCategory: 'scheduledChange', affectedEntities: entities }))
    expect(await world.claimExists()).toBe(false)
    expect(reasons(world)).toContain('NodeClaim InstanceUnhealthy')
  })

  test('handling that fails leaves the message for later', async () => {
    const world = await anInterruptionWorld()
    let failing = true
    world.kube.fault = ({ operation, resource }) => {
      if (failing && operation === 'delete' && resource === 'nodeclaims') throw new Error('no answer')
    }
    await world.send(spotWarning)
    expect(isQueueEmpty(world)).toBe(false)
    const told = world.world.logged('failed handling interruption message')
    expect(told[0]).toMatchObject({ err: { message: 'no answer' } })
    failing = false
    await world.world.run(45_000)
    expect(await world.claimExists()).toBe(false)
    expect(isQueueEmpty(world)).toBe(true)
  })

  test('after an hour without SQS a spot warning is read within a quarter of a minute', async () => {
    const world = await anInterruptionWorld()
    let down = true
    world.aws.faults.add((call) =>
      down && call.service === 'sqs' ? { kind: 'fail', error: new Error('no route to host') } : undefined,
    )
    await world.world.run(3_600_000)
    world.aws.sendMessage(JSON.stringify(spotWarning), 'interruptions')
    down = false
    await world.world.run(15_000)
    expect(await world.claimExists()).toBe(false)
  })

  test.each([
    ['an hour ahead', '2026-01-01T01:00:00Z', [0]],
    ['of a time that is none', 'soon', []],
  ])('a message %s makes no odd duration', async (_what, time, want) => {
    const world = await anInterruptionWorld()
    await world.send(aNotice('EC2 Instance Rebalance Recommendation', { 'instance-id': 'i-0aa1' }, { time }))
    expect(world.counts.observed('karpenter_interruption_message_queue_duration_seconds')).toEqual(want)
  })

  test('more than a thousand messages a second are handled, with no more than sixteen polls at once', async () => {
    const world = await anInterruptionWorld()
    const total = 3_000
    const pollsAt = new Map<number, number>()
    world.aws.faults.add(({ action }) => {
      if (action !== 'ReceiveMessage') return undefined
      const now = world.clock.now()
      pollsAt.set(now, (pollsAt.get(now) ?? 0) + 1)
      return undefined
    })
    // Each round trip to SQS takes ten milliseconds.
    world.aws.faults.add((call) => (call.service === 'sqs' ? { kind: 'delay', ms: 10 } : undefined))
    for (let index = 0; index < total; index += 1) {
      world.aws.sendMessage(
        JSON.stringify(aNotice('EC2 Instance Rebalance Recommendation', { 'instance-id': `i-${index}` })),
        'interruptions',
      )
    }
    const startedAt = world.clock.now()
    await world.clock.run({
      until: () => world.counts.sum('karpenter_interruption_deleted_messages_total') >= total,
      withinMs: 60_000,
    })
    expect(world.counts.sum('karpenter_interruption_deleted_messages_total')).toBe(total)
    expect(total / ((world.clock.now() - startedAt) / 1_000)).toBeGreaterThan(1_000)
    expect(Math.max(...pollsAt.values())).toBe(16)
    expect(world.countOf('sqs:GetQueueUrl')).toBe(1)
  })
})
