import { annotationPauseUntil } from '../api/joinery-annotations.ts'
import type { EC2NodeClass, NodePool, RolloutPolicy } from '../api/karpenter.ts'
import type { KubeObject } from '../api/kubernetes.ts'
import { parseDateTime } from '../api/validation/formats.ts'
import { toTimestamp } from '../model/clock.ts'
import { compareText } from '../model/order.ts'
import { readRolloutAnnotations } from './annotations.ts'

/** Why nothing of a pool is disrupted voluntarily, and until when. */
export interface PoolPause {
  /** In ms since the epoch. */
  readonly until: number
  /** Kind and name of the object that says so. */
  readonly by: string
  readonly message: string
}

/** What can pause a pool: itself, its node class, and every RolloutPolicy that selects it, governing or not. */
export interface PauseSources {
  readonly pool: NodePool
  readonly nodeClass: EC2NodeClass | undefined
  readonly policies: readonly RolloutPolicy[]
}

/** Whether the object asks for a pause, be it over or not. */
export function asksForPause({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[annotationPauseUntil] !== undefined
}

/** Of several pauses in force the one that ends last; undefined when none is. */
export function poolPause({ pool, nodeClass, policies }: PauseSources, now: number): PoolPause | undefined {
  const pauses = [
    objectPause(pool, now),
    ...(nodeClass === undefined ? [] : [objectPause(nodeClass, now)]),
    ...policies.flatMap((policy) => [objectPause(policy, now), declared(policy, now)]),
  ].filter((found) => found !== undefined)
  return pauses.toSorted((a, b) => b.until - a.until || compareText(a.by, b.by))[0]
}

/** The pause that an annotation of the object asks for. */
export function objectPause(object: KubeObject, now: number): PoolPause | undefined {
  const { pausedUntil } = readRolloutAnnotations(object, now)
  return pausedUntil === undefined ? undefined : pause(object, pausedUntil)
}

function declared(policy: RolloutPolicy, now: number): PoolPause | undefined {
  const text = policy.spec.pausedUntil
  const until = text === undefined ? undefined : parseDateTime(text)
  return until === undefined || until <= now ? undefined : pause(policy, until)
}

function pause({ kind, metadata: { name } }: KubeObject, until: number): PoolPause {
  const by = `${kind}/${name}`
  return { until, by, message: `Paused until ${toTimestamp(until)} by ${by}` }
}
