import { budgetHoldText, unlimited, type VoluntaryReason } from '../../disruption/budgets.ts'
import { bySavingsRatio, type Candidate, isStatic, poolName } from '../../disruption/candidates.ts'
import { driftOrder } from '../../disruption/drift.ts'
import { type DisruptionGate, throughGate } from '../../disruption/gate.ts'
import { nodeLimitOf } from '../../disruption/static-capacity.ts'
import { excessText, nodeLimitText } from '../../disruption/static-drift.ts'
import type { NodePool } from '../../api/karpenter.ts'
import { compareText } from '../../model/order.ts'
import type { StateNode } from '../../model/snapshot.ts'
import { nextBudgetChange } from './budget-calendar.ts'
import type { FleetCount } from './fleet-count.ts'
import type { ReplacementTiming } from './input.ts'
import type { Judge, JudgedReplacement } from './judge.ts'
import type { EmptyNode } from './opened-consolidation.ts'

/** When each drifted node would be replaced: the disruption loop's choices at virtual times. */
export interface Timeline {
  readonly starts: readonly Start[]
  /** Those that never get their turn. */
  readonly held: readonly { readonly candidate: Candidate; readonly message: string }[]
  /** US dollars per hour of nodes that come for pods only when their node is drained. */
  readonly late: readonly { readonly at: number; readonly amount: number }[]
  /** Milliseconds since the epoch when the last replaced node is gone; `start` when there is none. */
  readonly end: number
  /** Whether something would have happened later than anybody looks ahead. */
  readonly isCutOff: boolean
}

interface Start {
  readonly candidate: Candidate
  /** Milliseconds since the epoch. */
  readonly at: number
  /** When it is gone. */
  readonly goneAt: number
  /** US dollars per hour of what comes instead. */
  readonly addedPrice: number
}

export interface TimelineInput {
  readonly start: number
  /** Drifted. */
  readonly candidates: readonly Candidate[]
  readonly empties: readonly EmptyNode[]
  /** On their way out when it begins, or going at once; and when they are gone, in milliseconds since the epoch. */
  readonly leaving: readonly { readonly stateNode: StateNode; readonly goneAt: number }[]
  /** Pools of the nodes that come when it begins, for pods that wait or lose theirs at once, or are on their way already. */
  readonly coming: readonly string[]
  /** Provider IDs of the latter: none of these goes before it is there. */
  readonly notUp: ReadonlySet<string>
  readonly counts: FleetCount
  readonly timing: ReplacementTiming
  readonly judge: Judge
  /** What holds nodes back beside budgets. */
  readonly gates: GateSchedule
  /** US dollars per hour of a node made from the bare template of a static pool. */
  readonly staticPrice: (pool: NodePool) => number
}

/** What holds nodes back over the time of a plan. Whoever walks that time tells what happens, before asking again. */
export interface GateSchedule {
  at(now: number): DisruptionGate
  /** At the same moment, after one more node has started; undefined when that makes no difference. */
  afterStart(now: number): DisruptionGate | undefined
  /** When the gate may be another although no node came or went. */
  changesAfter(now: number): number | undefined
  /** A node begins to be replaced. `newNodes`: pools of the nodes that come instead. */
  started(candidate: Candidate, now: number, newNodes: readonly string[]): void
  /** A node begins to go, and nothing comes instead. */
  removed(candidate: Candidate): void
  /** What comes instead is initialized. */
  ready(candidate: Candidate, newNodes: readonly string[]): void
  gone(stateNode: StateNode): void
}

/** What would happen later than in so many days is not looked for. */
export const horizonDays = 366
const horizonMs = horizonDays * 24 * 3_600_000
/** More moments than any fleet needs: each node has three. */
const momentsMax = 200_000

export function walkTimeline(input: TimelineInput): Timeline {
  return new Walk(input).run()
}

type FleetEvent = Readonly<
  | { at: number; kind: 'ready' | 'gone'; candidate: Candidate; newNodes: readonly string[] }
  | { at: number; kind: 'removed'; candidate: Candidate }
  | { at: number; kind: 'left'; stateNode: StateNode }
  | { at: number; kind: 'came'; pool: string }
>

class Walk {
  readonly #input: TimelineInput
  readonly #starts: Start[] = []
  readonly #late: { readonly at: number; readonly amount: number }[] = []
  /** What is still to happen, soonest first. */
  readonly #events: FleetEvent[] = []
  /** Of dynamic pools, in the usual order unless that is stale. */
  #pending: readonly Candidate[]
  /** The same in the order in which they are looked at. */
  #queue: readonly Candidate[] = []
  /** Of static pools, in the order of the survey. */
  #statics: readonly Candidate[]
  /** Dearest per harm first, as emptiness takes them. */
  #empties: readonly EmptyNode[]
  /** What put the queue in order. */
  #ordered: DisruptionGate['driftOrder']
  #isOrderStale = true
  #isQueueStale = true

