import type { CreateFleetError } from '@aws-sdk/client-ec2'
import type { EC2NodeClass, NodeClaim } from '../../../api/karpenter.ts'
import type { Logger } from '../../../kube/logger.ts'
import type { Counter } from '../../../kube/metrics.ts'
import type { EventRecorder } from '../../../kube/recorder.ts'
import type { Clock } from '../../../model/clock.ts'
import type { InstanceType } from '../../../model/instance-type.ts'
import { sortedValues } from '../../../model/requirement.ts'
import type { Requirements } from '../../../model/requirements.ts'
import { toResources } from '../../../model/resources.ts'
import { CreateError, InsufficientCapacityError, NodeClassNotReadyError } from '../../provider.ts'
import { amiFor } from '../ami/map-types.ts'
import type { ReservationProvider } from '../capacity-reservation/reservation-provider.ts'
import {
  causeChainText,
  isInstanceProfileMissing,
  isLaunchTemplateNotFound,
  spotRoleCreationRefused,
} from '../errors.ts'
import type { InstanceProfileProvider } from '../instance-profile/instance-profile-provider.ts'
import { toLaunchFailure } from '../launch-errors.ts'
import type { PlacementGroup } from '../instance-types/type-settings.ts'
import { type CapacityType, placementGroupPartitionKey, reservationIDKey, resourceNames, zoneKey } from '../keys.ts'
import { reservationOf } from '../launch-template/groups.ts'
import {
  ClusterCIDRUnknownError,
  type EnsuredTemplate,
  type LaunchTemplateProvider,
} from '../launch-template/launch-template-provider.ts'
import type { PlacementGroupProvider } from '../placement-group/placement-group-provider.ts'
import type { FreeAddresses, PickedSubnet } from '../subnet/free-addresses.ts'
import type { Tags } from '../tags.ts'
import type { GroupScope, UnavailableOfferings } from '../unavailable-offerings.ts'
import { specOf } from '../wire.ts'
import { addressesNeeded, chooseCapacityType, chooseTenancy } from './capacity-type.ts'
import { claimRequirements, narrowedTo } from './claim-requirements.ts'
import type { EC2Batchers, FleetAnswer, FleetInstance } from './ec2-batchers.ts'
import type { EC2Instance } from './ec2-instance.ts'
import { allowsCapacityType, type FilterResult, filterTypes, usableOfferings, valueOf } from './filters.ts'
import { fleetErrorTexts, isCapacityProblem, lessonsOf, placeOf } from './fleet-outcome.ts'
import { fleetRequest, templateConfigs } from './fleet-request.ts'

export interface LauncherOptions {
  readonly clock: Clock
  readonly log: Logger
  readonly recorder: EventRecorder
  readonly batchers: Pick<EC2Batchers, 'createFleet'>
  readonly templates: LaunchTemplateProvider
  readonly addresses: FreeAddresses
  readonly unavailable: UnavailableOfferings
  readonly reservations: ReservationProvider
  readonly placementGroups: PlacementGroupProvider
  readonly profiles: Pick<InstanceProfileProvider, 'forget'>
  readonly launchFailures: Counter
  readonly minValuesPolicy: 'Strict' | 'BestEffort'
}

export interface LaunchRequest {
  readonly nodeClass: EC2NodeClass
  readonly nodeClaim: NodeClaim
  readonly tags: Tags
  readonly types: readonly InstanceType[]
}

/** What a launch has settled before it asks EC2. */
interface LaunchPlan extends LaunchRequest {
  readonly requirements: Requirements
  readonly narrowed: Requirements
  readonly capacityType: CapacityType
  readonly tenancy: 'default' | 'dedicated'
  readonly placementGroup: PlacementGroup | undefined
}

/** Fewer types than this give spot little to choose from, so a fall-back to on-demand is worth a hint. */
const flexibleTypesMin = 5

/** Turns a claim into one instance: which types, which capacity type, which subnets; and learns from what EC2 answers. */
export class Launcher {
  readonly #options: LauncherOptions

  constructor(options: LauncherOptions) {
    this.#options = options
  }

