import type { CapacityBuffer } from '../api/karpenter.ts'
import type { PodTemplateSpec } from '../api/kubernetes.ts'
import { annotationBufferFakePod, annotationBufferName, annotationBufferNamespace } from '../api/labels.ts'
import type { PodInfo } from '../model/pod.ts'
import { withDefaultRequests } from '../model/pod-requests.ts'
import { type Resources, toLimits } from '../model/resources.ts'
import { toPodInfo } from '../model/to-pod-info.ts'

/** Other strategies are somebody else's to carry out. */
export const activeCapacityStrategy = 'buffer.x-k8s.io/active-capacity'

/** Kinds of other groups share names with those that scale pods. */
export function isScalableGroup(apiGroup = ''): boolean {
  return apiGroup === '' || apiGroup === 'apps'
}

/** Whoever may write a buffer in a namespace could else ask for more than fits into the memory of the operator. */
const standInsMax = 10_000
/** Below every real pod. */
const lowestPriority = -2_147_483_648
/** Of pods alike in all else the older are placed first, and stand-ins are younger than any that wait. */
const createdLast = Date.UTC(9999, 11, 31, 23, 59, 59)

/** How many stand-ins a buffer wants. `scalableReplicas` is undefined for a buffer that names a template. */
export function bufferReplicas(
  spec: CapacityBuffer['spec'],
  template: PodTemplateSpec,
  scalableReplicas: number | undefined,
): number {
  const wanted = [
    ...(spec.replicas === undefined ? [] : [spec.replicas]),
    ...(spec.percentage === undefined || scalableReplicas === undefined || scalableReplicas <= 0
      ? []
      : [Math.ceil((scalableReplicas * spec.percentage) / 100)]),
  ]
  const cap = limitCount(toLimits(spec.limits), requestsOf(template))
  if (spec.replicas === undefined && spec.percentage === undefined) return Math.min(cap ?? 0, standInsMax)
  const most = Math.max(0, ...wanted)
  return Math.min(most, cap ?? most, standInsMax)
}

/** The buffer's pods as the solver sees them. They never exist anywhere else. */
export function virtualPods(
  buffer: { readonly namespace: string; readonly name: string; readonly uid: string },
  template: PodTemplateSpec,
  replicas: number,
): readonly PodInfo[] {
  // The real pods will be completed by the API server.
  const { nodeName: _bound, ...spec } = withDefaultRequests(template.spec)
  // Volumes are left out: a claim that does not exist would make the stand-in unschedulable.
  const volumes = (spec.volumes ?? []).filter(
    (volume) => volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined,
  )
  return Array.from({ length: replicas }, (_, index) => ({
    ...toPodInfo({
      metadata: {
        name: `capacity-buffer-${buffer.name}-${index + 1}`,
        namespace: buffer.namespace,
        uid: `${buffer.uid}-${index + 1}`,
        labels: { ...template.metadata?.labels },
        annotations: {
          [annotationBufferFakePod]: 'true',
          [annotationBufferName]: buffer.name,
          [annotationBufferNamespace]: buffer.namespace,
        },
      },
      spec: { ...spec, volumes, priority: lowestPriority },
      status: {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
      },
    }),
    createdAt: createdLast,
    virtualBuffer: { namespace: buffer.namespace, name: buffer.name },
  }))
}

/** How many pods the limits allow; undefined when they limit nothing that the pods request. */
function limitCount(limits: Resources, requests: Resources): number | undefined {
  let count: bigint | undefined
  for (const [name, limit] of limits) {
    const request = requests.get(name)
    if (request === undefined || request.nano <= 0n) continue
    const fitting = limit.nano / request.nano
    if (count === undefined || fitting < count) count = fitting
  }
  return count === undefined ? undefined : Math.max(0, Number(count))
}

function requestsOf(template: PodTemplateSpec): Resources {
  return toPodInfo({ metadata: { name: 'template' }, spec: withDefaultRequests(template.spec) }).requests
}
