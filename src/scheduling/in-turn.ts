import { labelHostname } from '../api/labels.ts'
import { labelOf } from '../model/label-selector.ts'
import { compareText } from '../model/order.ts'
import type { PodInfo } from '../model/pod.ts'
import type { Sliced } from '../model/sliced.ts'
import type { SolveContext } from './context.ts'
import type { NodePlan, Placement } from './placement.ts'
import type { PodClass } from './pod-class.ts'
import { type GroupSpec, selectsPods, spreadGroup } from './topology/group-spec.ts'

/**
 * The plan with pods that are alike trading places among its new nodes. The scheduler takes pods that wait by age, the solver in an
 * order of its own: a pod whose domain is ahead of the others when its turn comes may not go there yet, and would take room that was
 * meant for a pod of another kind. Dealt out by age, each to the domain that has fewest, no pod is ever ahead by more than its skew.
 * In slices.
 */
export function* placementInTurn(context: SolveContext, placement: Placement): Sliced<Placement> {
  const plans = placement.newNodePlans
  const seats = new Map<PodClass, Seat[]>()
  for (const [plan, { pods }] of plans.entries()) {
    for (const pod of pods) {
      const podClass = context.classes.classOf(pod)
      const known = seats.get(podClass)
      if (known === undefined) seats.set(podClass, [{ plan, pod }])
      else known.push({ plan, pod })
    }
  }
  const dealt = new Map<PodInfo, PodInfo>()
  for (const [podClass, taken] of seats) {
    if (new Set(taken.map(({ plan }) => plan)).size === 1) continue
    const spreads = spreadsOver(podClass, context)
    if (spreads.length === 0) continue
    const tallies = spreads.map((spec) => tallyOf(spec, placement, context))
    yield* deal(taken, plans, tallies, dealt)
  }
  if (dealt.size === 0) return placement
  return {
    ...placement,
    newNodePlans: plans.map((plan) => ({ ...plan, pods: plan.pods.map((pod) => dealt.get(pod) ?? pod) })),
  }
}

/**
 * Turns for pods that were promised a place, by age and before all others: taken in another order one of them could be ahead of its
 * skew and lose its place.
 */
export function turnsOfPromised(
  pods: readonly PodInfo[],
  promised: ReadonlyMap<string, string>,
): ReadonlyMap<string, number> {
  const kept = pods.filter(({ uid }) => promised.has(uid)).toSorted(byAge)
  return new Map(kept.map(({ uid }, index) => [uid, index - kept.length]))
}

interface Seat {
  /** Its place in the plan. */
  readonly plan: number
  readonly pod: PodInfo
}

interface Tally {
  readonly key: string
  /** Pods that count for the spread, by domain. */
  readonly count: Map<string, number>
}

/** The skews that pods of the class have to keep among themselves. */
function spreadsOver({ constraints, example }: PodClass, { groupOptions }: SolveContext): readonly GroupSpec[] {
  return constraints.spread
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')
    .map((constraint) => spreadGroup(example, constraint, constraints, groupOptions))
    .filter((spec) => selectsPods(spec, example))
}

/** Before any of the new nodes is there. */
function tallyOf(
  spec: GroupSpec,
  { existing }: Placement,
  { counts, nodeByName }: Pick<SolveContext, 'counts' | 'nodeByName'>,
): Tally {
  const { key } = spec
  if (key === labelHostname) return { key, count: new Map() }
  const { pods: running, matches } = counts.standing(spec)
  const count = new Map(running)
  for (const { node, pods } of existing) {
    const domain = labelOf(node.labels, key)
    const index = nodeByName.get(node.node?.metadata.name ?? '')
    if (domain === undefined || (index !== undefined && !matches(index))) continue
    const selected = pods.filter((pod) => selectsPods(spec, pod)).length
    count.set(domain, (count.get(domain) ?? 0) + selected)
  }
  return { key, count }
}

/** Seats that are the same to every skew. */
interface Bench {
  readonly domains: readonly string[]
  /** Whom the plan has there. */
  readonly pods: PodInfo[]
}

/** Into `dealt`, who goes where each of these alike pods was planned. Nobody trades where the plan leaves a domain open. */
function* deal(
  seats: readonly Seat[],
  plans: readonly NodePlan[],
  tallies: readonly Tally[],
  dealt: Map<PodInfo, PodInfo>,
): Sliced<void> {
  const open = benchesOf(seats, plans, tallies)
  if (open === undefined) return
  for (const [turn, pod] of seats
    .map((seat) => seat.pod)
    .toSorted(byAge)
    .entries()) {
    if (turn % turnsPerSlice === 0) yield
    const bench = open.reduce((best, each) => (isFewer(each, best, tallies) ? each : best))
    const planned = bench.pods.shift()
    if (planned !== undefined) dealt.set(planned, pod)
    if (bench.pods.length === 0) open.splice(open.indexOf(bench), 1)
    for (const [index, { count }] of tallies.entries()) {
      const domain = bench.domains[index] ?? ''
      count.set(domain, (count.get(domain) ?? 0) + 1)
    }
  }
}

/** Pods dealt out between two slices, each over as many benches as there are nodes at most. */
const turnsPerSlice = 100

/** In the order of the plan; undefined where it leaves a domain open. */
function benchesOf(seats: readonly Seat[], plans: readonly NodePlan[], tallies: readonly Tally[]): Bench[] | undefined {
  const benches = new Map<string, Bench>()
  for (const { plan, pod } of seats) {
    const domains = tallies.flatMap(({ key }) =>
      key === labelHostname ? `new node ${plan}` : (onlyValue(plans[plan], key) ?? []),
    )
    if (domains.length < tallies.length) return undefined
    const text = domains.join('\n')
    const known = benches.get(text)
    if (known === undefined) benches.set(text, { domains, pods: [pod] })
    else known.pods.push(pod)
  }
  return [...benches.values()]
}

function onlyValue(plan: NodePlan | undefined, key: string): string | undefined {
  const requirement = plan?.requirements.get(key)
  if (requirement === undefined || requirement.complement || requirement.values.size !== 1) return undefined
  return [...requirement.values][0]
}

/** By the first tally in which they differ. */
function isFewer(a: Bench, b: Bench, tallies: readonly Tally[]): boolean {
  for (const [index, { count }] of tallies.entries()) {
    const difference = (count.get(a.domains[index] ?? '') ?? 0) - (count.get(b.domains[index] ?? '') ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}

function byAge(a: PodInfo, b: PodInfo): number {
  return a.createdAt - b.createdAt || compareText(a.namespace, b.namespace) || compareText(a.name, b.name)
}
