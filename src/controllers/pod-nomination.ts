import type { KubeObject } from '../api/kubernetes.ts'
import type { EventRecorder } from '../kube/recorder.ts'
import { toTimestamp } from '../model/clock.ts'
import type { PodInfo } from '../model/pod.ts'
import type { StateNode } from '../model/snapshot.ts'

/** Names of what a pod should run on, as far as it exists yet. */
interface Machine {
  readonly claim?: string | undefined
  readonly node?: string | undefined
}

export function machineOf({ nodeClaim, node }: Pick<StateNode, 'nodeClaim' | 'node'>): Machine {
  return { claim: nodeClaim?.metadata.name, node: node?.metadata.name }
}

/** Tells a pod where it will run; stand-ins of capacity buffers are nobody to be told. */
export function publishNomination(recorder: EventRecorder, pod: PodInfo, { claim, node }: Machine): void {
  const parts = [
    ...(claim === undefined ? [] : [`nodeclaim/${claim}`]),
    ...(node === undefined ? [] : [`node/${node}`]),
  ]
  if (pod.virtualBuffer !== undefined || parts.length === 0) return
  recorder.publish({
    object: podReference(pod),
    type: 'Normal',
    reason: 'Nominated',
    message: `Pod should schedule on: ${parts.join(', ')}`,
    dedupeValues: [pod.uid],
    rateLimit: { name: 'Nominated', perSecond: 5, burst: 10 },
  })
}

/** An event needs to know which object it is about, nothing more. */
export function podReference(pod: PodInfo): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      namespace: pod.namespace,
      name: pod.name,
      uid: pod.uid,
      resourceVersion: '',
      creationTimestamp: toTimestamp(pod.createdAt),
    },
  }
}
