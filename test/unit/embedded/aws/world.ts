import type * as ec2 from '@aws-sdk/client-ec2'
import { SimulatedAWS, type SimulatedAWSOptions } from '../../../../src/embedded/aws/simulated-aws.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'
import { SeededRandom } from '../../../../src/embedded/random.ts'

const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c'] as const

/** An account with a VPC of three subnets, a security group, a role, a profile and AL2023 images. */
export function anAccount(options: Partial<SimulatedAWSOptions> = {}) {
  const clock = new VirtualClock()
  const aws = new SimulatedAWS({
    region: 'us-east-1',
    clock,
    random: new SeededRandom('test'),
    clusterName: 'demo',
    kubernetesVersion: '1.33',
    ...options,
  })
  for (const [index, zone] of zones.entries()) {
    aws.state.subnets.push({
      id: `subnet-${index}`,
      vpcID: 'vpc-0',
      zone,
      zoneID: aws.account.zoneID(zone),
      cidr: `10.0.${index}.0/24`,
      addresses: 251,
      tags: { 'karpenter.sh/discovery': 'demo', Name: `private-${zone}` },
      public: false,
    })
  }
  aws.state.securityGroups.push({ id: 'sg-0', name: 'nodes', vpcID: 'vpc-0', tags: {} })
  aws.state.roles.push('node')
  aws.state.instanceProfiles.push({ name: 'profile', path: '/', roles: ['node'], tags: {}, createdAt: clock.now() })
  const images = aws.publishImage('al2023', { version: 'v20260101' })
  const image = images[0]?.id ?? ''
  return { aws, clock, image, ec2: aws.clients.ec2 }
}

export function aTemplate(image: string, data: ec2.RequestLaunchTemplateData = {}): ec2.CreateLaunchTemplateRequest {
  return {
    LaunchTemplateName: 'karpenter.k8s.aws/1',
    LaunchTemplateData: {
      ImageId: image,
      IamInstanceProfile: { Name: 'profile' },
      NetworkInterfaces: [{ DeviceIndex: 0, Groups: ['sg-0'] }],
      UserData: Buffer.from('hello').toString('base64'),
      ...data,
    },
    TagSpecifications: [{ ResourceType: 'launch-template', Tags: [{ Key: 'eks:eks-cluster-name', Value: 'demo' }] }],
  }
}

export function aFleet(
  overrides: readonly (readonly [type: string, zone: number])[],
  more: { capacityType?: 'spot' | 'on-demand'; count?: number } & Partial<ec2.CreateFleetRequest> = {},
): ec2.CreateFleetRequest {
  const { capacityType = 'on-demand', count = 1, ...rest } = more
  return {
    Type: 'instant',
    TargetCapacitySpecification: { TotalTargetCapacity: count, DefaultTargetCapacityType: capacityType },
    ...(capacityType === 'spot'
      ? { SpotOptions: { AllocationStrategy: 'price-capacity-optimized' as const } }
      : { OnDemandOptions: { AllocationStrategy: 'lowest-price' as const } }),
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: 'karpenter.k8s.aws/1', Version: '$Latest' },
        Overrides: overrides.map(([type, zone]) => ({
          InstanceType: type as ec2._InstanceType,
          SubnetId: `subnet-${zone}`,
          AvailabilityZone: zones[zone] ?? '',
        })),
      },
    ],
    TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'karpenter.sh/nodepool', Value: 'web' }] }],
    ...rest,
  }
}
