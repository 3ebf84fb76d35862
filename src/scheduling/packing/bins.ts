import type { PodInfo } from '../../model/pod.ts'
import type { Sliced } from '../../model/sliced.ts'
import { and, type Bits, forEachBit, isEmptyBits } from '../bitset.ts'
import type { SolveContext } from '../context.ts'
import type { NodePlan } from '../placement.ts'
import type { PodClass } from '../pod-class.ts'
import type { SetID } from '../requirement-space.ts'
import { slotsWithRoom, type Template } from '../template.ts'
import { type Column, columnsOf } from './lower-bound.ts'
import { packInSlices } from './pack.ts'
import type { Bin, PackingColumn, PackingItem, PackingProblem } from './problem.ts'

/** Pods that want the same of a node and are of one pool. */
interface Group {
  readonly template: Template
  readonly set: SetID
  readonly pods: Map<PodClass, PodInfo[]>
}

/** More columns than this are thinned to the ones that no other outdoes; that takes the square of their number. */
const columnsMax = 1_500

/**
 * Which pods should share a node, by UID: equal numbers belong together. Only pods whose wishes concern the node alone are told; those
 * that look at other pods are left to the solver, which has the last word on all of them.
 */
export function* binsInSlices(
  context: SolveContext,
  plans: readonly NodePlan[],
  { slices, largestShare }: { readonly slices: number; readonly largestShare: number },
): Sliced<ReadonlyMap<string, number>> {
  const bins = new Map<string, number>()
  const groups = groupsOf(context, plans)
  const total = groups.reduce((sum, { pods }) => sum + countOf(pods), 0)
  let next = 0
  for (const group of groups) {
    yield
    const share = countOf(group.pods) / total
    const { problem, classes } = problemOf(context, group, largestShare)
    yield
    const packed = yield* packInSlices(problem, slices * share)
    next = assign(
      packed ?? [],
      classes.map((podClass) => [...(group.pods.get(podClass) ?? [])]),
      next,
      bins,
    )
  }
  return bins
}

/** What there is to pack: a problem for each pool and each set of wishes. */
export function problemsOf(context: SolveContext, plans: readonly NodePlan[]): readonly PackingProblem[] {
  return groupsOf(context, plans).map((group) => problemOf(context, group, 1).problem)
}

function problemOf(
  context: SolveContext,
  group: Group,
  largestShare: number,
): { readonly problem: PackingProblem; readonly classes: readonly PodClass[] } {
  const classes = [...group.pods.keys()].toSorted((a, b) => a.id - b.id)
  const columns = undominated(columnsFor(context, group))
  const items = classes.map((podClass): PackingItem => {
    const pods = group.pods.get(podClass) ?? []
    return itemOf(context, podClass, pods.length, columns, group.template, largestShare)
  })
  const wanted = resourcesOf(items)
  return {
    classes,
    problem: {
      items: items.map((item) => ({ ...item, need: pick(item.need, wanted) })),
      columns: columns.map(({ room, price }): PackingColumn => ({ room: pick(room, wanted), price })),
    },
  }
}

function assign(
  packed: readonly Bin[],
  waiting: readonly PodInfo[][],
  first: number,
  bins: Map<string, number>,
): number {
  for (const [index, { counts }] of packed.entries()) {
    for (const [item, count] of counts) {
      for (const pod of waiting[item]?.splice(0, count) ?? []) bins.set(pod.uid, first + index)
    }
  }
  return first + packed.length
}

function groupsOf(context: SolveContext, plans: readonly NodePlan[]): readonly Group[] {
  const byPool = new Map(context.templates.toReversed().map((template) => [template.name, template]))
  const groups = new Map<string, Group>()
  for (const { nodePool, pods } of plans) {
    const template = byPool.get(nodePool)
    if (template === undefined) continue
    for (const pod of pods) {
      const podClass = context.classes.classOf(pod)
      if (!isFree(podClass)) continue
      const { set } = podClass.full
      const key = `${template.index}/${set}`
      const group = groups.get(key) ?? { template, set, pods: new Map<PodClass, PodInfo[]>() }
      groups.set(key, group)
      const alike = group.pods.get(podClass)
      if (alike === undefined) group.pods.set(podClass, [pod])
      else alike.push(pod)
    }
  }
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, group]) => group)
}

