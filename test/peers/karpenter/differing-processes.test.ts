import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Lease, Unsaved } from '../../../src/api/kubernetes.ts'
import { getIfPresent } from '../../../src/kube/get-if-present.ts'
import { ec2NodeClasses } from '../../../src/kube/karpenter-kinds.ts'
import { leases, namespaces } from '../../../src/kube/kinds.ts'
import type { KubeClient } from '../../../src/kube/port.ts'
import { toMicroTimestamp } from '../../../src/model/clock.ts'
import { hasCompatibilityLine } from '../support/compatibility-page.ts'
import { installCRDs } from '../support/crds.ts'
import { eventually } from '../support/eventually.ts'
import { aNodeClass } from '../support/fleet-manifests.ts'
import type { LogLine } from '../support/joinery-process.ts'
import { karpenterCRDs, startKarpenter } from '../support/karpenter-process.ts'
import { likeKarpenter, startOperator } from '../support/operator-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { type EmptyWorld, startEmptyWorld } from '../support/real-world.ts'
import { repeat } from '../support/repeat.ts'

const lease = { namespace: 'kube-system', name: 'karpenter-leader-election' }
const elsewhere = { ...lease, namespace: 'elsewhere' }
/** Outside of a cluster Karpenter does not take the namespace of its own. */
const electing = { DISABLE_LEADER_ELECTION: 'false', LEADER_ELECTION_NAMESPACE: lease.namespace }
const renewalMs = 2_000
/** By then whoever does not look around has long taken its lease: a rival is waited for two lease durations. */
const waitedMs = 45_000
const unparsable = { BATCH_MAX_DURATION: 'abc' }
/** Where nobody listens. */
const noEC2 = { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }
const withLeaderElection = likeKarpenter.filter((flag) => flag !== '--disable-leader-election')

/** What a controller has told, and whom its lease names after it was asked to end. */
interface Ended {
  readonly lines: readonly LogLine[]
  readonly holder: string | undefined
}

await describeWithPeers(
  'what docs/compatibility.md says of the process, with Karpenter and with the operator',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'moto', 'karpenter'],
  () => {
    test.each([
      'SIGTERM',
      'A lease of the same name that somebody renews in another namespace',
      'An unparsable number, duration or bool in the environment',
      'Log lines at level debug',
      'A start that fails, since EC2 cannot be reached',
    ])('has the line: %s', async (line) => {
      expect(await hasCompatibilityLine(line)).toBe(true)
    })

    describe('one that is asked to end', () => {
      const ended: { [who in 'Karpenter' | 'Joinery']?: Ended } = {}
      beforeAll(async () => {
        ended.Karpenter = await withWorld(async (world) => {
          const karpenter = await startKarpenter({ ...optionsOf(world, unparsable), env: electing })
          world.stops.defer(() => karpenter.dispose())
          return endedOf(world, karpenter)
        })
        ended.Joinery = await withWorld(async (world) => {
          const operator = await startOperator({ ...optionsOf(world, unparsable), flags: withLeaderElection })
          world.stops.defer(() => operator.dispose())
          return endedOf(world, operator)
        })
      })

      test('gives its lease back where it is the operator', () => {
        expect(ended.Karpenter?.holder).toMatch(/./)
        expect(ended.Joinery?.holder).toBe('')
      })

      test('has told of what it could not read in the environment where it is the operator', () => {
        expect(speakersOf(ended, ({ setting }) => String(setting).includes('BATCH_MAX_DURATION'))).toEqual(['Joinery'])
      })

      test('has named files and lines of the program where it is Karpenter', () => {
        expect(speakersOf(ended, ({ level, caller }) => level === 'DEBUG' && caller !== undefined)).toEqual([
          'Karpenter',
        ])
      })
    })

    test('beside somebody who renews the lease in another namespace Karpenter does its work, and the operator waits', async () => {
      const isTheirs = await takesClassBesideRival(async (world) => {
        const karpenter = await startKarpenter({ ...optionsOf(world), env: electing })
        world.stops.defer(() => karpenter.dispose())
      })
      const isOurs = await takesClassBesideRival(async (world) => {
        const operator = await startOperator({ ...optionsOf(world), flags: withLeaderElection, until: 'alive' })
        world.stops.defer(() => operator.dispose())
      })
      expect([isTheirs, isOurs]).toEqual([true, false])
    })

    test('without EC2 the process of Karpenter ends, and the operator says that it cannot start yet', async () => {
      await withWorld(async (world) => {
        await expect(startKarpenter(optionsOf(world, noEC2))).rejects.toThrow('ended while starting')
        const operator = await startOperator({ ...optionsOf(world, noEC2), flags: likeKarpenter, until: 'alive' })
        world.stops.defer(() => operator.dispose())
        await eventually('it says so', async () =>
          (await operator.lines()).some(({ message }) => message.includes('cannot start yet')),
        )
        expect(operator.ended).toBe(false)
        expect(await operator.readiness()).toMatchObject({ status: 500 })
      })
    })
  },
)

async function withWorld<T>(use: (world: EmptyWorld) => Promise<T>): Promise<T> {
  const world = await startEmptyWorld()
  await using _stops = world.stops
  await installCRDs(world.controlPlane, await karpenterCRDs())
  return await use(world)
}

/** Whether an EC2NodeClass is taken in hand after a while, while somebody renews another lease. */
function takesClassBesideRival(start: (world: EmptyWorld) => Promise<void>): Promise<boolean> {
  return withWorld(async (world) => {
    const { kube } = world
    await kube.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: elsewhere.namespace } })
    await kube.create(leases, aLease())
    const rival = repeat(renewalMs, async () => {
      await kube.patch(leases, elsewhere, { kind: 'merge', body: { spec: aLease().spec } })
    })
    world.stops.defer(() => rival.stop())
    await start(world)
    await kube.create(ec2NodeClasses, aNodeClass('v20260101'))
    await sleep(waitedMs)
    const { items } = await kube.list(ec2NodeClasses)
    return items.every(({ metadata: { finalizers = [] } }) => finalizers.length > 0)
  })
}

function aLease(): Unsaved<Lease> {
  const renewTime = toMicroTimestamp(Date.now())
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: elsewhere,
    spec: {
      holderIdentity: 'somebody',
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      acquireTime: renewTime,
      renewTime,
    },
  }
}

async function holderOf(kube: KubeClient): Promise<string | undefined> {
  return (await getIfPresent(kube, leases, lease))?.spec?.holderIdentity
}

async function endedOf(
  { kube }: EmptyWorld,
  controller: { lines(): Promise<readonly LogLine[]>; stop(): Promise<void> },
): Promise<Ended> {
  await eventually('it leads', async () => (await holderOf(kube)) !== undefined)
  await controller.stop()
  return { lines: await controller.lines(), holder: await holderOf(kube) }
}

function speakersOf(ended: { [who: string]: Ended }, says: (line: LogLine) => boolean): readonly string[] {
  return Object.keys(ended).filter((who) => ended[who]?.lines.some(says) === true)
}

function optionsOf({ controlPlane: { kubeconfig, url: endpoint }, account }: EmptyWorld, env: object = {}) {
  return { kubeconfig, endpoint, account: { env: { ...account.env, ...env } } }
}
