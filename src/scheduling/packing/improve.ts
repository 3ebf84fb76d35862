import { controllerOf } from '../../api/owner-references.ts'
import { sumPrices } from '../../model/instance-type.ts'
import type { PodInfo } from '../../model/pod.ts'
import type { Sliced } from '../../model/sliced.ts'
import { type Bits, emptyBits, isEmptyBits, setBit } from '../bitset.ts'
import type { SolveContext } from '../context.ts'
import type { Placement } from '../placement.ts'
import type { SolveRequest } from '../solve-request.ts'
import { solveInSlices } from '../solver.ts'
import type { Template } from '../template.ts'
import { binsInSlices } from './bins.ts'
import { type Column, columnsOf, lowerBound, valueOf } from './lower-bound.ts'

export interface ImproveOptions {
  /** How long the improver may look, in slices of about a millisecond. Counted by work, so that runs repeat. */
  readonly workUnits: number
  /** Largest share of one workload's pods that one new node may hold, in (0, 1]; what the greedy answer does is never made worse. */
  readonly largestShare?: number
}

/** Slices worth spending on so many pods: a third of a second on small batches, where little can be saved, and up to `max` on large ones. */
export function packingSlices(pods: number, max: number): number {
  return Math.min(max, Math.max(300, pods * 2))
}

/** More nodes are more daemons to start and more that can go wrong: they must save so much of the price. */
const savingLeast = 0.02

function worthwhile(best: Placement, greedy: Placement): Placement {
  if (best.newNodePlans.length <= greedy.newNodePlans.length) return best
  return (priceOf(best) ?? 0) <= (priceOf(greedy) ?? 0) * (1 - savingLeast) ? best : greedy
}

/** Nobody can do better than the bound; a hundredth above it is not worth more work. */
const nearEnough = 1.01

/** Part of the work that goes into finding which pods should share a node; solves take the rest. */
const packingPart = 0.6

/**
 * The same work, handing back control about every millisecond. Every answer is the solver's own, so it breaks no constraint: it is
 * told which pods had better share a node, or may open nodes of some sizes and families only.
 */
export function* improveInSlices(
  context: SolveContext,
  request: SolveRequest,
  greedy: Placement,
  { workUnits, largestShare = 1 }: ImproveOptions,
): Sliced<Placement> {
  const placed = greedy.newNodePlans.reduce((sum, plan) => sum + plan.pods.length, 0)
  // One pod has the cheapest node that takes it.
  if (
    workUnits <= 0 ||
    placed < 2 ||
    greedy.timedOut ||
    greedy.newNodePlans.length === 0 ||
    priceOf(greedy) === undefined
  )
    return greedy
  yield
  const shareMax = Math.max(largestShare, shareOf(greedy))
  let best = greedy
  let left = workUnits
  const accept = (placement: Placement): void => {
    if (!isBetter(placement, best, greedy) || shareOf(placement) > shareMax) return
    best = { ...placement, failures: greedy.failures, deferred: greedy.deferred }
  }
  const packing = binsInSlices(context, greedy.newNodePlans, {
    slices: workUnits * packingPart,
    largestShare: shareMax,
  })
  const bins = yield* counted(packing)
  if (bins !== undefined && bins.size > 0) {
    const placement = yield* counted(solveInSlices(context, { ...request, bins }))
    if (placement !== undefined) accept(placement)
  }
  yield
  const pods = greedy.newNodePlans.flatMap((plan) => plan.pods)
  const { price: least, worth } = lowerBound(context, pods)
  // Where every pod was told its node, cutting the choice of nodes finds nothing more.
  if (bins?.size === pods.length && best !== greedy) return worthwhile(best, greedy)
  if ((priceOf(best) ?? 0) <= least * nearEnough) return worthwhile(best, greedy)
  const columns = columnsOf(context)
  const values = columns.map((column) => (column.price > 0 ? valueOf(column, worth) / column.price : 1))
  for (const admits of narrowings(context, columns, values)) {
    const narrowed = narrow(context, columns, admits)
    if (narrowed === undefined) continue
    const placement = yield* counted(solveInSlices(narrowed, request))
    if (placement === undefined) break
    accept(placement)
  }
  return worthwhile(best, greedy)

  /** Undefined when the budget ended first. */
  function* counted<T>(work: Sliced<T>): Sliced<T | undefined> {
    for (;;) {
      if (left <= 0) return undefined
      left -= 1
      const step = work.next()
      if (step.done === true) return step.value
      yield
    }
  }
}