/** Whether a pod of the class cares about nothing but the node and what it has room for. */
function isFree({ constraints, full, hostPorts, volumeAlternatives, hasResourceClaims }: PodClass): boolean {
  return (
    constraints.spread.length === 0 &&
    constraints.requiredAffinity.length === 0 &&
    constraints.preferredAffinity.length === 0 &&
    constraints.requiredAntiAffinity.length === 0 &&
    constraints.preferredAntiAffinity.length === 0 &&
    constraints.preferredNodeTerms.length === 0 &&
    constraints.requiredNodeTerms.length < 2 &&
    full.hostname === undefined &&
    hostPorts.length === 0 &&
    volumeAlternatives.length === 1 &&
    volumeAlternatives[0]?.hostname === undefined &&
    !hasResourceClaims
  )
}

/** Nodes of the template as they are once a pod of the group is on them. */
function columnsFor(context: SolveContext, { template, set, pods }: Group): readonly Column[] {
  const merged = context.requirements.merge(template.set, set)
  const candidates = and(template.candidates, template.catalog.suitable(merged))
  const able = [...pods.keys()].map((podClass) => and(candidates, slotsWithRoom(template, podClass.requests)))
  const useful = able.filter((bits) => !isEmptyBits(bits))
  const wanted = new Set<number>()
  for (const bits of useful) forEachBit(bits, (slot) => wanted.add(slot))
  const { prices } = template.catalog.byPrice(merged)
  return columnsOf({ ...context, templates: [{ ...template, candidates }] })
    .filter(({ slot }) => wanted.has(slot))
    .map((column) => {
      const price = prices[template.catalog.slots[column.slot]?.typeIndex ?? -1] ?? column.price
      return { ...column, price }
    })
    .filter(({ price }) => Number.isFinite(price) && price > 0)
}

/** Without columns that another has at least the room of, for no more money. */
function undominated(columns: readonly Column[]): readonly Column[] {
  if (columns.length > columnsMax) return columns
  const sorted = columns.toSorted((a, b) => a.price - b.price || a.slot - b.slot)
  const kept: Column[] = []
  for (const column of sorted) {
    // Of equals the first stays; cheaper ones come first.
    if (!kept.some(({ room }) => room.every((amount, r) => amount >= (column.room[r] ?? 0)))) kept.push(column)
  }
  return kept
}

function itemOf(
  { amounts }: SolveContext,
  { requests }: PodClass,
  count: number,
  columns: readonly Column[],
  template: Template,
  largestShare: number,
): PackingItem {
  const need = new Float64Array(amounts.size)
  for (const [i, resource] of requests.indexes.entries()) need[resource] = requests.amounts[i] ?? 0
  const able: Bits = slotsWithRoom(template, requests)
  const fits = Uint8Array.from(columns, ({ slot }) => ((able[slot >>> 5] ?? 0) >>> (slot & 31)) & 1)
  const perBin = largestShare >= 1 || count < 2 ? count : Math.max(1, Math.floor(count * largestShare))
  return { need, count, perBin, fits }
}

function resourcesOf(items: readonly PackingItem[]): readonly number[] {
  const length = items[0]?.need.length ?? 0
  return Array.from({ length }, (_, r) => r).filter((r) => items.some(({ need }) => (need[r] ?? 0) > 0))
}

function pick(values: Float64Array, wanted: readonly number[]): Float64Array {
  return Float64Array.from(wanted, (r) => values[r] ?? 0)
}

function countOf(pods: ReadonlyMap<PodClass, readonly PodInfo[]>): number {
  let count = 0
  for (const list of pods.values()) count += list.length
  return count
}
