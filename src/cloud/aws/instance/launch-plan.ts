import type { EC2NodeClass, NodeClaim } from '../../../api/karpenter.ts'
import type { Logger } from '../../../kube/logger.ts'
import type { InstanceType } from '../../../model/instance-type.ts'
import { offeringValue, offeringZone } from '../../../model/offering-price.ts'
import { sortedValues } from '../../../model/requirement.ts'
import type { Requirements } from '../../../model/requirements.ts'
import { toResources } from '../../../model/resources.ts'
import { InsufficientCapacityError } from '../../provider.ts'
import { amiFor } from '../ami/map-types.ts'
import type { PlacementGroup } from '../instance-types/type-settings.ts'
import { type CapacityType, placementGroupPartitionKey, reservationIDKey } from '../keys.ts'
import { reservationOf } from '../launch-template/groups.ts'
import type { PlacementGroupProvider } from '../placement-group/placement-group-provider.ts'
import type { Tags } from '../tags.ts'
import type { GroupScope } from '../unavailable-offerings.ts'
import { chooseCapacityType, chooseTenancy } from './capacity-type.ts'
import { claimRequirements, narrowedTo } from './claim-requirements.ts'
import { allowsCapacityType, type FilterResult, filterTypes, usableOfferings } from './filters.ts'

export interface LaunchRequest {
  readonly nodeClass: EC2NodeClass
  readonly nodeClaim: NodeClaim
  readonly tags: Tags
  readonly types: readonly InstanceType[]
}

/** What a launch has settled before it asks EC2. */
export interface LaunchPlan extends LaunchRequest {
  readonly requirements: Requirements
  readonly narrowed: Requirements
  readonly capacityType: CapacityType
  readonly tenancy: 'default' | 'dedicated'
  readonly placementGroup: PlacementGroup | undefined
}

export interface PlanningOptions {
  readonly log: Logger
  readonly placementGroups: Pick<PlacementGroupProvider, 'known'>
  readonly minValuesPolicy: 'Strict' | 'BestEffort'
}

/** Fewer types than this give spot little to choose from, so a fall-back to on-demand is worth a hint. */
const flexibleTypesMin = 5

/**
 * From the types that suit the claim; says in the log when they are few.
 * @throws InsufficientCapacityError where no type is left
 */
export function planLaunch(request: LaunchRequest, options: PlanningOptions): LaunchPlan {
  const filtered = filter(request, request.types, options)
  if (filtered.kind === 'none') {
    throw new InsufficientCapacityError('all requested instance types were unavailable during launch')
  }
  if (filtered.kind === 'minValuesUnmet') {
    throw new InsufficientCapacityError(
      `truncating instance types based on the passed-in requirements, ${filtered.reason}`,
    )
  }
  const plan = planWith(request, filtered.types, options)
  const others = canBoot(plan) ? undefined : bootable(request, options)
  const chosen = others !== undefined && canBoot(others) ? others : plan
  warnOfFewTypes(chosen, options)
  return chosen
}

/**
 * Types for which the class has no image are in no launch template. Where they alone decided what is asked for, as with an image of one
 * architecture and a claim that takes both, the launch could only fail, each time anew: then the others decide. Undefined where they cannot.
 */
function bootable(request: LaunchRequest, options: PlanningOptions): LaunchPlan | undefined {
  const types = request.types.filter((type) => hasImage(type, request.nodeClass))
  const filtered = filter(request, types, options)
  return filtered.kind === 'types' ? planWith(request, filtered.types, options) : undefined
}

function filter({ nodeClaim }: LaunchRequest, types: readonly InstanceType[], options: PlanningOptions): FilterResult {
  return filterTypes({
    types,
    requirements: claimRequirements(nodeClaim),
    requests: toResources(nodeClaim.spec.resources?.requests),
    minValuesPolicy: options.minValuesPolicy,
  })
}

function planWith(request: LaunchRequest, types: readonly InstanceType[], options: PlanningOptions): LaunchPlan {
  const requirements = claimRequirements(request.nodeClaim)
  const capacityType = chooseCapacityType(types, requirements)
  return {
    ...request,
    types,
    requirements,
    narrowed: narrowedTo(requirements, capacityType),
    capacityType,
    tenancy: chooseTenancy(requirements),
    placementGroup: options.placementGroups.known(request.nodeClass),
  }
}

function warnOfFewTypes({ types, capacityType, requirements, nodeClaim }: LaunchPlan, options: PlanningOptions): void {
  if (capacityType !== 'on-demand' || !allowsCapacityType(requirements, 'spot') || types.length >= flexibleTypesMin)
    return
  options.log.info(
    { NodeClaim: { name: nodeClaim.metadata.name }, 'instance-type-count': types.length },
    `at least ${flexibleTypesMin} instance types are recommended when flexible to spot but requesting on-demand, the current provisioning request only has ${types.length} instance type options`,
  )
}

/** Whether some launch template can come of it. */
function canBoot({ types, narrowed, nodeClass }: LaunchPlan): boolean {
  return types.some((type) => hasImage(type, nodeClass) && usableOfferings(type, narrowed).length > 0)
}

function hasImage(type: InstanceType, { status }: EC2NodeClass): boolean {
  return amiFor(type, status?.amis ?? []) !== undefined
}

/** Of the first offering that the claim may have. */
export function firstReservation(plan: LaunchPlan): ReturnType<typeof reservationOf> {
  for (const type of plan.types) {
    for (const offering of usableOfferings(type, plan.narrowed)) return reservationOf(offering)
  }
  return undefined
}

/** Where the type has a reservation in the zone. */
export function reservationIn(plan: LaunchPlan, instanceType: string, zone: string): ReturnType<typeof reservationOf> {
  const offering = plan.types
    .find((type) => type.name === instanceType)
    ?.offerings.find((it) => offeringZone(it) === zone && offeringValue(it, reservationIDKey) !== undefined)
  return offering === undefined ? undefined : reservationOf(offering)
}

/** The placement group whose capacity the launch has to do with; undefined outside of one. */
export function scopeOf(plan: LaunchPlan): GroupScope | undefined {
  const { placementGroup } = plan
  return placementGroup === undefined ? undefined : { groupID: placementGroup.id, partition: partitionOf(plan) }
}

/** The first requested partition, as text sorts them; empty when the claim does not ask for one. */
export function partitionOf(plan: LaunchPlan): string {
  if (plan.placementGroup?.strategy !== 'partition') return ''
  const wanted = plan.requirements.get(placementGroupPartitionKey)
  return wanted === undefined || wanted.complement ? '' : (sortedValues(wanted)[0] ?? '')
}
