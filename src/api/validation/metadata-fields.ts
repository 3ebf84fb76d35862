import { type FieldError, wrongFormat, wrongType } from './field-error.ts'
import { failedFormat } from './formats.ts'
import { memberOf } from './json-value.ts'

/** Fields of metadata that are judged by nothing but their type, because a server sets or overrules them. */
const types: Readonly<Record<string, 'string' | 'integer' | 'array' | 'time'>> = {
  namespace: 'string',
  uid: 'string',
  resourceVersion: 'string',
  selfLink: 'string',
  generation: 'integer',
  deletionGracePeriodSeconds: 'integer',
  creationTimestamp: 'time',
  deletionTimestamp: 'time',
  managedFields: 'array',
}

const judgedElsewhere = ['name', 'generateName', 'labels', 'annotations', 'finalizers', 'ownerReferences']
const known: ReadonlySet<string> = new Set([...Object.keys(types), ...judgedElsewhere])

/** What keeps a server from reading metadata at all. Its own words are those of its decoder; ours say the same of each field. */
export function metadataTypeErrors(metadata: object): FieldError[] {
  return Object.entries(types).flatMap(([name, type]) => {
    const value = memberOf(metadata, name)
    return value === undefined || value === null ? [] : typeErrors(`metadata.${name}`, value, type)
  })
}

function typeErrors(path: string, value: unknown, type: (typeof types)[string]): FieldError[] {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? [] : [wrongType(path, value, type)]
    case 'integer':
      return Number.isInteger(value) ? [] : [wrongType(path, value, type)]
    case 'array':
      return Array.isArray(value) ? [] : [wrongType(path, value, type)]
    case 'time':
      if (typeof value !== 'string') return [wrongType(path, value, 'string')]
      return failedFormat('date-time', value) === undefined ? [] : [wrongFormat(path, value, 'date-time')]
  }
}

/** Names in metadata that no server knows: it drops them, and says so. */
export function unknownMetadata(metadata: object): readonly string[] {
  return Object.keys(metadata).filter((name) => !known.has(name))
}
