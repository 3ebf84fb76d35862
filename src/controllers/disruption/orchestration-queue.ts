import { isConditionTrue } from '../../api/conditions.ts'
import { messageOf } from '../../api/error-text.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import { policyLabel } from '../../disruption/balanced.ts'
import type { Candidate } from '../../disruption/candidates.ts'
import { type Command, decisionOf, type Replacement } from '../../disruption/command.ts'
import { hasCode, isRefusal } from '../../kube/errors.ts'
import { getIfPresent } from '../../kube/get-if-present.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import {
  done,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  singleton,
  type SingletonController,
} from '../../kube/controller.ts'
import { backOffMs } from '../../model/back-off.ts'
import type { Random } from '../../model/random.ts'
import { terminationMode } from '../nodeclaim/disrupted-metrics.ts'
import { commandFields } from './command-fields.ts'
import type { DisruptionDeps } from './deps.ts'
import { launchingEvent, terminatingEvents, waitingReadinessEvent } from './events.ts'
import { clearDisruption, keepTainted, retryWrite } from './marking.ts'
import { occupantOf } from './occupant.ts'
import { SetBack } from './set-back.ts'

/** A command under way: its nodes are tainted and marked, its replacements created. */
export interface QueuedCommand {
  readonly id: string
  readonly command: Command<Replacement>
  /** Names of the claims created for it. */
  readonly replacements: readonly string[]
  /** Seen initialized; not looked at again. */
  readonly initialized: Set<string>
  /** UIDs of claims whose deletion was accepted or is no longer needed: a retry neither deletes nor counts them again. */
  readonly askedToGo: Set<string>
  /** By replacement: when the API server was last asked for it. */
  readonly askedAt: Map<string, number>
  /** Monotonic, in milliseconds. */
  readonly startedAt: number
}

export type OrchestrationQueueDeps = Pick<
  DisruptionDeps<Replacement>,
  'kube' | 'clock' | 'random' | 'recorder' | 'metrics' | 'cluster' | 'late' | 'undone' | 'brake'
>

const pollMs = 1_000
/** A watch may be silent for longer than a node needs to come up. */
const askAgainMs = 10_000
/** A step that is refused, as by somebody's webhook, is not asked for every second; the other commands do not wait for it. */
const failedPollMaxMs = 10_000
/** Lengthens the waits of commands that failed together, so that they do not come back together. */
const jitterShare = 0.5
const timeoutPerCandidateMs = 80
const timeoutMinMs = 10 * 60_000
const timeoutMaxMs = 60 * 60_000

/**
 * Carries commands out: waits for the replacements to be initialized, then deletes the claims of the candidates. A command that
 * cannot be finished is rolled back: taints off, marks off, replacements left for the next plan or for emptiness to find. Everything here is memory; after
 * a restart the loop's clean-up untaints what was left half way.
 */
export class OrchestrationQueue {
  /** Nodes that others go before for a while. */
  readonly setBack: SetBack
  readonly #deps: OrchestrationQueueDeps
  readonly #commands = new Map<string, QueuedCommand>()
  readonly #queuedKeys = new Map<string, string>()
  /** Made when somebody asks, as each look of each method does. */
  #queued: ReadonlySet<string> | undefined
  /** Ids of the commands whose candidates' claims have all been asked to go. */
  readonly #terminated = new Set<string>()
  /** UIDs of claims that may have been deleted: nobody answered. */
  readonly #unanswered = new Set<string>()
  /** By the UIDs of claims that may not be deleted: who says so. */
  readonly #refused = new Map<string, string>()
  /** By the ids of commands whose last step failed: how often in a row, and when it is tried again. */
  readonly #failed = new Map<string, { readonly times: number; readonly againAt: number }>()
  /** Of its own: a step that fails shifts nothing else that is drawn. */
  readonly #random: Random
  #onAdded: () => void = () => undefined

  constructor(deps: OrchestrationQueueDeps) {
    this.#deps = deps
    this.#random = deps.random.fork('disruption queue')
    this.setBack = new SetBack(deps.clock)
  }

  /** Provider IDs of all candidates of commands under way. */
  get queued(): ReadonlySet<string> {
    this.#queued ??= new Set(this.#queuedKeys.keys())
    return this.#queued
  }

