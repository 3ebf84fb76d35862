import type * as ec2 from '@aws-sdk/client-ec2'
import type * as iam from '@aws-sdk/client-iam'
import type * as ssm from '@aws-sdk/client-ssm'
import type { EC2NodeClass, NodeClaim, NodePool } from '../../src/api/karpenter.ts'
import type { ObjectMeta } from '../../src/api/kubernetes.ts'
import type { ClusterFacts } from '../../src/cloud/aws/eks-cluster/cluster.ts'
import { VersionProvider } from '../../src/cloud/aws/eks-cluster/version-provider.ts'
import { type AWSCloud, type AWSDependencies, createAWSCloudProvider } from '../../src/cloud/aws/create-aws-cloud.ts'
import { type AWSGates, type AWSSettings, defaultAWSGates, defaultAWSSettings } from '../../src/cloud/aws/settings.ts'
import { SimulatedAWS } from '../../src/embedded/aws/simulated-aws.ts'
import { SeededRandom } from '../../src/embedded/random.ts'
import { ec2NodeClasses, nodePools } from '../../src/kube/karpenter-kinds.ts'
import { type ControllerWorld, aControllerWorld } from './controller-world.ts'

/** One call to AWS, in the order they were made. */
export interface RecordedCall {
  readonly name: string
  readonly input: unknown
}

/** Inputs of the calls that tests look into. */
export interface CallInputs {
  'ec2:CreateFleet': ec2.CreateFleetRequest
  'ec2:CreateLaunchTemplate': ec2.CreateLaunchTemplateRequest
  'ec2:DeleteLaunchTemplate': ec2.DeleteLaunchTemplateRequest
  'ec2:DescribeCapacityReservations': ec2.DescribeCapacityReservationsRequest
  'ec2:DescribeImages': ec2.DescribeImagesRequest
  'ec2:DescribeInstances': ec2.DescribeInstancesRequest
  'ec2:DescribePlacementGroups': ec2.DescribePlacementGroupsRequest
  'ec2:DescribeSecurityGroups': ec2.DescribeSecurityGroupsRequest
  'ec2:DescribeSubnets': ec2.DescribeSubnetsRequest
  'ec2:CreateTags': ec2.CreateTagsRequest
  'ec2:RunInstances': ec2.RunInstancesRequest
  'ec2:TerminateInstances': ec2.TerminateInstancesRequest
  'iam:AddRoleToInstanceProfile': iam.AddRoleToInstanceProfileRequest
  'iam:CreateInstanceProfile': iam.CreateInstanceProfileRequest
  'iam:DeleteInstanceProfile': iam.DeleteInstanceProfileRequest
  'ssm:GetParameter': ssm.GetParameterRequest
}

/** What a refusal may tell. */
export interface Refusal extends Error {
  readonly code?: string
  readonly conditionReason?: string
  readonly conditionMessage?: string
}

export interface AWSWorld {
  readonly kube: ControllerWorld['kube']
  readonly clock: ControllerWorld['clock']
  readonly caches: ControllerWorld['caches']
  readonly recorder: ControllerWorld['recorder']
  readonly counts: ControllerWorld['counts']
  readonly log: ControllerWorld['log']
  readonly world: ControllerWorld
  readonly aws: SimulatedAWS
  readonly cloud: AWSCloud
  readonly settings: AWSSettings
  readonly gates: AWSGates
  readonly calls: RecordedCall[]
  /** Seen by the provider beside what the caches hold. */
  readonly nodeClasses: Map<string, EC2NodeClass>
  readonly nodePools: Map<string, NodePool>
  callsOf<Name extends keyof CallInputs>(name: Name): readonly CallInputs[Name][]
  countOf(name: string): number
  /** Lets time pass until the promise settles. */
  drive<T>(promise: Promise<T>): Promise<T>
  /** As `drive`, for what must be refused. */
  failure(promise: Promise<unknown>): Promise<Refusal>
}

