import { conditionIn } from '../api/conditions.ts'
import { annotationBufferFakePod, annotationBufferName, annotationBufferNamespace } from '../api/labels.ts'
import type { PodSpec } from '../api/kubernetes.ts'
import { ownNominationIn } from '../api/nomination.ts'
import { byIdentity } from './by-identity.ts'
import { parseTimestamp } from './clock.ts'
import type { HostPort, PodInfo, PodResourceClaim, PodVolume, PodWire } from './pod.ts'
import { effectiveLimits, effectiveRequests } from './pod-requests.ts'

const nothing = Object.freeze({})

/**
 * The same answer for the same object: pods of the caches are immutable, and several controllers look at each again and again.
 * @throws QuantityError when an amount is not a quantity
 */
export const podInfoOf = byIdentity((pod: PodWire): PodInfo => toPodInfo(pod))

/** @throws QuantityError when an amount is not a quantity. */
export function toPodInfo(pod: PodWire): PodInfo {
  const { metadata, spec, status } = pod
  const conditions = status?.conditions ?? []
  const annotations = metadata.annotations ?? nothing
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name,
    uid: metadata.uid ?? '',
    labels: metadata.labels ?? nothing,
    annotations,
    ownerReferences: metadata.ownerReferences ?? [],
    createdAt: parseTimestamp(metadata.creationTimestamp) ?? 0,
    deletedAt: parseTimestamp(metadata.deletionTimestamp),
    startedAt: parseTimestamp(status?.startTime),
    nodeName: spec.nodeName ?? '',
    nominatedNodeName: status?.nominatedNodeName ?? '',
    ...((status?.nominatedNodeName ?? '') !== '' && ownNominationIn(metadata) !== undefined
      ? { ownNomination: true as const }
      : {}),
    phase: status?.phase ?? 'Pending',
    scheduledReason: scheduledReason(conditions),
    ready: conditionIn(conditions, 'Ready')?.status,
    priority: spec.priority,
    priorityClassName: spec.priorityClassName ?? '',
    terminationGracePeriodSeconds: graceSeconds(spec),
    requests: effectiveRequests(spec, status),
    limits: effectiveLimits(spec),
    nodeSelector: spec.nodeSelector ?? nothing,
    affinity: spec.affinity,
    tolerations: spec.tolerations ?? [],
    topologySpreadConstraints: spec.topologySpreadConstraints ?? [],
    hostPorts: hostPorts(spec),
    volumes: volumes(metadata.name, spec),
    hasResourceClaims: hasResourceClaims(spec),
    ...((spec.resourceClaims?.length ?? 0) === 0 ? {} : { resourceClaims: resourceClaims(pod) }),
    virtualBuffer: virtualBuffer(annotations),
  }
}

/** `Unschedulable` wins where several conditions say something: any such condition makes a pod ours to help. */
function scheduledReason(conditions: readonly { type?: string; reason?: string }[]): string {
  const reasons = conditions.filter(({ type }) => type === 'PodScheduled').map(({ reason }) => reason ?? '')
  return reasons.includes('Unschedulable') ? 'Unschedulable' : (reasons[0] ?? '')
}

/** Negative ones are taken for one second, as the API server and the kubelet take those that old clusters let in. */
function graceSeconds({ terminationGracePeriodSeconds: seconds }: PodSpec): number | undefined {
  return seconds !== undefined && seconds < 0 ? 1 : seconds
}

/**
 * Sidecars hold theirs as long as the pod runs; other init containers are over before it does, and kube-scheduler leaves them out. On the
 * host's network every port is one of the host: the API server writes so into pods, but not into templates.
 */
function hostPorts({ containers, initContainers = [], hostNetwork = false }: PodSpec): HostPort[] {
  const ports: HostPort[] = []
  const sidecars = initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always')
  for (const container of [...containers, ...sidecars]) {
    for (const { containerPort, hostPort, hostIP = '', protocol = 'TCP' } of container.ports ?? []) {
      const port = hostPort ?? (hostNetwork ? containerPort : 0)
      if (port !== 0) ports.push({ ip: hostIP === '' ? '0.0.0.0' : hostIP, port, protocol })
    }
  }
  return ports
}

function volumes(podName: string, spec: PodSpec): PodVolume[] {
  const found: PodVolume[] = []
  for (const { name, persistentVolumeClaim, ephemeral } of spec.volumes ?? []) {
    if (persistentVolumeClaim !== undefined) found.push({ name, claimName: persistentVolumeClaim.claimName })
    else if (ephemeral !== undefined) found.push({ name, claimName: `${podName}-${name}` })
  }
  return found
}

function hasResourceClaims(spec: PodSpec): boolean {
  return (
    (spec.resourceClaims?.length ?? 0) > 0 ||
    [...spec.containers, ...(spec.initContainers ?? [])].some(
      (container) => (container.resources?.claims?.length ?? 0) > 0,
    )
  )
}

function resourceClaims({ spec, status }: PodWire): PodResourceClaim[] {
  const made = new Map((status?.resourceClaimStatuses ?? []).map((claim) => [claim.name, claim]))
  return (spec.resourceClaims ?? []).map(({ name, resourceClaimName }) => {
    const found = made.get(name)
    const claimName = resourceClaimName ?? found?.resourceClaimName
    if (claimName !== undefined) return { kind: 'named', name, claimName }
    return found === undefined ? { kind: 'awaited', name } : { kind: 'none', name }
  })
}

function virtualBuffer(annotations: Readonly<Record<string, string>>): PodInfo['virtualBuffer'] {
  if (annotations[annotationBufferFakePod] !== 'true') return undefined
  return {
    namespace: annotations[annotationBufferNamespace] ?? '',
    name: annotations[annotationBufferName] ?? '',
  }
}
