import type { NodePool } from '../src/api/karpenter.ts'
import { nodeClassNameOf } from '../src/api/node-class-ref.ts'
import { configMaps, publishedInstanceTypes, unpackInstanceTypes } from '../src/cluster/index.ts'
import { getIfPresent } from '../src/kube/get-if-present.ts'
import type { Logger } from '../src/kube/logger.ts'
import type { KubeClient } from '../src/kube/port.ts'
import type { Clock } from '../src/model/clock.ts'
import type { TypeOutline } from '../src/model/instance-type.ts'

/** The operator looks for news every ten minutes. One GET of one object; a watch by name would need the same permission three times. */
const intervalMs = 5 * 60_000

export interface PublishedTypes {
  /** What the pool's class can launch, as the operator last said; undefined where it has said nothing, as of another controller's class. */
  of(pool: NodePool): readonly TypeOutline[] | undefined
  /** Whether it has said anything of the class. Waits for the first look, successful or not. */
  tellsOf(nodeClass: string): Promise<boolean>
  readonly stopped: Promise<void>
}

interface PublishedTypesDeps {
  readonly kube: KubeClient
  readonly clock: Clock
  readonly log: Logger
  readonly namespace: string
}

/** Reads what the operator publishes, now and every few minutes. What cannot be read leaves what was known. */
export function readPublishedTypes(deps: PublishedTypesDeps, signal: AbortSignal): PublishedTypes {
  let byClass: ReadonlyMap<string, Published> = new Map()
  const firstLook = Promise.withResolvers<void>()
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      try {
        byClass = await read(deps, byClass, signal)
      } catch (error) {
        if (!signal.aborted) deps.log.warn({ err: error }, 'published instance types cannot be read')
      }
      firstLook.resolve()
      await deps.clock.sleep(intervalMs, signal).catch(() => undefined)
    }
  }
  return {
    of: (pool) => byClass.get(nodeClassNameOf(pool) ?? '')?.types,
    tellsOf: (nodeClass) => firstLook.promise.then(() => byClass.has(nodeClass)),
    stopped: run(),
  }
}

interface Published {
  readonly packed: string
  readonly types: readonly TypeOutline[]
}

async function read(
  { kube, clock, log, namespace }: PublishedTypesDeps,
  before: ReadonlyMap<string, Published>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Published>> {
  const found = new Map<string, Published>()
  for (const [name, packed] of await publishedIn(kube, namespace, signal)) {
    // Classes with the same subnets and volumes can launch the same.
    const known = [before.get(name), ...found.values()].find((one) => one?.packed === packed)
    if (known !== undefined) {
      found.set(name, known)
      continue
    }
    // A class takes a tenth of a second, and reviews wait meanwhile; those of several classes must not add up.
    await clock.sleep(0, signal)
    try {
      found.set(name, { packed, types: unpackInstanceTypes(packed) })
    } catch (error) {
      log.warn({ err: error, EC2NodeClass: { name } }, 'published instance types cannot be read')
    }
  }
  return found
}

async function publishedIn(kube: KubeClient, namespace: string, signal: AbortSignal): Promise<[string, string][]> {
  const key = { namespace, name: publishedInstanceTypes }
  return Object.entries((await getIfPresent(kube, configMaps, key, { signal }))?.binaryData ?? {})
}
