import { isConditionFalse } from '../../api/conditions.ts'
import type { NodePool } from '../../api/karpenter.ts'
import { capacityTypeReserved } from '../../api/labels.ts'
import { requeueAfter, type SingletonController } from '../../kube/controller.ts'
import { ec2NodeClasses, nodePools } from '../../kube/karpenter-kinds.ts'
import type { MetricLabels } from '../../kube/metrics.ts'
import { combineErrors } from '../../model/combine-errors.ts'
import type { InstanceType, Offering } from '../../model/instance-type.ts'
import { offeringCapacityType, offeringZone } from '../../model/offering-price.ts'
import { compareText } from '../../model/order.ts'
import { isSameList } from '../../model/same-list.ts'
import { type AWSControllerDeps, isOurPool } from './deps.ts'

const intervalMs = 60_000
/** A class is looked at for the first time within seconds. */
const awaitingMs = 5_000

interface Row {
  readonly labels: MetricLabels
  readonly available: boolean
  readonly price: number
}

/** Publishes what every type costs and whether any pool could have it. */
export function offeringMetricsController(
  deps: Pick<AWSControllerDeps, 'caches' | 'cloud' | 'gates'>,
): SingletonController {
  const pools = deps.caches.of(nodePools)
  const classes = deps.caches.of(ec2NodeClasses)
  /** Nobody has looked for the subnets of the pool's class yet: that is no failure, as selectors without a match are. */
  const isAwaited = (pool: NodePool): boolean => {
    const nodeClass = classes.get({ name: pool.spec.template.spec.nodeClassRef.name })
    if (nodeClass === undefined || (nodeClass.status?.subnets ?? []).length > 0) return false
    return !isConditionFalse(nodeClass, 'SubnetsReady')
  }
  let seen: readonly unknown[] = []
  let published: ReadonlyMap<string, readonly (readonly Offering[])[]> = new Map()
  const publish = (type: string, lists: readonly (readonly Offering[])[]): void => {
    const { catalogue, metrics } = deps.cloud
    const rows = new Map<string, Row>()
    const reserved = deps.gates.reservedCapacity ? catalogue.allZones : []
    for (const zone of reserved) {
      const labels = { instance_type: type, capacity_type: capacityTypeReserved, zone }
      rows.set(`${capacityTypeReserved}/${zone}`, { labels, available: false, price: 0 })
    }
    for (const offering of lists.flat()) {
      const [capacityType, zone] = [offeringCapacityType(offering), offeringZone(offering)]
      const labels = { instance_type: type, capacity_type: capacityType, zone }
      const { available, price } = offering
      const row = rows.get(`${capacityType}/${zone}`) ?? { labels, available, price }
      rows.set(`${capacityType}/${zone}`, { labels, available: row.available || available, price })
    }
    for (const { labels, available, price } of rows.values()) {
      metrics.offeringAvailable.set(labels, available ? 1 : 0)
      metrics.offeringPrice.set(labels, price)
    }
  }
  /** `whole`: whether these are the lists of all pools. What was told of types that none of them has any more is over then. */
  const publishAll = (lists: readonly (readonly InstanceType[])[], whole: 'all' | 'some'): void => {
    const byType = new Map<string, (readonly Offering[])[]>()
    for (const { name, offerings } of lists.flat()) {
      const known = byType.get(name)
      if (known === undefined) byType.set(name, [offerings])
      else known.push(offerings)
    }
    for (const [type, offerings] of byType) {
      // What can be had of a type is shared by the lists before and after a change of others.
      if (!isSameList(published.get(type) ?? [], offerings)) publish(type, offerings)
    }
    const others = [...published].filter(([type]) => !byType.has(type))
    if (whole === 'all') for (const [type, offerings] of others) publish(type, offerings.map(withoutAny))
    published = whole === 'all' ? byType : new Map([...others, ...byType])
  }
  return {
    name: 'cloudprovider.metrics',
    async reconcile() {
      const { provider } = deps.cloud
      const errors: unknown[] = []
      const lists: (readonly InstanceType[])[] = []
      let awaited = false
      for (const pool of pools.list().filter(isOurPool).toSorted(byName)) {
        if (isAwaited(pool)) {
          awaited = true
          continue
        }
        try {
          lists.push(await provider.getInstanceTypes(pool))
        } catch (error) {
          errors.push(error)
        }
      }
      // A list is the same object until something in it changed, which is rare; all of them are ten thousands of series.
      const whole = errors.length === 0 && !awaited ? 'all' : 'some'
      const found = [whole, ...lists]
      if (!isSameList(found, seen)) publishAll(lists, whole)
      seen = found
      if (errors.length > 0) throw combineErrors(errors)
      return requeueAfter(awaited ? awaitingMs : intervalMs)
    },
  }
}

function withoutAny(offerings: readonly Offering[]): readonly Offering[] {
  return offerings.map((offering) => ({ ...offering, available: false }))
}

function byName(a: { metadata: { name: string } }, b: { metadata: { name: string } }): number {
  return compareText(a.metadata.name, b.metadata.name)
}
