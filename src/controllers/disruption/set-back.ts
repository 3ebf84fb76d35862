import type { Candidate } from '../../disruption/candidates.ts'
import { type DisruptionGate, holdingGate, openGate, type SetBackCode } from '../../disruption/gate.ts'
import type { Clock } from '../../model/clock.ts'
import { ExpiringMap } from '../../model/expiring-map.ts'

/**
 * How long a node waits after something was refused that its command needs. A deletion is refused when all else is done, its pool's budget
 * taken and a replacement launched, which by then is kept for half an hour; and whoever protects a NodeClaim means it to last.
 */
const waitMs: Readonly<Record<SetBackCode, number>> = {
  LaunchRefused: 5 * 60_000,
  MarkingRefused: 5 * 60_000,
  DeletionRefused: 60 * 60_000,
}

interface Refusal {
  readonly code: SetBackCode
  readonly message: string
}

/**
 * Nodes whose replacement was refused when it was to be launched: by the limits of its pool, since the plan counts on the room of the node
 * that goes, which is still there, or by a policy; and nodes that may not be tainted, or whose NodeClaim may not be deleted. They wait while
 * others have their turn; else every pass would begin with the same node and end there, or use up its pool's budget for it.
 */
export class SetBack {
  readonly #refusals: ExpiringMap<string, Refusal>

  constructor(clock: Clock) {
    this.#refusals = new ExpiringMap({ clock, ttlMs: undefined })
  }

  note(candidates: readonly Pick<Candidate, 'providerID'>[], code: SetBackCode, message: string): void {
    for (const { providerID } of candidates) this.#refusals.set(providerID, { code, message }, waitMs[code])
  }

  /** Holds them for every reason. */
  gate(): DisruptionGate {
    const held = new Map(this.#refusals.entries())
    if (held.size === 0) return openGate
    return holdingGate(({ providerID }) => held.get(providerID))
  }
}
