import type { NodePool } from '../../api/karpenter.ts'
import { capacityTypeReserved } from '../../api/labels.ts'
import { combineErrors } from '../../cloud/aws/errors.ts'
import { capacityTypeOf, valueOf } from '../../cloud/aws/instance/filters.ts'
import { zoneKey } from '../../cloud/aws/keys.ts'
import { requeueAfter, type SingletonController } from '../../kube/controller.ts'
import { ec2NodeClasses, nodePools } from '../../kube/karpenter-kinds.ts'
import type { MetricLabels } from '../../kube/metrics.ts'
import type { InstanceType } from '../../model/instance-type.ts'
import { compareText } from '../../model/order.ts'
import { type AWSControllerDeps, isOurPool } from './deps.ts'

const intervalMs = 60_000
/** A class is looked at for the first time within seconds. */
const awaitingMs = 5_000

interface Row {
  readonly labels: MetricLabels
  available: boolean
  price: number
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
    return nodeClass.status?.conditions?.find(({ type }) => type === 'SubnetsReady')?.status !== 'False'
  }
  let published: readonly (readonly InstanceType[])[] = []
  return {
    name: 'cloudprovider.metrics',
    async reconcile() {
      const { provider, catalogue, metrics } = deps.cloud
      const rows = new Map<string, Row>()
      const errors: unknown[] = []
      const record = (type: string, capacityType: string, zone: string, available: boolean, price: number): void => {
        const key = `${type}/${capacityType}/${zone}`
        const row = rows.get(key)
        if (row === undefined) {
          rows.set(key, { labels: { instance_type: type, capacity_type: capacityType, zone }, available, price })
          return
        }
        row.available ||= available
        row.price = price
      }
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
      // A list is the same object until something in it changed, which is rare; writing one out is ten thousands of series.
      const isPublished = lists.length === published.length && lists.every((list, index) => list === published[index])
      published = lists
      for (const type of isPublished ? [] : lists.flat()) {
        if (deps.gates.reservedCapacity) {
          for (const zone of catalogue.allZones) record(type.name, capacityTypeReserved, zone, false, 0)
        }
        for (const offering of type.offerings) {
          const [capacityType, zone] = [capacityTypeOf(offering) ?? '', valueOf(offering, zoneKey) ?? '']
          record(type.name, capacityType, zone, offering.available, offering.price)
        }
      }
      for (const { labels, available, price } of rows.values()) {
        metrics.offeringAvailable.set(labels, available ? 1 : 0)
        metrics.offeringPrice.set(labels, price)
      }
      if (errors.length > 0) throw combineErrors(errors)
      return requeueAfter(awaited ? awaitingMs : intervalMs)
    },
  }
}

function byName(a: { metadata: { name: string } }, b: { metadata: { name: string } }): number {
  return compareText(a.metadata.name, b.metadata.name)
}
