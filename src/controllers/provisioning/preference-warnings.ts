import type { Logger } from '../../kube/logger.ts'
import type { Clock } from '../../model/clock.ts'
import { type PodInfo, podKey } from '../../model/pod.ts'
import { listText } from '../../model/list-text.ts'

/** A pod's preferences do not change; once a day is reminder enough. */
const againMs = 24 * 3_600_000
const podsShown = 10

/**
 * Tells of preferences that can keep nodes from being consolidated. As in Karpenter both notes share one memory per pod: a pod that
 * earns both is reported in every pass.
 */
export class PreferenceWarnings {
  readonly #clock: Clock
  readonly #reported = new Map<string, { readonly note: string; readonly at: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  report(pods: readonly PodInfo[], log: Logger): void {
    const now = this.#clock.monotonicMs()
    for (const [uid, { at }] of this.#reported) if (now - at >= againMs) this.#reported.delete(uid)
    this.#note('preferred Anti-Affinity', pods.filter(hasPreferredAntiAffinity), log)
    this.#note('preferred TopologySpreadConstraint', pods.filter(hasPreferredSpread), log)
  }

  #note(note: string, pods: readonly PodInfo[], log: Logger): void {
    const fresh = pods.filter(({ uid }) => this.#reported.get(uid)?.note !== note)
    const at = this.#clock.monotonicMs()
    for (const { uid } of fresh) this.#reported.set(uid, { note, at })
    if (fresh.length === 0) return
    log.info({ pods: listText(fresh.map(podKey), podsShown) }, `pod(s) have a ${note} which can prevent consolidation`)
  }
}

function hasPreferredAntiAffinity({ affinity }: PodInfo): boolean {
  return (affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).length > 0
}

function hasPreferredSpread({ topologySpreadConstraints }: PodInfo): boolean {
  return topologySpreadConstraints.some(({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway')
}
