import { expect, test } from 'vitest'
import type { Node, Pod, Unsaved } from '../../../src/api/kubernetes.ts'
import { SeededRandom } from '../../../src/embedded/random.ts'
import { nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../src/kube/kinds.ts'
import type { Random } from '../../../src/model/random.ts'
import { aFleet, anEmbeddedOperator } from '../../support/embedded-operator.ts'
import { mutualPlaces, pick } from '../../support/pod-places.ts'

/**
 * Whether the embedded cluster's scheduler, which shares no code with the solver, does what the solver promised. More seeds than these
 * with JOINERY_PROMISE_SEEDS (200 by `npm run test:promises`); one at a time with JOINERY_PROMISE_SEED.
 */
const only = process.env['JOINERY_PROMISE_SEED']
const first = Array.from({ length: Number(process.env['JOINERY_PROMISE_SEEDS'] ?? 10) }, (_, index) => index + 1)
/** In which a pod under a skew was once left over, and got a node of its own in a second round. */
const found = [68, 159]
const seeds = only === undefined ? [...new Set([...first, ...found])] : [Number(only)]
/** Until the node that the cluster begins with takes pods. */
const settledMs = 2 * 60_000
const patienceMs = 15 * 60_000
const stepMs = 1_000

const what =
  'no pod is left over, no node is made in vain or unplanned, and pods that keep to no skew go where they were nominated once that is ready'

test.each(seeds)(
  `batch %i: ${what}`,
  async (seed) => {
    // All nodes of a plan at once; otherwise those beyond the first twenty are planned again when a launch has succeeded.
    const { cluster, stop } = await anEmbeddedOperator({ launchBudget: 0 }, undefined, seed)
    const { client, clock } = cluster
    try {
      await aFleet(cluster)
      await clock.run({ forMs: settledMs })
      for (const pod of randomBatch(new SeededRandom(seed))) await client.create(pods, pod)
      const promised = new Map<string, string>()
      const strayed: string[] = []
      let followed = 0
      let planned: ReadonlySet<string> | undefined
      let ready: ReadonlySet<string> = new Set()
      let bound: ReadonlyMap<string, string> = new Map()
      let allRun = false
      for (let waitedMs = 0; waitedMs < patienceMs && !allRun; waitedMs += stepMs) {
        await clock.run({ forMs: stepMs })
        const batch = (await client.list(pods, { namespace: 'default' })).items
        for (const { metadata, spec, status } of batch) {
          const node = spec.nodeName ?? ''
          const place = promised.get(metadata.name)
          // kube-scheduler does not keep a pod waiting for its node while another one has room for it, and where pods must keep to a skew
          // the planned zone may be ahead just then: another pod of the group gets the place.
          const mayStray = place === undefined || !ready.has(place) || spec.topologySpreadConstraints !== undefined
          if (node !== '' && !bound.has(metadata.name)) {
            if (place === node) followed += 1
            else if (!mayStray) strayed.push(`${metadata.name} runs on ${node}, not on ${place}`)
          }
          if (node === '' && (status?.nominatedNodeName ?? '') !== '')
            promised.set(metadata.name, status?.nominatedNodeName ?? '')
        }
        bound = new Map(
          batch.flatMap(({ metadata, spec }) =>
            (spec.nodeName ?? '') === '' ? [] : [[metadata.name, spec.nodeName ?? '']],
          ),
        )
        ready = new Set((await client.list(nodes)).items.filter(takesPods).map(({ metadata }) => metadata.name))
        const claims = (await client.list(nodeClaims)).items
        if (planned === undefined && claims.length > 0) planned = new Set(claims.map(({ metadata }) => metadata.name))
        allRun = batch.every(({ status }) => status?.phase === 'Running')
      }
      const left = (await client.list(pods, { namespace: 'default' })).items.filter(
        ({ spec }) => (spec.nodeName ?? '') === '',
      )
      expect(left.map(({ metadata }) => metadata.name)).toEqual([])
      expect(strayed).toEqual([])
      expect(followed).toBeGreaterThan(0)
      const claims = (await client.list(nodeClaims)).items
      expect(new Set(claims.map(({ metadata }) => metadata.name))).toEqual(planned)
      const used = new Set(bound.values())
      expect(
        claims.filter(({ status }) => !used.has(status?.nodeName ?? '')).map(({ metadata }) => metadata.name),
      ).toEqual([])
    } finally {
      await stop()
    }
  },
  180_000,
)

function takesPods({ spec }: Node): boolean {
  return spec.unschedulable !== true && (spec.taints ?? []).length === 0
}

/** 20 to 79 pods in groups that are alike; one group in three has demands on where its pods are. */
function randomBatch(random: Random): readonly Unsaved<Pod>[] {
  const count = 20 + random.below(60)
  const batch: Unsaved<Pod>[] = []
  for (let group = 0; batch.length < count; group += 1) {
    const labels = { group: `group-${group}` }
    const requests = { cpu: `${100 + 50 * random.below(40)}m`, memory: `${128 + 64 * random.below(80)}Mi` }
    const place = random.below(3) === 0 ? pick(random, mutualPlaces)(labels) : {}
    const size = Math.min(count - batch.length, 1 + random.below(12))
    for (let index = 0; index < size; index += 1) {
      batch.push({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `pod-${batch.length}`, namespace: 'default', labels },
        spec: { containers: [{ name: 'app', image: 'registry.example/app:1', resources: { requests } }], ...place },
      })
    }
  }
  return batch
}
