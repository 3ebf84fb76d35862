import type { Candidate } from '../../disruption/candidates.ts'
import { type DisruptionGate, openGate, type SetBackCode } from '../../disruption/gate.ts'
import type { Clock } from '../../model/clock.ts'

/** How long a node waits after something was refused that its command needs. */
const setBackMs = 5 * 60_000

interface Refusal {
  /** Monotonic, in milliseconds. */
  readonly until: number
  readonly code: SetBackCode
  readonly message: string
}

/**
 * Nodes whose replacement was refused by the limits of its pool when it was to be launched, since the plan counts on the room of the node
 * that goes, which is still there; and nodes that may not be tainted. They wait while others have their turn; else every pass would begin
 * with the same node and end there.
 */
export class SetBack {
  readonly #refusals = new Map<string, Refusal>()
  readonly #clock: Pick<Clock, 'monotonicMs'>

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  note(candidates: readonly Pick<Candidate, 'providerID'>[], code: SetBackCode, message: string): void {
    const until = this.#clock.monotonicMs() + setBackMs
    for (const { providerID } of candidates) this.#refusals.set(providerID, { until, code, message })
  }

  /** Holds them for every reason. */
  gate(): DisruptionGate {
    const now = this.#clock.monotonicMs()
    for (const [providerID, { until }] of this.#refusals) if (until <= now) this.#refusals.delete(providerID)
    if (this.#refusals.size === 0) return openGate
    const held = new Map(this.#refusals)
    return {
      hold({ providerID }) {
        const refusal = held.get(providerID)
        return refusal === undefined ? undefined : { code: refusal.code, message: refusal.message }
      },
      limit: () => undefined,
      driftOrder: undefined,
    }
  }
}
