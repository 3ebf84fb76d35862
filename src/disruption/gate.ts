import type { BudgetMap, CommonRoom, VoluntaryReason } from './budgets.ts'
import { type Blocked, type Candidate, poolName } from './candidates.ts'

/** What was refused that a command needs. */
export type SetBackCode = 'LaunchRefused' | 'MarkingRefused' | 'DeletionRefused'

type HoldCode =
  | 'Paused'
  | 'RolloutHeld'
  | 'CircuitOpen'
  | 'ConsolidationUndone'
  | 'PodsAwaited'
  | 'LateReplacement'
  | 'Braked'
  | SetBackCode

/** They come of commands that are over, and of pods that were planned: no other object tells of them. */
const toldOnNode: ReadonlySet<HoldCode> = new Set<HoldCode>([
  'ConsolidationUndone',
  'PodsAwaited',
  'LateReplacement',
  'LaunchRefused',
  'MarkingRefused',
  'DeletionRefused',
])

/** Why a node may not be disrupted now although nothing about the node itself stands against it. */
export interface Hold {
  readonly code: HoldCode
  readonly message: string
}

/**
 * What may be disrupted at this moment beside what budgets, PDBs and pods say. A gate is made for one snapshot: it already knows which
 * commands are under way.
 */
export interface DisruptionGate {
  /** What holds a candidate back for a reason. */
  hold(candidate: Candidate, reason: VoluntaryReason): Hold | undefined
  /** Counts one that nothing holds and that goes with others in one pass. What holds it when as many have been counted as may go. */
  take?(candidate: Candidate, reason: VoluntaryReason): Hold | undefined
  /** At most so many more of the pool's nodes; undefined: no bound of ours. */
  limit(pool: string, reason: VoluntaryReason): number | undefined
  /** What the pool may start together with others; each room bounds it. */
  common?(pool: string, reason: VoluntaryReason): readonly CommonRoom[]
  /** Puts drifted candidates, which come in their usual order, in another one; undefined: the usual one. */
  readonly driftOrder: ((candidates: readonly Candidate[]) => readonly Candidate[]) | undefined
}

/** Holds single nodes; bounds no pool, and changes no order. */
export function holdingGate(hold: DisruptionGate['hold']): DisruptionGate {
  return { hold, limit: () => undefined, driftOrder: undefined }
}

/** Holds nothing: Karpenter's behaviour. */
export const openGate: DisruptionGate = holdingGate(() => undefined)

/** All gates must let a node through; the first that holds it says why. The first order that is given counts. */
export function combineGates(...all: readonly DisruptionGate[]): DisruptionGate {
  const gates = all.filter((gate) => gate !== openGate)
  if (gates.length === 0) return openGate
  return {
    hold: (candidate, reason) => firstOf(gates, (gate) => gate.hold(candidate, reason)),
    take: (candidate, reason) => firstOf(gates, (gate) => gate.take?.(candidate, reason)),
    limit: (pool, reason) => {
      const limits = gates.flatMap((gate) => gate.limit(pool, reason) ?? [])
      return limits.length === 0 ? undefined : Math.min(...limits)
    },
    common: (pool, reason) => gates.flatMap((gate) => gate.common?.(pool, reason) ?? []),
    driftOrder: gates.find((gate) => gate.driftOrder !== undefined)?.driftOrder,
  }
}

function firstOf<T>(gates: readonly DisruptionGate[], ask: (gate: DisruptionGate) => T | undefined): T | undefined {
  for (const gate of gates) {
    const answer = ask(gate)
    if (answer !== undefined) return answer
  }
  return undefined
}

/**
 * Takes out what the gate holds. Most held nodes are silent: the object that holds them tells why, once, instead of every node. `roomOf`: how
 * many of a pool may go in this pass, where several do. The gate counts no more than these: what its pool keeps anyway must not take the
 * place of nodes of other pools.
 */
export function throughGate(
  candidates: readonly Candidate[],
  reason: VoluntaryReason,
  gate: DisruptionGate,
  roomOf?: (pool: string) => number,
): { readonly eligible: readonly Candidate[]; readonly blocked: readonly Blocked[] } {
  if (gate === openGate) return { eligible: candidates, blocked: [] }
  const eligible: Candidate[] = []
  const blocked: Blocked[] = []
  const taken = new Map<string, number>()
  const take = (candidate: Candidate): Hold | undefined => {
    const pool = poolName(candidate)
    const count = taken.get(pool) ?? 0
    if (roomOf === undefined || count >= roomOf(pool)) return undefined
    const hold = gate.take?.(candidate, reason)
    if (hold === undefined) taken.set(pool, count + 1)
    return hold
  }
  for (const candidate of candidates) {
    const hold = gate.hold(candidate, reason) ?? take(candidate)
    if (hold === undefined) eligible.push(candidate)
    else {
      const reported = toldOnNode.has(hold.code) ? 'DisruptionBlocked' : 'silently'
      blocked.push({ stateNode: candidate.stateNode, ...hold, reported })
    }
  }
  return { eligible, blocked }
}

/** The same budgets, with less remaining where the gate allows less. */
export function limitBudgets(budgets: BudgetMap, reason: VoluntaryReason, gate: DisruptionGate): BudgetMap {
  if (gate === openGate) return budgets
  return new Map(
    [...budgets].map(([pool, budget]) => {
      const limit = gate.limit(pool, reason) ?? budget.remaining
      const common = gate.common?.(pool, reason) ?? []
      const limited = { ...budget, remaining: Math.min(budget.remaining, limit) }
      return [pool, common.length === 0 ? limited : { ...limited, common }]
    }),
  )
}
