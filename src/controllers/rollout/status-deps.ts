import { conditionIn, conditionReady, isConditionTrue } from '../../api/conditions.ts'
import type { NodeClaim, NodePoolRolloutStatus, RolloutPolicy } from '../../api/karpenter.ts'
import type { KubeObject, Node } from '../../api/kubernetes.ts'
import { labelNodePool } from '../../api/labels.ts'
import {
  backOff,
  type Caches,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
} from '../../kube/controller.ts'
import { isConflict } from '../../kube/errors.ts'
import type { KubeClient } from '../../kube/port.ts'
import { keyText, type ObjectKey } from '../../kube/resource.ts'
import type { Clock } from '../../model/clock.ts'
import type { LabelAliases } from '../../model/requirements.ts'
import { readRolloutAnnotations } from '../../rollout/annotations.ts'
import type { PoolPause } from '../../rollout/pause.ts'
import type { StalledCause, StalledSource } from '../../rollout/stalled.ts'
import type { VerdictBook } from '../disruption/index.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import type { CountedFleet, PresentHashes } from './counted-fleet.ts'
import { isStatusOnly } from './counted-only.ts'

export interface RolloutStatusDeps {
  readonly kube: Pick<KubeClient, 'get' | 'patch'>
  readonly caches: Caches
  readonly clock: Clock
  readonly hashes: PresentHashes
  /** Labels with several names, as requirements may say them. */
  readonly labelAliases: LabelAliases
  /** Why disruption last left each node alone. */
  readonly verdicts: Pick<VerdictBook, 'of'>
  /** Who knows what else keeps rollouts from going on. */
  readonly stalled: readonly StalledSource[]
  /** What the policy that governs a pool says of it; undefined where none does. */
  poolRollout(pool: string): NodePoolRolloutStatus | undefined
  /** What keeps every voluntary disruption of a pool off for a while. */
  pauseOf(pool: string): PoolPause | undefined
  readonly metrics: Pick<ControllerMetrics, 'nodePoolNodes'>
  readonly concurrency: number
}

export interface StatusParts extends RolloutStatusDeps {
  readonly view: CountedFleet
}

/** Counting the nodes of a large fleet takes milliseconds; while hundreds of claims change, once a second is often enough. */
const leastGapMs = 1_000
/** What holds nodes back changes without any object that is watched here. */
export const movingEveryMs = 10_000
export const idleEveryMs = 60_000

/** Runs a reconcile for each key at most once a second, and again soon after a write conflict. */
export function paced(
  clock: Clock,
  reconcile: (key: ObjectKey, context: ReconcileContext) => Promise<ReconcileResult>,
): (key: ObjectKey, context: ReconcileContext) => Promise<ReconcileResult> {
  const lastAt = new Map<string, number>()
  return async (key, context) => {
    const name = keyText(key)
    const waitMs = (lastAt.get(name) ?? Number.NEGATIVE_INFINITY) + leastGapMs - clock.monotonicMs()
    if (waitMs > 0) return requeueAfter(waitMs)
    try {
      const result = await reconcile(key, context)
      if (result.kind === 'done') lastAt.delete(name)
      else if (result.kind === 'requeue') lastAt.set(name, clock.monotonicMs())
      return result
    } catch (error) {
      if (isConflict(error)) return backOff
      throw error
    }
  }
}

/** The reason of Stalled where an annotation of ours cannot be read. */
export const invalidAnnotation = 'InvalidAnnotation'

/** Annotations that cannot be read are told where everybody looks. */
export function annotationCauses(object: KubeObject, now: number): readonly StalledCause[] {
  return readRolloutAnnotations(object, now).problems.map(({ path, message }) => ({
    reason: invalidAnnotation,
    message: `${path}: ${message}`,
  }))
}

/**
 * Whether a policy changed in nothing that statuses of pools and classes should tell at once. What its own status counts changes with
 * every node; what stalls it, or does so no longer, is what people and delivery tools wait for.
 */
export function isToldAlike(before: RolloutPolicy | undefined, after: RolloutPolicy | undefined): boolean {
  return isStatusOnly(before, after) && stalledText(before) === stalledText(after)
}

function stalledText(policy: RolloutPolicy | undefined): string {
  const { status = '', reason = '', message = '' } = conditionIn(policy?.status?.conditions, 'Stalled') ?? {}
  return `${status}/${reason}/${message}`
}

/** Claims change often, most of the time in what no status counts. */
export function isCountedAlike(before: NodeClaim | undefined, after: NodeClaim | undefined): boolean {
  return before !== undefined && after !== undefined && countedText(before) === countedText(after)
}

/** The pools of a node whose readiness changed; kubelets write their heartbeat far more often. */
export function poolsOfNodeChange(before: Node | undefined, after: Node | undefined): readonly string[] {
  const isAlike =
    before !== undefined &&
    after !== undefined &&
    isConditionTrue(before, conditionReady) === isConditionTrue(after, conditionReady)
  const pools = [before, after].flatMap((node) => node?.metadata.labels?.[labelNodePool] ?? [])
  return isAlike ? [] : [...new Set(pools)]
}

function countedText({ metadata, status }: NodeClaim): string {
  const { annotations = {}, deletionTimestamp = '', labels = {} } = metadata
  const stamps = Object.entries(annotations).flatMap(([key, value]) => (key.includes('hash') ? [key, value] : []))
  const counted: ReadonlySet<string> = new Set(['Drifted', 'Initialized', 'Launched'])
  const conditions = (status?.conditions ?? [])
    .filter(({ type }) => counted.has(type))
    .map((condition) => `${condition.type}=${condition.status}/${condition.reason ?? ''}`)
  const facts = [deletionTimestamp, labels[labelNodePool] ?? '', status?.nodeName ?? '', status?.imageID ?? '']
  return JSON.stringify([...facts, ...stamps, ...conditions.toSorted()])
}
