import type { Blocked } from '../../disruption/candidates.ts'
import { type DisruptionMethod, reasonOf, type Replacement } from '../../disruption/command.ts'
import { annotatedPods, doNotDisruptNotice, readDoNotDisrupt } from '../../disruption/do-not-disrupt.ts'
import type { Logger } from '../../kube/logger.ts'
import { isActive, type PodInfo } from '../../model/pod.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import type { DisruptionDeps } from './deps.ts'
import { blockedEvents, blockingBudgetEvent, isBlockedByBudget } from './events.ts'
import type { MethodView } from './method-views.ts'

type ReporterDeps = Pick<DisruptionDeps<Replacement>, 'clock' | 'recorder' | 'metrics'>

/** Longer than this between two runs of a method and consolidation has practically stopped. */
const abnormalGapMs = 15 * 60_000

/** Turns what each pass of the disruption loop sees into events, metrics and log lines. */
export class PassReporter {
  readonly #deps: ReporterDeps
  readonly #lastRun = new Map<string, number>()
  /** Pools of which metrics tell how many nodes may be disrupted. */
  readonly #told = new Set<string>()

  constructor(deps: ReporterDeps) {
    this.#deps = deps
  }

  looked(snapshot: Snapshot): void {
    for (const { managed, pods } of snapshot.nodes) {
      if (managed) for (const pod of annotatedPods(pods)) if (isActive(pod)) this.#publishNotice(pod, snapshot.now)
    }
    this.#forgetPools(snapshot)
  }

  viewed(method: DisruptionMethod, { blocked, budgets, eligible }: MethodView): void {
    const { metrics, recorder } = this.#deps
    const reason = reasonOf[method]
    this.blocked(blocked)
    metrics.disruptionEligibleNodes.set({ reason: reason.toLowerCase() }, eligible.length)
    for (const [nodepool, budget] of budgets) {
      this.#told.add(nodepool)
      metrics.nodePoolAllowedDisruptions.set({ nodepool, reason }, budget.allowed)
      metrics.nodePoolNodesConsumingBudgets.set({ nodepool, reason }, budget.disrupting)
      if (eligible.length > 0 && isBlockedByBudget(budget)) recorder.publish(blockingBudgetEvent(budget, reason))
    }
  }

  blocked(blocked: readonly Blocked[]): void {
    for (const found of blocked) this.#deps.recorder.publish(...blockedEvents(found))
  }

  noteGap(name: string, log: Logger): void {
    const now = this.#deps.clock.now()
    const gap = now - (this.#lastRun.get(name) ?? now)
    if (gap > abnormalGapMs) log.debug({ name, time_since: `${Math.round(gap / 1000)}s` }, 'abnormal time between runs')
    this.#lastRun.set(name, now)
  }

  /** A pod whose annotation is wrong, or will lapse, or has lapsed, is told once. */
  #publishNotice(pod: PodInfo, now: number): void {
    const notice = doNotDisruptNotice(readDoNotDisrupt(pod, now))
    if (notice === undefined) return
    const { name, namespace, uid } = pod
    const metadata = { name, namespace, uid, resourceVersion: '', creationTimestamp: '' }
    const text = notice.reason === 'DoNotDisruptGracePeriodElapsed' ? [] : [notice.message]
    this.#deps.recorder.publish({
      object: { apiVersion: 'v1', kind: 'Pod', metadata },
      ...notice,
      dedupeValues: [uid, ...text],
    })
  }

  #forgetPools({ nodePools }: Snapshot): void {
    const { metrics } = this.#deps
    const present = new Set(nodePools.map(({ metadata }) => metadata.name))
    for (const nodepool of this.#told) {
      if (present.has(nodepool)) continue
      this.#told.delete(nodepool)
      metrics.nodePoolAllowedDisruptions.removeMatching({ nodepool })
      metrics.nodePoolNodesConsumingBudgets.removeMatching({ nodepool })
    }
  }
}
