import type { KubeClient } from './port.ts'

/** A write was held back because this process may no longer be the leader. */
export class NotLeaderError extends Error {
  readonly code = 'NotLeader'
  override readonly name = 'NotLeaderError'
  constructor(operation: string) {
    super(`${operation} refused: the leader election lease is not held`)
  }
}

/** Reads pass; writes are refused, before they leave the process, whenever `mayWrite` says no. */
export function fenceClient(client: KubeClient, mayWrite: () => boolean): KubeClient {
  const guard = async <T>(operation: string, call: () => Promise<T>): Promise<T> => {
    if (!mayWrite()) throw new NotLeaderError(operation)
    return call()
  }
  return {
    get: (resource, key, options) => client.get(resource, key, options),
    list: (resource, options) => client.list(resource, options),
    watch: (resource, options) => client.watch(resource, options),
    create: (resource, object, options) => guard('create', () => client.create(resource, object, options)),
    update: (resource, object, options) => guard('update', () => client.update(resource, object, options)),
    patch: (resource, key, patch, options) => guard('patch', () => client.patch(resource, key, patch, options)),
    delete: (resource, key, options) => guard('delete', () => client.delete(resource, key, options)),
    evict: (pod, options) => guard('evict', () => client.evict(pod, options)),
    bind: (pod, nodeName, options) => guard('bind', () => client.bind(pod, nodeName, options)),
  }
}
