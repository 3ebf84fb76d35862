import { createHash } from 'node:crypto'
import type { EC2NodeClass } from '../../api/karpenter.ts'
import type * as k8s from '../../api/kubernetes.ts'
import { ownNominationIn } from '../../api/nomination.ts'
import { pick } from '../../api/pick.ts'
import { podSpecFields } from '../../kube/projections.ts'
import { appliedKeys, isCopyOfManifest } from '../../rollout/plan/applied-keys.ts'
import { gatesVariablesOf } from '../feature-gates.ts'

/**
 * The object with only what a decision reads, field by field: what is not named here is left out, whatever a later Kubernetes adds to it. Of
 * the environment only an operator's feature gates, of volumes only claims, of annotations ours and Karpenter's, of the managed fields only
 * whether a nomination is the operator's and which labels and annotations a manifest set; user data as a digest. Our kinds and Karpenter's
 * are whole otherwise: a plan compares them with manifests.
 */
export function redact<T extends k8s.KubeObject>(object: T): T {
  const { apiVersion, kind } = object
  const fieldsOf = Object.hasOwn(fieldsByKind, kind) ? fieldsByKind[kind] : undefined
  return { apiVersion, kind, metadata: metadataOf(object), ...fieldsOf?.(object) } as unknown as T
}

export function digestOf(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

/** Those that a plan has manifests of. */
const plannedKinds: ReadonlySet<string> = new Set(['NodePool', 'EC2NodeClass', 'NodeOverlay', 'RolloutPolicy'])

const fieldsByKind: Readonly<Record<string, (object: k8s.KubeObject) => object>> = {
  NodePool: wholeFields,
  EC2NodeClass: (object) => nodeClassFields(object as EC2NodeClass),
  NodeOverlay: wholeFields,
  NodeClaim: wholeFields,
  CapacityBuffer: wholeFields,
  RolloutPolicy: wholeFields,
  Namespace: () => ({}),
  Node: (object) => nodeFields(object as k8s.Node),
  Pod: (object) => podFields(object as k8s.Pod),
  DaemonSet: workloadFields,
  Deployment: workloadFields,
  ReplicaSet: workloadFields,
  StatefulSet: workloadFields,
  Service: (object) => ({ spec: pick((object as k8s.Service).spec, ['selector']) }),
  PodDisruptionBudget: (object) => budgetFields(object as k8s.PodDisruptionBudget),
  PersistentVolumeClaim: (object) => volumeClaimFields(object as k8s.PersistentVolumeClaim),
  PersistentVolume: (object) => volumeFields(object as k8s.PersistentVolume),
  StorageClass: (object) => pick(object as k8s.StorageClass, ['provisioner', 'volumeBindingMode', 'allowedTopologies']),
  CSINode: (object) => ({ spec: pick((object as k8s.CSINode).spec, ['drivers']) }),
  PriorityClass: (object) => pick(object as k8s.PriorityClass, ['value', 'globalDefault', 'preemptionPolicy']),
  PodTemplate: (object) => ({ template: templateOf((object as k8s.PodTemplate).template) }),
  ResourceClaim: (object) => resourceClaimFields(object as k8s.ResourceClaim),
  DeviceClass: (object) => ({ spec: pick((object as k8s.DeviceClass).spec, ['selectors']) }),
  ResourceSlice: (object) => resourceSliceFields(object as k8s.ResourceSlice),
}

function metadataOf(object: k8s.KubeObject): object {
  const managedFields = [ownNominationIn(object.metadata), tracesOfApply(object)].filter((one) => one !== undefined)
  return {
    ...namesOf(object.metadata, plannedKinds.has(object.kind) ? isNoCopy : isRead),
    ...(managedFields.length === 0 ? {} : { managedFields }),
  }
}

function namesOf(metadata: Partial<k8s.ObjectMeta>, isKept: (annotation: string) => boolean): Partial<k8s.ObjectMeta> {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => isKept(key))
  return {
    ...pick(metadata, [
      'name',
      'generateName',
      'namespace',
      'uid',
      'resourceVersion',
      'generation',
      'creationTimestamp',
      'deletionTimestamp',
      'deletionGracePeriodSeconds',
      'labels',
      'finalizers',
      'ownerReferences',
    ]),
    ...(annotations.length === 0 ? {} : { annotations: Object.fromEntries(annotations) }),
  }
}

