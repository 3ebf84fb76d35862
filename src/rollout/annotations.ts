import {
  annotationApprove,
  annotationPauseUntil,
  annotationRestartAt,
  annotationRetire,
  annotationUndoTo,
} from '../api/joinery-annotations.ts'
import type { KubeObject } from '../api/kubernetes.ts'
import { parseDateTime } from '../api/validation/formats.ts'
import { compareText } from '../model/order.ts'
import { shortText } from '../model/short-text.ts'

/** What the annotations of one object ask for at one moment. */
export interface RolloutAnnotations {
  /** The target that was approved. Whether it still is the target, the reader has to compare. */
  readonly approve?: string
  /** In ms since the epoch, and later than now: a pause that has ended is no pause. */
  readonly pausedUntil?: number
  /** In ms since the epoch, and not later than now: before that time every node, the newest too, would be too old. */
  readonly restartAt?: number
  readonly undoTo?: number
  readonly retire: boolean
  /** In ms since the epoch: when the same annotations ask for something else. */
  readonly changesAt?: number
  readonly problems: readonly AnnotationProblem[]
}

/** A value that cannot be followed. It counts as not given, and is told. */
export interface AnnotationProblem {
  readonly path: string
  readonly message: string
}

const names = [annotationApprove, annotationPauseUntil, annotationRestartAt, annotationRetire, annotationUndoTo]
const asksForNothing: RolloutAnnotations = { retire: false, problems: [] }

/** A hash in decimal and eight hexadecimal digits of the resolved images. */
const targetPattern = /^[0-9]+-[0-9a-f]{8}$/
const revisionPattern = /^[1-9][0-9]{0,8}$/

export function readRolloutAnnotations(object: KubeObject, now: number): RolloutAnnotations {
  const { kind, metadata } = object
  // Most objects carry none, and are asked about many times a minute.
  if (!hasRolloutAnnotations(object)) return asksForNothing
  const problems: AnnotationProblem[] = []
  const read = <T>(name: string, kinds: readonly string[], parse: (value: string) => Parsed<T>): T | undefined => {
    const value = metadata.annotations?.[name]
    if (value === undefined) return undefined
    const parsed: Parsed<T> = kinds.includes(kind) ? parse(value) : wrong(`has no effect on kind ${kind}`)
    if (parsed.kind === 'ok') return parsed.value
    problems.push({ path: `metadata.annotations[${name}]`, message: parsed.message })
    return undefined
  }
  const approve = read(annotationApprove, ['NodePool', 'EC2NodeClass'], parseTarget)
  const pausedUntil = read(annotationPauseUntil, ['NodePool', 'EC2NodeClass', 'RolloutPolicy'], parseTime)
  const restartAt = read(annotationRestartAt, ['NodePool', 'EC2NodeClass'], parseTime)
  const undoTo = read(annotationUndoTo, ['EC2NodeClass'], parseRevision)
  const retire = read(annotationRetire, ['NodePool'], (value) =>
    isStatic(object)
      ? wrong('has no effect on a static NodePool: set its replicas to 0 instead')
      : parseName(value, metadata.name),
  )
  const changesAt = [pausedUntil, restartAt].filter((time) => time !== undefined && time > now)
  return {
    ...(approve === undefined ? {} : { approve }),
    ...(pausedUntil === undefined || pausedUntil <= now ? {} : { pausedUntil }),
    ...(restartAt === undefined || restartAt > now ? {} : { restartAt }),
    ...(undoTo === undefined ? {} : { undoTo }),
    retire: retire !== undefined,
    ...(changesAt.length === 0 ? {} : { changesAt: Math.min(...changesAt.map(Number)) }),
    problems: problems.toSorted((a, b) => compareText(a.path, b.path)),
  }
}

/** Whether the object carries any of them: what they ask for may change with time. */
export function hasRolloutAnnotations({ metadata }: KubeObject): boolean {
  return names.some((name) => metadata.annotations?.[name] !== undefined)
}

/** Its nodes are replaced in the same pool, whatever anybody asks for. */
function isStatic(object: KubeObject & { readonly spec?: unknown }): boolean {
  const { spec } = object
  return typeof spec === 'object' && spec !== null && 'replicas' in spec
}

type Parsed<T> = { readonly kind: 'ok'; readonly value: T } | { readonly kind: 'wrong'; readonly message: string }

function parseTarget(value: string): Parsed<string> {
  return targetPattern.test(value)
    ? { kind: 'ok', value }
    : wrong(`${quote(value)} is no target: take the one that the object's status or \`joinery rollout status\` names`)
}

function parseTime(value: string): Parsed<number> {
  const time = parseDateTime(value)
  return time === undefined
    ? wrong(`${quote(value)} is no RFC 3339 time such as 2030-01-31T08:00:00Z`)
    : { kind: 'ok', value: time }
}

function parseRevision(value: string): Parsed<number> {
  return revisionPattern.test(value)
    ? { kind: 'ok', value: Number(value) }
    : wrong(`${quote(value)} is no revision: take a number that \`joinery rollout history\` lists`)
}

function parseName(value: string, name: string): Parsed<true> {
  return value === name
    ? { kind: 'ok', value: true }
    : wrong(`${quote(value)} is not the name of this NodePool; to retire it, the value must be ${quote(name)}`)
}

function wrong(message: string): { readonly kind: 'wrong'; readonly message: string } {
  return { kind: 'wrong', message }
}

/** Values come from outside: cut, so that a message stays readable. */
function quote(value: string): string {
  return JSON.stringify(shortText(value, 64))
}
