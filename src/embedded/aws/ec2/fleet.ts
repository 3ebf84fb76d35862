import type * as ec2 from '@aws-sdk/client-ec2'
import type { EC2Client } from '../../../cloud/aws/clients.ts'
import type { Account } from '../account.ts'
import { AWSError, dryRunOperation, invalidParameter } from '../errors.ts'
import type { Handlers } from '../service.ts'
import type { LaunchTemplateRecord } from '../state.ts'
import { findShortage, launch, type LaunchPlan, type InstanceLifecycle, planLaunch, tagsFor } from './launch.ts'
import { findLaunchTemplate } from './launch-templates.ts'

type FleetCalls = Pick<EC2Client, 'createFleet' | 'runInstances'>

export function fleetHandlers(account: Account): Handlers<FleetCalls> {
  return {
    createFleet: (input) => createFleet(account, input),
    runInstances: (input) => runInstances(account, input),
  }
}

interface Option {
  readonly override: ec2.FleetLaunchTemplateOverridesRequest
  readonly template: LaunchTemplateRecord
  readonly plan: LaunchPlan
  readonly price: number
}

/** A repeated client token gets the first answer for as long as EC2 remembers it; only so many are kept. */
const fleetTokensMax = 1_000

/** Instant fleets only: what could be launched is answered together with what could not, and why. */
function createFleet(account: Account, input: ec2.CreateFleetRequest): ec2.CreateFleetResult {
  if (input.Type !== 'instant') throw invalidParameter('The simulated EC2 creates instant fleets only.')
  const { ClientToken: token } = input
  const request = JSON.stringify({ ...input, ClientToken: undefined })
  const repeated = account.state.fleetTokens.find((entry) => entry.token === token)
  if (token !== undefined && repeated !== undefined) {
    if (repeated.request === request) return repeated.result
    throw new AWSError(
      'IdempotentParameterMismatch',
      'The request uses the same client token as a previous, but non-identical request.',
    )
  }
  const configs = input.LaunchTemplateConfigs ?? []
  if (configs.length === 0) throw invalidParameter('You must provide at least one LaunchTemplateConfig.')
  const templates = configs.map((config) => findLaunchTemplate(account, config.LaunchTemplateSpecification))
  if (input.DryRun === true) throw dryRunOperation()

  const fleetID = `fleet-${account.random.uuid()}`
  const lifecycle = lifecycleOf(input, templates[0])
  const errors: ec2.CreateFleetError[] = []
  const options: Option[] = []
  for (const [index, config] of configs.entries()) {
    const template = templates[index]
    if (template === undefined) continue
    for (const override of config.Overrides ?? [{}]) {
      try {
        const plan = planLaunch(account, {
          template,
          type: override.InstanceType,
          subnetID: override.SubnetId,
          imageID: override.ImageId,
          lifecycle,
          tags: tagsFor('instance', input.TagSpecifications),
          fleetID,
        })
        options.push({ override, template, plan, price: priceOf(account, plan) })
      } catch (error) {
        if (!(error instanceof AWSError)) throw error
        errors.push(toFleetError(template, override, lifecycle, error.name, error.message))
      }
    }
  }

  const instances: ec2.CreateFleetInstance[] = []
  let missing = input.TargetCapacitySpecification?.TotalTargetCapacity ?? 0
  for (const option of inOrderOfPreference(account, input, options)) {
    const ids: string[] = []
    while (missing > 0) {
      const shortage = findShortage(account, option.plan)
      if (shortage !== undefined) {
        errors.push(toFleetError(option.template, option.override, lifecycle, shortage.code, shortage.message))
        break
      }
      ids.push(launch(account, option.plan).id)
      missing -= 1
    }
    if (ids.length > 0) instances.push(toFleetInstance(option, lifecycle, ids))
    if (missing === 0) break
  }
  const result: ec2.CreateFleetResult = { FleetId: fleetID, Errors: errors, Instances: instances }
  if (token !== undefined) {
    account.state.fleetTokens = [...account.state.fleetTokens.slice(1 - fleetTokensMax), { token, request, result }]
  }
  return result
}

function lifecycleOf(input: ec2.CreateFleetRequest, template: LaunchTemplateRecord | undefined): InstanceLifecycle {
  const market = template?.data.InstanceMarketOptions?.MarketType
  const wanted: string = input.TargetCapacitySpecification?.DefaultTargetCapacityType ?? 'on-demand'
  switch (wanted) {
    case 'spot':
      return 'spot'
    case 'capacity-block':
      return 'capacity-block'
    case 'reserved-capacity':
      return 'interruptible-capacity-reservation'
    default:
      return market === 'capacity-block' || market === 'interruptible-capacity-reservation' ? market : 'on-demand'
  }
}

