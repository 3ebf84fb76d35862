import { vi } from 'vitest'
import type { KubeObject } from '../../src/api/kubernetes.ts'
import type { Resource } from '../../src/kube/resource.ts'
import type { ControllerWorld } from './controller-world.ts'

/** From now on the watch of a kind tells nothing: its cache shows what it showed last. */
export function deafen<T extends KubeObject>({ caches }: ControllerWorld, resource: Resource<T>): void {
  const cache = caches.of(resource)
  const shown = new Map(cache.list().map((object) => [object.metadata.name, object]))
  vi.spyOn(cache, 'get').mockImplementation(({ name }) => shown.get(name))
}

/** How many patches of the kind the API server has been asked for since. */
export function countPatches<T extends KubeObject>({ kube }: ControllerWorld, { plural }: Resource<T>): () => number {
  let count = 0
  const patch = kube.patch.bind(kube)
  kube.patch = (...call) => {
    if (call[0].plural === plural) count += 1
    return patch(...call)
  }
  return () => count
}
