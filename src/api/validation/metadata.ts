import { labelValueErrors, qualifiedNameErrors, subdomainErrors } from '../qualified-name.ts'
import { type FieldError, invalid, required, tooLong, wrongType } from './field-error.ts'
import { isRecord, memberOf } from './json-value.ts'

/** Keys and values together, in bytes. */
const annotationsSizeMax = 256 * 1024

/**
 * What an API server refuses about the metadata of any custom resource. Schemas say nothing of it, and behind an API server it has been
 * checked before; offline nobody else does.
 */
export function metadataErrors(object: unknown): FieldError[] {
  const metadata = memberOf(object, 'metadata')
  if (!isRecord(metadata)) return [required('metadata')]
  return [
    ...nameErrors(metadata['name'], metadata['generateName']),
    ...textMap('metadata.labels', metadata['labels'], labelErrors),
    ...textMap('metadata.annotations', metadata['annotations'], (key) =>
      qualifiedNameErrors(key.toLowerCase()).map((message) => invalid('metadata.annotations', key, message)),
    ),
    ...annotationsSize(metadata['annotations']),
    ...finalizerErrors(metadata['finalizers']),
  ]
}

function nameErrors(name: unknown, prefix: unknown): FieldError[] {
  const errors: FieldError[] = []
  if (prefix !== undefined && prefix !== null && prefix !== '') {
    if (typeof prefix !== 'string') errors.push(wrongType('metadata.generateName', prefix, 'string'))
    else {
      // A dash at the end is followed by what the server adds.
      const masked = prefix.length > 1 ? prefix.replace(/-$/, 'a') : prefix
      errors.push(...subdomainErrors(masked).map((message) => invalid('metadata.generateName', prefix, message)))
    }
  }
  if (name === undefined || name === null || name === '') {
    const isGenerated = typeof prefix === 'string' && prefix !== ''
    return isGenerated ? errors : [...errors, required('metadata.name', 'name or generateName is required')]
  }
  if (typeof name !== 'string') return [...errors, wrongType('metadata.name', name, 'string')]
  return [...errors, ...subdomainErrors(name).map((message) => invalid('metadata.name', name, message))]
}

function labelErrors(key: string, value: string): FieldError[] {
  return [
    ...qualifiedNameErrors(key).map((message) => invalid('metadata.labels', key, message)),
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

/** Those that Kubernetes itself knows; all others are named with a domain. */
const standardFinalizers: ReadonlySet<string> = new Set(['foregroundDeletion', 'orphan', 'kubernetes'])

function finalizerErrors(finalizers: unknown): FieldError[] {
  if (finalizers === undefined || finalizers === null) return []
  if (!Array.isArray(finalizers)) return [wrongType('metadata.finalizers', finalizers, 'array')]
  return finalizers.flatMap((finalizer: unknown, index) => {
    const path = `metadata.finalizers[${index}]`
    if (typeof finalizer !== 'string') return [wrongType(path, finalizer, 'string')]
    const errors = qualifiedNameErrors(finalizer)
    if (errors.length === 0 && !finalizer.includes('/') && !standardFinalizers.has(finalizer))
      errors.push('name is neither a standard finalizer name nor is it fully qualified')
    return errors.map((message) => invalid(path, finalizer, message))
  })
}
