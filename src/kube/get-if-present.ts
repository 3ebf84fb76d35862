import type { KubeObject } from '../api/kubernetes.ts'
import { isNotFound } from './errors.ts'
import type { CallOptions, KubeClient } from './port.ts'
import type { ObjectKey, Resource } from './resource.ts'

/** What the API server itself has; undefined when that is gone. */
export async function getIfPresent<T extends KubeObject>(
  kube: Pick<KubeClient, 'get'>,
  resource: Resource<T>,
  key: ObjectKey,
  options?: CallOptions,
): Promise<T | undefined> {
  try {
    return await kube.get(resource, key, options)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
