import type { EC2NodeClass, NodeClaim } from '../../../api/karpenter.ts'
import { byIdentity } from '../../../model/by-identity.ts'
import { allocatableOf, type InstanceType, type Offering } from '../../../model/instance-type.ts'
import { offeringCapacityType, offeringZone } from '../../../model/offering-price.ts'
import type { Resources } from '../../../model/resources.ts'
import type { LaunchedInstance } from '../../provider.ts'
import type { PlacementGroup } from '../instance-types/type-settings.ts'
import {
  capacityTypeKey,
  nodePoolKey,
  placementGroupIDKey,
  reservationIDKey,
  reservationInterruptibleKey,
  reservationTypeKey,
  resourceNames,
  tenancyKey,
  zoneIDKey,
  zoneKey,
} from '../keys.ts'
import { type EC2Instance, isTerminating, partitionLabel, toProviderID } from './ec2-instance.ts'

export interface LaunchedParts {
  readonly instance: EC2Instance
  readonly type: InstanceType | undefined
  readonly nodeClass: EC2NodeClass | undefined
  readonly placementGroup: PlacementGroup | undefined
  readonly annotations: NonNullable<NodeClaim['metadata']['annotations']>
  readonly now: number
}

const reservationKeys: ReadonlySet<string> = new Set([
  reservationIDKey,
  reservationTypeKey,
  reservationInterruptibleKey,
])

/** What core copies into the claim. */
export function toLaunched(parts: LaunchedParts): LaunchedInstance {
  const { instance, type } = parts
  return {
    providerID: toProviderID(instance),
    imageID: instance.imageID,
    labels: labelsOf(parts),
    annotations: parts.annotations,
    ...(type === undefined ? nothing : resourcesOf(type, instance)),
    createdAt: instance.launchedAt,
    deletedAt: isTerminating(instance) ? parts.now : undefined,
  }
}

/** What every machine of the type has. */
const typeLabels = byIdentity((type: InstanceType): Readonly<Record<string, string>> => {
  const labels: Record<string, string> = {}
  for (const { key, complement, values } of type.requirements.values()) {
    if (complement || values.size !== 1 || reservationKeys.has(key)) continue
    for (const value of values) labels[key] = value
  }
  return labels
})

function labelsOf({ instance, type, nodeClass, placementGroup }: LaunchedParts): Record<string, string> {
  const labels: Record<string, string> = type === undefined ? {} : { ...typeLabels(type) }
  labels[zoneKey] = instance.zone
  const zoneID = nodeClass?.status?.subnets?.find((subnet) => subnet.zone === instance.zone)?.zoneID
  if (zoneID !== undefined && zoneID !== '') labels[zoneIDKey] = zoneID
  labels[capacityTypeKey] = instance.capacityType
  labels[tenancyKey] = instance.tenancy
  if (instance.reservation !== undefined) {
    labels[reservationIDKey] = instance.reservation.id
    labels[reservationTypeKey] = instance.reservation.type
    labels[reservationInterruptibleKey] = String(instance.reservation.interruptible)
  }
  if (placementGroup !== undefined && instance.placementGroupID === placementGroup.id) {
    labels[placementGroupIDKey] = placementGroup.id
    if (placementGroup.strategy === 'partition') Object.assign(labels, partitionLabel(instance))
  }
  // Empty for a claim of no pool; DaemonSets that are for all nodes of ours select those that have the label.
  const nodePool = instance.tags[nodePoolKey]
  if (nodePool !== undefined) labels[nodePoolKey] = nodePool
  return labels
}

type Amounts = Pick<LaunchedInstance, 'allocatable' | 'capacity'>

const nothing: Amounts = { capacity: new Map(), allocatable: new Map() }

function resourcesOf(type: InstanceType, instance: EC2Instance): Amounts {
  const override = offeringOf(type, instance)?.capacityOverride
  if (override !== undefined) {
    return amountsOf(new Map([...type.capacity, ...override]), type.overhead, instance.efaCount > 0)
  }
  return instance.efaCount > 0 ? withEFA(type) : withoutEFA(type)
}

const withEFA = byIdentity((type: InstanceType) => amountsOf(type.capacity, type.overhead, true))
const withoutEFA = byIdentity((type: InstanceType) => amountsOf(type.capacity, type.overhead, false))

function amountsOf(capacity: Resources, overhead: InstanceType['overhead'], efa: boolean): Amounts {
  return { capacity: shown(capacity, efa), allocatable: shown(allocatableOf(capacity, overhead), efa) }
}

function offeringOf(type: InstanceType, instance: EC2Instance): Offering | undefined {
  return type.offerings.find(
    (it) => offeringZone(it) === instance.zone && offeringCapacityType(it) === instance.capacityType,
  )
}

/** Nothing a node will not advertise: no zeros, and EFA only where the instance has such interfaces. */
function shown(resources: Resources, efa: boolean): Resources {
  return new Map([...resources].filter(([name, amount]) => !amount.isZero && (name !== resourceNames.efa || efa)))
}
