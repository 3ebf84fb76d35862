import type { KubeObject } from '../api/kubernetes.ts'
import { toTimestamp } from '../model/clock.ts'
import type { RolloutAnnotations } from './annotations.ts'

type SteeringKind =
  | 'DisruptionPaused'
  | 'DisruptionResumed'
  | 'TargetApproved'
  | 'RestartRequested'
  | 'UndoRequested'
  | 'UndoEnded'
  | 'RetireRequested'
  | 'RetireCancelled'
  | 'AnnotationUnreadable'

/** Something that a person, a commit or time changed about how an object is rolled out. */
export interface SteeringChange {
  readonly kind: SteeringKind
  readonly type: 'Normal' | 'Warning'
  readonly message: string
}

/** An object that nobody steers. */
export const unsteered: RolloutAnnotations = { retire: false, problems: [] }

/** What is different now, in a fixed order. `target` is what an approval would have to name. */
export function steeringChanges(
  { kind, metadata }: Pick<KubeObject, 'kind' | 'metadata'>,
  before: RolloutAnnotations,
  now: RolloutAnnotations,
  target: string | undefined,
): readonly SteeringChange[] {
  const changes: SteeringChange[] = []
  const tell = (change: SteeringKind, message: string, type: SteeringChange['type'] = 'Normal'): void => {
    changes.push({ kind: change, type, message })
  }
  if (now.pausedUntil !== before.pausedUntil) {
    if (now.pausedUntil === undefined) tell('DisruptionResumed', 'Voluntary disruption goes on')
    else tell('DisruptionPaused', `No voluntary disruption until ${toTimestamp(now.pausedUntil)}`)
  }
  if (now.approve !== undefined && now.approve !== before.approve) {
    if (target === undefined || target === now.approve) tell('TargetApproved', `Target ${now.approve} is approved`)
    else {
      const void_ = `Target ${now.approve} is approved, but the target now is ${target}: the approval has no effect`
      tell('TargetApproved', void_, 'Warning')
    }
  }
  if (now.restartAt !== undefined && now.restartAt !== before.restartAt) {
    tell('RestartRequested', `Nodes made before ${toTimestamp(now.restartAt)} are to be replaced`)
  }
  if (now.undoTo !== before.undoTo) {
    if (now.undoTo === undefined) tell('UndoEnded', 'Images are again those that the selector finds')
    else tell('UndoRequested', `Back to revision ${now.undoTo} of the images`)
  }
  if (now.retire && !before.retire) {
    tell('RetireRequested', `${kind} ${metadata.name} is retired: it gets no new nodes, and present ones are drained`)
  }
  if (!now.retire && before.retire) tell('RetireCancelled', `${kind} ${metadata.name} is no longer retired`)
  const known = new Set(before.problems.map(({ path, message }) => `${path}: ${message}`))
  for (const { path, message } of now.problems) {
    const text = `${path}: ${message}`
    if (!known.has(text)) tell('AnnotationUnreadable', text, 'Warning')
  }
  return changes
}