/** A copy is full of whatever the manifest held, user data among it. */
function isNoCopy(annotation: string): boolean {
  return !isCopyOfManifest(annotation)
}

/** Those of others that a decision reads: what a pod's eviction costs, and whether a claim has found its volume. */
const readAnnotations: ReadonlySet<string> = new Set([
  'controller.kubernetes.io/pod-deletion-cost',
  'pv.kubernetes.io/bind-completed',
])
const readDomains = ['karpenter.sh', 'karpenter.k8s.aws', 'joinery.dev']

function isRead(annotation: string): boolean {
  const [domain = ''] = annotation.split('/', 1)
  return readAnnotations.has(annotation) || readDomains.some((own) => domain === own || domain.endsWith(`.${own}`))
}

/** Of either kind of apply only the keys, in the form of server-side apply. */
function tracesOfApply(object: k8s.KubeObject): unknown {
  if (!plannedKinds.has(object.kind)) return undefined
  const { labels, annotations } = appliedKeys(object)
  if (labels.length + annotations.length === 0) return undefined
  const fieldsOf = (keys: readonly string[]): object => Object.fromEntries(keys.map((key) => [`f:${key}`, {}]))
  const metadata = { 'f:labels': fieldsOf(labels), 'f:annotations': fieldsOf(annotations) }
  return { manager: 'joinery-snapshot', operation: 'Apply', fieldsV1: { 'f:metadata': metadata, 'f:spec': {} } }
}

function wholeFields(object: k8s.KubeObject): object {
  const { metadata: _, ...fields } = object
  return fields
}

function nodeClassFields(nodeClass: EC2NodeClass): object {
  const userData = nodeClass.spec?.userData
  if (userData === undefined) return wholeFields(nodeClass)
  return { ...wholeFields(nodeClass), spec: { ...nodeClass.spec, userData: digestOf(userData) } }
}

function nodeFields({ spec, status }: k8s.Node): object {
  return {
    spec: pick(spec, ['providerID', 'taints', 'unschedulable']),
    ...(status === undefined ? {} : { status: pick(status, ['capacity', 'allocatable', 'conditions', 'phase']) }),
  }
}

function podFields({ spec, status }: k8s.Pod): object {
  return { spec: podSpecOf(spec), ...(status === undefined ? {} : { status: podStatusOf(status) }) }
}

function podSpecOf(spec: k8s.PodSpec): k8s.PodSpec {
  const volumes = spec.volumes?.flatMap(claimingVolumes)
  return {
    ...pick(spec, podSpecFields),
    containers: spec.containers.map(containerOf),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(containerOf) }),
    ...(volumes === undefined ? {} : { volumes }),
  }
}

function containerOf(container: k8s.Container): k8s.Container {
  const env = [...gatesVariablesOf(container)]
  const { ports } = container
  return {
    ...pick(container, ['name', 'resources', 'restartPolicy']),
    ...(env.length === 0 ? {} : { env }),
    ...(ports === undefined
      ? {}
      : { ports: ports.map((port) => pick(port, ['containerPort', 'hostPort', 'hostIP', 'protocol'])) }),
  }
}

/** The others hold tokens, configuration and scratch space. */
function claimingVolumes({ name, persistentVolumeClaim, ephemeral }: k8s.Volume): k8s.Volume[] {
  if (persistentVolumeClaim === undefined && ephemeral === undefined) return []
  const template = ephemeral?.volumeClaimTemplate
  return [
    {
      name,
      ...(persistentVolumeClaim === undefined
        ? {}
        : { persistentVolumeClaim: pick(persistentVolumeClaim, ['claimName', 'readOnly']) }),
      ...(ephemeral === undefined
        ? {}
        : { ephemeral: template === undefined ? {} : { volumeClaimTemplate: claimTemplateOf(template) } }),
    },
  ]
}

interface ClaimTemplate {
  readonly metadata?: Partial<k8s.ObjectMeta>
  readonly spec: k8s.PersistentVolumeClaimSpec
}

function claimTemplateOf({ metadata = {}, spec }: ClaimTemplate) {
  return { metadata: namesOf(metadata, isRead), spec: claimSpecOf(spec) }
}

function claimSpecOf(spec: k8s.PersistentVolumeClaimSpec): k8s.PersistentVolumeClaimSpec {
  return pick(spec, ['accessModes', 'storageClassName', 'volumeName', 'resources', 'volumeMode'])
}

