import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PodInfo } from '../../../../src/model/pod.ts'
import type { Placement } from '../../../../src/scheduling/index.ts'
import { aRequest, aResourceClaim, aSlice, aTemplate, deviceObjects, devices } from '../../../support/device-objects.ts'
import { aPod, aType } from '../../../support/scheduling-world.ts'
import { solveWorld, whereabouts } from '../../../support/solving.ts'

/** Claims for so many devices each; pods name one each, several may name the same. Devices of types, and of the whole cluster. */
interface World {
  readonly counts: readonly number[]
  readonly pods: readonly { readonly claim: number; readonly cpu: number }[]
  readonly ofTypes: readonly number[]
  readonly shared: number
}

const worlds: fc.Arbitrary<World> = fc
  .record({
    counts: fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 6 }),
    ofTypes: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 3 }),
    shared: fc.integer({ min: 0, max: 4 }),
  })
  .chain((world) =>
    fc.record({
      counts: fc.constant(world.counts),
      ofTypes: fc.constant(world.ofTypes),
      shared: fc.constant(world.shared),
      pods: fc.array(
        fc.record({ claim: fc.nat({ max: world.counts.length - 1 }), cpu: fc.integer({ min: 1, max: 3 }) }),
        { minLength: 1, maxLength: 10 },
      ),
    }),
  )

function solved({ counts, pods, ofTypes, shared }: World, order: (list: readonly PodInfo[]) => readonly PodInfo[]) {
  const claims = counts.map((count, index) => aResourceClaim(`claim-${index}`, { requests: [aRequest({ count })] }))
  const waiting = pods.map(({ claim, cpu }, index) =>
    aPod({
      name: `pod-${index}`,
      requests: { cpu: String(cpu) },
      resourceClaims: [{ name: 'gpu', resourceClaimName: `claim-${claim}` }],
    }),
  )
  const slices = shared === 0 ? [] : [aSlice('net', devices(shared), { allNodes: true })]
  const types = ofTypes.map((count, index) =>
    aType({
      name: `type-${index}`,
      cpu: '8',
      memory: '16Gi',
      pods: '20',
      deviceTemplates: count === 0 ? [] : [aTemplate(devices(count))],
    }),
  )
  return solveWorld(
    { types, pods: order(waiting), devices: deviceObjects(claims, slices) },
    { settings: { ignoreDRA: false } },
  )
}

/** Numbers of the claims that the pods name, each once however many of them share it. */
function claimsOf(pods: readonly PodInfo[]): readonly number[] {
  const numbers = pods.flatMap(({ resourceClaims = [] }) =>
    resourceClaims.flatMap((claim) => (claim.kind === 'named' ? Number(claim.claimName.slice('claim-'.length)) : [])),
  )
  return [...new Set(numbers)]
}

/** What is wrong with a placement, by nothing but counting. */
function faults({ counts, ofTypes, shared, pods }: World, placement: Placement): string[] {
  const found: string[] = []
  let fromCluster = 0
  const counted = new Set<number>()
  for (const plan of placement.newNodePlans) {
    const fresh = claimsOf(plan.pods).filter((claim) => !counted.has(claim))
    for (const claim of fresh) counted.add(claim)
    const needed = fresh.reduce((sum, claim) => sum + (counts[claim] ?? 0), 0)
    let least = Number.POSITIVE_INFINITY
    for (const { name } of plan.instanceTypes) {
      const own = ofTypes[Number(name.slice('type-'.length))] ?? 0
      if (needed > own + shared)
        found.push(`${name} has ${own} and the cluster ${shared} devices, wanted are ${needed}`)
      least = Math.min(least, Math.max(0, needed - own))
    }
    fromCluster += Number.isFinite(least) ? least : 0
  }
  if (fromCluster > shared) found.push(`${fromCluster} devices of the cluster are promised, there are ${shared}`)
  const most = Math.max(...ofTypes)
  for (const { pod, text } of placement.failures) {
    const claim = pods[Number(pod.name.slice('pod-'.length))]?.claim ?? 0
    const sharers = pods.filter((other) => other.claim === claim).length
    if (sharers === 1 && (counts[claim] ?? 0) <= most) found.push(`${pod.name} would have a node to itself: ${text}`)
  }
  return found
}

test('no device is promised twice, and no pod waits that a node of its own would help', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      expect(
        faults(
          world,
          solved(world, (list) => list),
        ),
      ).toEqual([])
    }),
    { numRuns: 300 },
  )
})

test('the order in which pods and claims are listed does not matter', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const backwards = solved(world, (list) => list.toReversed())
      expect(whereabouts(backwards)).toEqual(whereabouts(solved(world, (list) => list)))
    }),
    { numRuns: 100 },
  )
})