  constructor(input: TimelineInput) {
    this.#input = input
    this.#pending = input.candidates.filter(({ pool }) => !isStatic(pool))
    this.#statics = input.candidates.filter(({ pool }) => isStatic(pool))
    this.#empties = input.empties.toSorted((a, b) => bySavingsRatio(a.candidate, b.candidate))
    for (const { stateNode, goneAt } of input.leaving) this.#schedule({ at: goneAt, kind: 'left', stateNode })
    const cameAt = input.start + input.timing.launchMs
    for (const pool of input.coming) this.#schedule({ at: cameAt, kind: 'came', pool })
  }

  run(): Timeline {
    const { start, judge } = this.#input
    let now = start
    /** How many had started by then. */
    let reconsideredAt: number | undefined
    let isCutOff = false
    for (let moments = 0; moments < momentsMax; moments += 1) {
      this.#removeEmpties(now)
      this.#startAll(now)
      const isQuiet = this.#events.length === 0 && this.#empties.every(({ readyAt }) => readyAt <= now)
      // What did not fit may fit once everything else has moved.
      const isRefused = this.#pending.length > 0 && this.#pending.every((it) => judge.refusal(it) !== undefined)
      if (isQuiet && isRefused && reconsideredAt !== this.#starts.length) {
        reconsideredAt = this.#starts.length
        if (judge.reconsider()) this.#startAll(now)
        if (this.#starts.length > reconsideredAt) continue
      }
      // Static pools and empty nodes may still wait for a budget or a policy.
      if (isQuiet && isRefused && this.#statics.length + this.#empties.length === 0) break
      const next = this.#nextMoment(now)
      isCutOff = next !== undefined && next > start + horizonMs
      if (next === undefined || isCutOff) break
      now = next
      this.#happen(now)
    }
    return { starts: this.#starts, held: this.#heldBack(now), late: this.#late, end: this.#end(), isCutOff }
  }

  #end(): number {
    return this.#starts.reduce((latest, { goneAt }) => Math.max(latest, goneAt), this.#input.start)
  }

  /** Emptiness comes before drift: all that the budgets let go at once. */
  #removeEmpties(now: number): void {
    if (!this.#empties.some(({ readyAt }) => readyAt <= now)) return
    const { counts, gates, judge, timing } = this.#input
    const gate = gates.at(now)
    /** By name of what pools have in common: what is a pool's own is counted with its nodes. */
    const begun = new Map<string, number>()
    const begunOf = (name: string): number => begun.get(name) ?? 0
    this.#empties = this.#empties.filter(({ candidate, readyAt }) => {
      if (readyAt > now) return true
      // What has got pods meanwhile is empty no more.
      if (judge.current(candidate).reschedulablePods.length > candidate.reschedulablePods.length) return true
      const pool = poolName(candidate)
      const common = gate.common?.(pool, 'Empty') ?? []
      const left = common.map(({ name, nodes }) => nodes - begunOf(name))
      const room = Math.min(counts.remaining(candidate.pool, 'Empty', now), ...left)
      if (room <= 0 || gate.hold(candidate, 'Empty') !== undefined) return true
      const goneAt = now + timing.drainMs
      for (const { name } of common) begun.set(name, begunOf(name) + 1)
      counts.started(pool, 'removed')
      gates.removed(candidate)
      judge.remove(candidate)
      this.#forget(new Set([candidate.providerID]))
      this.#starts.push({ candidate, at: now, goneAt, addedPrice: 0 })
      this.#schedule({ at: goneAt, kind: 'removed', candidate })
      return false
    })
  }

  /** As the disruption loop goes: after every start it looks at all the others again, at static pools first. */
  #startAll(now: number): void {
    while (this.#pending.length + this.#statics.length > 0) {
      this.#replaceStatics(now)
      const hasStarted = this.#pending.length > 0 && this.#pass(now)
      if (!hasStarted || !this.#input.judge.eachAnew) return
    }
  }

