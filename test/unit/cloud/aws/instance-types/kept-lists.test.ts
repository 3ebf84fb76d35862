import { expect, test } from 'vitest'
import type { EC2NodeClass, NodeOverlay } from '../../../../../src/api/karpenter.ts'
import { InstanceTypeProvider } from '../../../../../src/cloud/aws/instance-types/instance-type-provider.ts'
import { OverlayPrices } from '../../../../../src/cloud/aws/instance-types/overlay-prices.ts'
import { SeededRandom } from '../../../../../src/embedded/random.ts'
import type { InstanceType } from '../../../../../src/model/instance-type.ts'
import { aNodeClass, anAWSWorld, subnetIDs, zones } from '../../../../support/aws-world.ts'
import { aReservation } from '../../../../support/reservation-record.ts'

const types = ['a1.large', 'm5.large', 'm5.metal', 'm5.xlarge', 'm6g.large', 't3.medium']
const steps = 150

/** An overlay that gives a type a price. */
function aPrice(type: string, price: string): NodeOverlay {
  const lastTransitionTime = '2026-01-01T00:00:00Z'
  return {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name: type, uid: type, resourceVersion: '1', creationTimestamp: lastTransitionTime },
    spec: {
      price,
      requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: [type] }],
    },
    status: { conditions: [{ type: 'ValidationSucceeded', status: 'True', lastTransitionTime }] },
  }
}

/** All that a list says, for comparison. */
function textOf(list: readonly InstanceType[]): string {
  const plain = (_key: string, value: unknown): unknown => {
    if (typeof value === 'bigint') return `${value}n`
    if (value instanceof Map) return [...value]
    return value instanceof Set ? [...value] : value
  }
  return JSON.stringify(list, plain, 1)
}

