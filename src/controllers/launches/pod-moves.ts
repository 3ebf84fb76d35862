import { conditionOf, conditionReady, isConditionTrue } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { Pod } from '../../api/kubernetes.ts'
import { labelNodePool } from '../../api/labels.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { parseTimestamp } from '../../model/clock.ts'
import { compareText } from '../../model/order.ts'
import { isActive, isOwnedByDaemonSet } from '../../model/pod.ts'
import { podInfoOf } from '../../model/to-pod-info.ts'

/** Pods that have to move because we replace their node are given so long to run again. */
const patienceMs = 10 * 60_000
/** Who controls a pod has made its successor by then. */
const successionMs = 60_000
/** Moves that overlap with it are judged later, by as long as their drain takes. */
const forgottenMs = 60 * 60_000
/** A pod that crashes again and again is ready now and then. */
const steadyMs = 5 * 60_000

interface Move {
  readonly node: string
  readonly pool: string
  /** By the UID of what controls the pods that had to go: how many of them were not ready. */
  readonly unready: ReadonlyMap<string, number>
  /** When it was to go, by the clock of the API server, in milliseconds since the epoch. */
  readonly since: number
  /** Monotonic, as all that follow. */
  readonly seenAt: number
  leftAt: number | undefined
  /** Undefined until its time is up. */
  outcome: 'ok' | 'failed' | undefined
}

export interface MoveResult {
  /** Of the claim. */
  readonly uid: string
  readonly ok: boolean
  readonly message: string
}

/**
 * Watches over the pods of nodes that were disrupted voluntarily: whether their successors become ready. Pods that crash wherever they
 * run, and those by which a workload has just grown, tell nothing of the move.
 */
export class PodMoves {
  readonly #moves = new Map<string, Move>()
  /** Since when none of the pods is missing any more, by the pool whose moves had left them; monotonic. */
  readonly #readySince = new Map<string, number>()
  readonly #isHeld: (pool: string) => boolean

  /** `isHeld`: whether failed moves of a pool hold up others, so that what becomes of their pods matters for as long. */
  constructor(isHeld: (pool: string) => boolean) {
    this.#isHeld = isHeld
  }

