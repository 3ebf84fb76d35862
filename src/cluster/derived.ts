import type { KubeObject } from '../api/kubernetes.ts'
import type { Cache } from '../kube/controller.ts'
import { keyOf, keyText } from '../kube/resource.ts'

/** A value made from a cache, made again only after the cache changed: snapshots share it. */
export function derived<T extends KubeObject, Value>(
  cache: Cache<T>,
  make: (objects: readonly T[]) => Value,
): () => Value {
  let made: { readonly value: Value } | undefined
  cache.subscribe(() => {
    made = undefined
  })
  return () => {
    made ??= { value: make(cache.list()) }
    return made.value
  }
}

/** By `namespace/name`, or by name for cluster-scoped objects. */
export function derivedMap<T extends KubeObject>(cache: Cache<T>): () => ReadonlyMap<string, T> {
  return derived(cache, (objects) => new Map(objects.map((object) => [keyText(keyOf(object)), object])))
}
