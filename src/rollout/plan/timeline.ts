import { type Candidate, isStatic, poolName } from '../../disruption/candidates.ts'
import { driftOrder } from '../../disruption/drift.ts'
import type { DisruptionGate } from '../../disruption/gate.ts'
import { tryParseQuantity } from '../../model/quantity.ts'
import type { NodePool } from '../../api/karpenter.ts'
import { nextBudgetChange } from './budget-calendar.ts'
import type { FleetCount } from './fleet-count.ts'
import type { ReplacementTiming } from './input.ts'
import type { JudgedReplacement } from './replacement-judge.ts'

/** When each drifted node would be replaced: the disruption loop's choices at virtual times. */
export interface Timeline {
  readonly starts: readonly Start[]
  /** Those that never get their turn. */
  readonly held: readonly { readonly candidate: Candidate; readonly message: string }[]
  /** Milliseconds since the epoch when the last replaced node is gone; `start` when there is none. */
  readonly end: number
}

export interface Start {
  readonly candidate: Candidate
  /** Milliseconds since the epoch. */
  readonly at: number
  /** US dollars per hour of what comes instead. */
  readonly addedPrice: number
}

export interface TimelineInput {
  readonly start: number
  readonly candidates: readonly Candidate[]
  readonly counts: FleetCount
  readonly timing: ReplacementTiming
  readonly judge: Judge
  /** What holds nodes back beside budgets, at one moment. */
  readonly gates: GateSchedule
  /** US dollars per hour of a node made from the bare template of a static pool. */
  readonly staticPrice: (pool: NodePool) => number
}

export interface Judge {
  judge(candidate: Candidate, upcoming: readonly Candidate[]): JudgedReplacement
  current(candidate: Candidate): Candidate
  forget(candidate: Candidate): void
  /** Keys of nodes that have got pods of others since the set was last emptied. */
  readonly grown: Set<string>
}

export interface GateSchedule {
  at(now: number, fleet: FleetProgress): DisruptionGate
  /** At the same moment, after one more node has started; undefined when that makes no difference. */
  afterStart(now: number, fleet: FleetProgress): DisruptionGate | undefined
  /** When the gate may be another although no node came or went. */
  changesAfter(now: number): number | undefined
}

/** How far the replacement has come, for gates that follow it. */
export interface FleetProgress {
  /** Keys of nodes whose replacement has started, with the moment. */
  readonly started: ReadonlyMap<string, number>
}

/** A budget that opens later than in so many days is taken as one that never opens. */
const horizonMs = 366 * 24 * 3_600_000
/** More moments than any fleet needs: each node has three. */
const momentsMax = 200_000

const budgetMessage = 'No allowed disruptions for disruption reason Drifted due to blocking budget'

export function walkTimeline(input: TimelineInput): Timeline {
  return new Walk(input).run()
}

interface FleetEvent {
  readonly at: number
  readonly kind: 'ready' | 'gone'
  readonly pool: string
}

class Walk {
  readonly #input: TimelineInput
  readonly #starts: Start[] = []
  readonly #started = new Map<string, number>()
  /** By time: replacements take equally long, so events are made in the order in which they happen, kind by kind. */
  readonly #ready: FleetEvent[] = []
  readonly #gone: FleetEvent[] = []
  #pending: readonly Candidate[]
  #refused: { readonly candidate: Candidate; readonly message: string }[] = []
  #isOrderStale = true

  constructor(input: TimelineInput) {
    this.#input = input
    this.#pending = input.candidates
  }

