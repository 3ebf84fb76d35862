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
  isJudged: boolean
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
    this.#moves.set(uid, { node, pool, unready, since, seenAt: now, leftAt: undefined, isJudged: false })
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
      if (now >= move.leftAt + forgottenMs) this.#moves.delete(uid)
      if (!move.isJudged) due.push([uid, move])
      move.isJudged = true
    }
    if (due.length === 0) return []
    // Hundreds of nodes may have gone together, from a fleet with a hundred thousand pods: these are looked at once.
    const unready = unreadyByOwner(allPods(), new Set(due.flatMap(([, move]) => [...move.unready.keys()])))
    const moves = new Set([...this.#moves.values(), ...due.map(([, move]) => move)])
    return due.map(([uid, move]) => ({ uid, ...this.#judge(move, moves, unready) }))
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
    const times = [...this.#moves.values()].flatMap(({ pool: of, leftAt, isJudged }) =>
      of === pool && leftAt !== undefined && !isJudged ? [leftAt + patienceMs] : [],
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

/** The pods that are to run and are not ready, by the UID of their controller. */
function unreadyByOwner(pods: readonly Pod[], owners: ReadonlySet<string>): ReadonlyMap<string, readonly Unready[]> {
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
