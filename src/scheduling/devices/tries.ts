import type { SearchBudget } from './search.ts'

export interface TriesLimits {
  /** At one target, with all that it may become. */
  readonly perTarget: number
  /** In a whole solve. */
  readonly perPod: number
}

/**
 * Sixteen devices of which any eight would do are all tried within what a pod has at one target. A claim that would need more must not hold
 * up all other pods.
 */
const defaults: TriesLimits = { perTarget: 200_000, perPod: 1_000_000 }

/** How many devices may still be tried for each pod of a solve. */
export class Tries {
  readonly #limits: TriesLimits
  readonly #spent = new Map<string, number>()

  constructor(limits = defaults) {
    this.#limits = limits
  }

  /** Lets the pod search at one target, with what it has left. */
  search<T>(podUID: string, search: (budget: SearchBudget) => T): T {
    const spent = this.#spent.get(podUID) ?? 0
    const given = Math.min(this.#limits.perTarget, this.#limits.perPod - spent)
    const budget = { left: given }
    const answer = search(budget)
    this.#spent.set(podUID, spent + given - Math.max(0, budget.left))
    return answer
  }
}
