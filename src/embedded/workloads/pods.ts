import { conditionIn, conditionOf } from '../../api/conditions.ts'
import type { KubeObject, ObjectMeta, Pod, PodTemplateSpec, Unsaved } from '../../api/kubernetes.ts'
import { type Cache, type Caches, done, type ReconcileResult, requeueAfter } from '../../kube/controller.ts'
import { isNotFound } from '../../kube/errors.ts'
import { pods } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import { byIdentity } from '../../model/by-identity.ts'
import { parseTimestamp } from '../../model/clock.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { podsByNode } from '../pods-by-node.ts'
import { addClaimIndexes } from './claim.ts'
import { controllerReference, namespaceNames } from './ownership.ts'

export function isReady(pod: Pod): boolean {
  return readiness(pod) !== undefined
}

/** Ready for at least so long. */
export function isAvailable(pod: Pod, minReadySeconds: number | undefined, now: number): boolean {
  const ready = readiness(pod)
  return ready !== undefined && (ready.since ?? now) + (minReadySeconds ?? 0) * 1000 <= now
}

/** Looks again when the next of them that is ready becomes available. */
export function requeueWhenAvailable(
  pods: readonly Pod[],
  minReadySeconds: number | undefined,
  now: number,
): ReconcileResult {
  const waits = pods
    .filter((pod) => isReady(pod) && !isAvailable(pod, minReadySeconds, now))
    .map((pod) => readySince(pod) + (minReadySeconds ?? 0) * 1000 - now)
  return waits.length === 0 ? done : requeueAfter(Math.max(1, Math.min(...waits)))
}

/** Since when it has been ready, in milliseconds since the epoch; 0 when that is not known. */
export function readySince(pod: Pod): number {
  return parseTimestamp(conditionOf(pod, 'Ready')?.lastTransitionTime) ?? 0
}

/** Undefined when it is not ready. A thousand pods of a set are asked whenever one of them changes. */
const readiness = byIdentity(({ status }: Pod): { readonly since: number | undefined } | undefined => {
  const ready = status?.phase === 'Running' ? conditionIn(status.conditions, 'Ready') : undefined
  return ready?.status === 'True' ? { since: parseTimestamp(ready.lastTransitionTime) } : undefined
})

/** Neither finished nor going. */
export function isActive(pod: Pod): boolean {
  const phase = pod.status?.phase
  return pod.metadata.deletionTimestamp === undefined && phase !== 'Succeeded' && phase !== 'Failed'
}

/** The pods' cache with what workload controllers look up in it: pods by the uid of their controller or the lack of one, by namespace, and by node. */
export function podCache(caches: Caches): Cache<Pod> {
  const cache = caches.of(pods)
  addClaimIndexes(cache)
  cache.addIndex('namespace', namespaceNames)
  podsByNode(caches)
  return cache
}

/** A pod of a template, controlled by its owner. Without a name the API server makes one up from the owner's. */
export function podFrom(
  owner: KubeObject,
  template: PodTemplateSpec,
  more: { readonly name?: string; readonly generateName?: string; readonly labels?: Record<string, string> } = {},
): Unsaved<Pod> {
  const { labels, annotations, finalizers } = template.metadata ?? {}
  const metadata: Partial<ObjectMeta> = {
    ...(more.name === undefined
      ? { generateName: more.generateName ?? `${owner.metadata.name}-` }
      : { name: more.name }),
    ...(owner.metadata.namespace === undefined ? {} : { namespace: owner.metadata.namespace }),
    labels: { ...labels, ...more.labels },
    ...(annotations === undefined ? {} : { annotations }),
    ...(finalizers === undefined ? {} : { finalizers }),
    ownerReferences: [controllerReference(owner)],
  }
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec }
}

/** Asks for a pod's deletion, in its own grace period unless another is given; one that has gone, or another of its name, is left alone. */
export async function deletePod({ client }: EmbeddedDeps, pod: Pod, gracePeriodSeconds?: number): Promise<void> {
  try {
    await client.delete(pods, keyOf(pod), {
      preconditions: { uid: pod.metadata.uid },
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
