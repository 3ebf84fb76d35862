import type { EC2NodeClass, NodePool } from '../../api/karpenter.ts'
import { parseDuration } from '../../api/duration.ts'
import {
  annotationApprove,
  annotationPauseUntil,
  annotationRestartAt,
  annotationRetire,
  annotationUndoTo,
} from '../../api/joinery-annotations.ts'
import { parseDateTime } from '../../api/validation/formats.ts'
import { toTimestamp } from '../../model/clock.ts'
import { familyOf, isOfFamily, otherFamilyText } from '../../rollout/images.ts'
import type { PoolPause } from '../../rollout/pause.ts'
import { isObserved, standingOf } from '../../rollout/standing.ts'
import { ProblemsError, UsageError } from '../command-line.ts'
import type { ApprovalUse } from './approval-use.ts'
import { type Reference, referenceText, type Steered } from './reference.ts'

/** One annotation that a request comes down to, and what to say of it. A null value removes it. */
export interface Request {
  readonly name: string
  readonly value: string | null
  readonly message: string
}

export interface PauseOptions {
  readonly for?: string
  readonly until?: string
}

export interface UndoOptions {
  readonly toRevision?: number
  readonly cancel?: boolean
}

/** What can be said without the cluster's time. @throws UsageError */
export function checkPause(options: PauseOptions): void {
  pauseEnd(options, 0)
}

/** @throws UsageError for a time that cannot be meant. */
export function pauseEnd(options: PauseOptions, now: number): number {
  if (options.for !== undefined && options.until !== undefined) {
    throw new UsageError('a pause has one end: --for or --until, not both')
  }
  if (options.for === undefined && options.until === undefined) {
    throw new UsageError('a pause ends by itself: say when, with --for 2h or --until 2030-01-31T08:00:00Z')
  }
  const until = options.for === undefined ? timeOf('--until', options.until ?? '') : now + spanOf(options.for)
  if (until <= now) throw new UsageError(`--until: ${toTimestamp(until)} has passed`)
  return until
}

export function pauseRequest(steered: Reference, until: number): Request {
  // Rounded up: whoever asks for two hours gets no less.
  const value = toTimestamp(Math.ceil(until / 1000) * 1000)
  return {
    name: annotationPauseUntil,
    value,
    message: `${referenceText(steered)}: no voluntary disruption until ${value}`,
  }
}

/** `left`: what else pauses nodes of the object. */
export function resumeRequest(steered: Steered, left: PoolPause | undefined): Request {
  const wasPaused = steered.object.metadata.annotations?.[annotationPauseUntil] !== undefined
  const declared = steered.kind === 'rolloutpolicy' ? steered.object.spec.pausedUntil : undefined
  const elsewhere = left === undefined ? '' : `; ${left.by} still pauses its nodes until ${toTimestamp(left.until)}`
  const rest = declared === undefined ? elsewhere : `; its spec.pausedUntil (${declared}) still stands`
  const message = `${referenceText(steered)}: ${wasPaused ? 'resumed' : 'was not paused by an annotation'}${rest}`
  return { name: annotationPauseUntil, value: null, message }
}

/** Approves what the status names as the target; another one is refused, for it would approve nothing. */
export function approveRequest(
  steered: Steered,
  options: { readonly target?: string },
  now: number,
  use: ApprovalUse,
): Request {
  const text = referenceText(steered)
  const object = poolOrClass(steered, 'approved')
  const { target, approved } = standingOf(object, now)
  if (target === null) {
    throw new ProblemsError([
      `${text}: its status names no target yet; is Joinery running, with its own CustomResourceDefinitions?`,
    ])
  }
  if (!isObserved(object)) {
    throw new ProblemsError([
      `${text}: the latest change has not been looked at yet, so its target is not known`,
      `help: look at it with \`joinery rollout status ${text}\` in a moment, then approve what it names`,
    ])
  }
  if (options.target !== undefined && options.target !== target) {
    throw new ProblemsError([
      `${text}: the target has moved on: ${options.target} was given, it now is ${target}`,
      `help: look at it with \`joinery rollout status ${text}\`, then approve that`,
    ])
  }
  const done = approved ? `${text}: ${target} was approved already` : `${text}: ${target} approved`
  const whose = steered.kind === 'nodepool' ? 'it' : 'a NodePool of it'
  const vain = use === 'unasked' ? `; no RolloutPolicy in mode Approve governs ${whose}, so nothing waits for that` : ''
  return { name: annotationApprove, value: target, message: `${done}${vain}` }
}

/** What can be said without the cluster. @throws UsageError */
export function checkUndo(options: UndoOptions): void {
  if (options.cancel === true && options.toRevision !== undefined) {
    throw new UsageError('an undo is asked for or taken back: --to-revision or --cancel, not both')
  }
}

