import { compareText } from '../../model/order.ts'
import { podKey } from '../../model/pod.ts'
import type { StateNode } from '../../model/snapshot.ts'
import type { Placement } from '../../scheduling/index.ts'
import type { UnplacedPod } from '../../disruption/what-if.ts'
import { limitHits } from './limit-hits.ts'
import type { BlockedNode, LimitHit, Plan, UnplaceablePod } from './plan.ts'

/** What stands in the way, gathered while the plan is made; each thing once. */
export class Findings {
  readonly #blocked = new Map<string, BlockedNode>()
  readonly #pods = new Map<string, UnplaceablePod>()
  readonly #limits = new Map<string, LimitHit>()
  /** Many refusals may rest on one placement. */
  readonly #seen = new Set<Placement>()

  blocked({ name }: StateNode, message: string): void {
    this.#blocked.set(name, { node: name, message })
  }

  unplaced(pods: readonly UnplacedPod[], placement: Placement): void {
    for (const { pod, text } of pods) {
      this.#pods.set(podKey(pod), { pod: podKey(pod), node: pod.nodeName, message: text })
    }
    if (this.#seen.has(placement)) return
    this.#seen.add(placement)
    this.limited(limitHits(placement))
  }

  limited(hits: readonly LimitHit[]): void {
    for (const hit of hits) this.#limits.set(`${hit.nodePool} ${hit.message}`, hit)
  }

  lists(): Pick<Plan, 'unplaceablePods' | 'blockedBy' | 'limits'> {
    return {
      unplaceablePods: [...this.#pods.values()].toSorted((a, b) => compareText(a.pod, b.pod)),
      blockedBy: [...this.#blocked.values()].toSorted((a, b) => compareText(a.node, b.node)),
      limits: [...this.#limits.values()].toSorted(
        (a, b) => compareText(a.nodePool, b.nodePool) || compareText(a.message, b.message),
      ),
    }
  }
}
