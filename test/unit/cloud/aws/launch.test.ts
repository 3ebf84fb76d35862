import type { CreateFleetRequest } from '@aws-sdk/client-ec2'
import { describe, expect, test } from 'vitest'
import { aLaunchClaim, aNodeClass, anAWSWorld, type AWSWorld, capacityIn, typeIn } from '../../../support/aws-world.ts'

/** Creates with the class in place; launches carry real images because the account checks them. */
async function launchWorld(...args: Parameters<typeof anAWSWorld>): Promise<AWSWorld> {
  const world = await anAWSWorld(...args)
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

const overridesOf = (request: CreateFleetRequest | undefined) =>
  (request?.LaunchTemplateConfigs ?? [])
    .flatMap((config) => config.Overrides ?? [])
    .map((it) => ({ type: it.InstanceType, zone: it.AvailabilityZone, subnet: it.SubnetId, price: it.Priority }))

describe('a launch', () => {
  test('case 56: asks for one type in each zone, with subnet, image and price', async () => {
    const world = await launchWorld()
    world.nodeClasses.set('default', aNodeClass())
    const launched = await world.drive(
      world.cloud.provider.create(aLaunchClaim([typeIn('m5.large'), capacityIn('on-demand')])),
    )
    const [request] = world.callsOf('ec2:CreateFleet')
    expect(request?.Type).toBe('instant')
    expect(request?.OnDemandOptions).toEqual({ AllocationStrategy: 'lowest-price' })
    expect(request?.TargetCapacitySpecification).toEqual({
      TotalTargetCapacity: 1,
      DefaultTargetCapacityType: 'on-demand',
    })
    expect(overridesOf(request)).toEqual([
      { type: 'm5.large', zone: 'us-east-1a', subnet: 'subnet-0a', price: 0.096 },
      { type: 'm5.large', zone: 'us-east-1b', subnet: 'subnet-0b', price: 0.096 },
      { type: 'm5.large', zone: 'us-east-1c', subnet: 'subnet-0c', price: 0.096 },
    ])
    expect(launched.providerID).toMatch(/^aws:\/\/\/us-east-1[abc]\/i-/)
    expect(launched.labels).toMatchObject({
      'node.kubernetes.io/instance-type': 'm5.large',
      'karpenter.sh/capacity-type': 'on-demand',
      'karpenter.sh/nodepool': 'web',
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/os': 'linux',
    })
    expect(launched.imageID).toBe('ami-amd')
    expect(Object.keys(launched.annotations).toSorted()).toEqual([
      'karpenter.k8s.aws/ec2nodeclass-hash',
      'karpenter.k8s.aws/ec2nodeclass-hash-version',
      'karpenter.k8s.aws/instance-profile-name',
    ])
  })
})
