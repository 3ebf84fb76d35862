import type { BlockCode, Blocked } from '../../disruption/candidates.ts'
import type { DisruptionMethod } from '../../disruption/command.ts'
import { compareText } from '../../model/order.ts'

/** Why one method left a node alone in its last look at it. */
export interface MethodVerdict {
  readonly node: string
  readonly method: DisruptionMethod
  readonly code: BlockCode
  readonly message: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** The last verdict of each method on each node: what `joinery explain` tells, and nothing has to recompute. */
export class VerdictBook {
  /** By node and method, made when somebody asks: few of what every pass records is ever read. */
  readonly #byMethod = new Map<DisruptionMethod, () => ReadonlyMap<string, MethodVerdict>>()

  /** Replaces what the method said before: nodes that are not named are no longer blocked by it. */
  record(method: DisruptionMethod, blocked: readonly Blocked[], at: number): void {
    let verdicts: ReadonlyMap<string, MethodVerdict> | undefined
    this.#byMethod.set(method, () => (verdicts ??= verdictsOn(method, blocked, at)))
  }

  /** Of all nodes, by node, then method. */
  all(): readonly MethodVerdict[] {
    return [...this.#byMethod.values()]
      .flatMap((verdicts) => [...verdicts().values()])
      .toSorted((a, b) => compareText(a.node, b.node) || compareText(a.method, b.method))
  }

  of(node: string): readonly MethodVerdict[] {
    return [...this.#byMethod.values()]
      .flatMap((verdicts) => verdicts().get(node) ?? [])
      .toSorted((a, b) => compareText(a.method, b.method))
  }
}

function verdictsOn(
  method: DisruptionMethod,
  blocked: readonly Blocked[],
  at: number,
): ReadonlyMap<string, MethodVerdict> {
  return new Map(
    blocked.map(({ stateNode, code, message }) => [
      stateNode.name,
      { node: stateNode.name, method, code, message, at },
    ]),
  )
}
