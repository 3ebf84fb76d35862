import type { KubeObject } from '../../../src/api/kubernetes.ts'
import type { Seen, Trace, Write } from './record.ts'

/** The process is killed at a write: before it, or with its effect done; or it lives and never learns that it was done. */
interface IntermediateCase {
  readonly pattern: 'intermediate'
  readonly write: Write
  readonly how: 'killed before' | 'killed after' | 'answer lost'
}

/**
 * A write that was decided on `from`. Frozen: its kind stands still from before `from` while all others go on. Travel: once `to`, which
 * contradicts it, was seen, a new process is served its kind as it was at `from`.
 */
export interface StaleCase {
  readonly pattern: 'stale'
  readonly write: Write
  readonly how: 'frozen' | 'travel'
  readonly from: Seen
  /** The same object's next state after the write; the write's own moment when there is none. */
  readonly to: Seen | undefined
}

/** An object's states from `from` until before `to`, which takes back what `from` changed, are never seen. */
export interface UnobservedCase {
  readonly pattern: 'unobserved'
  readonly from: Seen
  readonly to: Seen
}

/** Two processes lead for a while, and a write of the old one arrives when the new one has taken over. */
export interface ReentrancyCase {
  readonly pattern: 'reentrancy'
  readonly write: Write
}

export type PatternCase = IntermediateCase | StaleCase | UnobservedCase | ReentrancyCase

export const patterns: readonly PatternCase['pattern'][] = ['intermediate', 'stale', 'unobserved', 'reentrancy']

/** What a decision may rest on: seen by the same reconcile or the one before it. */
const causeMs = 30_000
/** The API server keeps five minutes of history. */
const travelMaxMs = 4 * 60_000

/** All that the four patterns ask of a reference run, in its order. */
export function casesOf(trace: Trace): readonly PatternCase[] {
  return [
    ...trace.writes.flatMap((write): readonly PatternCase[] =>
      (['killed before', 'killed after', 'answer lost'] as const).map((how) => ({
        pattern: 'intermediate',
        write,
        how,
      })),
    ),
    ...staleCases(trace),
    ...unobservedCases(trace),
    ...trace.writes.map((write): PatternCase => ({ pattern: 'reentrancy', write })),
  ]
}

export function titleOf(each: PatternCase): string {
  switch (each.pattern) {
    case 'intermediate':
      return `intermediate, write ${pointOf(each.write)}: ${each.how}`
    case 'stale':
      return `stale, write ${pointOf(each.write)}: ${each.how} at ${stateOf(each.from)}`
    case 'unobserved':
      return `unobserved: from ${stateOf(each.from)} until ${stateOf(each.to)}`
    case 'reentrancy':
      return `reentrancy, write ${pointOf(each.write)}`
  }
}

function pointOf({ index, text }: Write): string {
  return `${index} (${text})`
}

function stateOf({ type, resource, key, revision }: Seen): string {
  return `${type} ${resource.plural} ${key} @${revision}`
}

function idOf({ resource, key }: Seen): string {
  return `${resource.plural} ${key}`
}

/** One pair for each decisive write and each object that changed shortly before it. */
function staleCases({ writes, seen, actSeen }: Trace): readonly StaleCase[] {
  return writes
    .filter(({ decides }) => decides)
    .flatMap((write) => {
      const causes = new Map<string, Seen>()
      for (const each of seen.slice(actSeen, write.seen)) {
        if (write.at - each.at <= causeMs) causes.set(idOf(each), each)
      }
      return [...causes.values()].flatMap((from): readonly StaleCase[] => {
        const to = seen.slice(write.seen).find((each) => idOf(each) === idOf(from) && each.at - from.at <= travelMaxMs)
        return [
          { pattern: 'stale', write, how: 'frozen', from, to: undefined },
          { pattern: 'stale', write, how: 'travel', from, to },
        ]
      })
    })
}

function unobservedCases({ seen, actSeen }: Trace): readonly UnobservedCase[] {
  const states = new Map<string, Map<string, string>>()
  const cases: UnobservedCase[] = []
  for (const from of seen) {
    const id = idOf(from)
    const before = states.get(id) ?? new Map<string, string>()
    const after = from.type === 'DELETED' ? new Map<string, string>() : leavesOf(from.object)
    states.set(id, after)
    if (from.index < actSeen) continue
    const changed = from.type === 'ADDED' ? [] : [...after].filter(([path, value]) => before.get(path) !== value)
    const to = seen.slice(from.index + 1).find((later) => {
      if (idOf(later) !== id) return false
      if (later.type !== 'MODIFIED') return true
      const leaves = leavesOf(later.object)
      return changed.some(([path, value]) => leaves.get(path) !== value)
    })
    if (to !== undefined) cases.push({ pattern: 'unobserved', from, to })
  }
  return cases
}

const bookkeeping =
  /(^|\.)(resourceVersion|managedFields|generation|observedGeneration|lastHeartbeatTime|lastTransitionTime)(\.|$)/

/** Every value of an object by its path; conditions and the like by their type, not by their place. */
function leavesOf(object: KubeObject): Map<string, string> {
  const leaves = new Map<string, string>()
  const visit = (value: unknown, path: string): void => {
    if (bookkeeping.test(path)) return
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) visit(item, `${path}.${nameOf(item) ?? index}`)
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) visit(item, path === '' ? key : `${path}.${key}`)
    } else {
      leaves.set(path, JSON.stringify(value) ?? '')
    }
  }
  visit(object, '')
  return leaves
}

function nameOf(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined
  if ('type' in item && typeof item.type === 'string') return item.type
  return 'key' in item && typeof item.key === 'string' ? item.key : undefined
}