/** Every node made before the time counts as drifted. */
export function restartRequest(steered: Steered, options: { readonly at?: string }, now: number): Request {
  poolOrClass(steered, 'restarted')
  // Rounded down: nodes made after the request, within the same second, are new.
  const value = toTimestamp(options.at === undefined ? now : timeOf('--at', options.at))
  const message = `${referenceText(steered)}: nodes made before ${value} will be replaced, within budgets and policies`
  return { name: annotationRestartAt, value, message }
}

/** Back to an image of the class's history: the newest good one that is not in use, or the revision that is named. */
export function undoRequest(steered: Steered, options: UndoOptions): Request {
  const text = referenceText(steered)
  const nodeClass = classOf(steered)
  const { status } = nodeClass
  if (options.cancel === true) {
    return { name: annotationUndoTo, value: null, message: `${text}: images are again those that its selector finds` }
  }
  const history = (status?.imageHistory ?? []).toSorted((a, b) => b.revision - a.revision)
  if (history.length === 0) throw new ProblemsError([`${text}: its status has no history of images yet`])
  const inUse = idsText((status?.amis ?? []).map(({ id }) => id))
  const { toRevision } = options
  const chosen = history.find((entry) =>
    toRevision === undefined
      ? entry.outcome === 'good' &&
        idsText(entry.images.map(({ id }) => id)) !== inUse &&
        isOfFamily(entry, familyOf(nodeClass))
      : entry.revision === toRevision,
  )
  if (chosen === undefined) {
    const known = history.map(({ revision }) => revision).join(', ')
    throw new ProblemsError([
      toRevision === undefined
        ? `${text}: no earlier revision is known to be good; name one with --to-revision (${known})`
        : `${text}: there is no revision ${toRevision}, only ${known}`,
    ])
  }
  if (!isOfFamily(chosen, familyOf(nodeClass))) {
    throw new ProblemsError([
      `${text}: no return to revision ${chosen.revision}: ${otherFamilyText(chosen, nodeClass)}`,
    ])
  }
  const images = chosen.images.map(({ id }) => id).join(', ')
  const message = `${text}: back to revision ${chosen.revision} (${images}), for as long as the annotation is there`
  return { name: annotationUndoTo, value: String(chosen.revision), message }
}

export function retireRequest(steered: Steered, options: { readonly cancel: boolean }): Request {
  const text = referenceText(steered)
  if (steered.kind !== 'nodepool') throw new UsageError(`${text}: only a NodePool can be retired`)
  if (!options.cancel) {
    if (steered.object.spec.replicas !== undefined) {
      throw new ProblemsError([`${text}: is static and makes its own replacements; set its spec.replicas to 0 instead`])
    }
    const message = `${text}: gets no new nodes; its nodes are drained within its budgets, replacements first`
    return { name: annotationRetire, value: steered.name, message }
  }
  const wasAsked = steered.object.metadata.annotations?.[annotationRetire] !== undefined
  const done = wasAsked ? 'is no longer retired; nodes that went come back only as pods need them' : 'was not retired'
  return { name: annotationRetire, value: null, message: `${text}: ${done}` }
}

function poolOrClass(steered: Steered, what: string): NodePool | EC2NodeClass {
  if (steered.kind !== 'rolloutpolicy') return steered.object
  const text = referenceText(steered)
  throw new UsageError(`${text}: NodePools and EC2NodeClasses are ${what}; a policy can be paused and resumed`)
}

function classOf(steered: Steered): EC2NodeClass {
  if (steered.kind === 'ec2nodeclass') return steered.object
  const used = steered.kind === 'nodepool' ? steered.object.spec.template.spec.nodeClassRef.name : undefined
  throw new ProblemsError([
    `${referenceText(steered)}: what can be undone is a change of images, and those belong to an EC2NodeClass`,
    ...(used === undefined ? [] : [`help: joinery rollout undo ec2nodeclass/${used}`]),
    'help: a change of a spec is undone where it was made: revert the commit, or apply the earlier manifest',
  ])
}

function idsText(ids: readonly string[]): string {
  return ids.toSorted().join(',')
}

function timeOf(option: string, text: string): number {
  const time = parseDateTime(text)
  if (time === undefined)
    throw new UsageError(`${option}: ${JSON.stringify(text)} is no RFC 3339 time such as 2030-01-31T08:00:00Z`)
  return time
}

function spanOf(text: string): number {
  const parsed = parseDuration(text)
  if (parsed.kind === 'invalid') throw new UsageError(`--for: ${parsed.message}`)
  const ms = Number(parsed.nanoseconds / 1_000_000n)
  if (ms <= 0) throw new UsageError('--for: a pause takes some time, such as 30m or 2h')
  return ms
}
