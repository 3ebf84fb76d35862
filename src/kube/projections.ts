import type {
  Container,
  ContainerStatus,
  KubeObject,
  Node,
  ObjectMeta,
  Pod,
  PodSpec,
  PodTemplateSpec,
} from '../api/kubernetes.ts'
import * as kinds from './kinds.ts'
import type { Resource } from './resource.ts'

/** What a cache keeps of an object: the rest would be memory that nobody reads. */
export type Projection = (object: KubeObject) => KubeObject

/** Of what `kubectl apply` writes, a copy of the whole object; nothing here reads it. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

export function projectionOf(resource: Resource): Projection {
  return byResource.get(resource) ?? withoutBulk
}

const byResource = new Map<Resource, Projection>([
  [kinds.pods, (object) => compactPod(object as Pod)],
  [kinds.nodes, (object) => compactNode(object as Node)],
  [kinds.replicaSets, compactWorkload],
  [kinds.deployments, compactWorkload],
  [kinds.statefulSets, compactWorkload],
  [kinds.daemonSets, compactWorkload],
])

function withoutBulk(object: KubeObject): KubeObject {
  return { ...object, metadata: compactMetadata(object.metadata) }
}

function compactMetadata(metadata: ObjectMeta): ObjectMeta {
  if (metadata.managedFields === undefined && metadata.annotations?.[lastApplied] === undefined) return metadata
  const { managedFields: _fields, annotations, ...kept } = metadata
  if (annotations === undefined) return kept
  const { [lastApplied]: _applied, ...others } = annotations
  return { ...kept, annotations: others }
}

/** Without images, commands, environments, probes and mounts: a quarter of the size. */
function compactPod(pod: Pod): Pod {
  const compact: Pod = {
    apiVersion: pod.apiVersion,
    kind: pod.kind,
    metadata: compactMetadata(pod.metadata),
    spec: compactPodSpec(pod.spec),
  }
  if (pod.status === undefined) return compact
  compact.status = pick(pod.status, [
    'phase',
    'conditions',
    'nominatedNodeName',
    'startTime',
    'reason',
    'message',
    'podIP',
    'resize',
    'resourceClaimStatuses',
  ])
  if (pod.status.containerStatuses !== undefined) {
    compact.status.containerStatuses = pod.status.containerStatuses.map(compactContainerStatus)
  }
  if (pod.status.initContainerStatuses !== undefined) {
    compact.status.initContainerStatuses = pod.status.initContainerStatuses.map(compactContainerStatus)
  }
  return compact
}

function compactPodSpec(spec: PodSpec): PodSpec {
  const { containers, initContainers, ...rest } = spec
  const compact: PodSpec = {
    containers: containers.map(compactContainer),
    ...pick(rest, [
      'nodeName',
      'schedulerName',
      'priority',
      'priorityClassName',
      'nodeSelector',
      'affinity',
      'tolerations',
      'topologySpreadConstraints',
      'volumes',
      'overhead',
      'resources',
      'resourceClaims',
      'schedulingGates',
      'terminationGracePeriodSeconds',
      'restartPolicy',
      'hostNetwork',
      'runtimeClassName',
    ]),
  }
  if (initContainers !== undefined) compact.initContainers = initContainers.map(compactContainer)
  return compact
}

function compactContainer(container: Container): Container {
  return { ...pick(container, ['ports', 'resources', 'restartPolicy']), name: container.name }
}

function compactContainerStatus(status: ContainerStatus): ContainerStatus {
  return { ...pick(status, ['ready', 'resources', 'allocatedResources']), name: status.name }
}

/** `status.images` alone may hold fifty entries. */
function compactNode(node: Node): Node {
  const compact: Node = { ...node, metadata: compactMetadata(node.metadata) }
  if (node.status !== undefined) {
    compact.status = pick(node.status, ['capacity', 'allocatable', 'conditions', 'addresses', 'nodeInfo', 'phase'])
  }
  return compact
}

function compactWorkload(object: KubeObject): KubeObject {
  const withTemplate = object as KubeObject & { spec?: { template?: PodTemplateSpec } }
  const template = withTemplate.spec?.template
  const metadata = compactMetadata(object.metadata)
  if (template === undefined) return { ...object, metadata }
  const compact = { ...withTemplate.spec, template: { ...template, spec: compactPodSpec(template.spec) } }
  return { ...object, metadata, spec: compact } as KubeObject
}

function pick<T extends object, const K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  const picked: Partial<Pick<T, K>> = {}
  for (const key of keys) if (from[key] !== undefined) picked[key] = from[key]
  return picked as Pick<T, K>
}
