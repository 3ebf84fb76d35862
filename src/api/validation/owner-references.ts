import { goJson } from '../hash/go-json.ts'
import { isRecord, type JsonRecord, textOf } from '../json.ts'
import { type FieldError, invalid, invalidAs, wrongType } from './field-error.ts'

const path = 'metadata.ownerReferences'
const texts = ['apiVersion', 'kind', 'name', 'uid'] as const
const booleans = ['controller', 'blockOwnerDeletion'] as const

/** What an API server refuses about owners, in its words and without the position, which it does not tell. */
export function ownerReferenceErrors(owners: unknown): FieldError[] {
  if (owners === undefined || owners === null) return []
  if (!Array.isArray(owners)) return [wrongType(path, owners, 'array')]
  // A null is an empty owner to a Go server.
  const given = owners.map((owner: unknown) => owner ?? {})
  const mistyped = given.flatMap((owner, index) =>
    isRecord(owner) ? memberTypeErrors(owner, `${path}[${index}]`) : [wrongType(`${path}[${index}]`, owner, 'object')],
  )
  if (mistyped.length > 0) return mistyped
  const references = given.filter(isRecord)
  return [...references.flatMap(referenceErrors), ...controllerErrors(references)]
}

function memberTypeErrors(owner: JsonRecord, at: string): FieldError[] {
  const wrong = (names: readonly string[], type: 'string' | 'boolean'): FieldError[] =>
    names.flatMap((name) => {
      const value = owner[name] ?? undefined
      return value === undefined || typeof value === type ? [] : [wrongType(`${at}.${name}`, value, type)]
    })
  return [...wrong(texts, 'string'), ...wrong(booleans, 'boolean')]
}

function referenceErrors(owner: JsonRecord): FieldError[] {
  const apiVersion = textOf(owner['apiVersion'])
  const empty = texts
    .filter((name) => name !== 'apiVersion' && textOf(owner[name]) === '')
    .map((name) => invalid(`${path}.${name}`, '', 'must not be empty'))
  if (!hasVersion(apiVersion)) return [invalid(`${path}.apiVersion`, apiVersion, 'version must not be empty'), ...empty]
  // Events come and go by the thousand; an owner of that kind is the one that is never allowed.
  const isEvent = owner['kind'] === 'Event' && (apiVersion === 'v1' || apiVersion === 'events.k8s.io/v1')
  return isEvent
    ? [...empty, invalidAs(path, ownerText(owner), `${gvkText(apiVersion)} is disallowed from being an owner`)]
    : empty
}

/** `v1` or `group/v1`; more slashes mean no version to the server. */
function hasVersion(apiVersion: string): boolean {
  const [first = '', version, ...more] = apiVersion.split('/')
  return more.length === 0 && (version ?? first) !== ''
}

function gvkText(apiVersion: string): string {
  return `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=Event`
}

/** Each error quotes all owners, so that many errors of many owners would fill the memory; those of fewer than some sixty are all told. */
const quotedMax = 2 ** 18

function controllerErrors(references: readonly JsonRecord[]): FieldError[] {
  const [first, ...others] = references.filter((owner) => owner['controller'] === true)
  if (first === undefined || others.length === 0) return []
  const all = `[${references.map(ownerText).join(',')}]`
  const told = others.slice(0, Math.max(1, Math.floor(quotedMax / all.length)))
  return told.map((other) =>
    invalidAs(
      path,
      all,
      `Only one reference can have Controller set to true. Found "true" in references for ${nameOf(first)} and ${nameOf(other)}`,
    ),
  )
}

/** JSON in the order of the type's fields. */
function ownerText(owner: JsonRecord): string {
  const members = [
    ...texts.map((name) => [name, textOf(owner[name])] as const),
    ...booleans.flatMap((name) => (typeof owner[name] === 'boolean' ? [[name, owner[name]] as const] : [])),
  ]
  return `{${members.map(([name, value]) => `"${name}":${goJson(value)}`).join(',')}}`
}

function nameOf(owner: JsonRecord): string {
  return `${textOf(owner['kind'])}/${textOf(owner['name'])}`
}
