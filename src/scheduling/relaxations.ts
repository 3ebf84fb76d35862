import type { TopologySpreadConstraint } from '../api/kubernetes.ts'
import { isSoftToleration, type PodConstraints, removing, tolerateSoftTaints } from './pod-constraints.ts'

/** Numbers of things given up, both inclusive. */
interface Stretch {
  readonly from: number
  readonly to: number
}

/**
 * What a pod can do without, in the order in which it gives it up: node terms but the last, preferred pod affinity and anti-affinity and
 * node terms, each the heaviest first, soft spread constraints, untolerated soft taints. A pod may have thousands of these, so they are
 * sorted once, and the constraints left after a step are built only on request.
 */
export class Relaxations {
  /** How many things there are to give up. */
  readonly count: number
  /**
   * How many steps there are: node terms that went before something else come back at the end, one after the other. The pod may have failed
   * as each of them for what it has given up since.
   */
  readonly steps: number
  /** Steps in this range drop preferences only: the pod may go wherever it could before, with fewer groups to satisfy. */
  readonly wishes: Stretch
  /** Steps in this range drop node preferences only. */
  readonly nodeWishes: Stretch
  readonly #constraints: PodConstraints
  readonly #heaviestFirst: Pick<PodConstraints, 'preferredAffinity' | 'preferredAntiAffinity' | 'preferredNodeTerms'>
  /** Places of the dropped constraints in what was left before each. */
  readonly #softSlots: readonly number[]
  readonly #softSpread: readonly TopologySpreadConstraint[]
  /** Those that were asked for: the pods of a workload all give the same. */
  readonly #reasons = new Map<number, string>()

  constructor(constraints: PodConstraints, options: { readonly softTaints: boolean }) {
    this.#constraints = constraints
    const { requiredNodeTerms, preferredAffinity, preferredAntiAffinity, preferredNodeTerms } = constraints
    this.#heaviestFirst = {
      preferredAffinity: heaviestFirst(preferredAffinity),
      preferredAntiAffinity: heaviestFirst(preferredAntiAffinity),
      preferredNodeTerms: heaviestFirst(preferredNodeTerms),
    }
    const { slots, dropped } = softDrops(constraints.spread)
    this.#softSlots = slots
    this.#softSpread = dropped
    const from = Math.max(0, requiredNodeTerms.length - 1)
    const nodeFrom = from + preferredAffinity.length + preferredAntiAffinity.length
    this.nodeWishes = { from: nodeFrom, to: nodeFrom + preferredNodeTerms.length }
    this.wishes = { from, to: this.nodeWishes.to + slots.length }
    const tolerates = options.softTaints && !constraints.tolerations.some(isSoftToleration)
    this.count = this.wishes.to + (tolerates ? 1 : 0)
    this.steps = this.count + (this.count > from ? from : 0)
  }

  /** The constraints that are left after so many steps. */
  after(dropped: number): PodConstraints {
    const { wishes, nodeWishes } = this
    const base = this.#constraints
    if (dropped === 0) return base
    if (dropped > this.count) {
      return { ...this.after(this.count), requiredNodeTerms: base.requiredNodeTerms.slice(dropped - this.count - 1) }
    }
    const affinities = dropped - wishes.from
    const antiAffinities = affinities - base.preferredAffinity.length
    const soft = dropped - nodeWishes.to
    const sorted = this.#heaviestFirst
    const left: PodConstraints = {
      ...base,
      requiredNodeTerms: without(base.requiredNodeTerms, Math.min(dropped, wishes.from)),
      // In the pod's own order as long as none is given up.
      preferredAffinity: affinities > 0 ? without(sorted.preferredAffinity, affinities) : base.preferredAffinity,
      preferredAntiAffinity:
        antiAffinities > 0 ? without(sorted.preferredAntiAffinity, antiAffinities) : base.preferredAntiAffinity,
      preferredNodeTerms: without(sorted.preferredNodeTerms, dropped - nodeWishes.from),
      spread: soft > 0 ? this.#spreadWithout(soft) : base.spread,
    }
    return dropped > wishes.to ? tolerateSoftTaints(left) : left
  }

  /** As the log line names the thing at this position. */
  reason(position: number): string {
    let reason = this.#reasons.get(position)
    if (reason === undefined) {
      reason = this.#reasonOf(position)
      this.#reasons.set(position, reason)
    }
    return reason
  }

  #reasonOf(position: number): string {
    const { requiredNodeTerms } = this.#constraints
    const { preferredAffinity, preferredAntiAffinity, preferredNodeTerms } = this.#heaviestFirst
    let at = position
    if (at < this.wishes.from) return `removing: ${requiredTerm}=${JSON.stringify(requiredNodeTerms[at])}`
    if (at >= this.count) return `restoring: ${requiredTerm}=${JSON.stringify(requiredNodeTerms[at - this.count])}`
    at -= this.wishes.from
    const kinds = {
      podAffinity: preferredAffinity,
      podAntiAffinity: preferredAntiAffinity,
      nodeAffinity: preferredNodeTerms,
    }
    for (const [kind, terms] of Object.entries(kinds)) {
      if (at < terms.length) return removing(kind, terms[at])
      at -= terms.length
    }
    const soft = this.#softSpread[at]
    return soft === undefined
      ? 'adding: toleration for PreferNoSchedule taints'
      : `removing: spec.topologySpreadConstraints = ${JSON.stringify(soft)}`
  }

  #spreadWithout(dropped: number): readonly TopologySpreadConstraint[] {
    const rest = [...this.#constraints.spread]
    for (const slot of this.#softSlots.slice(0, dropped)) dropSlot(rest, slot)
    return rest
  }
}

const requiredTerm = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]'

function heaviestFirst<T extends { readonly weight: number }>(terms: readonly T[]): readonly T[] {
  return terms.length < 2 ? terms : terms.toSorted((a, b) => b.weight - a.weight)
}

function without<T>(terms: readonly T[], dropped: number): readonly T[] {
  return dropped > 0 ? terms.slice(dropped) : terms
}

/** The first soft constraint goes until there is none. */
function softDrops(spread: readonly TopologySpreadConstraint[]): {
  readonly slots: readonly number[]
  readonly dropped: readonly TopologySpreadConstraint[]
} {
  const slots: number[] = []
  const dropped: TopologySpreadConstraint[] = []
  const rest = [...spread]
  let slot = 0
  for (let first = rest[slot]; first !== undefined; first = rest[slot]) {
    if (first.whenUnsatisfiable !== 'ScheduleAnyway') slot += 1
    else {
      slots.push(slot)
      dropped.push(first)
      dropSlot(rest, slot)
    }
  }
  return { slots, dropped }
}

/** The last constraint takes the slot of the dropped one. */
function dropSlot(spread: TopologySpreadConstraint[], slot: number): void {
  const last = spread.pop()
  if (last !== undefined && slot < spread.length) spread[slot] = last
}
