import { fixedText } from '../model/fixed-text.ts'
import type { InstanceType } from '../model/instance-type.ts'
import { sumPrices } from '../model/instance-type.ts'
import { cheapestPrice } from '../model/offering-price.ts'
import { compareText, type NonEmpty } from '../model/order.ts'
import type { PodInfo } from '../model/pod.ts'
import type { Requirements } from '../model/requirements.ts'
import type { StateNode } from '../model/snapshot.ts'
import type { VoluntaryReason } from './budgets.ts'
import { type Candidate, poolName } from './candidates.ts'

export type DisruptionMethod = 'emptiness' | 'staticDrift' | 'drift' | 'multiNode' | 'singleNode'

/** In the order in which a pass tries them; the first that starts something ends the pass. */
export const methodOrder: readonly DisruptionMethod[] = ['emptiness', 'staticDrift', 'drift', 'multiNode', 'singleNode']

/** As metrics label it: only consolidation has kinds. */
export const consolidationTypeOf: Readonly<Record<DisruptionMethod, string>> = {
  emptiness: 'empty',
  staticDrift: '',
  drift: '',
  multiNode: 'multi',
  singleNode: 'single',
}

export const reasonOf: Readonly<Record<DisruptionMethod, VoluntaryReason>> = {
  emptiness: 'Empty',
  staticDrift: 'Drifted',
  drift: 'Drifted',
  multiNode: 'Underutilized',
  singleNode: 'Underutilized',
}

/** What decisions need of a node to be launched; the solver's NodePlan is one. */
export interface Replacement {
  readonly nodePool: string
  readonly requirements: Requirements
  /** Cheapest first. */
  readonly instanceTypes: readonly InstanceType[]
}

/** Nodes to take away together, after their replacements (none for a plain deletion) are ready. */
export interface Command<Plan extends Replacement> {
  readonly method: DisruptionMethod
  readonly reason: VoluntaryReason
  readonly candidates: NonEmpty<Candidate>
  readonly replacements: readonly Plan[]
  readonly destinations: readonly Destination[]
}

/** A node that runs already and receives displaced or pending pods; stand-ins of capacity buffers are not told. */
export interface Destination {
  readonly node: StateNode
  readonly pods: readonly PodInfo[]
}

export type Decision = 'delete' | 'replace'

export function decisionOf(command: Pick<Command<Replacement>, 'replacements'>): Decision {
  return command.replacements.length > 0 ? 'replace' : 'delete'
}

/** US dollars per hour: candidates' prices less the cheapest offering of each replacement's first type (0 where it has none). */
export function estimatedSavings(
  command: Pick<Command<Replacement>, 'candidates' | 'replacements'>,
  wellKnownLabels: ReadonlySet<string>,
): number {
  const before = sumPrices(command.candidates.map((candidate) => candidate.price))
  const after = sumPrices(
    command.replacements.flatMap(({ instanceTypes: [first], requirements }) =>
      first === undefined ? [] : cheapestPrice(first, requirements, wellKnownLabels),
    ),
  )
  return sumPrices([before, -after])
}

/** As the `disrupting node(s)` log line shows it. */
export function commandText(command: Command<Replacement>, id: string, savings: number): string {
  const pools = [...new Set(command.candidates.map(poolName))].toSorted(compareText).join(',')
  const names = command.candidates.map((candidate) => candidate.name).join(', ')
  const head = `${command.reason}/${id}: ${decisionOf(command)}: nodepools=[${pools}]: [${names}]`
  return `${head}${arrowText(command.replacements.length)} (savings: ${dollars(savings)})`
}

/** As the ConsolidationCandidate and ConsolidationRejected events show it for one of the nodes. */
export function candidateText(
  command: Pick<Command<Replacement>, 'candidates' | 'replacements'>,
  name: string,
): string {
  const head = `${decisionOf(command)}: [${name}]`
  return command.candidates.length > 1
    ? `${head} (part of ${command.candidates.length}-node consolidation)`
    : `${head}${arrowText(command.replacements.length)}`
}

/** What costs more has its sign behind the `$`, as in Karpenter. */
export function dollars(amount: number): string {
  return `$${fixedText(amount, 2)}`
}

function arrowText(replacements: number): string {
  if (replacements === 0) return ''
  return ` -> [${replacements} replacement${replacements === 1 ? '' : 's'}]`
}
