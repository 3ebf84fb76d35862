import { passesPreCheck, type PoolTotals, scoreCommand } from '../../disruption/balanced.ts'
import { computeBudgets } from '../../disruption/budgets.ts'
import type { Candidate } from '../../disruption/candidates.ts'
import { type Command, dollars, estimatedSavings } from '../../disruption/command.ts'
import { computeConsolidation, filterConsolidation } from '../../disruption/consolidation.ts'
import type { HeldRoom } from '../../disruption/held-room.ts'
import { decideMultiNode } from '../../disruption/multi-node.ts'
import { runToEnd } from '../../model/sliced.ts'
import { simulatorOn } from '../../disruption/what-if.ts'
import { listText } from '../../model/list-text.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import type { NodePlan, SchedulingSettings } from '../../scheduling/index.ts'
import { totalsIn } from '../simulate/pool-totals.ts'
import { withoutBarredPools } from '../simulate/shown-breaker.ts'
import { reason, type Reason } from './explanation.ts'
import { nodeHelp } from './help.ts'

const about = 'Underutilized'

/** How many nodes that go together a message names. */
const namedMax = 10

interface ConsolidationQuestion {
  readonly snapshot: Snapshot
  readonly settings: SchedulingSettings
  readonly gates: Readonly<Record<string, boolean>>
  readonly held: HeldRoom
  /** Every node that may be disrupted. */
  readonly candidates: readonly Candidate[]
  /** Whether the candidate's pool is paused, or waits for a window. */
  readonly isHeld: (candidate: Candidate) => boolean
}

/** Whether the candidate, which nothing else holds, goes to save money: with others, which is tried first, or alone. */
export function consolidationReason(candidate: Candidate, question: ConsolidationQuestion): Reason {
  const { snapshot, settings, gates, held, candidates } = question
  const wellKnownLabels = settings.vocabulary.wellKnown
  const totals = totalsIn(snapshot, candidates)
  const simulate = simulatorOn(withoutBarredPools(snapshot), settings, { virtual: held.standIns })
  const options = { wellKnownLabels, spotToSpot: gates['SpotToSpotConsolidation'] === true }
  const { eligible } = filterConsolidation(candidates.filter((found) => !question.isHeld(found)))
  const budgets = computeBudgets(snapshot.nodePools, snapshot.nodes, about, snapshot.now)
  const { command: together, constrained } = runToEnd(
    decideMultiNode({ eligible, budgets, totals, simulate, options, elapsedMs: () => 0 }),
  )
  if (together?.candidates.some(({ name }) => name === candidate.name) === true) {
    return reason(about, 'allows', about, togetherText(candidate, together, wellKnownLabels))
  }
  const inCompany =
    together === undefined
      ? `the search finds no nodes ${constrained ? 'within the budgets ' : ''}that could go together`
      : `the nodes that can go together now are others (${namesText(together.candidates)})`
  const refuse = (code: keyof typeof nodeHelp, why: string): Reason =>
    reason(about, 'blocks', code, `alone: ${why}; ${inCompany}`, nodeHelp[code])
  if (!passesPreCheck(candidate, totals)) {
    return refuse('ScoreTooLow', 'deleting it would save less than its pods are worth under the Balanced policy')
  }
  const result = runToEnd(computeConsolidation('singleNode', [candidate], simulate, options))
  if (result.kind === 'nothing') {
    const { code, message } = result
    return code === undefined || message === undefined
      ? reason(about, 'blocks', 'Deleting', 'the node is on its way out', nodeHelp.Deleting)
      : refuse(code, message)
  }
  return aloneReason(result.command, totals, wellKnownLabels, refuse)
}

function aloneReason(
  command: Command<NodePlan>,
  totals: ReadonlyMap<string, PoolTotals>,
  wellKnownLabels: ReadonlySet<string>,
  refuse: (code: 'ScoreTooLow', why: string) => Reason,
): Reason {
  const refused = scoreCommand(command, totals, wellKnownLabels).find(({ approved }) => !approved)
  if (refused !== undefined) {
    return refuse('ScoreTooLow', `the move scores ${refused.score.toFixed(2)} under the Balanced policy`)
  }
  const savings = dollars(estimatedSavings(command, wellKnownLabels))
  const [replacement] = command.replacements
  const message =
    replacement === undefined
      ? `its pods fit on other nodes, deleting it saves ${savings} per hour`
      : `a cheaper node can take its pods (such as ${typeName(replacement)}), saving ${savings} per hour`
  return reason(about, 'allows', about, message)
}

function togetherText(candidate: Candidate, command: Command<NodePlan>, wellKnownLabels: ReadonlySet<string>): string {
  const others = command.candidates.filter(({ name }) => name !== candidate.name)
  const savings = dollars(estimatedSavings(command, wellKnownLabels))
  const [replacement] = command.replacements
  return replacement === undefined
    ? `it goes together with ${namesText(others)}: their pods fit on other nodes, which saves ${savings} per hour`
    : `it goes together with ${namesText(others)}: one cheaper node (such as ${typeName(replacement)}) can take all their pods, saving ${savings} per hour`
}

function typeName({ instanceTypes }: NodePlan): string {
  return instanceTypes[0]?.name ?? ''
}

function namesText(candidates: readonly Candidate[]): string {
  const names = candidates.map(({ name }) => name).toSorted()
  return listText(names, namedMax, 'others')
}
