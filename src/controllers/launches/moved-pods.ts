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
export class MovedPods {
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
    const results: MoveResult[] = []
    for (const [uid, move] of this.#moves) {
      if (move.dueAt === undefined || now < move.dueAt) continue
      this.#moves.delete(uid)
      const missing = allPods()
        .filter((pod) => isSuccessor(pod, move) && !isConditionTrue(pod, conditionReady))
        .map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`)
        .toSorted(compareText)
      const message = `${missing.length} pods of node ${move.node} are not ready again, e.g. ${missing[0] ?? ''}`
      results.push({ pool: move.pool, ok: missing.length === 0, message: missing.length === 0 ? '' : message })
    }
    return results
  }

  /** When to look again; undefined: nothing is waited for. */
  nextDueAt(pool: string): number | undefined {
    const times = [...this.#moves.values()].flatMap((move) => (move.pool === pool ? (move.dueAt ?? []) : []))
    return times.length === 0 ? undefined : Math.min(...times)
  }
}

function isSuccessor(pod: Pod, { owners }: Move): boolean {
  const owner = controllerOf(pod.metadata)?.uid
  return (
    owner !== undefined && owners.has(owner) && isActive(podInfoOf(pod)) && pod.metadata.deletionTimestamp === undefined
  )
}