  /** @throws InsufficientCapacityError, CreateError, NodeClassNotReadyError */
  async launch(request: LaunchRequest): Promise<EC2Instance> {
    const plan = this.#plan(request)
    let templates: readonly EnsuredTemplate[] = []
    const attempt = async (): Promise<EC2Instance> => {
      const picked = this.#pickSubnets(plan)
      templates = []
      let answer: FleetAnswer | undefined
      try {
        templates = await this.#templates(plan)
        answer = await this.#createFleet(plan, templates, picked)
      } finally {
        const used = answer?.instance?.subnetID
        this.#options.addresses.settle(picked.values(), new Set(used === undefined ? [] : [used]))
      }
      return this.#conclude(plan, answer, picked, templates)
    }
    try {
      return await attempt()
    } catch (error) {
      if (!isLaunchTemplateNotFound(error)) throw this.#callError(plan, error)
    }
    this.#forgetTemplates(templates)
    try {
      return await attempt()
    } catch (error) {
      throw this.#callError(plan, error)
    }
  }

  #callError(plan: LaunchPlan, error: unknown): unknown {
    if (isInstanceProfileMissing(error)) this.#forgetProfile(plan)
    return launchCallError(error)
  }

  /** What EC2 does not know somebody may have deleted: the class's next look asks IAM, and makes another. */
  #forgetProfile({ nodeClass: { status } }: LaunchPlan): void {
    if (status?.instanceProfile !== undefined) this.#options.profiles.forget(status.instanceProfile)
  }

  /** Each launch that finds them in memory keeps them there: without this, none would look whether they are still there. */
  #forgetTemplates(templates: readonly EnsuredTemplate[]): void {
    for (const { name } of templates) this.#options.templates.invalidate(name)
  }

  /** @throws InsufficientCapacityError where no type is left */
  #plan(request: LaunchRequest): LaunchPlan {
    const filtered = this.#filter(request, request.types)
    if (filtered.kind === 'none') {
      throw new InsufficientCapacityError('all requested instance types were unavailable during launch')
    }
    if (filtered.kind === 'minValuesUnmet') {
      throw new InsufficientCapacityError(
        `truncating instance types based on the passed-in requirements, ${filtered.reason}`,
      )
    }
    const plan = this.#planWith(request, filtered.types)
    const others = canBoot(plan) ? undefined : this.#bootable(request)
    const chosen = others !== undefined && canBoot(others) ? others : plan
    this.#warnOfFewTypes(chosen)
    return chosen
  }

  /**
   * Types for which the class has no image are in no launch template. Where they alone decided what is asked for, as with an image of one
   * architecture and a claim that takes both, the launch could only fail, each time anew: then the others decide. Undefined where they cannot.
   */
  #bootable(request: LaunchRequest): LaunchPlan | undefined {
    const types = request.types.filter((type) => hasImage(type, request.nodeClass))
    const filtered = this.#filter(request, types)
    return filtered.kind === 'types' ? this.#planWith(request, filtered.types) : undefined
  }

  #filter({ nodeClaim }: LaunchRequest, types: readonly InstanceType[]): FilterResult {
    return filterTypes({
      types,
      requirements: claimRequirements(nodeClaim),
      requests: toResources(nodeClaim.spec.resources?.requests),
      minValuesPolicy: this.#options.minValuesPolicy,
    })
  }

  #planWith(request: LaunchRequest, types: readonly InstanceType[]): LaunchPlan {
    const requirements = claimRequirements(request.nodeClaim)
    const capacityType = chooseCapacityType(types, requirements)
    return {
      ...request,
      types,
      requirements,
      narrowed: narrowedTo(requirements, capacityType),
      capacityType,
      tenancy: chooseTenancy(requirements),
      placementGroup: this.#options.placementGroups.known(request.nodeClass),
    }
  }

  #warnOfFewTypes({ types, capacityType, requirements, nodeClaim }: LaunchPlan): void {
    if (capacityType !== 'on-demand' || !allowsCapacityType(requirements, 'spot') || types.length >= flexibleTypesMin)
      return
    this.#options.log.info(
      { NodeClaim: { name: nodeClaim.metadata.name }, 'instance-type-count': types.length },
      `at least ${flexibleTypesMin} instance types are recommended when flexible to spot but requesting on-demand, the current provisioning request only has ${types.length} instance type options`,
    )
  }

  #pickSubnets(plan: LaunchPlan): ReadonlyMap<string, PickedSubnet> {
    const subnets = plan.nodeClass.status?.subnets ?? []
    if (subnets.length === 0) {
      throw new CreateError('no subnets are present in the status', 'SubnetResolutionFailed', 'Error getting subnets')
    }
    const needed = addressesNeeded(plan.types, plan.narrowed)
    return this.#options.addresses.pick(subnets, (zone) => needed.get(zone) ?? 0)
  }

  async #templates(plan: LaunchPlan): Promise<readonly EnsuredTemplate[]> {
    const { nodeClass, nodeClaim, types, capacityType, narrowed, tags, tenancy } = plan
    try {
      return await this.#options.templates.ensureAll({
        nodeClass,
        nodeClaim,
        types,
        capacityType,
        requirements: narrowed,
        tags,
        tenancy,
      })
    } catch (error) {
      if (error instanceof ClusterCIDRUnknownError) throw new NodeClassNotReadyError(error.message, { cause: error })
      throw templateError(error)
    }
  }

  async #createFleet(
    plan: LaunchPlan,
    templates: readonly EnsuredTemplate[],
    picked: ReadonlyMap<string, PickedSubnet>,
  ): Promise<FleetAnswer> {
    const { nodeClass, nodeClaim, capacityType, tags } = plan
    const configs = templateConfigs(templates, picked, plan.narrowed)
    if (configs.length === 0) {
      throw templateError(new Error('no capacity offerings are currently available given the constraints'))
    }
    const answer = await this.#options.batchers.createFleet(
      fleetRequest({
        capacityType,
        reservation: capacityType === 'reserved' ? firstReservation(plan) : undefined,
        configs,
        tags,
        context: specOf(nodeClass).context,
        annotations: nodeClaim.metadata.annotations ?? {},
      }),
    )
    return answer
  }

  #conclude(
    plan: LaunchPlan,
    answer: FleetAnswer,
    picked: ReadonlyMap<string, PickedSubnet>,
    templates: readonly EnsuredTemplate[],
  ): EC2Instance {
    this.#learn(plan, answer.errors, picked, templates)
    const { instance, errors } = answer
    if (instance !== undefined) {
      const launched = this.#toInstance(plan, instance, picked)
      const { instanceType, zone, capacityType } = launched
      this.#options.unavailable.markLaunched({ instanceType, zone, capacityType }, scopeOf(plan))
      return launched
    }
    const texts = fleetErrorTexts(errors)
    if (isCapacityProblem(errors)) throw new InsufficientCapacityError(`with fleet error(s), ${texts.join('; ')}`)
    const { reason, message } = toLaunchFailure(texts.join('; '))
    throw new CreateError(`with fleet error(s), ${texts.join('; ')}`, reason, message)
  }

  #learn(
    plan: LaunchPlan,
    errors: readonly CreateFleetError[],
    picked: ReadonlyMap<string, PickedSubnet>,
    templates: readonly EnsuredTemplate[],
  ): void {
    const { unavailable, addresses, reservations, launchFailures } = this.#options
    const { capacityType, placementGroup, types } = plan
    const scope = scopeOf(plan)
    for (const error of errors) {
      const { code, zone = '' } = placeOf(error)
      launchFailures.increment({
        zone,
        zone_id: picked.get(zone)?.zoneID ?? '',
        capacity_type: capacityType,
        reason: code,
      })
      for (const lesson of lessonsOf(error, capacityType, placementGroup !== undefined)) {
        switch (lesson.kind) {
          case 'pool':
            unavailable.markPool(
              { instanceType: lesson.instanceType, zone: lesson.zone, capacityType },
              lesson.code,
              scope,
            )
            break
          case 'spreadGroupFull':
            for (const type of types) {
              unavailable.markPool({ instanceType: type.name, zone: lesson.zone, capacityType }, lesson.code, scope)
            }
            break
          case 'reservation': {
            const id = reservationIn(plan, lesson.instanceType, lesson.zone)?.id
            if (id !== undefined) reservations.markExhausted(id)
            break
          }
          case 'spotRefused':
            unavailable.markCapacityType('spot')
            this.#publishSpotRefused(plan.nodeClaim)
            break
          case 'subnet':
            unavailable.markSubnet(lesson.subnetID)
            addresses.markExhausted(lesson.subnetID)
            break
          case 'profileMissing':
            this.#forgetProfile(plan)
            break
          case 'templateMissing':
            this.#forgetTemplates(templates)
            break
        }
      }
    }
  }

  #publishSpotRefused(nodeClaim: NodeClaim): void {
    this.#options.recorder.publish({
      object: nodeClaim,
      type: 'Warning',
      reason: '',
      message: `Attempted to launch a spot instance but failed due to "${spotRoleCreationRefused}"`,
      dedupeValues: [nodeClaim.metadata.uid],
    })
  }

  #toInstance(plan: LaunchPlan, launched: FleetInstance, picked: ReadonlyMap<string, PickedSubnet>): EC2Instance {
    const { nodeClass, nodeClaim, capacityType, tenancy, tags, placementGroup } = plan
    const instanceType = launched.instanceType ?? ''
    const zone = launched.zone ?? zoneOfSubnet(picked, launched.subnetID)
    const type = plan.types.find((candidate) => candidate.name === instanceType)
    const requests = nodeClaim.spec.resources?.requests ?? {}
    const wantsEFA =
      Object.hasOwn(requests, resourceNames.efa) || (specOf(nodeClass).networkInterfaces ?? []).length > 0
    return {
      id: launched.id,
      launchedAt: this.#options.clock.now(),
      state: 'pending',
      imageID: launched.imageID ?? '',
      instanceType,
      zone,
      zoneID: picked.get(zone)?.zoneID,
      capacityType,
      reservation: capacityType === 'reserved' ? reservationIn(plan, instanceType, zone) : undefined,
      tenancy,
      securityGroupIDs: (nodeClass.status?.securityGroups ?? []).map((it) => it.id),
      subnetID: launched.subnetID ?? picked.get(zone)?.id ?? '',
      tags,
      efaCount: wantsEFA ? Number(type?.capacity.get(resourceNames.efa)?.units ?? 0n) : 0,
      placementGroupID: placementGroup?.id,
      partition: Number(partitionOf(plan) || 0),
    }
  }
}

