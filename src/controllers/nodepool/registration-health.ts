import {
  conditionOf,
  isConditionFalse,
  isConditionTrue,
  nodePoolConditions,
  setCondition,
  setConditionTrue,
  setConditionUnknown,
} from '../../api/conditions.ts'
import type { NodeClaim, NodePool } from '../../api/karpenter.ts'
import { labelNodePool } from '../../api/labels.ts'
import { backOff, type Controller, done } from '../../kube/controller.ts'
import { isConflict } from '../../kube/errors.ts'
import { nodePools } from '../../kube/karpenter-kinds.ts'
import type { RegistrationHealth } from '../nodeclaim/registration-health.ts'
import { nodeClassOf, nodeClassSource, type NodePoolDeps, poolController, poolSource } from './deps.ts'
import { OutcomeBuffer } from './outcome-buffer.ts'
import { patchPoolStatus } from './status-patch.ts'

const type = 'NodeRegistrationHealthy'

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
    const pool = this.#poolOf(claim)
    if (pool === undefined) return
    const buffer = this.bufferOf(pool.metadata.uid)
    if (buffer.healthWith('success') === 'healthy') {
      await patchPoolStatus(
        this.#deps.kube,
        pool,
        setConditionTrue(pool, nodePoolConditions, type, this.#deps.clock.now()),
      )
    }
    buffer.record('success')
  }

  async recordFailure(claim: NodeClaim): Promise<void> {
    const pool = this.#poolOf(claim)
    if (pool === undefined) return
    const buffer = this.bufferOf(pool.metadata.uid)
    if (buffer.healthWith('failure') === 'unhealthy' && !isConditionFalse(pool, type)) {
      const launched = conditionOf(claim, 'Launched')
      const because =
        launched?.status === 'True'
          ? { reason: 'RegistrationFailed', message: 'Failed to register node' }
          : { reason: launched?.reason ?? 'LaunchFailed', message: launched?.message ?? '' }
      const change = { type, status: 'False' as const, ...because }
      await patchPoolStatus(
        this.#deps.kube,
        pool,
        setCondition(pool, nodePoolConditions, change, this.#deps.clock.now()),
      )
    }
    buffer.record('failure')
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
    try {
      await patchPoolStatus(deps.kube, pool, {
        ...after,
        status: { ...after.status, nodeClassObservedGeneration: generation },
      })
    } catch (error) {
      if (isConflict(error)) return backOff
      throw error
    }
    if (outdated) tracker.clear(uid)
    return done
  })
}