test.each([1, 2])(
  'what is kept of earlier lists is what is worked out anew, whatever happened since (seed %i)',
  async (seed) => {
    const random = new SeededRandom(seed)
    const one = <T>(items: readonly T[]): T => items[random.below(items.length)] as T
    const world = await anAWSWorld({ types, settings: { enableZonalShift: true } })
    const { cloud, aws, clock } = world
    const overlays: NodeOverlay[] = []
    const overlayPrices = new OverlayPrices(clock, () => overlays)
    const provider = () =>
      new InstanceTypeProvider({
        ...cloud,
        region: 'us-east-1',
        clock,
        settings: world.settings,
        gates: { reservedCapacity: true, nodeOverlay: true, nodeClassCEL: true },
        log: world.log,
        gauges: cloud.metrics,
        overlayPrices,
      })
    const kept = provider()

    const reserved = [
      aReservation({ id: 'cr-1', instanceType: 'm5.large', zone: 'us-east-1a', total: 2 }),
      aReservation({ id: 'cr-2', instanceType: 'm5.xlarge', zone: 'us-east-1b', total: 1 }),
    ]
    aws.state.reservations.push(...reserved)
    aws.state.placementGroups.push({ id: 'pg-1', name: 'together', strategy: 'partition', partitions: 2, tags: {} })
    await world.drive(cloud.reservations.list(reserved.map(({ id }) => ({ id }))))
    const reservations = reserved.map(({ id, instanceType, zone }, index) => ({
      id,
      instanceType,
      availabilityZone: zone,
      instanceMatchCriteria: 'targeted' as const,
      ownerID: '123456789012',
      reservationType: index === 0 ? ('default' as const) : ('capacity-block' as const),
      endTime: new Date(clock.now() + 3_600_000).toISOString(),
      state: 'active' as const,
    }))
    const allSubnets = zones.flatMap((zone, index) =>
      ['0', '1'].map((n) => ({
        id: n === '0' ? (subnetIDs[index] ?? '') : `subnet-1${zone}`,
        zone,
        zoneID: aws.state.subnets[index]?.zoneID ?? '',
      })),
    )
    let uid = 0
    const aClass = (): EC2NodeClass =>
      aNodeClass(
        {
          ...one([{}, { connectionTracking: { udpTimeout: 30 } }, { placementGroupSelector: { name: 'together' } }]),
          ...one([{}, { kubelet: { maxPods: 20 } }, { kubelet: { maxPods: 'min(max_pods, 30)' } }]),
          ...one([{}, { amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] }]),
        },
        {
          metadata: { name: `class-${(uid += 1)}`, uid: `${uid}` },
          status: {
            subnets: one([
              allSubnets,
              allSubnets.slice(0, 2),
              allSubnets.slice(2),
              allSubnets.filter((_, i) => i % 2 === 0),
            ]),
            ...one([{}, { capacityReservations: reservations }, { capacityReservations: reservations.slice(1) }]),
            ...one([{}, { amis: [] }]),
          },
        },
      )
    const classes = Array.from({ length: 5 }, aClass)
    const pool = () => ({
      instanceType: one(types),
      zone: one(zones),
      capacityType: one(['on-demand', 'spot'] as const),
    })
    const isOffered = new Map<string, boolean>()
    aws.faults.add(({ action }) =>
      action === 'DescribeInstanceTypeOfferings'
        ? {
            kind: 'answer',
            output: {
              InstanceTypeOfferings: types.flatMap((InstanceType) =>
                zones
                  .filter((zone) => isOffered.get(`${InstanceType}/${zone}`) !== false)
                  .map((Location) => ({ InstanceType, Location })),
              ),
            },
          }
        : undefined,
    )
    const events: readonly (() => unknown)[] = [
      () => cloud.unavailable.markPool(pool(), 'ICE'),
      () =>
        cloud.unavailable.markPool(pool(), 'ICE', {
          groupID: 'pg-1',
          partition: one(['', '1', '2']),
        }),
      () => cloud.unavailable.markInterrupted(pool(), 'spot'),
      () => cloud.unavailable.markCapacityType('spot'),
      () => cloud.unavailable.markSubnet(one(allSubnets).id),
      () => cloud.unavailable.clear(),
      () => aws.setSpotPrice(one(types), one(zones), random.below(100) / 1_000),
      () => cloud.pricing.updateSpot(),
      () => cloud.pricing.updateOnDemand(),
      () => isOffered.set(`${one(types)}/${one(zones)}`, one([true, false])),
      () => cloud.catalogue.update(),
      () => aws.setZonalShift(one(allSubnets).zoneID, 60_000 * random.below(5)),
      () => cloud.zonalShift.update(),
      () =>
        cloud.discoveredMemory.observe(
          one(types),
          one(classes).status?.amis ?? [],
          BigInt(3 + random.below(5)) * 10n ** 9n,
        ),
      () => cloud.reservations.markLaunched(one(reserved).id),
      () => cloud.reservations.markTerminated(one(reserved).id, `${random.below(1_000)}`),
      () => cloud.reservations.markExhausted(one(reserved).id),
      () => cloud.placementGroups.resolve(one(classes)),
      () => cloud.placementGroups.clear(),
      () => overlays.splice(0, 1),
      () => overlays.push(aPrice(one(types), `0.0${random.below(10)}`)),
      () => {
        classes[random.below(classes.length)] = aClass()
      },
      () => {
        const index = random.below(classes.length)
        const { metadata, spec, status } = one(classes)
        const of = classes[index]
        if (of !== undefined && spec !== undefined && status !== undefined)
          classes[index] = { ...of, metadata, spec, status }
      },
      () => kept.flush(),
    ]
    for (let step = 0; step < steps; step += 1) {
      const index = random.below(events.length + 3)
      const result = events[index]?.()
      // In tens of seconds, as offerings come back only when somebody has looked for those that do.
      if (index >= events.length) await clock.run({ forMs: one([10_000, 60_000, 180_000, 300_000, 24 * 3_600_000]) })
      if (result instanceof Promise) await world.drive(result)
      for (const nodeClass of classes) {
        if (random.below(2) === 0) continue
        const text = textOf(kept.list(nodeClass))
        expect(text, `step ${step}, event ${index}`).toBe(textOf(provider().list(nodeClass)))
        expect(kept.list(nodeClass)).toBe(kept.list(nodeClass))
      }
    }
  },
)
