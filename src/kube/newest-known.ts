import type { KubeObject } from '../api/kubernetes.ts'
import { getIfPresent } from './get-if-present.ts'
import type { KubeClient } from './port.ts'
import { keyOf, keyText, type ObjectKey, type Resource } from './resource.ts'

/** The newest version one writer knows of each object: writes computed from a lagging watch would be refused again and again. */
export class NewestKnown<T extends KubeObject> {
  readonly #kube: Pick<KubeClient, 'get'>
  readonly #resource: Resource<T>
  /** By object: versions that writes have replaced, or found replaced, since the cache last showed another. */
  readonly #replaced = new Map<string, Set<string | undefined>>()

  constructor(kube: Pick<KubeClient, 'get'>, resource: Resource<T>) {
    this.#kube = kube
    this.#resource = resource
  }

  /** The cached object, or the API server's where that is known to be newer. Undefined when it is gone. */
  async of(cached: T): Promise<T | undefined> {
    const id = keyText(cached.metadata)
    if (this.#replaced.get(id)?.has(cached.metadata.resourceVersion) !== true) {
      this.#replaced.delete(id)
      return cached
    }
    return getIfPresent(this.#kube, this.#resource, keyOf(cached))
  }

  /** A write has replaced this version, or was refused because something else had. */
  noteReplaced({ metadata }: T): void {
    const id = keyText(metadata)
    const versions = this.#replaced.get(id) ?? new Set()
    this.#replaced.set(id, versions.add(metadata.resourceVersion))
  }

  forget(key: ObjectKey): void {
    this.#replaced.delete(keyText(key))
  }
}