  run(): Timeline {
    const { start, gates } = this.#input
    let now = start
    let startsAtLastRetry = -1
    for (let moments = 0; moments < momentsMax; moments += 1) {
      this.#startAll(now)
      if (this.#pending.length === 0 && this.#ready.length + this.#gone.length === 0) {
        // What did not fit may fit once everything else has moved.
        if (this.#refused.length === 0 || startsAtLastRetry === this.#starts.length) break
        startsAtLastRetry = this.#starts.length
        this.#retry()
        continue
      }
      const next = this.#nextMoment(now, gates)
      if (next === undefined || next > start + horizonMs) break
      now = next
      this.#happen(now)
    }
    return { starts: this.#starts, held: [...this.#refused, ...this.#heldBack(now)], end: this.#end() }
  }

  #end(): number {
    const { start, timing } = this.#input
    const last = this.#starts.at(-1)?.at
    return last === undefined ? start : last + timing.launchMs + timing.drainMs
  }

  #retry(): void {
    for (const { candidate } of this.#refused) this.#input.judge.forget(candidate)
    this.#pending = this.#refused.map(({ candidate }) => candidate)
    this.#refused = []
    this.#isOrderStale = true
  }

  #startAll(now: number): void {
    if (this.#pending.length === 0) return
    const { gates } = this.#input
    let gate = gates.at(now, { started: this.#started })
    this.#order(gate)
    const room = this.#roomAt(now, gate)
    if (room.size === 0) return
    const waiting: Candidate[] = []
    for (const [index, candidate] of this.#pending.entries()) {
      const pool = poolName(candidate)
      const allowed = room.get(pool) ?? 0
      if (allowed <= 0 || gate.hold(candidate, 'Drifted') !== undefined) {
        waiting.push(candidate)
        continue
      }
      const judged: JudgedReplacement = isStatic(candidate.pool)
        ? { kind: 'go', addedPrice: this.#input.staticPrice(candidate.pool) }
        : this.#input.judge.judge(candidate, this.#pending.slice(index).filter(isDynamic))
      if (judged.kind === 'refused') {
        this.#refused.push({ candidate, message: judged.message })
        continue
      }
      room.set(pool, allowed - 1)
      this.#begin(candidate, now, judged.addedPrice)
      const next = gates.afterStart(now, { started: this.#started })
      if (next === undefined) continue
      gate = next
      for (const [name, left] of room) room.set(name, Math.min(left, gate.limit(name, 'Drifted') ?? left))
    }
    this.#pending = waiting
    if (waiting.some(({ providerID }) => this.#input.judge.grown.has(providerID))) {
      this.#pending = waiting.map((candidate) => this.#input.judge.current(candidate))
      this.#isOrderStale = true
    }
    this.#input.judge.grown.clear()
  }

  #order({ driftOrder: special }: DisruptionGate): void {
    // A gate's order may follow the progress of its rollout, so it is asked for each time.
    if (special !== undefined) this.#pending = special(this.#pending)
    else if (this.#isOrderStale) this.#pending = driftOrder(this.#pending)
    this.#isOrderStale = special !== undefined
  }

  /** By pool, only where there is any. */
  #roomAt(now: number, gate: DisruptionGate): Map<string, number> {
    const { counts } = this.#input
    const room = new Map<string, number>()
    for (const candidate of this.#pending) {
      const pool = poolName(candidate)
      if (room.has(pool)) continue
      const limit = gate.limit(pool, 'Drifted') ?? Number.POSITIVE_INFINITY
      const byStatic = isStatic(candidate.pool) ? staticRoom(candidate.pool, counts) : Number.POSITIVE_INFINITY
      room.set(pool, Math.min(counts.remaining(candidate.pool, now), limit, byStatic))
    }
    for (const [pool, allowed] of room) if (allowed <= 0) room.delete(pool)
    return room
  }

  #begin(candidate: Candidate, now: number, addedPrice: number): void {
    const { counts, timing } = this.#input
    const pool = poolName(candidate)
    counts.started(pool)
    this.#started.set(candidate.providerID, now)
    this.#starts.push({ candidate, at: now, addedPrice })
    this.#ready.push({ at: now + timing.launchMs, kind: 'ready', pool })
    this.#gone.push({ at: now + timing.launchMs + timing.drainMs, kind: 'gone', pool })
  }

  #happen(now: number): void {
    const { counts } = this.#input
    while (this.#ready[0] !== undefined && this.#ready[0].at <= now) counts.ready(this.#ready.shift()?.pool ?? '')
    while (this.#gone[0] !== undefined && this.#gone[0].at <= now) counts.gone(this.#gone.shift()?.pool ?? '')
  }

  #nextMoment(now: number, gates: GateSchedule): number | undefined {
    const times = [this.#ready[0]?.at, this.#gone[0]?.at]
    if (this.#pending.length > 0) {
      const pools = new Map(this.#pending.map((candidate) => [poolName(candidate), candidate.pool]))
      for (const pool of pools.values()) times.push(nextBudgetChange(pool, now))
      times.push(gates.changesAfter(now))
    }
    const known = times.filter((time) => time !== undefined)
    return known.length === 0 ? undefined : Math.min(...known)
  }

  #heldBack(now: number): Timeline['held'] {
    const gate = this.#input.gates.at(now, { started: this.#started })
    return this.#pending.map((candidate) => {
      const hold = gate.hold(candidate, 'Drifted')
      if (hold !== undefined) return { candidate, message: hold.message }
      const noRoom = isStatic(candidate.pool) && staticRoom(candidate.pool, this.#input.counts) === 0
      return { candidate, message: noRoom ? staticMessage(candidate.pool) : budgetMessage }
    })
  }
}

function isDynamic({ pool }: Candidate): boolean {
  return !isStatic(pool)
}

/** A static pool replaces what its budget allows all at once, and begins again when all that has gone. */
function staticRoom(pool: NodePool, counts: FleetCount): number {
  const { name } = pool.metadata
  const total = counts.total(name)
  if (counts.replacing(name) > 0 || total > (pool.spec.replicas ?? 0)) return 0
  const limit = pool.spec.limits?.['nodes']
  const parsed = limit === undefined ? undefined : tryParseQuantity(limit)
  return parsed === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Number(parsed.units) - total)
}

function staticMessage(pool: NodePool): string {
  return `limits.nodes of NodePool ${pool.metadata.name} leaves no room for a replacement beside its ${pool.spec.replicas ?? 0} replicas`
}