function launchCallError(error: unknown): unknown {
  if (
    error instanceof CreateError ||
    error instanceof InsufficientCapacityError ||
    error instanceof NodeClassNotReadyError
  ) {
    return error
  }
  const prefix = isLaunchTemplateNotFound(error)
    ? 'Launch templates not found when creating fleet request: '
    : 'Error creating fleet request: '
  const { reason, message } = toLaunchFailure(error)
  return new CreateError(`creating fleet request, ${causeChainText(error)}`, reason, `${prefix}${message}`, error)
}

function templateError(error: unknown): CreateError {
  const { reason, message } = toLaunchFailure(error)
  return new CreateError(
    `getting launch template configs, ${causeChainText(error)}`,
    reason,
    `Error getting launch template configs: ${message}`,
    error,
  )
}

/** Whether some launch template can come of it. */
function canBoot({ types, narrowed, nodeClass }: LaunchPlan): boolean {
  return types.some((type) => hasImage(type, nodeClass) && usableOfferings(type, narrowed).length > 0)
}

function hasImage(type: InstanceType, { status }: EC2NodeClass): boolean {
  return amiFor(type, status?.amis ?? []) !== undefined
}

function firstReservation(plan: LaunchPlan): ReturnType<typeof reservationOf> {
  for (const type of plan.types) {
    for (const offering of usableOfferings(type, plan.narrowed)) return reservationOf(offering)
  }
  return undefined
}

function reservationIn(plan: LaunchPlan, instanceType: string, zone: string): ReturnType<typeof reservationOf> {
  const offering = plan.types
    .find((type) => type.name === instanceType)
    ?.offerings.find((it) => valueOf(it, zoneKey) === zone && valueOf(it, reservationIDKey) !== undefined)
  return offering === undefined ? undefined : reservationOf(offering)
}

function zoneOfSubnet(picked: ReadonlyMap<string, PickedSubnet>, subnetID: string | undefined): string {
  for (const subnet of picked.values()) if (subnet.id === subnetID) return subnet.zone
  return ''
}

function scopeOf(plan: LaunchPlan): GroupScope | undefined {
  const { placementGroup } = plan
  return placementGroup === undefined ? undefined : { groupID: placementGroup.id, partition: partitionOf(plan) }
}

/** The first requested partition, as text sorts them; empty when the claim does not ask for one. */
function partitionOf(plan: LaunchPlan): string {
  if (plan.placementGroup?.strategy !== 'partition') return ''
  const wanted = plan.requirements.get(placementGroupPartitionKey)
  return wanted === undefined || wanted.complement ? '' : (sortedValues(wanted)[0] ?? '')
}
