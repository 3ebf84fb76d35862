import { jsonEqual } from '../../../api/json.ts'
import { field, type FieldError } from '../errors.ts'
import { objectAt, textAt, textMapAt } from '../json.ts'
import type { IncomingObject, StoredObject } from '../object.ts'

/** What a Secret or a ConfigMap may hold in all. */
const bytesMax = 1_048_576

export function configMapErrors(map: IncomingObject, old: StoredObject | undefined): readonly FieldError[] {
  const data = textMapAt(map, 'data')
  const bytes =
    Object.values(data).reduce((sum, text) => sum + Buffer.byteLength(text), 0) + decodedBytes(map, 'binaryData')
  return [
    ...keyErrors(map),
    // Of the whole object, whose path is empty.
    ...(bytes > bytesMax ? [field.tooLong('[]', bytesMax)] : []),
    ...immutableErrors(map, old),
  ]
}

export function secretErrors(secret: IncomingObject, old: StoredObject | undefined): readonly FieldError[] {
  const type = textAt(secret, 'type') ?? ''
  return [
    ...keyErrors(secret),
    ...(decodedBytes(secret, 'data') > bytesMax ? [field.tooLong('data', bytesMax)] : []),
    ...typeErrors(secret, type),
    ...(old !== undefined && old['type'] !== type ? [field.invalid('type', type, 'field is immutable')] : []),
    ...immutableErrors(secret, old),
  ]
}

function decodedBytes(object: IncomingObject, name: string): number {
  return Object.values(textMapAt(object, name)).reduce((sum, text) => sum + Buffer.byteLength(text, 'base64'), 0)
}

/** The keys that each of Kubernetes' own types of secrets has to have. */
const wantedKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
}

function typeErrors(secret: IncomingObject, type: string): FieldError[] {
  const data = textMapAt(secret, 'data')
  const missing = (wantedKeys[type] ?? []).filter((key) =>
    // A key with nothing in it is enough of a certificate.
    type === 'kubernetes.io/ssh-auth' ? (data[key] ?? '') === '' : data[key] === undefined,
  )
  const errors = missing.map((key) => field.required(`data[${key}]`))
  if (type === 'kubernetes.io/basic-auth' && data['username'] === undefined && data['password'] === undefined) {
    errors.push(field.required('data[username]'), field.required('data[password]'))
  }
  const owner = 'kubernetes.io/service-account.name'
  if (
    type === 'kubernetes.io/service-account-token' &&
    (textMapAt(secret, 'metadata', 'annotations')[owner] ?? '') === ''
  ) {
    errors.push(field.required(`metadata.annotations[${owner}]`))
  }
  const key = type === 'kubernetes.io/dockercfg' ? '.dockercfg' : '.dockerconfigjson'
  if (type === 'kubernetes.io/dockercfg' || type === 'kubernetes.io/dockerconfigjson') {
    const problem = data[key] === undefined ? undefined : jsonProblem(Buffer.from(data[key], 'base64').toString('utf8'))
    if (problem !== undefined) errors.push(field.invalid(`data[${key}]`, '<secret contents redacted>', problem))
  }
  return errors
}

/** Roughly in Go's words. */
function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch {
    const first = text.trimStart().charAt(0)
    if (first === '' || '{["'.includes(first)) return 'unexpected end of JSON input'
    return `invalid character '${first}' looking for beginning of value`
  }
}

const keyMax = 253

/** Keys become file names where the object is mounted. */
function keyErrors(object: IncomingObject): readonly FieldError[] {
  const detail =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
  const binary = objectAt(object, 'binaryData') ?? {}
  const errors = ['data', 'binaryData'].flatMap((name) =>
    Object.keys(objectAt(object, name) ?? {}).flatMap((key) => {
      const path = `${name}[${key}]`
      if (key.length > keyMax) return [field.invalid(path, key, `must be no more than ${keyMax} characters`)]
      if (!/^[-._a-zA-Z0-9]+$/.test(key)) return [field.invalid(path, key, detail)]
      if (key === '.' || key === '..') return [field.invalid(path, key, `must not be '${key}'`)]
      if (key.startsWith('..')) return [field.invalid(path, key, "must not start with '..'")]
      return []
    }),
  )
  const twice = Object.keys(objectAt(object, 'data') ?? {}).filter((key) => Object.hasOwn(binary, key))
  return [
    ...errors,
    ...twice.map((key) => field.invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')),
  ]
}

function immutableErrors(object: IncomingObject, old: StoredObject | undefined): readonly FieldError[] {
  if (old?.['immutable'] !== true) return []
  const message = 'field is immutable when `immutable` is set'
  return ['immutable', 'data', 'binaryData']
    .filter((name) => !jsonEqual(old[name], object[name]))
    .map((name) => field.forbidden(name, message))
}
