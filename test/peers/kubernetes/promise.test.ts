import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { NodeClaim, NodePool } from '../../../src/api/karpenter.ts'
import type { Pod, Unsaved } from '../../../src/api/kubernetes.ts'
import { SeededRandom } from '../../../src/embedded/random.ts'
import { ec2NodeClasses, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { events, nodes, pods } from '../../../src/kube/kinds.ts'
import { eventually } from '../support/eventually.ts'
import { accountIsClean } from '../support/fleet.ts'
import { aNodeClass, aNodePool } from '../support/fleet-manifests.ts'
import { describeWithPeers } from '../support/peers.ts'
import { randomWorkload } from '../support/random-workload.ts'
import { type RealWorld, startRealWorld } from '../support/real-world.ts'

const seeds = Array.from({ length: Number(process.env['JOINERY_PROMISE_SEEDS'] ?? 14) }, (_, index) => index + 1)
/** Each workload's pods come in one batch of the operator, and its events of one batch pass their rate limit. */
const apartMs = 4_000

await describeWithPeers(
  'what the solver promises is what kube-scheduler then does',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl', 'moto'],
  () => {
    let world: RealWorld
    let failed = false
    const outcomes = new Map<number, Promise<Outcome>>()
    beforeAll(async () => {
      world = await startRealWorld()
      await world.startOperator()
      await world.kube.create(ec2NodeClasses, aNodeClass('v20260101'))
      for (const seed of seeds) {
        const outcome = sleep((seed - 1) * apartMs).then(() => follow(seed))
        outcome.catch(() => undefined)
        outcomes.set(seed, outcome)
      }
    })
    afterEach(({ task }) => {
      failed ||= task.result?.state === 'fail'
    })
    afterAll(async () => {
      await Promise.allSettled(outcomes.values())
      if (failed) process.stderr.write(await world.logs())
      await world.stop()
    })

    test.each(seeds)('the workload of seed %i runs, and fits as it was promised', async (seed) => {
      expect(await outcomes.get(seed)).toMatchObject({ withoutPromise: [], broken: [], wanting: [] })
    })

    test('kube-scheduler, which chooses by itself among nodes with room, seldom needs more of them than were promised', async () => {
      const all = await Promise.all(outcomes.values())
      const sum = (of: (outcome: Outcome) => number) => all.reduce((total, outcome) => total + of(outcome), 0)
      expect(sum(({ used }) => used)).toBeLessThanOrEqual(1.25 * sum(({ promised }) => promised))
    })

    test('nothing is left of all of them', async () => {
      await eventually('no node is left', async () => (await world.kube.list(nodes)).items.length === 0)
      await world.kube.delete(ec2NodeClasses, { name: 'peers' })
      await accountIsClean(world.account)
    })

    interface Outcome {
      /** Machines. */
      readonly promised: number
      readonly used: number
      /** Pods for which no place was named. */
      readonly withoutPromise: readonly string[]
      /** Pods that kube-scheduler does not put where they were promised a place. */
      readonly broken: readonly string[]
      /** Labels of nodes that are not what their claims asked for. */
      readonly wanting: readonly string[]
    }

    async function follow(seed: number): Promise<Outcome> {
      const name = `seed-${seed}`
      const workload = randomWorkload(new SeededRandom(seed), name)
      await world.kube.create(nodePools, poolFor(name))
      await Promise.all(workload.map((pod) => world.kube.create(pods, pod)))
      await eventually(`${name}: every pod runs`, async () => (await placed(name)).size === workload.length)
      const claims = await world.fleetOf({ name }).claims()
      const promised = await promises(workload)
      const wanting = await wantingLabels(claims)

      // The same pods once more, each pinned to its promised node: kube-scheduler judges every single placement.
      await removePods(workload)
      await eventually(`${name}: its pods are gone`, async () => (await podsOf(name)).length === 0)
      const nodeOf = new Map(claims.map(({ metadata, status }) => [metadata.name, status?.nodeName ?? '']))
      const pinned = workload.flatMap((pod) => {
        const node = nodeOf.get(promised.get(nameOf(pod)) ?? '')
        return node === undefined ? [] : [pinnedTo(pod, node)]
      })
      await Promise.all(pinned.map((pod) => world.kube.create(pods, pod)))
      const all = async () => (await placed(name)).size === pinned.length
      await eventually(`${name}: every pod runs where it was promised`, all).catch(() => undefined)
      const running = await placed(name)
      await removePods(pinned)
      await removePool(name)
      return {
        promised: new Set(promised.values()).size,
        used: claims.length,
        withoutPromise: workload.map(nameOf).filter((pod) => !nodeOf.has(promised.get(pod) ?? '')),
        broken: pinned.map(nameOf).filter((pod) => running.get(pod) !== promised.get(pod)),
        wanting,
      }
    }

    async function podsOf(workload: string): Promise<readonly Pod[]> {
      return (await world.kube.list(pods, { namespace: 'default', labelSelector: `workload=${workload}` })).items
    }

    /** The claim on whose node each pod runs. */
    async function placed(workload: string): Promise<ReadonlyMap<string, string>> {
      const items = await podsOf(workload)
      const claims = await world.fleetOf({ name: workload }).claims()
      const claimOf = new Map(claims.map(({ metadata, status }) => [status?.nodeName, metadata.name]))
      return new Map(
        items
          .filter(({ status }) => status?.phase === 'Running')
          .map(({ metadata, spec }) => [metadata.name, claimOf.get(spec.nodeName) ?? `node ${spec.nodeName}`]),
      )
    }

    /** The claim that the operator named for each pod when it first had an answer. */
    async function promises(workload: readonly Unsaved<Pod>[]): Promise<ReadonlyMap<string, string>> {
      const { items } = await world.kube.list(events, { namespace: 'default', fieldSelector: 'reason=Nominated' })
      const first = items.toSorted(
        (a, b) =>
          Date.parse(a.firstTimestamp ?? '') - Date.parse(b.firstTimestamp ?? '') ||
          Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion),
      )
      const promised = new Map<string, string>()
      for (const { involvedObject, message } of first) {
        const claim = /nodeclaim\/([^\s,]+)/.exec(message ?? '')?.[1]
        const pod = involvedObject.name ?? ''
        if (claim !== undefined && !promised.has(pod)) promised.set(pod, claim)
      }
      return new Map(
        workload.map(nameOf).flatMap((pod) => {
          const claim = promised.get(pod)
          return claim === undefined ? [] : [[pod, claim] as const]
        }),
      )
    }

    async function wantingLabels(claims: readonly NodeClaim[]): Promise<readonly string[]> {
      const wanting: string[] = []
      for (const { spec, status } of claims) {
        const { metadata } = await world.kube.get(nodes, { name: status?.nodeName ?? '' })
        for (const { key, operator, values = [] } of spec.requirements ?? []) {
          const value = metadata.labels?.[key]
          if (operator === 'In' && value !== undefined && !values.includes(value)) wanting.push(`${key}=${value}`)
        }
      }
      return wanting
    }

    async function removePods(workload: readonly Unsaved<Pod>[]): Promise<void> {
      await Promise.all(
        workload.map((pod) =>
          world.kube.delete(pods, { namespace: 'default', name: nameOf(pod) }, { gracePeriodSeconds: 0 }),
        ),
      )
    }

    /** Its nodes go while other workloads come. */
    async function removePool(name: string): Promise<void> {
      const annotations = { 'joinery.dev/confirm-delete': name }
      await world.kube.patch(nodePools, { name }, { kind: 'merge', body: { metadata: { annotations } } })
      await world.kube.delete(nodePools, { name }, { propagationPolicy: 'Background' })
    }
  },
)

/** A pool for one workload, which leaves its nodes as they are. */
function poolFor(name: string): Unsaved<NodePool> {
  const pool = aNodePool({ name })
  const { spec } = pool.spec.template
  const types = ['c5.large', 'c5.xlarge', 'm5.large', 'm5.xlarge', 'm5.2xlarge']
  return {
    ...pool,
    spec: {
      template: {
        ...pool.spec.template,
        spec: {
          ...spec,
          nodeClassRef: { ...spec.nodeClassRef, name: 'peers' },
          requirements: [
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand', 'spot'] },
            { key: 'node.kubernetes.io/instance-type', operator: 'In', values: types },
          ],
        },
      },
      disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' },
    },
  }
}

function nameOf({ metadata }: Unsaved<Pod>): string {
  return metadata.name ?? ''
}

function pinnedTo(pod: Unsaved<Pod>, node: string): Unsaved<Pod> {
  return { ...pod, spec: { ...pod.spec, nodeSelector: { ...pod.spec.nodeSelector, 'kubernetes.io/hostname': node } } }
}