  /** All that a static pool lets go, it lets go at once. */
  #replaceStatics(now: number): void {
    if (this.#statics.length === 0) return
    const { counts, gates, staticPrice } = this.#input
    const gate = gates.at(now)
    const pools = new Map(this.#statics.map(({ pool }) => [pool.metadata.name, pool]))
    const rooms = new Map(
      [...pools].map(([name, pool]) => {
        const limit = gate.limit(name, 'Drifted') ?? unlimited
        return [name, Math.min(counts.remaining(pool, 'Drifted', now), limit, staticRoom(pool, counts))] as const
      }),
    )
    const up = this.#statics.filter((candidate) => this.#isUp(candidate, now))
    const inOrder = gate.driftOrder?.(up) ?? up
    const through = throughGate(inOrder, 'Drifted', gate, (pool) => rooms.get(pool) ?? 0)
    const eligible = Map.groupBy(through.eligible, poolName)
    const begun = new Set<Candidate>()
    for (const [name, candidates] of [...eligible].toSorted(([a], [b]) => compareText(a, b))) {
      const [first] = candidates
      if (first === undefined) continue
      const { pool } = first
      for (const candidate of candidates.slice(0, rooms.get(name) ?? 0)) {
        this.#begin(candidate, now, { kind: 'go', addedPrice: staticPrice(pool), newNodes: [name] })
        begun.add(candidate)
      }
    }
    this.#statics = this.#statics.filter((candidate) => !begun.has(candidate))
  }

  /** Starts the first that may go, or all that may where judgements last. */
  #pass(now: number): boolean {
    const { gates, judge } = this.#input
    let gate = gates.at(now)
    const room = this.#roomAt(now, gate)
    if (room.size === 0) return false
    this.#order(gate)
    const begun = new Set<string>()
    for (const [index, candidate] of this.#queue.entries()) {
      const pool = poolName(candidate)
      const allowed = room.get(pool) ?? 0
      if (allowed <= 0 || !this.#isUp(candidate, now) || judge.waits(candidate)) continue
      if (gate.hold(candidate, 'Drifted') !== undefined) continue
      const judged: JudgedReplacement = judge.judge(candidate, () => this.#queue.slice(index))
      if (judged.kind !== 'go') continue
      room.set(pool, allowed - 1)
      begun.add(candidate.providerID)
      this.#begin(candidate, now, judged)
      if (judge.eachAnew) break
      const next = gates.afterStart(now)
      gate = next ?? gate
      for (const [name, left] of room) room.set(name, Math.min(left, next?.limit(name, 'Drifted') ?? left))
      // There may be thousands more in the queue, at thousands of moments.
      if ([...room.values()].every((left) => left <= 0)) break
    }
    if (begun.size === 0) return false
    this.#forget(begun)
    this.#empties = this.#empties.filter((empty) => !begun.has(empty.candidate.providerID))
    this.#refresh()
    return true
  }

  #isUp({ providerID }: Candidate, now: number): boolean {
    const { start, notUp, timing } = this.#input
    return now >= start + timing.launchMs || !notUp.has(providerID)
  }

  /** Nodes that got pods meanwhile take another place in the order. */
  #refresh(): void {
    const { judge } = this.#input
    if (judge.grown.size === 0) return
    if (this.#pending.some(({ providerID }) => judge.grown.has(providerID))) {
      this.#pending = this.#pending.map((candidate) => judge.current(candidate))
      this.#isOrderStale = true
    }
    judge.grown.clear()
  }