/** US dollars per hour of the new nodes; undefined when the price of one is not known. */
export function priceOf({ newNodePlans }: Pick<Placement, 'newNodePlans'>): number | undefined {
  const prices = newNodePlans.flatMap(({ price }) => (price === undefined ? [] : [price]))
  return prices.length === newNodePlans.length ? sumPrices(prices) : undefined
}

/** Least price for what a full node is worth by the lower bound, as a share: the nearer to 1, the fewer families remain. */
const valuesLeast = [0, 0.8, 0.9, 0.95, 0.98]
/** Largest nodes, in thousandths of the largest there is. */
const sizes = [1000, 500, 333, 250, 167, 125, 83, 63, 42, 21, 10]

type Narrowing = (index: number) => boolean

function* narrowings(
  context: SolveContext,
  columns: readonly Column[],
  values: readonly number[],
): Generator<Narrowing> {
  const cpu = context.amounts.indexOf('cpu')
  const largest = columns.reduce((most, { room }) => Math.max(most, room[cpu] ?? 0), 0)
  for (const size of sizes) {
    for (const least of valuesLeast) {
      yield (index) => (columns[index]?.room[cpu] ?? 0) * 1000 <= largest * size && (values[index] ?? 0) >= least
    }
  }
}

/** The context with templates that open only the admitted nodes; undefined when none is left. */
function narrow(context: SolveContext, columns: readonly Column[], admits: Narrowing): SolveContext | undefined {
  const admitted = new Map<Template, Bits>()
  for (const [index, { template, slot }] of columns.entries()) {
    if (!admits(index)) continue
    const bits = admitted.get(template) ?? emptyBits(template.catalog.size)
    setBit(bits, slot)
    admitted.set(template, bits)
  }
  const templates: Template[] = []
  let isNarrower = false
  for (const template of context.templates) {
    const candidates = admitted.get(template)
    if (candidates === undefined || isEmptyBits(candidates)) templates.push({ ...template, index: templates.length })
    else {
      isNarrower = true
      // It is not for want of types that they are fewer here.
      templates.push({ ...template, index: templates.length, candidates, lowersMinValues: false })
      // Pods that need other nodes may have them, except under limits, which two templates of one pool would count twice.
      if (Object.keys(template.pool.spec.limits ?? {}).length === 0)
        templates.push({ ...template, index: templates.length })
    }
  }
  return isNarrower ? { ...context, templates } : undefined
}

function isBetter(candidate: Placement, best: Placement, greedy: Placement): boolean {
  const price = priceOf(candidate)
  return (
    !candidate.timedOut &&
    price !== undefined &&
    price < (priceOf(best) ?? 0) &&
    candidate.relaxations.length <= greedy.relaxations.length &&
    candidate.unattempted.length === 0 &&
    sameUIDs(unplaced(candidate), unplaced(greedy))
  )
}

function unplaced({ failures, deferred }: Placement): readonly PodInfo[] {
  return [...failures.map(({ pod }) => pod), ...deferred]
}

function sameUIDs(a: readonly PodInfo[], b: readonly PodInfo[]): boolean {
  const uids = new Set(b.map(({ uid }) => uid))
  return a.length === b.length && a.every(({ uid }) => uids.has(uid))
}

/** The largest share of one workload's new pods on one node; workloads of a single pod say nothing. */
function shareOf({ newNodePlans }: Placement): number {
  const totals = new Map<string, number>()
  const most = new Map<string, number>()
  for (const { pods } of newNodePlans) {
    const here = new Map<string, number>()
    for (const pod of pods) {
      const workload = workloadOf(pod)
      if (workload !== undefined) here.set(workload, (here.get(workload) ?? 0) + 1)
    }
    for (const [workload, count] of here) {
      totals.set(workload, (totals.get(workload) ?? 0) + count)
      most.set(workload, Math.max(most.get(workload) ?? 0, count))
    }
  }
  let share = 0
  for (const [workload, total] of totals) if (total > 1) share = Math.max(share, (most.get(workload) ?? 0) / total)
  return share
}

function workloadOf(pod: PodInfo): string | undefined {
  const owner = controllerOf(pod)
  return owner === undefined ? undefined : `${pod.namespace}/${owner.kind}/${owner.name}`
}
