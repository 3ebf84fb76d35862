import { isGoInteger } from '../go-text.ts'
import { isRecord, memberOf } from '../json.ts'
import { type FieldError, wrongFormat, wrongType } from './field-error.ts'
import { failedFormat } from './formats.ts'

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

const typedFields = Object.entries(types)

const judgedElsewhere = ['name', 'generateName', 'labels', 'annotations', 'finalizers', 'ownerReferences']
/** All that metadata can have. */
export const knownMetadata: ReadonlySet<string> = new Set([...Object.keys(types), ...judgedElsewhere])

/**
 * What keeps a server from reading metadata at all. Its own words are those of its decoder; ours say the same of each field. Every review
 * comes through here, so that nothing is made for what is as it should be.
 */
export function metadataTypeErrors(metadata: object): readonly FieldError[] {
  let errors: FieldError[] | undefined
  for (const [name, type] of typedFields) {
    const value = memberOf(metadata, name)
    if (value === undefined || value === null) continue
    const found = typeErrors(`metadata.${name}`, value, type)
    if (found.length > 0) errors = [...(errors ?? []), ...found]
  }
  return errors ?? none
}

const none: readonly FieldError[] = []

function typeErrors(path: string, value: unknown, type: (typeof types)[string]): readonly FieldError[] {
  switch (type) {
    case 'string':
      return typeof value === 'string' ? none : [wrongType(path, value, type)]
    case 'integer':
      return isGoInteger(value) ? none : [wrongType(path, value, type)]
    case 'array':
      if (!Array.isArray(value)) return [wrongType(path, value, type)]
      return value.flatMap((item: unknown, index) =>
        item === null || isRecord(item) ? none : [wrongType(`${path}[${index}]`, item, 'object')],
      )
    case 'time':
      if (typeof value !== 'string') return [wrongType(path, value, 'string')]
      return failedFormat('date-time', value) === undefined ? none : [wrongFormat(path, value, 'date-time')]
  }
}

/** Names in metadata that no server knows: it drops them, and says so. */
export function unknownMetadata(metadata: object): readonly string[] {
  let unknown: string[] | undefined
  for (const name in metadata) if (!knownMetadata.has(name)) unknown = [...(unknown ?? []), name]
  return unknown ?? []
}
