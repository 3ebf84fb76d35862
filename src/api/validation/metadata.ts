import { isRecord, memberOf } from '../json.ts'
import { labelValueErrors, qualifiedNameErrors, subdomainErrors } from '../qualified-name.ts'
import { type FieldError, invalid, required, tooLong, wrongType } from './field-error.ts'
import { metadataTypeErrors } from './metadata-fields.ts'
import { ownerReferenceErrors } from './owner-references.ts'

/** Keys and values together, in bytes. */
const annotationsSizeMax = 256 * 1024

/**
 * What an API server refuses about the metadata of any custom resource. Schemas say nothing of it, and behind an API server it has been
 * checked before; offline nobody else does.
 */
export function metadataErrors(object: unknown, operation: 'CREATE' | 'UPDATE'): FieldError[] {
  const metadata = memberOf(object, 'metadata') ?? {}
  // The schema of every custom resource says that it is no object.
  if (!isRecord(metadata)) return []
  return [
    ...metadataTypeErrors(metadata),
    ...prefixErrors(metadata['generateName'], operation),
    ...nameErrors(metadata['name'], metadata['generateName']),
    ...textMap('metadata.labels', metadata['labels'], labelErrors),
    ...textMap('metadata.annotations', metadata['annotations'], (key) =>
      keyErrors(key.toLowerCase()).map((message) => invalid('metadata.annotations', key, message)),
    ),
    ...annotationsSize(metadata['annotations']),
    ...finalizerErrors(metadata['finalizers']),
    ...ownerReferenceErrors(metadata['ownerReferences']),
  ]
}

function prefixErrors(prefix: unknown, operation: 'CREATE' | 'UPDATE'): FieldError[] {
  const path = 'metadata.generateName'
  if (prefix === undefined || prefix === null || prefix === '') return []
  if (typeof prefix !== 'string') return [wrongType(path, prefix, 'string')]
  // An object that has its name is given no other one, so that little is asked of the prefix.
  if (operation === 'UPDATE') return pathSegmentErrors(prefix).map((message) => invalid(path, prefix, message))
  // A dash at the end is followed by what the server adds.
  const masked = prefix.length > 1 ? prefix.replace(/-$/, 'a') : prefix
  return objectNameErrors(masked).map((message) => invalid(path, prefix, message))
}

function pathSegmentErrors(text: string): string[] {
  return ['/', '%'].flatMap((character) => (text.includes(character) ? [`may not contain '${character}'`] : []))
}

function nameErrors(name: unknown, prefix: unknown): FieldError[] {
  if (name === undefined || name === null || name === '') {
    const isGenerated = typeof prefix === 'string' && prefix !== ''
    return isGenerated ? [] : [required('metadata.name', 'name or generateName is required')]
  }
  if (typeof name !== 'string') return [wrongType('metadata.name', name, 'string')]
  return objectNameErrors(name).map((message) => invalid('metadata.name', name, message))
}

/** The bound is counted in bytes, which servers call characters here. */
function objectNameErrors(name: string): string[] {
  return subdomainErrors(name).map((message) => message.replace(/ bytes$/, ' characters'))
}

/** Of a key with more than one slash servers speak in metadata as nowhere else. */
function keyErrors(key: string): string[] {
  return qualifiedNameErrors(key).map((message) => message.replace(/^a qualified name/, 'a valid label key'))
}

function labelErrors(key: string, value: string): FieldError[] {
  return [
    ...keyErrors(key).map((message) => invalid('metadata.labels', key, message)),
    ...labelValueErrors(value).map((message) => invalid('metadata.labels', value, message)),
  ]
}

function textMap(
  path: string,
  map: unknown,
  errorsOf: (key: string, value: string) => readonly FieldError[],
): FieldError[] {
  if (map === undefined || map === null) return []
  if (!isRecord(map)) return [wrongType(path, map, 'object')]
  return Object.keys(map)
    .sort()
    .flatMap((key) => {
      const value = map[key]
      // A null is an empty text to a Go server.
      if (typeof value !== 'string' && value !== null) return [wrongType(`${path}.${key}`, value, 'string')]
      return errorsOf(key, value ?? '')
    })
}

function annotationsSize(map: unknown): FieldError[] {
  if (!isRecord(map)) return []
  const size = Object.entries(map).reduce(
    (sum, [key, value]) => sum + bytesOf(key) + (typeof value === 'string' ? bytesOf(value) : 0),
    0,
  )
  return size > annotationsSizeMax ? [tooLong('metadata.annotations', annotationsSizeMax)] : []
}

const encoder = new TextEncoder()

function bytesOf(text: string): number {
  return encoder.encode(text).length
}

/** One without a domain is let pass: servers merely warn of it. */
function finalizerErrors(finalizers: unknown): FieldError[] {
  const path = 'metadata.finalizers'
  if (finalizers === undefined || finalizers === null) return []
  if (!Array.isArray(finalizers)) return [wrongType(path, finalizers, 'array')]
  // A null is an empty text to a Go server, here too.
  return finalizers
    .map((finalizer: unknown) => finalizer ?? '')
    .flatMap((finalizer, index) =>
      typeof finalizer === 'string'
        ? keyErrors(finalizer).map((message) => invalid(path, finalizer, message))
        : [wrongType(`${path}[${index}]`, finalizer, 'string')],
    )
}
