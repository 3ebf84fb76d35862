import { TerminateInstancesCommand } from '@aws-sdk/client-ec2'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createCaches } from '../../../src/kube/caches.ts'
import { deployments, events, nodes, pods } from '../../../src/kube/kinds.ts'
import { silentLogger } from '../../../src/kube/logger.ts'
import { systemClock } from '../../../src/kube/system-clock.ts'
import { systemRandom } from '../../../src/kube/system-random.ts'
import { eventually } from '../support/eventually.ts'
import { reportFailures } from '../support/failure-report.ts'
import { accountIsClean, type Fleet } from '../support/fleet.ts'
import { type AWSEvent, type InterruptionBus, startInterruptionBus } from '../support/interruption-bus.ts'
import type { OperatorProcess } from '../support/operator-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { type RealWorld, startRealWorld } from '../support/real-world.ts'

await describeWithPeers(
  'an operator on a real control plane that is disturbed from outside',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'moto'],
  () => {
    let world: RealWorld
    let bus: InterruptionBus
    let operator: OperatorProcess
    let spot: Fleet
    let shortLived: Fleet
    let expiring: Promise<void>
    beforeAll(async () => {
      world = await startRealWorld()
      bus = await startInterruptionBus(world.account)
      operator = await world.startOperator(`--interruption-queue=${bus.queue.name}`)
      spot = world.fleetOf({ name: 'spot', capacityTypes: ['spot'] })
      shortLived = world.fleetOf({ name: 'short-lived', expireAfter: '20s' })
    })
    reportFailures(() => world.report())
    afterAll(async () => {
      bus.queue.stop()
      await world.stop()
    })

    const received = (kind: string) =>
      operator.metric('karpenter_interruption_received_messages_total', { message_type: kind })
    const reasonsOf = async (name: string) =>
      (await world.kube.list(events)).items
        .filter(({ involvedObject }) => involvedObject.name === name)
        .map(({ reason }) => reason)

    /** Interrupts one of the fleet's instances and waits until others do its work. */
    async function interrupt(eventOf: (id: string) => AWSEvent): Promise<string> {
      const [claim] = await spot.claims()
      const id = claim?.status?.providerID?.split('/').at(-1) ?? ''
      await bus.publish(eventOf(id))
      const name = claim?.metadata.name ?? ''
      await eventually(`${name} is gone`, async () => !(await spot.claimNames()).includes(name))
      await eventually('every pod runs', () => spot.allRun(4))
      await eventually('cluster and account agree', () => spot.isBalanced())
      expect((await spot.books()).instances).not.toContain(id)
      return name
    }

    async function expireOne(): Promise<void> {
      await shortLived.start('v20260101', 2)
      const [first] = await shortLived.claimNames()
      await eventually('the first node is gone', async () => !(await shortLived.claimNames()).includes(first ?? ''))
      await eventually('every pod runs again', () => shortLived.allRun(2))
      expect(
        await operator.metric('karpenter_nodeclaims_disrupted_total', { reason: 'expired', nodepool: 'short-lived' }),
      ).toBeGreaterThanOrEqual(1)
      await shortLived.end()
    }

    test('pods that take spot capacity get it', async () => {
      await spot.start('v20260101', 4)
      await eventually('cluster and account agree', () => spot.isBalanced())
      const kinds = (await spot.instances()).map(({ InstanceLifecycle }) => InstanceLifecycle)
      expect(new Set(kinds)).toEqual(new Set(['spot']))
    })

    test('a rebalance recommendation is told and nothing else', async () => {
      const [claim] = await spot.claims()
      const id = claim?.status?.providerID?.split('/').at(-1)
      const before = await spot.books()
      await bus.publish({
        source: 'aws.ec2',
        type: 'EC2 Instance Rebalance Recommendation',
        detail: { 'instance-id': id },
      })
      const name = claim?.metadata.name ?? ''
      await eventually('the event is there', async () =>
        (await reasonsOf(name)).includes('SpotRebalanceRecommendation'),
      )
      expect(await spot.books()).toEqual(before)
    })

    test('what a spot interruption takes is replaced', async () => {
      const name = await interrupt((id) => ({
        source: 'aws.ec2',
        type: 'EC2 Spot Instance Interruption Warning',
        detail: { 'instance-id': id, 'instance-action': 'terminate' },
      }))
      expect(await reasonsOf(name)).toEqual(expect.arrayContaining(['SpotInterrupted', 'TerminatingOnInterruption']))
      expect(
        await operator.metric('karpenter_nodeclaims_disrupted_total', { reason: 'spot_interrupted', nodepool: 'spot' }),
      ).toBe(1)
      expect((await spot.instances()).every(({ InstanceLifecycle }) => InstanceLifecycle === 'spot')).toBe(true)
    })

    test('scheduled maintenance of an instance has it replaced', async () => {
      const name = await interrupt((id) => ({
        source: 'aws.health',
        type: 'AWS Health Event',
        detail: {
          service: 'EC2',
          eventTypeCategory: 'scheduledChange',
          affectedEntities: [{ entityValue: id }, { entityValue: 'i-00000000000000000' }],
        },
      }))
      expect(await reasonsOf(name)).toContain('InstanceUnhealthy')
    })

    test('an instance that somebody terminates is replaced when its state change is told', async () => {
      // Both this and the expiry mostly wait, so they go on side by side.
      expiring = expireOne()
      expiring.catch(() => undefined)
      const name = await interrupt((id) => {
        void world.account.ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }))
        return {
          source: 'aws.ec2',
          type: 'EC2 Instance State-change Notification',
          detail: { 'instance-id': id, state: 'shutting-down' },
        }
      })
      expect(await reasonsOf(name)).toContain('InstanceTerminating')
    })

    test('nonsense, repetitions and events of foreign instances are cleared away and change nothing', async () => {
      const before = await spot.books()
      const warnings = await received('spot_interrupted')
      const foreign = { 'instance-id': 'i-0123456789abcdef0', 'instance-action': 'terminate' }
      const warning = { source: 'aws.ec2', type: 'EC2 Spot Instance Interruption Warning', detail: foreign } as const
      for (const body of ['not json', '{}', '[]', '{"version":"0","source":"aws.ec2","detail-type":7}'])
        await bus.queue.send(body)
      await bus.publish(warning)
      await bus.publish(warning)
      await bus.publish({
        ...warning,
        type: 'EC2 Instance State-change Notification',
        detail: { ...foreign, state: 'pending' },
      })
      await eventually('the queue is empty', async () => (await bus.queue.depth()) === 0)
      expect(await received('spot_interrupted')).toBe(warnings + 2)
      expect(await spot.books()).toEqual(before)
      expect(operator.ended).toBe(false)
    })

    test('nodes of a pool with expireAfter are replaced when their time is up', () => expiring)

    test('the API server fails in the middle of a launch and comes back without history', async () => {
      const following = new AbortController()
      const caches = createCaches({
        client: world.kube,
        clock: systemClock(),
        random: systemRandom(),
        log: silentLogger,
      })
      const known = { pods: caches.of(pods), nodes: caches.of(nodes) }
      caches.start(following.signal)
      await caches.synced()

      const before = await spot.claimNames()
      const body = { spec: { replicas: 8 } }
      await world.kube.patch(deployments, { namespace: 'default', name: 'spot' }, { kind: 'merge', body })
      await eventually('a NodeClaim is made', async () => (await spot.claimNames()).length > before.length)
      await world.controlPlane.killAPIServer()
      const revision = await world.controlPlane.compact()
      expect(Number(revision)).toBeGreaterThan(0)
      // Longer than one attempt of every client, shorter than the lease's renew deadline.
      await sleep(2_000)
      await world.controlPlane.startAPIServer()
      await eventually('every pod runs', () => spot.allRun(8))
      await eventually('cluster and account agree', () => spot.isBalanced())

      await eventually('a cache that watched all the while says the same as a list', async () => {
        const namesOf = (objects: readonly { metadata: { name: string; resourceVersion?: string } }[]) =>
          objects.map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`).toSorted()
        const listed = { pods: await world.kube.list(pods), nodes: await world.kube.list(nodes) }
        return (
          JSON.stringify([namesOf(known.pods.list()), namesOf(known.nodes.list())]) ===
          JSON.stringify([namesOf(listed.pods.items), namesOf(listed.nodes.items)])
        )
      })
      following.abort()
      await caches.stopped()
    })

    test('when all that is over nothing is left', async () => {
      await spot.end()
      await accountIsClean(world.account)
    })
  },
)
