import type { TopologySpreadConstraint } from '../api/kubernetes.ts'
import { labelHostname } from '../api/labels.ts'
import { compareText } from '../model/order.ts'
import type { PodInfo } from '../model/pod.ts'
import type { StateNode } from '../model/snapshot.ts'
import type { SolveContext } from './context.ts'
import type { NodePlan, Placement } from './placement.ts'
import type { PodClass } from './pod-class.ts'
import { selectsPods, withLabelKeys } from './topology/group-spec.ts'

/**
 * The plan with pods that are alike trading places among its new nodes. The scheduler takes pods that wait by age, the solver in an
 * order of its own: a pod whose domain is ahead of the others when its turn comes may not go there yet, and would take room that was
 * meant for a pod of another kind. Dealt out by age, each to the domain that has fewest, no pod is ever ahead by more than its skew.
 * In slices.
 */
export function* placementInTurn(
  { classes, snapshot }: SolveContext,
  placement: Placement,
): Generator<undefined, Placement, undefined> {
  const plans = placement.newNodePlans
  const seats = new Map<PodClass, Seat[]>()
  for (const [plan, { pods }] of plans.entries()) {
    for (const pod of pods) {
      if (hardSpreads(pod).length === 0) continue
      const podClass = classes.classOf(pod)
      const known = seats.get(podClass)
      if (known === undefined) seats.set(podClass, [{ plan, pod }])
      else known.push({ plan, pod })
    }
  }
  const occupied = [
    ...snapshot.nodes,
    ...placement.existing.map(({ node: { labels, hostname }, pods }) => ({ labels, hostname, pods })),
  ]
  const dealt = new Map<PodInfo, PodInfo>()
  for (const taken of seats.values()) {
    if (new Set(taken.map(({ plan }) => plan)).size === 1) continue
    yield
    for (const [before, after] of deal(taken, plans, occupied)) dealt.set(before, after)
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

type Occupied = Pick<StateNode, 'labels' | 'hostname' | 'pods'>

/** Who goes where each of these alike pods was planned. Nobody trades where the plan leaves a domain open. */
function deal(
  seats: readonly Seat[],
  plans: readonly NodePlan[],
  occupied: readonly Occupied[],
): ReadonlyMap<PodInfo, PodInfo> {
  const dealt = new Map<PodInfo, PodInfo>()
  const [example] = seats
  if (example === undefined) return dealt
  const tallies = hardSpreads(example.pod).map((spread) => tallyOf(spread, example.pod, occupied))
  const open = seats.map(({ plan, pod }) => ({
    pod,
    domains: tallies.map(({ key }) => (key === labelHostname ? `new node ${plan}` : onlyValue(plans[plan], key))),
  }))
  if (open.some(({ domains }) => domains.includes(undefined))) return dealt
  for (const pod of seats.map((seat) => seat.pod).toSorted(byAge)) {
    const counts = open.map(({ domains }) => tallies.map(({ count }, index) => count.get(domains[index] ?? '') ?? 0))
    let best = 0
    for (const index of open.keys()) if (isFewer(counts[index] ?? [], counts[best] ?? [])) best = index
    const [seat] = open.splice(best, 1)
    if (seat === undefined) break
    dealt.set(seat.pod, pod)
    for (const [index, { count }] of tallies.entries()) {
      const domain = seat.domains[index] ?? ''
      count.set(domain, (count.get(domain) ?? 0) + 1)
    }
  }
  return dealt
}

interface Tally {
  readonly key: string
  /** Pods that count for the spread, by domain. */
  readonly count: Map<string, number>
}

function tallyOf(
  { topologyKey: key, labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint,
  { namespace, labels: own }: PodInfo,
  occupied: readonly Occupied[],
): Tally {
  const count = new Map<string, number>()
  const group = { namespaces: new Set([namespace]), selector: withLabelKeys(labelSelector, matchLabelKeys, own) }
  for (const { labels, hostname, pods } of occupied) {
    const domain = key === labelHostname ? hostname : labels[key]
    if (domain === undefined) continue
    const matching = pods.filter((pod) => selectsPods(group, pod)).length
    if (matching > 0) count.set(domain, (count.get(domain) ?? 0) + matching)
  }
  return { key, count }
}

function hardSpreads({ topologySpreadConstraints }: PodInfo): readonly TopologySpreadConstraint[] {
  return topologySpreadConstraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')
}

function onlyValue(plan: NodePlan | undefined, key: string): string | undefined {
  const requirement = plan?.requirements.get(key)
  if (requirement === undefined || requirement.complement || requirement.values.size !== 1) return undefined
  return [...requirement.values][0]
}

function isFewer(a: readonly number[], b: readonly number[]): boolean {
  const differs = a.findIndex((count, index) => count !== b[index])
  return differs !== -1 && (a[differs] ?? 0) < (b[differs] ?? 0)
}

function byAge(a: PodInfo, b: PodInfo): number {
  return a.createdAt - b.createdAt || compareText(a.namespace, b.namespace) || compareText(a.name, b.name)
}