export interface AWSWorldOptions {
  readonly types?: readonly string[]
  readonly settings?: Partial<AWSSettings>
  readonly gates?: Partial<AWSGates>
  readonly cluster?: Partial<ClusterFacts>
  readonly version?: string
  readonly more?: Partial<AWSDependencies>
}

export const testTypes = [
  'a1.large',
  'c5.large',
  'c6g.large',
  'm5.large',
  'm5.xlarge',
  'm5.4xlarge',
  'm5.metal',
  'm6a.large',
  'm6i.large',
  'm6g.large',
  'm6idn.32xlarge',
  't3.medium',
  't3.large',
  'c4.large',
  'g4dn.8xlarge',
  'inf2.24xlarge',
  'trn1.2xlarge',
  'p4d.24xlarge',
]

/** The provider on a simulated account with one subnet in each of three zones, tagged and described by `aNodeClass`. */
export async function anAWSWorld(options: AWSWorldOptions = {}): Promise<AWSWorld> {
  const world = aControllerWorld()
  const { clock } = world
  const types = new Set(options.types ?? testTypes)
  const aws = new SimulatedAWS({
    region: 'us-east-1',
    clock,
    random: new SeededRandom(1),
    clusterName: 'demo',
    kubernetesVersion: options.version ?? '1.33',
    offers: (facts) => types.has(facts.name),
  })
  prepareAccount(aws)
  const calls: RecordedCall[] = []
  aws.faults.add(({ service, action, input }) => {
    calls.push({ name: `${service}:${action}`, input })
    return undefined
  })
  const settings: AWSSettings = { ...defaultAWSSettings, clusterName: 'demo', ...options.settings }
  const gates: AWSGates = { ...defaultAWSGates, ...options.gates }
  const nodeClassMap = new Map<string, EC2NodeClass>()
  const nodePoolMap = new Map<string, NodePool>()
  const version = new VersionProvider({
    eks: aws.clients.eks,
    clusterName: 'demo',
    eksControlPlane: true,
    clock,
    log: world.log,
    readServerVersion: () => Promise.reject(new Error('unused')),
  })
  const classCache = world.caches.of(ec2NodeClasses)
  const poolCache = world.caches.of(nodePools)
  const cloud = createAWSCloudProvider({
    clients: aws.clients,
    clock,
    random: new SeededRandom(2),
    settings,
    gates,
    cluster: { ...demoCluster, ...options.cluster },
    version,
    log: world.log,
    recorder: world.recorder,
    metrics: world.counts,
    minValuesPolicy: 'Strict',
    lookup: {
      nodeClass: (name) => classCache.get({ name }) ?? nodeClassMap.get(name),
      nodePool: (name) => poolCache.get({ name }) ?? nodePoolMap.get(name),
    },
    ...options.more,
  })
  await version.update()
  await cloud.start()
  calls.length = 0
  const drive = async <T>(promise: Promise<T>): Promise<T> => {
    let settled = false
    const marked = promise.finally(() => {
      settled = true
    })
    marked.catch(() => undefined)
    await clock.run({ until: () => settled, withinMs: 3_600_000 })
    return marked
  }
  return {
    kube: world.kube,
    clock,
    caches: world.caches,
    recorder: world.recorder,
    counts: world.counts,
    log: world.log,
    world,
    aws,
    cloud,
    settings,
    gates,
    calls,
    nodeClasses: nodeClassMap,
    nodePools: nodePoolMap,
    callsOf: <Name extends keyof CallInputs>(name: Name) =>
      calls.filter((call) => call.name === name).map((call) => call.input as CallInputs[Name]),
    countOf: (name) => calls.filter((call) => call.name === name).length,
    drive,
    failure: async (promise) => {
      try {
        await drive(promise)
      } catch (error) {
        if (error instanceof Error) return error
        throw error
      }
      throw new Error('expected a refusal')
    },
  }
}

export const demoCluster: ClusterFacts = {
  name: 'demo',
  endpoint: 'https://api.demo.example',
  caBundle: 'REVNTy1DQQ==',
  dnsIP: '172.20.0.10',
  ipFamily: 'IPv4',
}

