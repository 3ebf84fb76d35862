import type { CreateFleetError } from '@aws-sdk/client-ec2'
import type { NodeClaim } from '../../../api/karpenter.ts'
import type { Counter } from '../../../kube/metrics.ts'
import type { EventRecorder } from '../../../kube/recorder.ts'
import type { Clock } from '../../../model/clock.ts'
import { CreateError, InsufficientCapacityError, NodeClassNotReadyError } from '../../provider.ts'
import type { ReservationProvider } from '../capacity-reservation/reservation-provider.ts'
import {
  causeChainText,
  isInstanceProfileMissing,
  isLaunchTemplateNotFound,
  spotRoleCreationRefused,
} from '../errors.ts'
import type { InstanceProfileProvider } from '../instance-profile/instance-profile-provider.ts'
import { toLaunchFailure } from '../launch-errors.ts'
import { resourceNames } from '../keys.ts'
import type { EnsuredTemplate, LaunchTemplateProvider } from '../launch-template/launch-template-provider.ts'
import { ClusterCIDRUnknownError } from '../launch-template/template-contents.ts'
import type { FreeAddresses, PickedSubnet } from '../subnet/free-addresses.ts'
import type { UnavailableOfferings } from '../unavailable-offerings.ts'
import { specOf } from '../wire.ts'
import { addressesNeeded } from './capacity-type.ts'
import type { EC2Batchers, FleetAnswer, FleetInstance } from './ec2-batchers.ts'
import type { EC2Instance } from './ec2-instance.ts'
import { fleetErrorTexts, isCapacityProblem, lessonsOf, placeOf } from './fleet-outcome.ts'
import { fleetRequest, templateConfigs } from './fleet-request.ts'
import {
  firstReservation,
  type LaunchPlan,
  type LaunchRequest,
  partitionOf,
  type PlanningOptions,
  planLaunch,
  reservationIn,
  scopeOf,
} from './launch-plan.ts'

export interface LauncherOptions extends PlanningOptions {
  readonly clock: Clock
  readonly recorder: EventRecorder
  readonly batchers: Pick<EC2Batchers, 'createFleet'>
  readonly templates: LaunchTemplateProvider
  readonly addresses: FreeAddresses
  readonly unavailable: UnavailableOfferings
  readonly reservations: ReservationProvider
  readonly profiles: Pick<InstanceProfileProvider, 'forget'>
  readonly launchFailures: Counter
}

/** Turns a claim into one instance: which types, which capacity type, which subnets; and learns from what EC2 answers. */
export class Launcher {
  readonly #options: LauncherOptions

  constructor(options: LauncherOptions) {
    this.#options = options
  }

  /** @throws InsufficientCapacityError, CreateError, NodeClassNotReadyError */
  async launch(request: LaunchRequest): Promise<EC2Instance> {
    const plan = planLaunch(request, this.#options)
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
    return await this.#options.batchers.createFleet(
      fleetRequest({
        capacityType,
        reservation: capacityType === 'reserved' ? firstReservation(plan) : undefined,
        configs,
        tags,
        context: specOf(nodeClass).context,
        annotations: nodeClaim.metadata.annotations ?? {},
      }),
    )
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

function zoneOfSubnet(picked: ReadonlyMap<string, PickedSubnet>, subnetID: string | undefined): string {
  for (const subnet of picked.values()) if (subnet.id === subnetID) return subnet.zone
  return ''
}