  #forget(begun: ReadonlySet<string>): void {
    this.#pending = this.#pending.filter(({ providerID }) => !begun.has(providerID))
    this.#isQueueStale = true
  }

  /** What a policy puts in order may go in another one when some of them are gone, so its queue is made from the usual order each time. */
  #order({ driftOrder: order }: DisruptionGate): void {
    if (this.#isOrderStale) this.#pending = driftOrder(this.#pending)
    else if (!this.#isQueueStale && order === this.#ordered) return
    this.#queue = order?.(this.#pending) ?? this.#pending
    this.#ordered = order
    this.#isOrderStale = false
    this.#isQueueStale = false
  }

  /** By pool, only where there is any. */
  #roomAt(now: number, gate: DisruptionGate): Map<string, number> {
    const { counts } = this.#input
    const room = new Map<string, number>()
    for (const candidate of this.#pending) {
      const pool = poolName(candidate)
      if (room.has(pool)) continue
      const limit = gate.limit(pool, 'Drifted') ?? unlimited
      room.set(pool, Math.min(counts.remaining(candidate.pool, 'Drifted', now), limit))
    }
    for (const [pool, allowed] of room) if (allowed <= 0) room.delete(pool)
    return room
  }

  /** Without new nodes to wait for, the node is drained at once. */
  #begin(
    candidate: Candidate,
    now: number,
    { addedPrice, newNodes }: Extract<JudgedReplacement, { kind: 'go' }>,
  ): void {
    const { counts, gates, judge, timing } = this.#input
    const readyAt = newNodes.length === 0 ? now : now + timing.launchMs
    const goneAt = readyAt + timing.drainMs
    counts.started(poolName(candidate), 'replaced')
    gates.started(candidate, now, newNodes)
    this.#starts.push({ candidate, at: now, goneAt, addedPrice })
    judge.begin(candidate)
    if (readyAt === now) this.#drain(candidate, now)
    else this.#schedule({ at: readyAt, kind: 'ready', candidate, newNodes })
    this.#schedule({ at: goneAt, kind: 'gone', candidate, newNodes })
  }

  #drain(candidate: Candidate, at: number): void {
    const amount = this.#input.judge.ready(candidate)
    if (amount > 0) this.#late.push({ at, amount })
  }

  #schedule(event: FleetEvent): void {
    let index = this.#events.length
    while (index > 0 && (this.#events[index - 1]?.at ?? 0) > event.at) index -= 1
    this.#events.splice(index, 0, event)
  }

  #happen(now: number): void {
    for (let next = this.#events[0]; next !== undefined && next.at <= now; next = this.#events[0]) {
      this.#events.shift()
      this.#take(next)
    }
    this.#refresh()
  }

  #take(event: FleetEvent): void {
    const { counts, gates, judge } = this.#input
    switch (event.kind) {
      case 'ready':
        for (const pool of event.newNodes) counts.ready(pool)
        gates.ready(event.candidate, event.newNodes)
        return this.#drain(event.candidate, event.at)
      case 'gone':
      case 'removed':
        counts.gone(poolName(event.candidate), event.kind === 'gone' ? 'replaced' : 'removed')
        gates.gone(event.candidate.stateNode)
        return judge.gone(event.candidate)
      case 'left':
        counts.left(event.stateNode)
        return gates.gone(event.stateNode)
      case 'came':
        return counts.ready(event.pool)
    }
  }

  #nextMoment(now: number): number | undefined {
    const { gates } = this.#input
    const times = [this.#events[0]?.at]
    times.push(...this.#empties.map(({ readyAt }) => readyAt).filter((at) => at > now))
    const pools = new Set<NodePool>()
    for (const { pool } of [...this.#pending, ...this.#statics]) pools.add(pool)
    for (const { candidate } of this.#empties) pools.add(candidate.pool)
    for (const pool of pools) times.push(nextBudgetChange(pool, now))
    if (pools.size > 0) times.push(gates.changesAfter(now))
    const known = times.filter((time) => time !== undefined)
    return known.length === 0 ? undefined : Math.min(...known)
  }

  #heldBack(now: number): Timeline['held'] {
    const gate = this.#input.gates.at(now)
    const drifted = new Set(this.#pending.map(({ providerID }) => providerID))
    const onlyEmpty = this.#empties.filter(({ candidate }) => !drifted.has(candidate.providerID))
    const stillEmpty = onlyEmpty.map(({ candidate }) => {
      const hasPods = this.#input.judge.current(candidate).reschedulablePods.length > candidate.reschedulablePods.length
      const message = hasPods ? 'Gets pods of nodes that go' : gate.hold(candidate, 'Empty')?.message
      return { candidate, message: message ?? this.#noRoomText(candidate, 'Empty', { gate, now }) }
    })
    const stillDrifted = this.#pending.map((candidate) => {
      const refusal = this.#input.judge.refusal(candidate) ?? gate.hold(candidate, 'Drifted')
      return { candidate, message: refusal?.message ?? this.#noRoomText(candidate, 'Drifted', { gate, now }) }
    })
    const stillStatic = this.#statics.map((candidate) => {
      const hold = gate.hold(candidate, 'Drifted') ?? gate.take?.(candidate, 'Drifted')
      const ofPool = staticHoldText(candidate.pool, this.#input.counts)
      const message = hold?.message ?? ofPool ?? this.#noRoomText(candidate, 'Drifted', { gate, now })
      return { candidate, message }
    })
    return [...stillDrifted, ...stillStatic, ...stillEmpty]
  }

  /** Whose budget is used up: that of the pool, or the one that a policy gives to several. */
  #noRoomText(
    candidate: Candidate,
    reason: VoluntaryReason,
    { gate, now }: { gate: DisruptionGate; now: number },
  ): string {
    const full = gate.common?.(poolName(candidate), reason).find(({ nodes }) => nodes <= 0)
    const isOfPool = this.#input.counts.remaining(candidate.pool, reason, now) <= 0
    if (full === undefined || isOfPool) return budgetHoldText(reason)
    return `${full.name}: its shared budget lets no more nodes go`
  }
}

/** A static pool replaces what its budget allows all at once, and begins again when all that has gone. */
function staticRoom(pool: NodePool, counts: FleetCount): number {
  const { name } = pool.metadata
  if (counts.replacing(name) > 0 || hasExcess(pool, counts)) return 0
  return Math.max(0, nodeLimitOf(pool) - counts.total(name))
}

/** Why a static pool would replace no node whatever its budgets let go. */
function staticHoldText(pool: NodePool, counts: FleetCount): string | undefined {
  if (hasExcess(pool, counts)) return excessText(pool)
  return counts.total(pool.metadata.name) >= nodeLimitOf(pool) ? nodeLimitText(pool) : undefined
}

function hasExcess({ metadata, spec }: NodePool, counts: FleetCount): boolean {
  return counts.active(metadata.name) > (spec.replicas ?? 0)
}