/** How containers fare is told in words of the programs that run in them. */
function podStatusOf(status: k8s.PodStatus): k8s.PodStatus {
  const containersOf = (statuses: readonly k8s.ContainerStatus[]): k8s.ContainerStatus[] =>
    statuses.map((one) => pick(one, ['name', 'resources', 'allocatedResources']))
  const { conditions, containerStatuses, initContainerStatuses } = status
  return {
    ...pick(status, ['phase', 'nominatedNodeName', 'startTime', 'resize', 'resourceClaimStatuses']),
    ...(conditions === undefined
      ? {}
      : { conditions: conditions.map((one) => pick(one, ['type', 'status', 'reason', 'lastTransitionTime'])) }),
    ...(containerStatuses === undefined ? {} : { containerStatuses: containersOf(containerStatuses) }),
    ...(initContainerStatuses === undefined ? {} : { initContainerStatuses: containersOf(initContainerStatuses) }),
  }
}

function templateOf({ metadata = {}, spec }: k8s.PodTemplateSpec): k8s.PodTemplateSpec {
  return { metadata: namesOf(metadata, isRead), spec: podSpecOf(spec) }
}

function workloadFields(object: k8s.KubeObject): object {
  const { spec } = object as k8s.DaemonSet | k8s.Deployment | k8s.ReplicaSet | k8s.StatefulSet
  const claims = 'volumeClaimTemplates' in spec ? spec.volumeClaimTemplates : undefined
  return {
    spec: {
      ...('replicas' in spec ? pick(spec, ['replicas']) : {}),
      selector: spec.selector,
      template: templateOf(spec.template),
      ...(claims === undefined ? {} : { volumeClaimTemplates: claims.map(claimTemplateOf) }),
    },
  }
}

function budgetFields({ spec, status }: k8s.PodDisruptionBudget): object {
  return {
    spec: pick(spec, ['selector', 'minAvailable', 'maxUnavailable', 'unhealthyPodEvictionPolicy']),
    ...(status === undefined
      ? {}
      : {
          status: pick(status, [
            'disruptionsAllowed',
            'currentHealthy',
            'desiredHealthy',
            'expectedPods',
            'disruptedPods',
            'observedGeneration',
          ]),
        }),
  }
}

function volumeClaimFields({ spec, status }: k8s.PersistentVolumeClaim): object {
  return { spec: claimSpecOf(spec), ...(status === undefined ? {} : { status: pick(status, ['phase']) }) }
}

/** Which driver has a volume and where it can be reached; where it lies there, and with what it is opened, is nobody's business. */
function volumeFields({ spec, status }: k8s.PersistentVolume): object {
  const { csi, local, hostPath, awsElasticBlockStore } = spec
  return {
    spec: {
      ...pick(spec, ['capacity', 'storageClassName', 'nodeAffinity']),
      ...(csi === undefined ? {} : { csi: pick(csi, ['driver']) }),
      ...(local === undefined ? {} : { local: {} }),
      ...(hostPath === undefined ? {} : { hostPath: {} }),
      ...(awsElasticBlockStore === undefined ? {} : { awsElasticBlockStore: {} }),
    },
    ...(status === undefined ? {} : { status: pick(status, ['phase']) }),
  }
}

/** Without what drivers are configured with, which is for them alone. */
function resourceClaimFields({ spec, status }: k8s.ResourceClaim): object {
  const { devices } = spec
  const allocation = status?.allocation
  return {
    spec: devices === undefined ? {} : { devices: pick(devices, ['requests', 'constraints']) },
    ...(status === undefined
      ? {}
      : {
          status: {
            ...pick(status, ['reservedFor']),
            ...(allocation === undefined
              ? {}
              : {
                  allocation: {
                    ...pick(allocation, ['nodeSelector']),
                    ...(allocation.devices === undefined ? {} : { devices: pick(allocation.devices, ['results']) }),
                  },
                }),
          },
        }),
  }
}

function resourceSliceFields({ spec }: k8s.ResourceSlice): object {
  return {
    spec: pick(spec, [
      'driver',
      'nodeName',
      'nodeSelector',
      'allNodes',
      'perDeviceNodeSelection',
      'pool',
      'devices',
      'sharedCounters',
    ]),
  }
}
