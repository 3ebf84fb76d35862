import type { KubeObject, ObjectMeta, OwnerReference, Pod, PodTemplateSpec, Unsaved } from '../../api/kubernetes.ts'
import type { Cache, Caches } from '../../kube/controller.ts'
import { isNotFound } from '../../kube/errors.ts'
import { pods } from '../../kube/kinds.ts'
import { keyOf, keyText } from '../../kube/resource.ts'
import { byIdentity } from '../../model/by-identity.ts'
import { parseTimestamp } from '../../model/clock.ts'
import { findCondition } from '../conditions.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { podsByNode } from '../pods-by-node.ts'

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true)
}

export function isReady(pod: Pod): boolean {
  return readiness(pod) !== undefined
}

/** Ready for at least so long. */
export function isAvailable(pod: Pod, minReadySeconds: number | undefined, now: number): boolean {
  const ready = readiness(pod)
  return ready !== undefined && (ready.since ?? now) + (minReadySeconds ?? 0) * 1000 <= now
}

/** Since when it has been ready, in milliseconds since the epoch; 0 when that is not known. */
export function readySince(pod: Pod): number {
  return parseTimestamp(findCondition(pod.status?.conditions, 'Ready')?.lastTransitionTime) ?? 0
}

/** Undefined when it is not ready. A thousand pods of a set are asked whenever one of them changes. */
const readiness = byIdentity(({ status }: Pod): { readonly since: number | undefined } | undefined => {
  const ready = status?.phase === 'Running' ? findCondition(status.conditions, 'Ready') : undefined
  return ready?.status === 'True' ? { since: parseTimestamp(ready.lastTransitionTime) } : undefined
})

/** Neither finished nor going. */
export function isActive(pod: Pod): boolean {
  const phase = pod.status?.phase
  return pod.metadata.deletionTimestamp === undefined && phase !== 'Succeeded' && phase !== 'Failed'
}

/** The pods' cache with what workload controllers look up in it: pods by the uid of their controller, and by node. */
export function podCache(caches: Caches): Cache<Pod> {
  const cache = caches.of(pods)
  cache.addIndex('controller', controllerUIDs)
  cache.addIndex('namespace', namespaceNames)
  podsByNode(caches)
  return cache
}

/** For an index by controller. */
export function controllerUIDs(object: KubeObject): readonly string[] {
  const owner = controllerOf(object)
  return owner === undefined ? [] : [owner.uid]
}

/** For an index by namespace. */
export function namespaceNames({ metadata }: KubeObject): readonly string[] {
  return [metadata.namespace ?? '']
}

export function podFrom(
  owner: KubeObject,
  template: PodTemplateSpec,
  more: { readonly name?: string; readonly labels?: Record<string, string> } = {},
): Unsaved<Pod> {
  const { labels, annotations, finalizers } = template.metadata ?? {}
  const metadata: Partial<ObjectMeta> = {
    ...(more.name === undefined ? { generateName: `${owner.metadata.name}-` } : { name: more.name }),
    ...(owner.metadata.namespace === undefined ? {} : { namespace: owner.metadata.namespace }),
    labels: { ...labels, ...more.labels },
    ...(annotations === undefined ? {} : { annotations }),
    ...(finalizers === undefined ? {} : { finalizers }),
    ownerReferences: [controllerReference(owner)],
  }
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: template.spec }
}

export function controllerReference(owner: KubeObject): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  }
}

/**
 * What a controller has asked for and its cache has not seen yet. Without it a second reconcile that runs on an old view would create
 * or delete once more.
 */
export class Expectations<T extends KubeObject> {
  readonly #created = new Map<string, Map<string, T>>()
  readonly #deleted = new Map<string, Set<string>>()
  readonly #cache: Cache<T>

  constructor(cache: Cache<T>) {
    this.#cache = cache
  }

  created(owner: string, object: T): void {
    const known = this.#created.get(owner) ?? new Map<string, T>()
    this.#created.set(owner, known.set(object.metadata.uid, object))
  }

  deleted(owner: string, object: T): void {
    const known = this.#deleted.get(owner) ?? new Set<string>()
    this.#deleted.set(owner, known.add(object.metadata.uid))
  }

  /** `seen` plus what was created, minus what was deleted, as far as the cache does not show it. */
  apply(owner: string, seen: readonly T[]): readonly T[] {
    const created = this.#created.get(owner)
    if ((created?.size ?? 0) === 0 && (this.#deleted.get(owner)?.size ?? 0) === 0) return seen
    const uids = new Set(seen.map(({ metadata }) => metadata.uid))
    const missing: T[] = []
    for (const [uid, object] of created ?? []) {
      const cached = this.#cache.get(keyOf(object))
      const overtaken =
        uids.has(uid) ||
        (cached !== undefined && Number(cached.metadata.resourceVersion) >= Number(object.metadata.resourceVersion))
      if (overtaken) created?.delete(uid)
      else missing.push(object)
    }
    const deleted = this.#deleted.get(owner)
    for (const uid of deleted ?? []) {
      const cached = seen.find(({ metadata }) => metadata.uid === uid)
      if (cached === undefined || cached.metadata.deletionTimestamp !== undefined) deleted?.delete(uid)
    }
    return [...seen.filter(({ metadata }) => deleted?.has(metadata.uid) !== true), ...missing]
      .map((object) => ({ object, key: keyText(keyOf(object)) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ object }) => object)
  }

  forget(owner: string): void {
    this.#created.delete(owner)
    this.#deleted.delete(owner)
  }
}

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

/** A number, or a share of `total` in percent, rounded as asked. */
export function resolvePercent(value: number | string | undefined, total: number, round: 'up' | 'down'): number {
  if (value === undefined) return 0
  if (typeof value === 'number') return value
  if (!value.endsWith('%')) return Number(value)
  const exact = (Number(value.slice(0, -1)) * total) / 100
  return round === 'up' ? Math.ceil(exact) : Math.floor(exact)
}
