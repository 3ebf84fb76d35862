import { conditionOf, conditionReady, isConditionTrue } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { Pod } from '../../api/kubernetes.ts'
import { labelNodePool } from '../../api/labels.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { compareText } from '../../model/order.ts'
import { isActive, isOwnedByDaemonSet } from '../../model/pod.ts'
import { podInfoOf } from '../../model/to-pod-info.ts'

/** Pods that have to move because we replace their node are given so long to run again. */
const patienceMs = 10 * 60_000

interface Move {
  readonly node: string
  readonly pool: string
  /** UIDs of the controllers of the pods that had to go. */
  readonly owners: ReadonlySet<string>
  dueAt: number | undefined
}

export interface MoveResult {
  readonly pool: string
  readonly ok: boolean
  readonly message: string
}

/** Watches over the pods of nodes that were disrupted voluntarily: whether their successors become ready. */
export class PodMoves {
  readonly #moves = new Map<string, Move>()

  /** A claim on its way out by a decision of ours, with the pods that its node still runs. */
  leaving(claim: NodeClaim, podsOnNode: readonly Pod[]): void {
    const { uid } = claim.metadata
    if (this.#moves.has(uid) || claim.metadata.deletionTimestamp === undefined) return
    if (!isConditionTrue(claim, 'DisruptionReason')) return
    const owners = podsOnNode
      .filter((pod) => !isOwnedByDaemonSet(podInfoOf(pod)))
      .flatMap(({ metadata }) => controllerOf(metadata)?.uid ?? [])
    if (owners.length === 0 || conditionOf(claim, 'DisruptionReason')?.reason === 'Empty') return
    const pool = claim.metadata.labels?.[labelNodePool] ?? ''
    const node = claim.status?.nodeName ?? claim.metadata.name
    this.#moves.set(uid, { node, pool, owners: new Set(owners), dueAt: undefined })
  }

  /** The node is gone: from now on its pods' successors are waited for. `now` is monotonic. */
  left(uid: string, now: number): void {
    const move = this.#moves.get(uid)
    if (move !== undefined) move.dueAt ??= now + patienceMs
  }

  /** What has come of the moves whose time is up; they are forgotten. */
  due(now: number, allPods: () => readonly Pod[]): readonly MoveResult[] {
    const due: Move[] = []
    for (const [uid, move] of this.#moves) {
      if (move.dueAt === undefined || now < move.dueAt) continue
      this.#moves.delete(uid)
      due.push(move)
    }
    if (due.length === 0) return []
    // Hundreds of nodes may have gone together, from a fleet with a hundred thousand pods: these are looked at once.
    const unready = unreadyByOwner(allPods(), new Set(due.flatMap(({ owners }) => [...owners])))
    return due.map(({ pool, node, owners }) => {
      const missing = [...owners].flatMap((owner) => unready.get(owner) ?? [])
      if (missing.length === 0) return { pool, ok: true, message: '' }
      const count = missing.reduce((sum, each) => sum + each.count, 0)
      const [first] = missing.map(({ first }) => first).toSorted(compareText)
      return { pool, ok: false, message: `${count} pods of node ${node} are not ready again, e.g. ${first}` }
    })
  }

  /** When to look again; undefined: nothing is waited for. */
  nextDueAt(pool: string): number | undefined {
    const times = [...this.#moves.values()].flatMap((move) => (move.pool === pool ? (move.dueAt ?? []) : []))
    return times.length === 0 ? undefined : Math.min(...times)
  }
}

interface Unready {
  count: number
  /** By namespace and name. */
  first: string
}

/** The pods that are to run and are not ready, by the UID of their controller. */
function unreadyByOwner(pods: readonly Pod[], owners: ReadonlySet<string>): ReadonlyMap<string, Unready> {
  const unready = new Map<string, Unready>()
  for (const pod of pods) {
    const { metadata } = pod
    const owner = controllerOf(metadata)?.uid
    if (owner === undefined || !owners.has(owner) || isConditionTrue(pod, conditionReady)) continue
    if (metadata.deletionTimestamp !== undefined || !isActive(podInfoOf(pod))) continue
    const name = `${metadata.namespace ?? ''}/${metadata.name}`
    const known = unready.get(owner)
    if (known === undefined) unready.set(owner, { count: 1, first: name })
    else {
      known.count += 1
      if (compareText(name, known.first) < 0) known.first = name
    }
  }
  return unready
}
