import type { Filter, Tag } from '@aws-sdk/client-ec2'
import { BoundedMemo } from '../../api/bounded-memo.ts'
import { AWSError, invalidParameter } from './errors.ts'

/** What an object answers to a filter of some name; undefined for a name the resource does not know. */
export type FilterValues = (name: string) => readonly string[] | undefined

/**
 * EC2's filters: all must match, any value of one suffices, `*` and `?` are wildcards unless escaped. `tag:KEY` and `tag-key` read
 * the tags.
 */
export function matchesFilters(
  filters: readonly Filter[] | undefined,
  tags: Readonly<Record<string, string>>,
  valuesOf: FilterValues,
): boolean {
  for (const { Name: name = '', Values: wanted = [] } of filters ?? []) {
    const values = name.startsWith('tag:')
      ? ownValues(tags, name.slice(4))
      : name === 'tag-key'
        ? Object.keys(tags)
        : valuesOf(name)
    if (values === undefined) throw invalidParameter(`The filter '${name}' is invalid`)
    if (!wanted.some((pattern) => values.some((value) => matchesPattern(pattern, value)))) return false
  }
  return true
}

/** The page that `token` names, of at most `max` items; the token is the index of the first. */
export function page<T>(items: readonly T[], max: number | undefined, token: string | undefined) {
  const from = token === undefined || token === '' ? 0 : Number.parseInt(token, 36)
  if (!Number.isSafeInteger(from) || from < 0 || from > items.length) {
    throw new AWSError('InvalidNextToken', 'The specified NextToken is invalid')
  }
  const to = max === undefined ? items.length : Math.min(items.length, from + max)
  const next = to < items.length ? to.toString(36) : undefined
  return { items: items.slice(from, to), next, nextToken: next === undefined ? {} : { NextToken: next } }
}

export function toTags(tags: Readonly<Record<string, string>>): Tag[] {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }))
}

export function fromTags(tags: readonly Tag[] | undefined): Record<string, string> {
  return Object.fromEntries((tags ?? []).map(({ Key: key = '', Value: value = '' }) => [key, value]))
}

/** One call asks each object about the same few. */
const patterns = new BoundedMemo<string, RegExp>(1_000)

function matchesPattern(pattern: string, value: string): boolean {
  if (pattern === value) return true
  if (!/[*?\\]/.test(pattern)) return false
  return patterns.of(pattern, compiled).test(value)
}

function compiled(pattern: string): RegExp {
  const source = pattern.replaceAll(/\\.|[\s\S]/g, (part) => {
    if (part === '*') return '[\\s\\S]*'
    if (part === '?') return '[\\s\\S]'
    const literal = part.length === 2 ? part.slice(1) : part
    return literal.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${source}$`)
}

function ownValues(tags: Readonly<Record<string, string>>, key: string): readonly string[] {
  const value = Object.hasOwn(tags, key) ? tags[key] : undefined
  return value === undefined ? [] : [value]
}
