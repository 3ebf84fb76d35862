import type { KubeObject } from '../api/kubernetes.ts'
import type { CompiledCustomResource } from '../api/validation/index.ts'
import { isRecord } from '../api/validation/json-value.ts'

/**
 * Objects in which neither the schema nor a rule that looks at the object alone has found anything. The same manifest comes again: as a
 * dry run before it is applied, with each retry of a sync and each preview of a pull request, and the controller judges every hour
 * what is stored.
 */
const sound = new WeakMap<CompiledCustomResource, Set<string>>()
const rememberedMax = 256
/** Longer ones are rarely seen twice, and memory is bounded by the product of the two. */
const textLengthMax = 8_192

/** Equal for objects that are judged alike whatever the cluster and the time are; undefined where memory is no use. */
export function decidingText(object: KubeObject): string | undefined {
  if (!isRecord(object.metadata)) return undefined
  // The rest is the server's own: new in each review, it decides nothing.
  const { name, generateName, namespace, labels, annotations, finalizers } = object.metadata
  const text = JSON.stringify({
    ...object,
    metadata: { name, generateName, namespace, labels, annotations, finalizers },
  })
  // What JSON cannot write turns into null, so that one text could stand for two objects.
  return text.length > textLengthMax || text.includes('null') ? undefined : text
}

export function isKnownSound(resource: CompiledCustomResource, text: string): boolean {
  return sound.get(resource)?.has(text) === true
}

export function rememberSound(resource: CompiledCustomResource, text: string): void {
  const texts = sound.get(resource) ?? new Set<string>()
  if (texts.size >= rememberedMax) texts.clear()
  texts.add(text)
  sound.set(resource, texts)
}
