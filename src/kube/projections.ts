import type {
  Condition,
  Container,
  ContainerStatus,
  KubeObject,
  Node,
  ObjectMeta,
  Pod,
  PodSpec,
  PodStatus,
  PodTemplateSpec,
} from '../api/kubernetes.ts'
import { ownNominationIn } from '../api/nomination.ts'
import { pick } from '../api/pick.ts'
import { Interner } from './interner.ts'
import * as kinds from './kinds.ts'
import type { Resource } from './resource.ts'

/** What a cache keeps of an object: the rest would be memory that nobody reads. */
export type Projection = (object: KubeObject) => KubeObject

/** Of what `kubectl apply` writes, a copy of the whole object; nothing here reads it. */
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'

export function projectionOf(resource: Resource): Projection {
  if (resource === kinds.pods) return podProjection()
  return byResource.get(resource) ?? withoutBulk
}

const byResource = new Map<Resource, Projection>([
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

/** The conditions of pods that somebody asks for. */
const podConditions: ReadonlySet<string> = new Set(['PodScheduled', 'Ready', 'PodResizePending'])

/**
 * Without images, commands, environments, probes and mounts: a quarter of the size. What the pods of one workload have in common they
 * share, which is most of the rest.
 */
function podProjection(): Projection {
  const interner = new Interner()
  return (object) => compactPod(object as Pod, interner)
}

function compactPod({ apiVersion, kind, metadata, spec, status }: Pod, interner: Interner): Pod {
  const compact: Pod = {
    apiVersion,
    kind,
    metadata: compactPodMetadata(metadata, interner),
    spec: sharedIn(compactPodSpec(spec), sharedSpecFields, interner),
  }
  if (status !== undefined) compact.status = compactPodStatus(status, interner)
  return compact
}

function compactPodMetadata(metadata: ObjectMeta, interner: Interner): ObjectMeta {
  const compact: ObjectMeta = pick(compactMetadata(metadata), [
    'name',
    'namespace',
    'uid',
    'resourceVersion',
    'creationTimestamp',
    'deletionTimestamp',
    'labels',
    'annotations',
    'ownerReferences',
    'finalizers',
  ])
  const nomination = ownNominationIn(metadata)
  if (nomination !== undefined) compact.managedFields = [nomination]
  return sharedIn(compact, ['labels', 'annotations', 'ownerReferences'], interner)
}

const sharedSpecFields = [
  'containers',
  'initContainers',
  'nodeSelector',
  'affinity',
  'tolerations',
  'topologySpreadConstraints',
] as const

function compactPodStatus(status: PodStatus, interner: Interner): PodStatus {
  const compact: PodStatus = pick(status, [
    'phase',
    'nominatedNodeName',
    'startTime',
    'resize',
    'resourceClaimStatuses',
  ])
  if (status.conditions !== undefined) {
    compact.conditions = status.conditions
      .filter(({ type = '' }) => podConditions.has(type))
      .map((condition) => ({
        ...pick(condition, ['type', 'status', 'reason', 'lastTransitionTime']),
        ...schedulerWords(condition, interner),
      }))
  }
  const containers = resizable(status.containerStatuses)
  if (containers !== undefined) compact.containerStatuses = interner.intern(containers)
  const initContainers = resizable(status.initContainerStatuses)
  if (initContainers !== undefined) compact.initContainerStatuses = interner.intern(initContainers)
  return compact
}

/** Of all messages only the one that says why a pod has no place; the waiting pods of a workload mostly share it. */
function schedulerWords(
  { type, reason, message }: Partial<Condition>,
  interner: Interner,
): { readonly message?: string } {
  if (type !== 'PodScheduled' || reason !== 'Unschedulable' || message === undefined) return {}
  return interner.intern({ message: message.slice(0, wordsMax) })
}

/** Nobody reads more of it, and an event holds no more than 1 024. */
const wordsMax = 800

/** Of containers only the resources that they have been given are asked for, which a resize makes differ from the spec. */
function resizable(statuses: readonly ContainerStatus[] | undefined): ContainerStatus[] | undefined {
  const given = (statuses ?? []).filter(
    ({ resources, allocatedResources }) => resources !== undefined || allocatedResources !== undefined,
  )
  if (given.length === 0) return undefined
  return given.map((status) => ({ name: status.name, ...pick(status, ['resources', 'allocatedResources']) }))
}

/** The same object, with parts that others have, too. */
function sharedIn<T extends object>(object: T, fields: readonly (keyof T)[], interner: Interner): T {
  for (const field of fields) {
    const part = object[field]
    if (typeof part === 'object' && part !== null) object[field] = interner.intern(part)
  }
  return object
}

/** What decisions read of a pod's spec, beside its containers and volumes. */
export const podSpecFields = [
  'nodeName',
  'schedulerName',
  'priority',
  'priorityClassName',
  'nodeSelector',
  'affinity',
  'tolerations',
  'topologySpreadConstraints',
  'overhead',
  'resources',
  'resourceClaims',
  'schedulingGates',
  'terminationGracePeriodSeconds',
  'restartPolicy',
  'hostNetwork',
  'runtimeClassName',
] as const satisfies readonly (keyof PodSpec)[]

function compactPodSpec(spec: PodSpec): PodSpec {
  const { containers, initContainers, volumes, ...rest } = spec
  const compact: PodSpec = {
    containers: containers.map(compactContainer),
    ...pick(rest, podSpecFields),
  }
  if (initContainers !== undefined) compact.initContainers = initContainers.map(compactContainer)
  // The others (tokens, configuration, scratch space) take no attachment and bind to no zone.
  const claims = volumes?.filter(
    (volume) => volume.persistentVolumeClaim !== undefined || volume.ephemeral !== undefined,
  )
  if (claims !== undefined && claims.length > 0) compact.volumes = claims
  return compact
}

function compactContainer(container: Container): Container {
  return { ...pick(container, ['ports', 'resources', 'restartPolicy']), name: container.name }
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