export const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c']
export const subnetIDs = ['subnet-0a', 'subnet-0b', 'subnet-0c']

function prepareAccount(aws: SimulatedAWS): void {
  const { state } = aws
  const zoneIDs = zones.map((zone) => aws.account.region.zones.find((it) => it.name === zone)?.id ?? '')
  state.subnets = zones.map((zone, index) => ({
    id: subnetIDs[index] ?? '',
    vpcID: 'vpc-1',
    zone,
    zoneID: zoneIDs[index] ?? '',
    cidr: `10.0.${index}.0/24`,
    addresses: 250,
    tags: { 'karpenter.sh/discovery': 'demo' },
    public: false,
  }))
  state.securityGroups = [{ id: 'sg-1', name: 'nodes', vpcID: 'vpc-1', tags: { 'karpenter.sh/discovery': 'demo' } }]
  state.roles = ['node-role', 'r1', 'r2']
  state.images = []
  state.parameters = {}
  aws.publishImage('al2023', { version: 'v20260101' })
}

/** A class that selects what `prepareAccount` made; its status is as a reconcile would leave it. */
export function aNodeClass(
  spec: Partial<NonNullable<EC2NodeClass['spec']>> = {},
  more: { metadata?: Partial<ObjectMeta>; status?: Partial<NonNullable<EC2NodeClass['status']>> } = {},
): EC2NodeClass {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: {
      name: 'default',
      uid: 'class-uid',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
      ...more.metadata,
    },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
      securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
      role: 'node-role',
      metadataOptions: {
        httpEndpoint: 'enabled',
        httpProtocolIPv6: 'disabled',
        httpPutResponseHopLimit: 1,
        httpTokens: 'required',
      },
      ...spec,
    },
    status: {
      subnets: [
        { id: 'subnet-0a', zone: 'us-east-1a', zoneID: 'use1-az1' },
        { id: 'subnet-0b', zone: 'us-east-1b', zoneID: 'use1-az2' },
        { id: 'subnet-0c', zone: 'us-east-1c', zoneID: 'use1-az4' },
      ],
      securityGroups: [{ id: 'sg-1', name: 'nodes' }],
      amis: [
        { id: 'ami-amd', name: 'amd', requirements: [archIs('amd64')] },
        { id: 'ami-arm', name: 'arm', requirements: [archIs('arm64')] },
      ],
      instanceProfile: 'demo_profile',
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'Ready',
          message: '',
          lastTransitionTime: '2026-01-01T00:00:00Z',
          observedGeneration: 1,
        },
      ],
      ...more.status,
    },
  }
}

export function archIs(arch: string) {
  return { key: 'kubernetes.io/arch', operator: 'In', values: [arch] }
}

export function aLaunchClaim(
  requirements: NodeClaim['spec']['requirements'] = [],
  more: { metadata?: Partial<ObjectMeta>; spec?: Partial<NodeClaim['spec']>; status?: NodeClaim['status'] } = {},
): NodeClaim {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: 'web-abc',
      uid: 'claim-uid',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { 'karpenter.sh/nodepool': 'web', 'karpenter.k8s.aws/ec2nodeclass': 'default' },
      ...more.metadata,
    },
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements,
      ...more.spec,
    },
    ...(more.status === undefined ? {} : { status: more.status }),
  }
}

export const isIn = (key: string, ...values: string[]) => ({ key, operator: 'In' as const, values })
export const typeIn = (...values: string[]) => isIn('node.kubernetes.io/instance-type', ...values)
export const zoneIn = (...values: string[]) => isIn('topology.kubernetes.io/zone', ...values)
export const capacityIn = (...values: string[]) => isIn('karpenter.sh/capacity-type', ...values)

export function aWebPool(requirements: NodePool['spec']['template']['spec']['requirements'] = []): NodePool {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'web', uid: 'pool-uid', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements,
        },
      },
    },
  }
}
