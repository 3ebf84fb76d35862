import { afterEach } from 'vitest'
import type { Deployment, KubeObject, Node, Pod, PodSpec, StorageClass, Unsaved } from '../../../src/api/kubernetes.ts'
import {
  createEmbeddedCluster,
  type EmbeddedCluster,
  type EmbeddedClusterOptions,
} from '../../../src/embedded/cluster.ts'
import type { Job } from '../../../src/embedded/workloads/job-kind.ts'
import { nodes, pods } from '../../../src/kube/kinds.ts'
import type { Resource } from '../../../src/kube/resource.ts'

const running: EmbeddedCluster[] = []

afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

/** A cluster without nodes, stopped when the test ends. */
export async function aCluster(options: Partial<EmbeddedClusterOptions> = {}): Promise<EmbeddedCluster> {
  const cluster = await createEmbeddedCluster({ seed: 'test', systemNode: false, ...options })
  running.push(cluster)
  return cluster
}

const userData = [
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary="//"',
  '',
  '--//',
  'Content-Type: application/node.eks.aws',
  '',
  '# Karpenter Generated NodeConfig',
  'apiVersion: node.eks.aws/v1alpha1',
  'kind: NodeConfig',
  'spec:',
  '  kubelet:',
  '    config:',
  '      registerWithTaints:',
  '      - effect: NoExecute',
  '        key: karpenter.sh/unregistered',
  '    flags:',
  '    - --node-labels="team=core,karpenter.sh/nodepool=web"',
  '',
  '--//--',
].join('\n')

export interface Launch {
  readonly type?: string
  /** Index of the private subnet. */
  readonly zone?: number
  readonly userData?: string
  readonly count?: number
}

/** Starts instances as the autoscaler would; by default their nodes register with karpenter.sh/unregistered. */
export async function launch(cluster: EmbeddedCluster, wanted: Launch = {}): Promise<readonly string[]> {
  const { aws } = cluster
  const { ec2 } = aws.clients
  const image = aws.state.images.find(({ name }) => name.includes('x86_64-standard'))?.id ?? ''
  const groups = [aws.state.securityGroups[0]?.id ?? '']
  const text = wanted.userData ?? userData
  const name = `test/${aws.state.launchTemplates.length}`
  await ec2.createLaunchTemplate({
    LaunchTemplateName: name,
    LaunchTemplateData: {
      ImageId: image,
      NetworkInterfaces: [{ DeviceIndex: 0, Groups: groups }],
      UserData: Buffer.from(text).toString('base64'),
      BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { VolumeSize: 20 } }],
    },
  })
  const subnet = aws.state.subnets.filter((candidate) => !candidate.public)[wanted.zone ?? 0]
  const answer = await ec2.createFleet({
    Type: 'instant',
    TargetCapacitySpecification: { TotalTargetCapacity: wanted.count ?? 1, DefaultTargetCapacityType: 'on-demand' },
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: name, Version: '$Latest' },
        Overrides: [{ InstanceType: (wanted.type ?? 'm5.large') as never, SubnetId: subnet?.id }],
      },
    ],
  })
  if ((answer.Errors ?? []).length > 0) throw new Error(JSON.stringify(answer.Errors))
  return answer.Instances?.flatMap(({ InstanceIds: ids }) => ids ?? []) ?? []
}

/** Instances whose nodes carry no taint of ours, ready for pods a minute later. */
export async function launchReady(cluster: EmbeddedCluster, wanted: Launch = {}): Promise<readonly Node[]> {
  const ids = await launch(cluster, { userData: 'plain', ...wanted })
  await cluster.clock.run({ forMs: 60_000 })
  const all = await listNodes(cluster)
  return all.filter(({ spec }) => ids.some((id) => spec.providerID?.endsWith(id)))
}

export async function listNodes({ client }: EmbeddedCluster): Promise<readonly Node[]> {
  return (await client.list(nodes)).items
}

export async function listPods({ client }: EmbeddedCluster, namespace = 'default'): Promise<readonly Pod[]> {
  return (await client.list(pods, { namespace })).items
}

export async function getPod({ client }: EmbeddedCluster, name: string): Promise<Pod> {
  return client.get(pods, { namespace: 'default', name })
}

export function aPod(
  name: string,
  spec: Partial<PodSpec> & { cpu?: string; memory?: string } = {},
  metadata: Partial<Pod['metadata']> = {},
): Unsaved<Pod> {
  const { cpu = '100m', memory = '64Mi', ...rest } = spec
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default', ...metadata },
    spec: { containers: [{ name: 'main', image: 'app:1', resources: { requests: { cpu, memory } } }], ...rest },
  }
}

export function aDeployment(name: string, replicas: number, spec: Partial<PodSpec> = {}): Unsaved<Deployment> {
  const labels = { app: name }
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: { replicas, selector: { matchLabels: labels }, template: aTemplate(labels, spec) },
  }
}

export function aJob(name: string, spec: Partial<Job['spec']> = {}): Unsaved<Job> {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'default' },
    spec: { template: { spec: { ...aTemplate({}).spec, restartPolicy: 'Never' } }, ...spec },
  }
}

export function aStorageClass(
  name: string,
  rest: Partial<StorageClass> & Pick<StorageClass, 'provisioner'>,
): Unsaved<StorageClass> {
  return { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name }, ...rest }
}

export function aTemplate(labels: Record<string, string>, spec: Partial<PodSpec> = {}) {
  const container = { name: 'main', image: 'app:1', resources: { requests: { cpu: '100m', memory: '64Mi' } } }
  return { metadata: { labels }, spec: { containers: [container], ...spec } }
}

export async function patch<T extends KubeObject>(
  { client }: EmbeddedCluster,
  resource: Resource<T>,
  name: string,
  body: object,
  namespace: string | undefined = 'default',
): Promise<void> {
  await client.patch(resource, namespace === '' ? { name } : { namespace, name }, { kind: 'merge', body })
}

export function conditionOf(object: { status?: { conditions?: unknown } | undefined }, type: string): unknown {
  const conditions = (object.status?.conditions ?? []) as { type?: string }[]
  return conditions.find((condition) => condition.type === type)
}

export function names(list: readonly { readonly metadata: { readonly name: string } }[]): readonly string[] {
  return list.map(({ metadata }) => metadata.name)
}
