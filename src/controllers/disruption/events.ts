import { approvalText, type Score } from '../../disruption/balanced.ts'
import { budgetHoldText, type PoolBudget, type VoluntaryReason } from '../../disruption/budgets.ts'
import type { Blocked, Candidate } from '../../disruption/candidates.ts'
import { capitalized } from '../../disruption/drift.ts'
import { candidateText, type Command, dollars, type Replacement } from '../../disruption/command.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import type { EventToPublish } from '../../kube/recorder.ts'
import { byIdentity } from '../../model/by-identity.ts'

/** Why a node is left alone does not change from minute to minute. */
const unconsolidatableDedupeMs = 15 * 60_000
const blockingBudgetDedupeMs = 60_000

/** One event for the node and one for its claim, as far as it has them. Each pass tells the same of a node that nothing has happened to. */
export const blockedEvents = byIdentity(({ stateNode, message, reported }: Blocked): readonly EventToPublish[] => {
  if (reported === 'silently') return []
  const dedupe = reported === 'Unconsolidatable' ? { dedupeMs: unconsolidatableDedupeMs } : {}
  return [stateNode.node, stateNode.nodeClaim].flatMap((object) =>
    object === undefined
      ? []
      : [
          {
            object,
            type: 'Normal' as const,
            reason: reported,
            message: reported === 'DisruptionBlocked' ? capitalized(message) : message,
            dedupeValues: [object.metadata.uid],
            ...dedupe,
          },
        ],
  )
})

export function blockingBudgetEvent({ pool }: PoolBudget, reason: VoluntaryReason): EventToPublish {
  return {
    object: pool,
    type: 'Normal',
    reason: 'DisruptionBlocked',
    message: budgetHoldText(reason),
    dedupeValues: [pool.metadata.uid, reason],
    dedupeMs: blockingBudgetDedupeMs,
  }
}

export function consolidationCandidateEvents(
  command: Command<Replacement>,
  savings: number,
): readonly EventToPublish[] {
  return command.candidates.flatMap((candidate) => {
    const text = candidateText(command, candidate.name)
    const message = `Consolidation candidate: ${text} (savings: ${dollars(savings)})`
    return onBoth(candidate, (object) => ({
      object,
      type: 'Normal',
      reason: 'ConsolidationCandidate',
      message,
      dedupeValues: [object.metadata.uid, text],
    }))
  })
}

export function consolidationRejectedEvents(
  command: Command<Replacement>,
  failure: string,
  savings: number,
): readonly EventToPublish[] {
  return command.candidates.flatMap((candidate) => {
    const text = candidateText(command, candidate.name)
    const message = `Consolidation rejected: ${text}, reason: ${failure} (savings: ${dollars(savings)})`
    return onBoth(candidate, (object) => ({
      object,
      type: 'Normal',
      reason: 'ConsolidationRejected',
      message,
      dedupeValues: [object.metadata.uid, text, failure],
    }))
  })
}

/** On node and claim of a single-node command, on the pool of a multi-node one. */
export function consolidationApprovedEvents(
  command: Command<Replacement>,
  scores: readonly Score[],
): readonly EventToPublish[] {
  return scores.flatMap((found) => {
    const event = (object: KubeObject): EventToPublish => ({
      object,
      type: 'Normal',
      reason: 'ConsolidationApproved',
      message: approvalText(found),
      dedupeValues: [object.metadata.uid],
    })
    if (command.method === 'singleNode') return command.candidates.flatMap((candidate) => onBoth(candidate, event))
    const pool = command.candidates.find((candidate) => candidate.pool.metadata.name === found.pool)?.pool
    return pool === undefined ? [] : [event(pool)]
  })
}

export function launchingEvent(object: NodeClaim, reason: string): EventToPublish {
  const message = `Launching NodeClaim: ${reason}`
  return { object, type: 'Normal', reason: 'DisruptionLaunching', message, dedupeValues: [object.metadata.uid, reason] }
}

export function waitingReadinessEvent(object: NodeClaim): EventToPublish {
  const message = 'Waiting on readiness to continue disruption'
  return { object, type: 'Normal', reason: 'DisruptionWaitingReadiness', message, dedupeValues: [object.metadata.uid] }
}

export function terminatingEvents(candidate: Candidate, reason: string): readonly EventToPublish[] {
  return onBoth(candidate, (object) => ({
    object,
    type: 'Normal',
    reason: 'DisruptionTerminating',
    message: `Disrupting ${object.kind}: ${reason}`,
    dedupeValues: [object.metadata.uid, reason],
  }))
}

export function isBlockedByBudget({ total, allowed }: PoolBudget): boolean {
  return total !== 0 && allowed === 0
}

function onBoth(candidate: Candidate, event: (object: KubeObject) => EventToPublish): readonly EventToPublish[] {
  return [event(candidate.node), event(candidate.nodeClaim)]
}
