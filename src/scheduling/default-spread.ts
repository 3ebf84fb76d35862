import type {
  LabelSelector,
  LabelSelectorRequirement,
  OwnerReference,
  TopologySpreadConstraint,
} from '../api/kubernetes.ts'
import { controllerOf } from '../api/owner-references.ts'
import { selects } from '../model/label-selector.ts'
import type { PodInfo } from '../model/pod.ts'
import type { SpreadOwners } from '../model/snapshot.ts'

/** A cluster-wide spread constraint for pods that state none; its selector is deduced for each pod. */
export type DefaultSpreadConstraint = Omit<TopologySpreadConstraint, 'labelSelector' | 'matchLabelKeys'>

/** The pod with the defaults, or the pod itself when it states constraints or nothing tells which pods are its peers. */
export function withDefaultSpread(
  pod: PodInfo,
  defaults: readonly DefaultSpreadConstraint[],
  owners: SpreadOwners,
): PodInfo {
  if (defaults.length === 0 || pod.topologySpreadConstraints.length > 0) return pod
  const labelSelector = deduceSelector(pod, owners)
  if (labelSelector === undefined) return pod
  return { ...pod, topologySpreadConstraints: defaults.map((constraint) => ({ ...constraint, labelSelector })) }
}

function deduceSelector(pod: PodInfo, owners: SpreadOwners): LabelSelector | undefined {
  const matchLabels: Record<string, string> = {}
  for (const { metadata, spec } of owners.services) {
    if (metadata.namespace !== pod.namespace || spec.selector === undefined) continue
    if (selects({ matchLabels: spec.selector }, pod.labels)) Object.assign(matchLabels, spec.selector)
  }
  const controller = controllerOf(pod)
  if (controller?.apiVersion === 'v1' && controller.kind === 'ReplicationController') {
    Object.assign(matchLabels, owners.replicationControllers.get(`${pod.namespace}/${controller.name}`)?.spec?.selector)
  }
  const matchExpressions = controller === undefined ? [] : ownerExpressions(pod.namespace, controller, owners)
  if (Object.keys(matchLabels).length === 0 && matchExpressions.length === 0) return undefined
  return { matchLabels, ...(matchExpressions.length === 0 ? {} : { matchExpressions }) }
}

function ownerExpressions(
  namespace: string,
  controller: OwnerReference,
  owners: SpreadOwners,
): LabelSelectorRequirement[] {
  if (controller.apiVersion !== 'apps/v1') return []
  const key = `${namespace}/${controller.name}`
  const selector =
    controller.kind === 'ReplicaSet'
      ? owners.replicaSets.get(key)?.spec.selector
      : controller.kind === 'StatefulSet'
        ? owners.statefulSets.get(key)?.spec.selector
        : undefined
  if (selector === undefined) return []
  const equalities = Object.entries(selector.matchLabels ?? {}).map(
    ([label, value]): LabelSelectorRequirement => ({ key: label, operator: 'In', values: [value] }),
  )
  return [...equalities, ...(selector.matchExpressions ?? [])]
}