  /**
   * A claim on its way out by a decision of ours, with the pods that its node still runs. `now` is monotonic. Whether there will be a
   * result, and this is the first that was seen of it.
   */
  leaving(claim: NodeClaim, podsOnNode: readonly Pod[], now: number): boolean {
    const { uid, deletionTimestamp } = claim.metadata
    if (this.#moves.has(uid) || deletionTimestamp === undefined) return false
    if (!isConditionTrue(claim, 'DisruptionReason')) return false
    const unready = new Map<string, number>()
    for (const pod of podsOnNode) {
      const owner = isOwnedByDaemonSet(podInfoOf(pod)) ? undefined : controllerOf(pod.metadata)?.uid
      if (owner !== undefined) unready.set(owner, (unready.get(owner) ?? 0) + (isUnready(pod) ? 1 : 0))
    }
    if (unready.size === 0 || conditionOf(claim, 'DisruptionReason')?.reason === 'Empty') return false
    const pool = claim.metadata.labels?.[labelNodePool] ?? ''
    const node = claim.status?.nodeName ?? claim.metadata.name
    const since = parseTimestamp(deletionTimestamp) ?? 0
    this.#moves.set(uid, { node, pool, unready, since, seenAt: now, leftAt: undefined, outcome: undefined })
    return true
  }

  /** The node is gone: from now on its pods' successors are waited for. `now` is monotonic. */
  left(uid: string, now: number): void {
    const move = this.#moves.get(uid)
    if (move !== undefined) move.leftAt ??= now
  }

  /** What has come of the moves whose time is up. */
  due(now: number, allPods: () => readonly Pod[]): readonly MoveResult[] {
    const due: (readonly [uid: string, move: Move])[] = []
    for (const [uid, move] of this.#moves) {
      if (move.leftAt === undefined || now < move.leftAt + patienceMs) continue
      const isNeeded = move.outcome === 'failed' && this.#isHeld(move.pool)
      if (!isNeeded && now >= move.leftAt + forgottenMs) this.#moves.delete(uid)
      if (move.outcome === undefined) due.push([uid, move])
    }
    if (due.length === 0) return []
    // Hundreds of nodes may have gone together, from a fleet with a hundred thousand pods: these are looked at once.
    const unready = unreadyOf(
      due.map(([, move]) => move),
      allPods(),
    )
    const moves = new Set([...this.#moves.values(), ...due.map(([, move]) => move)])
    return due.map(([uid, move]) => {
      const result = this.#judge(move, moves, unready)
      move.outcome = result.ok ? 'ok' : 'failed'
      return { uid, ...result }
    })
  }

  /**
   * Whether failed moves of the pool hold up others no more, since all their pods have been ready, or given up, for a while; undefined where
   * none does.
   */
  haveRecovered(pool: string, now: number, allPods: () => readonly Pod[]): boolean | undefined {
    const failed = [...this.#moves.values()].filter((move) => move.pool === pool && move.outcome === 'failed')
    if (failed.length === 0 || !this.#isHeld(pool)) {
      this.#readySince.delete(pool)
      return undefined
    }
    const unready = unreadyOf(failed, allPods())
    if (failed.some((move) => !this.#judge(move, this.#moves.values(), unready).ok)) {
      this.#readySince.delete(pool)
      return false
    }
    const since = this.#readySince.get(pool) ?? now
    this.#readySince.set(pool, since)
    return now >= since + steadyMs
  }

  #judge(move: Move, moves: Iterable<Move>, unready: ReadonlyMap<string, readonly Unready[]>): Omit<MoveResult, 'uid'> {
    const { node } = move
    const missing = [...move.unready.keys()].flatMap((owner) => {
      const successors = (unready.get(owner) ?? []).filter(({ at }) => move.since <= at && at <= endOf(move))
      return successors.length > 0 && successors.length > unreadyBefore(move, moves, owner) ? successors : []
    })
    const [first] = missing.map(({ name }) => name).toSorted(compareText)
    if (first === undefined) return { ok: true, message: '' }
    return { ok: false, message: `${missing.length} pods of node ${node} are not ready again, e.g. ${first}` }
  }

  /** When to look again; undefined: nothing is waited for. */
  nextDueAt(pool: string): number | undefined {
    const times = [...this.#moves.values()].flatMap(({ pool: of, leftAt, outcome }) =>
      of === pool && leftAt !== undefined && outcome === undefined ? [leftAt + patienceMs] : [],
    )
    return times.length === 0 ? undefined : Math.min(...times)
  }
}

/** Until when successors of the pods came, by the clock of the API server. */
function endOf({ since, seenAt, leftAt }: Move): number {
  return leftAt === undefined ? Number.POSITIVE_INFINITY : since + (leftAt - seenAt) + successionMs
}

/** Of the owner's pods, those that had to go at the same time and were not ready then. */
function unreadyBefore(move: Move, moves: Iterable<Move>, owner: string): number {
  let count = 0
  for (const other of moves) {
    if (other.since <= endOf(move) && move.since <= endOf(other)) count += other.unready.get(owner) ?? 0
  }
  return count
}

interface Unready {
  /** By namespace and name. */
  readonly name: string
  /** When it was made, by the clock of the API server. */
  readonly at: number
}

/** The pods that are to run and are not ready, by the UID of their controller, of those whose pods had to move. */
function unreadyOf(moves: readonly Move[], pods: readonly Pod[]): ReadonlyMap<string, readonly Unready[]> {
  const owners = new Set(moves.flatMap(({ unready }) => [...unready.keys()]))
  const unready = new Map<string, Unready[]>()
  for (const pod of pods) {
    const { namespace = '', name, creationTimestamp } = pod.metadata
    const owner = controllerOf(pod.metadata)?.uid
    if (owner === undefined || !owners.has(owner) || !isUnready(pod)) continue
    const known = unready.get(owner) ?? []
    unready.set(owner, known)
    known.push({ name: `${namespace}/${name}`, at: parseTimestamp(creationTimestamp) ?? 0 })
  }
  return unready
}

function isUnready(pod: Pod): boolean {
  if (isConditionTrue(pod, conditionReady) || pod.metadata.deletionTimestamp !== undefined) return false
  return isActive(podInfoOf(pod))
}
