import type { KubeObject, Unsaved } from '../../../src/api/kubernetes.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import type { KubeClient, WatchEvent } from '../../../src/kube/port.ts'
import type { Resource } from '../../../src/kube/resource.ts'

/** What a contract run is given: clients of one server, and how time passes there. */
export interface PortWorld {
  /** Writes as field manager `contract`. */
  readonly client: KubeClient
  /** Another client of the same server, writing as `other`. */
  readonly other: KubeClient
  /** Lets about this much of the server's time pass. */
  readonly pause: (ms: number) => Promise<void>
  readonly stop: () => Promise<void>
}

/** A test's own corner of the server: an existing namespace that no other test uses. */
export interface PortCase extends PortWorld {
  readonly namespace: string
}

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>
}

export const configMaps: Resource<ConfigMap> = Object.freeze({
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
})

export interface Widget extends KubeObject {
  spec: { size?: number; color?: string; fixed?: string; [field: string]: unknown }
  status?: { ready?: boolean }
}

export const widgets: Resource<Widget> = Object.freeze({
  group: 'contract.example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
})

export const customResourceDefinitions: Resource = Object.freeze({
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
})

export function aConfigMap(
  namespace: string,
  name: string,
  more: Partial<Unsaved<ConfigMap>> = {},
): Unsaved<ConfigMap> {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    data: { k: 'v' },
    ...more,
    metadata: { namespace, name, ...more.metadata },
  }
}

/** How a call failed: its code, or `none`. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'none'
  } catch (error) {
    if (error instanceof KubeError) return error.code
    throw error
  }
}

const patienceMs = 20_000
const stepMs = 100

/** Lets time pass until the check holds. Controllers and caches of a real server need a moment. */
export async function eventually(world: PortWorld, what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await holds()); waited += stepMs) {
    if (waited >= patienceMs) throw new Error(`waited in vain until ${what}`)
    await world.pause(stepMs)
  }
}

/** Takes the next `count` events of a watch, then ends it. Time passes while nothing comes. */
export async function take<T extends KubeObject>(
  world: PortWorld,
  events: AsyncIterable<WatchEvent<T>>,
  count: number,
): Promise<readonly WatchEvent<T>[]> {
  const taken: WatchEvent<T>[] = []
  const iterator = events[Symbol.asyncIterator]()
  let waited = 0
  while (taken.length < count) {
    const next = iterator.next()
    let settled = false
    void next.then(
      () => {
        settled = true
      },
      () => {
        settled = true
      },
    )
    await Promise.resolve()
    while (!settled && waited < patienceMs) {
      await world.pause(stepMs)
      waited += stepMs
    }
    if (!settled) throw new Error(`only ${taken.length} of ${count} watch events came`)
    const result = await next
    if (result.done === true) break
    taken.push(result.value)
  }
  await iterator.return?.()
  return taken
}

export function described(event: WatchEvent<KubeObject>): string {
  return event.type === 'BOOKMARK' ? event.type : `${event.type} ${event.object.metadata.name}`
}
