import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  CreateTagsCommand,
  DescribeSubnetsCommand,
  DescribeVpcsCommand,
  EC2Client,
  type Instance,
  type InstanceStateName,
  paginateDescribeInstances,
} from '@aws-sdk/client-ec2'
import { CreateClusterCommand, EKSClient } from '@aws-sdk/client-eks'
import { CreateRoleCommand, CreateServiceLinkedRoleCommand, IAMClient } from '@aws-sdk/client-iam'
import { type Moto, type MotoOptions, startMoto } from './moto.ts'

export const region = 'us-east-1'
export const clusterName = 'demo'
export const nodeRole = `KarpenterNodeRole-${clusterName}`
/** moto takes any; the SDK's default chain finds them in the environment. */
export const credentials = { accessKeyId: 'test', secretAccessKey: 'test' }

/** Without it one answer that never comes would be waited for until the test's own end. */
const requestHandler = { requestTimeout: 40_000, throwOnRequestTimeout: true } as const

/** Releases of one image: a roll leads from the first to the second; the third is for those that are to fail. */
export const releases = {
  v20260101: 'ami-0a1b2c3d4e5f60001',
  v20260201: 'ami-0a1b2c3d4e5f60002',
  v20260301: 'ami-0a1b2c3d4e5f60003',
} as const
export type Release = keyof typeof releases

/** moto with what an operator finds in a real account: network, role, cluster, images and the aliases that lead to them. */
export interface MotoAccount extends Moto {
  readonly ec2: EC2Client
  readonly securityGroupID: string
  /** Environment with which the SDK's default chain reaches this account. */
  readonly env: Readonly<Record<string, string>>
  /** Instances that are neither terminated nor on their way there, and belong to a NodePool. */
  liveInstances(): Promise<readonly Instance[]>
}

export interface MotoAccountOptions extends Pick<MotoOptions, 'port' | 'seed'> {
  /** Versions besides that have the same images. */
  readonly versions?: readonly string[]
}

export async function startMotoAccount(
  kubernetesVersion: string,
  { versions = [], ...options }: MotoAccountOptions = {},
): Promise<MotoAccount> {
  const moto = await startMoto({
    ...options,
    images: Object.entries(releases).map(([release, id]) => nodeImage(id, kubernetesVersion, release)),
    parameters: [kubernetesVersion, ...versions].flatMap((version) => [
      ...Object.entries(releases).map(([release, value]) => ({
        region,
        name: aliasParameter(version, release),
        value,
      })),
      { region, name: latestParameter(version), value: releases.v20260201 },
    ]),
  })
  const client = { endpoint: moto.endpoint, region, credentials, requestHandler }
  const ec2 = new EC2Client(client)
  try {
    const securityGroupID = await createNetwork(ec2)
    await createRoleAndCluster(client, kubernetesVersion)
    return {
      ...moto,
      ec2,
      securityGroupID,
      env: {
        AWS_ENDPOINT_URL: moto.endpoint,
        AWS_REGION: region,
        AWS_ACCESS_KEY_ID: credentials.accessKeyId,
        AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      },
      liveInstances: () => describeInstances(ec2, ['running', 'pending']),
      stop: async () => {
        ec2.destroy()
        await moto.stop()
      },
    }
  } catch (error) {
    await moto.stop()
    throw error
  }
}

/** Where EKS publishes the standard x86 image that it recommends. */
export function latestParameter(kubernetesVersion: string): string {
  return `/aws/service/eks/optimized-ami/${kubernetesVersion}/amazon-linux-2023/x86_64/standard/recommended/image_id`
}

/** Where EKS publishes the standard x86 image of a release. */
export function aliasParameter(kubernetesVersion: string, release: string): string {
  const image = `amazon-eks-node-al2023-x86_64-standard-${kubernetesVersion}-${release}`
  return `/aws/service/eks/optimized-ami/${kubernetesVersion}/amazon-linux-2023/x86_64/standard/${image}/image_id`
}

/** Every instance that a NodePool asked for, in one of these states; of all states, terminated ones included, unless said. */
export async function describeInstances(
  ec2: EC2Client,
  states?: readonly InstanceStateName[],
): Promise<readonly Instance[]> {
  const instances: Instance[] = []
  const ofPools = { Name: 'tag-key', Values: ['karpenter.sh/nodepool'] }
  const inStates = states === undefined ? [] : [{ Name: 'instance-state-name', Values: [...states] }]
  const pages = paginateDescribeInstances({ client: ec2 }, { Filters: [ofPools, ...inStates] })
  for await (const { Reservations } of pages) {
    for (const reservation of Reservations ?? []) instances.push(...(reservation.Instances ?? []))
  }
  return instances
}

async function createNetwork(ec2: EC2Client): Promise<string> {
  const tags = [{ Key: 'karpenter.sh/discovery', Value: clusterName }]
  const { Subnets = [] } = await ec2.send(new DescribeSubnetsCommand({}))
  const subnets = Subnets.filter(({ AvailabilityZone = '' }) => /[abc]$/.test(AvailabilityZone))
  await ec2.send(new CreateTagsCommand({ Resources: subnets.map(({ SubnetId }) => SubnetId ?? ''), Tags: tags }))
  const { Vpcs = [] } = await ec2.send(new DescribeVpcsCommand({}))
  const group = await ec2.send(
    new CreateSecurityGroupCommand({ GroupName: 'nodes', Description: 'nodes', VpcId: Vpcs[0]?.VpcId ?? '' }),
  )
  const id = group.GroupId ?? ''
  await ec2.send(new CreateTagsCommand({ Resources: [id], Tags: tags }))
  await ec2.send(new AuthorizeSecurityGroupIngressCommand({ GroupId: id, IpProtocol: '-1', CidrIp: '172.31.0.0/16' }))
  return id
}

async function createRoleAndCluster(
  client: { readonly endpoint: string; readonly region: string; readonly credentials: typeof credentials },
  version: string,
): Promise<void> {
  const iam = new IAMClient(client)
  const eks = new EKSClient(client)
  await iam.send(new CreateServiceLinkedRoleCommand({ AWSServiceName: 'spot.amazonaws.com' }))
  await iam.send(new CreateRoleCommand({ RoleName: nodeRole, AssumeRolePolicyDocument: '{}' }))
  await eks.send(
    new CreateClusterCommand({
      name: clusterName,
      version,
      roleArn: 'arn:aws:iam::123456789012:role/cluster',
      resourcesVpcConfig: {},
    }),
  )
  iam.destroy()
  eks.destroy()
}

/** One of EKS's images, as moto's list has them. */
export function nodeImage(id: string, kubernetesVersion: string, release: string): object {
  return {
    ami_id: id,
    name: `amazon-eks-node-al2023-x86_64-standard-${kubernetesVersion}-${release}`,
    architecture: 'x86_64',
    owner_id: '123456789012',
    public: true,
    virtualization_type: 'hvm',
    state: 'available',
    root_device_type: 'ebs',
    root_device_name: '/dev/xvda',
    description: 'EKS node',
    image_type: 'machine',
    hypervisor: 'xen',
    image_location: 'amazon/eks-node',
    platform: null,
    sriov: 'simple',
  }
}
