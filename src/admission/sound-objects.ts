import type { KubeObject } from '../api/kubernetes.ts'
import type { CompiledCustomResource } from '../api/validation/index.ts'
import { isRecord, type JsonRecord, memberOf } from '../api/validation/json-value.ts'
import type { Subject } from './rule.ts'

/**
 * Objects in which neither the schema nor a rule that looks at the object alone has found anything. The same manifest comes again: as a
 * dry run before it is applied, with each retry of a sync and each preview of a pull request, and the controller judges every hour
 * what is stored.
 */
const sound = new WeakMap<CompiledCustomResource, Map<string, Subject>>()
const rememberedMax = 256
/** Longer ones are rarely seen twice, and memory is bounded by the product of the two. */
const textLengthMax = 8_192

/** The metadata that rules look at. The rest is the server's own: new in each review, it decides nothing, and it has no bound. */
const decidingMetadata = ['name', 'generateName', 'namespace', 'labels', 'annotations', 'finalizers'] as const

/** The object without metadata that decide nothing; undefined for one that has none at all. */
export function decidingPart({ metadata, ...rest }: KubeObject): JsonRecord | undefined {
  if (!isRecord(metadata)) return undefined
  const kept: Record<string, unknown> = {}
  for (const name of decidingMetadata) {
    const value = memberOf(metadata, name)
    if (value !== undefined) kept[name] = value
  }
  return { ...rest, metadata: kept }
}

/** Equal for parts that are judged alike whatever the cluster and the time are; undefined where memory is no use. */
export function decidingText(part: JsonRecord): string | undefined {
  const text = JSON.stringify(part)
  // What JSON cannot write turns into null, so that one text could stand for two objects.
  return text.length > textLengthMax || text.includes('null') ? undefined : text
}

/** What rules read of an object with this text: of one that was judged before, since the texts are equal in all that rules look at. */
export function knownSound(resource: CompiledCustomResource, text: string): Subject | undefined {
  return sound.get(resource)?.get(text)
}

export function rememberSound(resource: CompiledCustomResource, text: string, subject: Subject): void {
  const subjects = sound.get(resource) ?? new Map<string, Subject>()
  if (subjects.size >= rememberedMax) subjects.clear()
  subjects.set(text, subject)
  sound.set(resource, subjects)
}