  get commands(): readonly QueuedCommand[] {
    return [...this.#commands.values()]
  }

  add(queued: QueuedCommand): void {
    this.#commands.set(queued.id, queued)
    for (const candidate of queued.command.candidates) this.#queuedKeys.set(candidate.providerID, queued.id)
    this.#queued = undefined
    this.#onAdded()
  }

  controller(): SingletonController {
    return {
      name: 'disruption.queue',
      triggers: [
        (enqueue) => {
          this.#onAdded = () => enqueue(singleton)
          return () => {
            this.#onAdded = () => undefined
          }
        },
      ],
      reconcile: (context) => this.#reconcile(context),
    }
  }

  async #reconcile(context: ReconcileContext): Promise<ReconcileResult> {
    for (const queued of this.commands) {
      const failed = this.#failed.get(queued.id)
      if (failed !== undefined && this.#deps.clock.monotonicMs() < failed.againAt) continue
      try {
        await this.#process(queued, context)
        this.#failed.delete(queued.id)
      } catch (error) {
        if (context.signal.aborted) throw error
        this.#failed.set(queued.id, this.#afterFailure((failed?.times ?? 0) + 1))
        context.log.error(
          { err: error, 'command-id': queued.id },
          'failed processing a disruption command, trying again',
        )
      }
    }
    return this.#commands.size === 0 ? done : requeueAfter(pollMs)
  }

  #afterFailure(times: number): { readonly times: number; readonly againAt: number } {
    const jitter = jitterShare * this.#random.next()
    const waitMs = backOffMs({ baseMs: pollMs, maxMs: failedPollMaxMs, failures: times - 1, jitter })
    return { times, againAt: this.#deps.clock.monotonicMs() + waitMs }
  }

  async #process(queued: QueuedCommand, context: ReconcileContext): Promise<void> {
    let failure: string | undefined
    try {
      failure = await this.#advance(queued)
    } catch (error) {
      // A step that fails every time is given up like a replacement that never comes.
      if (context.signal.aborted || !this.#isLate(queued)) throw error
      failure = `command reached timeout, ${messageOf(error)}`
    }
    if (failure === undefined && this.#isLate(queued)) failure = 'command reached timeout, replacements are not ready'
    if (failure !== undefined) {
      await this.#rollBack(queued, failure, context)
    } else if (this.#isFinished(queued)) {
      context.log.debug({ 'command-id': queued.id, ...commandFields(queued.command) }, 'command succeeded')
      this.#drop(queued)
    }
  }

  /** One step; a text says why the command can never be finished. */
  async #advance(queued: QueuedCommand): Promise<string | undefined> {
    const { command } = queued
    for (const name of queued.replacements) {
      if (queued.initialized.has(name)) continue
      const claim = await this.#readClaim(name, queued)
      if (claim === undefined) {
        if (!this.#deps.cluster.hasNodeClaim(name)) return 'replacement was deleted'
        continue
      }
      // Given up, interrupted, or taken away by somebody: also one that has come up is none any more.
      if (claim.metadata.deletionTimestamp !== undefined) return 'replacement was deleted'
      this.#deps.recorder.publish(launchingEvent(claim, command.reason))
      if (isConditionTrue(claim, 'Initialized')) queued.initialized.add(name)
      else this.#deps.recorder.publish(waitingReadinessEvent(claim))
    }
    if (queued.initialized.size < queued.replacements.length) return undefined
    await Promise.all(command.candidates.map(({ node }) => keepTainted(this.#deps, node)))
    if (command.reason === 'Empty' && queued.askedToGo.size === 0) {
      const occupant = await occupantOf(this.#deps.kube, command.candidates)
      if (occupant !== undefined) {
        this.#deps.cluster.foundPod(occupant)
        const { name, namespace } = occupant.metadata
        return `pod ${namespace}/${name} runs on node ${occupant.spec.nodeName}, which was thought to be empty`
      }
    }
    await Promise.all(command.candidates.map((candidate) => this.#terminate(candidate, queued)))
    this.#terminated.add(queued.id)
    this.#deps.undone.carriedOut(command, queued.replacements)
    return undefined
  }

  #isFinished(queued: QueuedCommand): boolean {
    return this.#terminated.has(queued.id)
  }

  async #terminate(candidate: Candidate, queued: QueuedCommand): Promise<void> {
    const { kube, clock, recorder, metrics } = this.#deps
    const { name, uid } = candidate.nodeClaim.metadata
    if (queued.askedToGo.has(uid)) return
    recorder.publish(...terminatingEvents(candidate, queued.command.reason))
    try {
      await retryWrite(clock, () => kube.delete(nodeClaims, { name }, { preconditions: { uid } }))
    } catch (error) {
      // Another claim of that name is not ours to delete, and one that is gone needs no deletion.
      if (!hasCode(error, 'NotFound', 'Conflict')) {
        if (isRefusal(error)) this.#refused.set(uid, messageOf(error))
        else this.#unanswered.add(uid)
        throw error
      }
    }
    queued.askedToGo.add(uid)
    const labels = {
      reason: queued.command.reason.toLowerCase(),
      nodepool: candidate.pool.metadata.name,
      capacity_type: candidate.capacityType,
      consolidation_policy: policyLabel(candidate, queued.command.reason),
      termination_mode: terminationMode(candidate.nodeClaim),
    }
    metrics.nodeClaimsDisrupted.increment(labels)
    metrics.podDisruptionsInitiated.increment(labels, candidate.reschedulablePods.length)
  }

  async #rollBack(queued: QueuedCommand, why: string, context: ReconcileContext): Promise<void> {
    const { command } = queued
    const missing = queued.replacements.length - queued.initialized.size
    this.#deps.metrics.disruptionQueueFailures.increment(
      {
        decision: decisionOf(command),
        reason: command.reason.toLowerCase(),
        // The original puts the decision here; dashboards built on it expect just that.
        consolidation_type: decisionOf(command),
      },
      Math.max(0, missing),
    )
    // A node that has been asked to go is drained whatever becomes of the others.
    const staying = command.candidates.filter(({ nodeClaim }) => !queued.askedToGo.has(nodeClaim.metadata.uid))
    // What cannot be taken off now, the clean-up of the next pass takes off; the other nodes do not wait for it.
    const cleared = await Promise.allSettled(
      staying.map(({ node, nodeClaim }) => clearDisruption(this.#deps, node, nodeClaim)),
    )
    const failures = cleared.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))
    const fields = { err: new Error([why, ...failures].join('; ')), 'command-id': queued.id, reason: command.reason }
    context.log.error(fields, 'failed terminating nodes while executing a disruption command')
    this.#deps.cluster.unmarkForDeletion(...staying.map(({ providerID }) => providerID))
    this.#deps.late.note(command, queued.replacements)
    for (const candidate of staying) {
      const refusal = this.#refused.get(candidate.nodeClaim.metadata.uid)
      if (refusal !== undefined) this.setBack.note([candidate], 'DeletionRefused', `deleting nodeclaim, ${refusal}`)
    }
    const kept = staying.filter(({ nodeClaim }) => !this.#unanswered.has(nodeClaim.metadata.uid))
    this.#deps.brake.takenBack(command.reason, kept.length, queued.startedAt)
    this.#drop(queued)
  }

  #drop(queued: QueuedCommand): void {
    this.#commands.delete(queued.id)
    this.#terminated.delete(queued.id)
    this.#failed.delete(queued.id)
    for (const { providerID, nodeClaim } of queued.command.candidates) {
      this.#queuedKeys.delete(providerID)
      this.#unanswered.delete(nodeClaim.metadata.uid)
      this.#refused.delete(nodeClaim.metadata.uid)
    }
    this.#queued = undefined
  }

  #isLate({ startedAt }: QueuedCommand): boolean {
    const timeoutMs = Math.min(timeoutMaxMs, Math.max(timeoutMinMs, timeoutPerCandidateMs * this.#queuedKeys.size))
    return this.#deps.clock.monotonicMs() - startedAt > timeoutMs
  }

  /**
   * Uses the cached replacement while it is known and uninitialized, asking the API server at most every `askAgainMs`. That it is
   * initialized or gone only the API server decides.
   */
  async #readClaim(name: string, queued: QueuedCommand): Promise<NodeClaim | undefined> {
    const now = this.#deps.clock.monotonicMs()
    const known = this.#deps.cluster.nodeClaim(name)
    const isRecent = now - (queued.askedAt.get(name) ?? Number.NEGATIVE_INFINITY) < askAgainMs
    if (known !== undefined && isRecent && !isConditionTrue(known, 'Initialized')) return known
    queued.askedAt.set(name, now)
    return getIfPresent(this.#deps.kube, nodeClaims, { name })
  }
}
