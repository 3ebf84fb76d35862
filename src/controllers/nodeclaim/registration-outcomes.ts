import type { NodeClaim } from '../../api/karpenter.ts'
import type { Logger } from '../../kube/logger.ts'
import type { RegistrationHealth } from './registration-health.ts'

/**
 * Registrations that this process made, by claim UID, until the claim read back says that it is registered and its pool has heard of it:
 * a pool that cannot be written does not lose the outcome, and a claim that cannot be written does not count twice.
 */
export class RegistrationOutcomes {
  readonly #health: Pick<RegistrationHealth, 'recordSuccess'>
  readonly #states = new Map<string, 'owed' | 'recorded'>()

  constructor(health: Pick<RegistrationHealth, 'recordSuccess'>) {
    this.#health = health
  }

  /** @throws when the pool could not be written; the outcome is still owed then. */
  async record(claim: NodeClaim): Promise<void> {
    const { uid } = claim.metadata
    if (this.#states.get(uid) === 'recorded') return
    this.#states.set(uid, 'owed')
    await this.#health.recordSuccess(claim)
    this.#states.set(uid, 'recorded')
  }

  /** For a claim that says that it is registered: records what is owed, after which nothing need be remembered. Throws as `record` does. */
  async settle(claim: NodeClaim): Promise<void> {
    if (!this.#states.has(claim.metadata.uid)) return
    await this.record(claim)
    this.#states.delete(claim.metadata.uid)
  }

  /** For a claim that is gone: its last word. No machine is kept for the sake of its pool's health. */
  async leave(claim: NodeClaim, log: Logger): Promise<void> {
    try {
      await this.settle(claim)
    } catch (error) {
      this.#states.delete(claim.metadata.uid)
      log.error({ err: error }, 'failed recording registration health')
    }
  }
}
