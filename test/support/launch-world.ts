import type { CreateFleetError, CreateFleetRequest } from '@aws-sdk/client-ec2'
import { aLaunchClaim, aNodeClass, anAWSWorld, type AWSWorld, type AWSWorldOptions } from './aws-world.ts'

/** A world in which the images and the profile of `aNodeClass` are really there, as launches need them. */
export async function aLaunchWorld(options: AWSWorldOptions = {}): Promise<AWSWorld> {
  const world = await anAWSWorld(options)
  world.aws.addImage({ id: 'ami-amd', name: 'amd' })
  world.aws.addImage({ id: 'ami-arm', name: 'arm', architecture: 'arm64' })
  world.aws.state.instanceProfiles.push({
    name: 'demo_profile',
    path: '/',
    roles: ['node-role'],
    tags: {},
    createdAt: 0,
  })
  return world
}

export interface Override {
  readonly type: string | undefined
  readonly zone: string | undefined
  readonly subnet: string | undefined
  readonly price: number | undefined
}

export function overridesOf(request: CreateFleetRequest | undefined): Override[] {
  return (request?.LaunchTemplateConfigs ?? [])
    .flatMap((config) => config.Overrides ?? [])
    .map((it) => ({ type: it.InstanceType, zone: it.AvailabilityZone, subnet: it.SubnetId, price: it.Priority }))
}

/** Spot prices from now on, as [type, zone, price]; nothing else has one. */
export async function quoteSpot(
  world: AWSWorld,
  prices: readonly (readonly [string, string, string])[],
): Promise<void> {
  const SpotPriceHistory = prices.map(([type, AvailabilityZone, SpotPrice]) => ({
    InstanceType: type as never,
    AvailabilityZone,
    SpotPrice,
    Timestamp: new Date(0),
  }))
  world.aws.faults.add((call) =>
    call.action === 'DescribeSpotPriceHistory' ? { kind: 'answer', output: { SpotPriceHistory } } : undefined,
  )
  await world.drive(world.cloud.pricing.updateSpot())
}

/** Lets the next fleets answer with these errors and no instance. Returns how to stop. */
export function failFleets(world: AWSWorld, ...errors: readonly CreateFleetError[]): () => void {
  return world.aws.faults.add((call) =>
    call.action === 'CreateFleet' ? { kind: 'answer', output: { Errors: errors, Instances: [] } } : undefined,
  )
}

export function fleetError(
  code: string,
  type?: string,
  zone?: string,
  subnet?: string,
  message = '',
): CreateFleetError {
  return {
    ErrorCode: code,
    ErrorMessage: message,
    ...(type === undefined
      ? {}
      : {
          LaunchTemplateAndOverrides: {
            Overrides: {
              InstanceType: type as never,
              ...(zone === undefined ? {} : { AvailabilityZone: zone }),
              ...(subnet === undefined ? {} : { SubnetId: subnet }),
            },
          },
        }),
  }
}

/** What the provider makes of a claim whose class is this. */
export async function launch(world: AWSWorld, claim = aLaunchClaim(), nodeClass = aNodeClass()) {
  world.nodeClasses.set('default', nodeClass)
  return world.drive(world.cloud.provider.create(claim))
}

/** Why it makes nothing of it. */
export async function refusal(world: AWSWorld, claim = aLaunchClaim(), nodeClass = aNodeClass()) {
  world.nodeClasses.set('default', nodeClass)
  return world.failure(world.cloud.provider.create(claim))
}
