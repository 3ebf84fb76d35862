import type { ObjectMeta, PersistentVolumeClaim, Pod, PodTemplateSpec } from '../../api/kubernetes.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { compareText } from '../../model/order.ts'
import { ProblemsError } from '../command-line.ts'
import type { SimulationObjects } from './objects.ts'

interface Workload {
  readonly kind: 'Deployment' | 'ReplicaSet' | 'StatefulSet'
  readonly metadata: ObjectMeta
  readonly replicas: number
  readonly template: PodTemplateSpec
  readonly volumeClaimTemplates: readonly { metadata: Partial<ObjectMeta>; spec: PersistentVolumeClaim['spec'] }[]
}

/** As many as Kubernetes is made for in one cluster; many times as many would take all memory. */
const podsMax = 150_000

/**
 * The pods that Deployments, ReplicaSets and StatefulSets would still create: their replicas less the pods of theirs in the input.
 * ReplicaSets of a Deployment in the input are left to it.
 * @throws ProblemsError when they are more than a cluster holds
 */
export function expandWorkloads(objects: SimulationObjects): SimulationObjects {
  const pods: Pod[] = []
  const claims: PersistentVolumeClaim[] = []
  for (const workload of workloadsOf(objects)) {
    const existing = objects.pods.filter((pod) => belongsTo(pod, workload, objects))
    const taken = new Set(existing.map((pod) => pod.metadata.name))
    let missing = workload.replicas - existing.length
    if (pods.length + missing > podsMax) throw tooMany(workload)
    for (let index = 0; missing > 0; index += 1) {
      const name = `${workload.metadata.name}-${index}`
      if (taken.has(name)) continue
      missing -= 1
      pods.push(podOf(workload, name))
      claims.push(...claimsOf(workload, name, objects))
    }
  }
  return {
    ...objects,
    pods: [...objects.pods, ...pods],
    persistentVolumeClaims: [...objects.persistentVolumeClaims, ...claims],
  }
}

function tooMany({ kind, metadata: { namespace = '', name }, replicas }: Workload): ProblemsError {
  const subject = `${kind} ${namespace}/${name}`
  return new ProblemsError([
    `${subject} spec.replicas: ${replicas} makes more pods in all than a cluster holds, ${podsMax}`,
  ])
}

function workloadsOf(objects: SimulationObjects): Workload[] {
  const deployments = objects.deployments.map(({ metadata, spec }) => workload('Deployment', metadata, spec))
  const replicaSets = objects.replicaSets
    .filter(({ metadata }) => !metadata.ownerReferences?.some((owner) => owner.kind === 'Deployment'))
    .map(({ metadata, spec }) => workload('ReplicaSet', metadata, spec))
  const statefulSets = objects.statefulSets.map(({ metadata, spec }) => workload('StatefulSet', metadata, spec))
  return [...deployments, ...replicaSets, ...statefulSets].toSorted(
    (a, b) =>
      compareText(a.metadata.namespace ?? '', b.metadata.namespace ?? '') ||
      compareText(a.metadata.name, b.metadata.name) ||
      compareText(a.kind, b.kind),
  )
}

function workload(
  kind: Workload['kind'],
  metadata: ObjectMeta,
  spec: {
    readonly replicas?: number
    readonly template: PodTemplateSpec
    readonly volumeClaimTemplates?: Workload['volumeClaimTemplates'] | undefined
  },
): Workload {
  const { replicas = 1, template, volumeClaimTemplates = [] } = spec
  return { kind, metadata, replicas, template, volumeClaimTemplates }
}

function belongsTo(pod: Pod, { kind, metadata }: Workload, objects: SimulationObjects): boolean {
  if (pod.metadata.namespace !== metadata.namespace) return false
  const controller = controllerOf(pod.metadata)
  if (controller === undefined) return false
  if (controller.kind === kind) return controller.name === metadata.name
  if (kind !== 'Deployment' || controller.kind !== 'ReplicaSet') return false
  const replicaSet = objects.replicaSets.find((candidate) => candidate.metadata.name === controller.name)
  return replicaSet?.metadata.ownerReferences?.some(({ name }) => name === metadata.name) ?? false
}

function podOf({ kind, metadata, template, volumeClaimTemplates }: Workload, name: string): Pod {
  // A Deployment's pods are owned by a ReplicaSet of a name that only the cluster knows; the Deployment's own name stands for it.
  const owner = { apiVersion: 'apps/v1', kind: kind === 'Deployment' ? 'ReplicaSet' : kind, name: metadata.name }
  const namespace = metadata.namespace ?? 'default'
  const volumes = volumeClaimTemplates.map(({ metadata: { name: claim = '' } }) => ({
    name: claim,
    persistentVolumeClaim: { claimName: `${claim}-${name}` },
  }))
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace,
      uid: `Pod/${namespace}/${name}`,
      resourceVersion: '0',
      creationTimestamp: metadata.creationTimestamp,
      labels: { ...template.metadata?.labels },
      annotations: { ...template.metadata?.annotations },
      ownerReferences: [{ ...owner, uid: metadata.uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: { ...template.spec, volumes: [...(template.spec.volumes ?? []), ...volumes] },
  }
}

function claimsOf(workload: Workload, podName: string, objects: SimulationObjects): PersistentVolumeClaim[] {
  const namespace = workload.metadata.namespace ?? 'default'
  return workload.volumeClaimTemplates.flatMap(({ metadata: { name = '' }, spec }) => {
    const claimName = `${name}-${podName}`
    const isThere = objects.persistentVolumeClaims.some(
      ({ metadata }) => metadata.name === claimName && metadata.namespace === namespace,
    )
    if (isThere) return []
    const metadata = {
      name: claimName,
      namespace,
      uid: `PersistentVolumeClaim/${namespace}/${claimName}`,
      resourceVersion: '0',
      creationTimestamp: workload.metadata.creationTimestamp,
    }
    return [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec, status: { phase: 'Pending' } }]
  })
}