function priceOf(account: Account, { facts, subnet, lifecycle }: LaunchPlan): number {
  const price = lifecycle === 'spot' ? account.spotPrice(facts, subnet.zone) : account.onDemandPrice(facts)
  return price ?? Number.POSITIVE_INFINITY
}

/** As the allocation strategy of the request ranks them; equals keep the order of the request. */
function inOrderOfPreference(
  account: Account,
  input: ec2.CreateFleetRequest,
  options: readonly Option[],
): readonly Option[] {
  const spot = input.TargetCapacitySpecification?.DefaultTargetCapacityType === 'spot'
  const strategy: string =
    (spot ? input.SpotOptions?.AllocationStrategy : input.OnDemandOptions?.AllocationStrategy) ?? 'lowest-price'
  const depth = ({ plan }: Option) => account.spotDepth(plan.facts, plan.subnet.zone)
  const priority = ({ override }: Option) => override.Priority ?? Number.POSITIVE_INFINITY
  const rank: (option: Option) => number = (() => {
    switch (strategy) {
      case 'prioritized':
        return priority
      case 'capacity-optimized-prioritized':
        // Deep pools first; among those of about the same depth the caller's order decides.
        return (option: Option) => Math.floor((1 - depth(option)) * 3) * 1e6 + Math.min(priority(option), 1e5)
      case 'capacity-optimized':
        return (option: Option) => 1 - depth(option)
      case 'price-capacity-optimized':
        // Pools likely to be interrupted soon come last; among the others the cheapest wins.
        return (option: Option) => (depth(option) < 0.2 ? 1e6 : 0) + option.price
      default:
        return (option: Option) => option.price
    }
  })()
  return options
    .map((option, index) => ({ option, index, rank: rank(option) }))
    .sort((a, b) => (a.rank === b.rank ? a.index - b.index : a.rank - b.rank))
    .map(({ option }) => option)
}

function toResponse(
  template: LaunchTemplateRecord,
  override: ec2.FleetLaunchTemplateOverridesRequest,
): ec2.LaunchTemplateAndOverridesResponse {
  const { InstanceType, SubnetId, AvailabilityZone, Priority, ImageId, MaxPrice } = override
  return {
    LaunchTemplateSpecification: { LaunchTemplateId: template.id, Version: '1' },
    Overrides: { InstanceType, SubnetId, AvailabilityZone, Priority, ImageId, MaxPrice },
  }
}

function toFleetError(
  template: LaunchTemplateRecord,
  override: ec2.FleetLaunchTemplateOverridesRequest,
  lifecycle: InstanceLifecycle,
  code: string,
  message: string,
): ec2.CreateFleetError {
  return {
    LaunchTemplateAndOverrides: toResponse(template, override),
    Lifecycle: lifecycle === 'spot' ? 'spot' : 'on-demand',
    ErrorCode: code,
    ErrorMessage: message,
  }
}

function toFleetInstance(option: Option, lifecycle: InstanceLifecycle, ids: string[]): ec2.CreateFleetInstance {
  const { facts, subnet } = option.plan
  return {
    LaunchTemplateAndOverrides: toResponse(option.template, option.override),
    Lifecycle: lifecycle === 'spot' ? 'spot' : 'on-demand',
    InstanceIds: ids,
    InstanceType: facts.name as ec2._InstanceType,
    AvailabilityZone: subnet.zone,
    AvailabilityZoneId: subnet.zoneID,
    SubnetId: subnet.id,
  }
}

/** Checks a launch without doing it. */
function runInstances(account: Account, input: ec2.RunInstancesRequest): ec2.Reservation {
  if (input.DryRun !== true) throw invalidParameter('The simulated EC2 runs instances through CreateFleet only.')
  const template = findLaunchTemplate(account, input.LaunchTemplate)
  planLaunch(account, {
    template,
    type: input.InstanceType,
    subnetID: input.SubnetId ?? input.NetworkInterfaces?.[0]?.SubnetId,
    imageID: input.ImageId,
    lifecycle: 'on-demand',
    tags: {},
    fleetID: '',
  })
  throw dryRunOperation()
}
