import type { KubeClient } from './port.ts'

/** A write was held back because this process may no longer be the leader. */
export class NotLeaderError extends Error {
  readonly code = 'NotLeader'
  override readonly name = 'NotLeaderError'
  constructor(operation: string) {
    super(`${operation} refused: the leader election lease is not held`)
  }
}

/** A write was held back because this process only watches. */
export class ObservingError extends Error {
  readonly code = 'Observing'
  override readonly name = 'ObservingError'
  constructor(operation: string) {
    super(`${operation} held back in observe mode`)
  }
}

/** Whether nothing but observe mode is why something failed, whatever has been said around it. */
export function isHeldBack(error: unknown): boolean {
  if (error instanceof ObservingError) return true
  if (error instanceof AggregateError) return error.errors.length > 0 && error.errors.every(isHeldBack)
  return error instanceof Error && isHeldBack(error.cause)
}

/** Why a write must not go out now; undefined when it may. */
export type WriteFence = (operation: string) => Error | undefined

/** Reads pass; writes that are refused never leave the process. */
export function fenceClient(client: KubeClient, refusal: WriteFence): KubeClient {
  const guard = async <T>(operation: string, call: () => Promise<T>): Promise<T> => {
    const refused = refusal(operation)
    if (refused !== undefined) throw refused
    return call()
  }
  return {
    get: (resource, key, options) => client.get(resource, key, options),
    list: (resource, options) => client.list(resource, options),
    watch: (resource, options) => client.watch(resource, options),
    create: (resource, object, options) =>
      guard(`create ${resource.plural}`, () => client.create(resource, object, options)),
    update: (resource, object, options) =>
      guard(`update ${resource.plural}`, () => client.update(resource, object, options)),
    patch: (resource, key, patch, options) =>
      guard(`patch ${resource.plural}`, () => client.patch(resource, key, patch, options)),
    delete: (resource, key, options) => guard(`delete ${resource.plural}`, () => client.delete(resource, key, options)),
    evict: (pod, options) => guard('evict pod', () => client.evict(pod, options)),
    bind: (pod, nodeName, options) => guard('bind pod', () => client.bind(pod, nodeName, options)),
  }
}
