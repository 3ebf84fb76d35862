import { parseDuration } from '../api/duration.ts'
import { annotationDoNotDisrupt } from '../api/labels.ts'
import { byIdentity } from '../model/by-identity.ts'
import { toTimestamp } from '../model/clock.ts'
import type { PodInfo } from '../model/pod.ts'

export const doNotDisruptAnnotation = annotationDoNotDisrupt

/** What a pod's `karpenter.sh/do-not-disrupt` annotation means at one moment. */
export type DoNotDisrupt =
  | { readonly kind: 'absent' }
  | { readonly kind: 'always' }
  /** `untilMs` is absent while the pod has not started, which keeps the protection up. */
  | { readonly kind: 'until'; readonly untilMs: number | undefined }
  | { readonly kind: 'elapsed' }
  | { readonly kind: 'invalid'; readonly message: string }

/** A duration counts from the start of the pod, its end excluded. `now`: ms since the epoch. */
export function readDoNotDisrupt(pod: Pick<PodInfo, 'annotations' | 'startedAt'>, now: number): DoNotDisrupt {
  const text = pod.annotations[doNotDisruptAnnotation]
  if (text === undefined) return { kind: 'absent' }
  if (text === 'true') return { kind: 'always' }
  const parsed = parseDuration(text)
  if (parsed.kind === 'invalid') {
    return { kind: 'invalid', message: invalidMessage(`failed to parse "${text}" as a duration: ${parsed.message}`) }
  }
  if (parsed.nanoseconds <= 0n)
    return { kind: 'invalid', message: invalidMessage(`duration "${text}" must be positive`) }
  if (pod.startedAt === undefined) return { kind: 'until', untilMs: undefined }
  const untilMs = pod.startedAt + Number(parsed.nanoseconds / 1_000_000n)
  return now < untilMs ? { kind: 'until', untilMs } : { kind: 'elapsed' }
}

/** The pods of a node that carry the annotation, whatever it says. */
export const annotatedPods = byIdentity((pods: readonly PodInfo[]): readonly PodInfo[] =>
  pods.filter(({ annotations }) => Object.hasOwn(annotations, doNotDisruptAnnotation)),
)

/** A value that cannot be read protects nothing. */
export function isDoNotDisruptActive(pod: Pick<PodInfo, 'annotations' | 'startedAt'>, now: number): boolean {
  const { kind } = readDoNotDisrupt(pod, now)
  return kind === 'always' || kind === 'until'
}

/** The event that tells about the annotation, where there is something to tell. */
export function doNotDisruptNotice(
  state: DoNotDisrupt,
): { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string } | undefined {
  switch (state.kind) {
    case 'absent':
    case 'always':
      return undefined
    case 'invalid':
      return { type: 'Warning', reason: 'InvalidDoNotDisruptAnnotation', message: state.message }
    case 'elapsed':
      return {
        type: 'Normal',
        reason: 'DoNotDisruptGracePeriodElapsed',
        message: 'The karpenter.sh/do-not-disrupt grace period has elapsed, pod is now disruptable',
      }
    case 'until':
      return state.untilMs === undefined
        ? undefined
        : {
            type: 'Normal',
            reason: 'DoNotDisruptUntil',
            message: `The karpenter.sh/do-not-disrupt grace period will elapse at ${toTimestamp(state.untilMs)}`,
          }
  }
}

function invalidMessage(why: string): string {
  return `Invalid karpenter.sh/do-not-disrupt annotation: ${why}, ignoring annotation`
}
