import type { PodInfo } from '../model/pod.ts'
import type { PodRelaxation } from './placement.ts'
import type { Relaxations } from './relaxations.ts'

/** Most relaxations reported per pod and solve: a pod may have thousands and starts over at each attempt. */
export const relaxationsToldMax = 100

/** What the pods of a solve gave up to find a place, in all of their attempts together. */
export class GivenUp {
  readonly #relaxations: PodRelaxation[] = []
  readonly #countOf = new Map<PodInfo, number>()

  /** Reasons of the things at these positions, the last excluded, as long as there are not too many. */
  note(pod: PodInfo, relaxations: Relaxations, { from, to }: { readonly from: number; readonly to: number }): void {
    if (from === to) return
    const told = this.#countOf.get(pod) ?? 0
    this.#countOf.set(pod, told + to - from)
    for (let position = from; position < Math.min(to, from + relaxationsToldMax - told); position += 1) {
      this.#relaxations.push({ pod, reason: relaxations.reason(position) })
    }
  }

  /** In the order in which they were given up; at the end, of pods that gave up more than is told, how many more. */
  told(): readonly PodRelaxation[] {
    return [...this.#relaxations, ...this.#untold()]
  }

  *#untold(): Iterable<PodRelaxation> {
    for (const [pod, count] of this.#countOf) {
      if (count > relaxationsToldMax) yield { pod, reason: `and ${count - relaxationsToldMax} more` }
    }
  }
}
