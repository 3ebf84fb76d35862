import {
  type ConditionChange,
  conditionOf,
  isConditionFalse,
  isConditionTrue,
  nodePoolConditions,
  setCondition,
  setConditionUnknown,
} from '../../api/conditions.ts'
import type { NodeClaim, NodePool } from '../../api/karpenter.ts'
import { labelNodePool } from '../../api/labels.ts'
import { type Controller, done } from '../../kube/controller.ts'
import { isConflict } from '../../kube/errors.ts'
import { getIfPresent } from '../../kube/get-if-present.ts'
import { nodePools } from '../../kube/karpenter-kinds.ts'
import type { RegistrationHealth } from '../nodeclaim/registration-health.ts'
import { nodeClassOf, nodeClassSource, type NodePoolDeps, poolController, poolSource } from './deps.ts'
import { type LaunchOutcome, OutcomeBuffer } from './outcome-buffer.ts'

const type = 'NodeRegistrationHealthy'
/** More conflicts in a row than there are writers of a pool mean that something else is wrong. */
const attemptsMax = 5

/** Remembers per pool how the last launches ended. Lost at a restart, and then rebuilt from the condition. */
export class RegistrationHealthTracker implements RegistrationHealth {
  readonly #deps: NodePoolDeps
  /** By the pool's UID: a pool made anew under the same name starts fresh. */
  readonly #buffers = new Map<string, OutcomeBuffer>()

  constructor(deps: NodePoolDeps) {
    this.#deps = deps
  }

  bufferOf(uid: string): OutcomeBuffer {
    let buffer = this.#buffers.get(uid)
    if (buffer === undefined) {
      buffer = new OutcomeBuffer()
      this.#buffers.set(uid, buffer)
    }
    return buffer
  }

  clear(uid: string): void {
    this.#buffers.delete(uid)
  }

  async recordSuccess(claim: NodeClaim): Promise<void> {
    await this.#record(claim, 'success', (_pool, buffer) =>
      buffer.healthWith('success') === 'healthy' ? { type, status: 'True' } : undefined,
    )
  }

  async recordFailure(claim: NodeClaim): Promise<void> {
    await this.#record(claim, 'failure', (pool, buffer) => {
      if (buffer.healthWith('failure') !== 'unhealthy' || isConditionFalse(pool, type)) return undefined
      const launched = conditionOf(claim, 'Launched')
      return launched?.status === 'True'
        ? { type, status: 'False', reason: 'RegistrationFailed', message: 'Failed to register node' }
        : { type, status: 'False', reason: launched?.reason ?? 'LaunchFailed', message: launched?.message ?? '' }
    })
  }

  /** Several controllers write the pool's conditions: after a conflict the decision is made again on what is there now. */
  async #record(
    claim: NodeClaim,
    outcome: LaunchOutcome,
    changeOf: (pool: NodePool, buffer: OutcomeBuffer) => ConditionChange | undefined,
  ): Promise<void> {
    let pool = this.#poolOf(claim)
    if (pool === undefined) return
    const { name, uid } = pool.metadata
    const buffer = this.bufferOf(uid)
    for (let attempt = 1; ; attempt++) {
      const change = changeOf(pool, buffer)
      if (change === undefined) break
      try {
        const after = setCondition(pool, nodePoolConditions, change, this.#deps.clock.now())
        await this.#deps.statuses.patch(pool, after)
        break
      } catch (error) {
        if (!isConflict(error) || attempt === attemptsMax) throw error
      }
      const present = await getIfPresent(this.#deps.kube, nodePools, { name })
      if (present?.metadata.uid !== uid) return
      pool = present
    }
    buffer.record(outcome)
  }

  /** Only the pool that made the claim counts, not one of the same name that came later. */
  #poolOf(claim: NodeClaim): NodePool | undefined {
    const name = claim.metadata.labels?.[labelNodePool]
    const pool = name === undefined ? undefined : this.#deps.caches.of(nodePools).get({ name })
    const owners = claim.metadata.ownerReferences ?? []
    return owners.some((owner) => owner.kind === 'NodePool' && owner.uid === pool?.metadata.uid) ? pool : undefined
  }
}

/** Resets the condition when the pool or its NodeClass changes, and refills the memory after a restart. */
export function registrationHealthController(deps: NodePoolDeps, tracker: RegistrationHealthTracker): Controller {
  return poolController(deps, 'nodepool.registrationhealth', [poolSource, nodeClassSource(deps)], async (pool) => {
    const nodeClass = nodeClassOf(pool, deps)
    if (nodeClass === undefined) return done
    const { uid } = pool.metadata
    const buffer = tracker.bufferOf(uid)
    if (buffer.health === 'unknown') {
      if (isConditionTrue(pool, type)) buffer.record('success')
      else if (isConditionFalse(pool, type)) for (let i = 0; i < 2; i++) buffer.record('failure')
    }
    const generation = nodeClass.metadata.generation ?? 0
    const condition = conditionOf(pool, type)
    const outdated =
      condition === undefined ||
      (condition.observedGeneration ?? 0) !== (pool.metadata.generation ?? 0) ||
      pool.status?.nodeClassObservedGeneration !== generation
    const after = outdated ? setConditionUnknown(pool, nodePoolConditions, { type }, deps.clock.now()) : pool
    await deps.statuses.patch(pool, {
      ...after,
      status: { ...after.status, nodeClassObservedGeneration: generation },
    })
    if (outdated) tracker.clear(uid)
    return done
  })
}
