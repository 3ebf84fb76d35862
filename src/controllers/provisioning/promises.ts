import type { ObjectKey } from '../../kube/resource.ts'
import { compareText } from '../../model/order.ts'
import type { PodInfo } from '../../model/pod.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import { promisedByNomination } from '../../scheduling/index.ts'

/** A claim by its name, for it has no provider ID yet when it is written, or a node by its key. */
export type PromisedPlace = { readonly claim: string } | { readonly key: string }

/**
 * Where earlier passes placed pods that still wait. Only memory: after a restart a pod's own nomination tells, and without one the next
 * pass places it anew.
 */
export class Promises {
  readonly #places = new Map<string, { readonly pod: ObjectKey; readonly place: PromisedPlace }>()
  /** By pod UID, the ready node where passes have placed the pod since then, in monotonic time. */
  readonly #onReady = new Map<string, { readonly key: string; readonly since: number }>()
  readonly #listeners = new Set<(pod: ObjectKey) => void>()

  onClaim(pods: readonly PodInfo[], claim: string): void {
    for (const pod of pods) this.#promise(pod, { claim })
  }

  onNode(pods: readonly PodInfo[], key: string): void {
    for (const pod of pods) this.#promise(pod, { key })
  }

  placeOf(uid: string): PromisedPlace | undefined {
    return this.#places.get(uid)?.place
  }

  /** For how long passes have placed the waiting pod on the node, that being ready for it all the while; 0 where the node is not. */
  waitedMs(
    { uid }: Pick<PodInfo, 'uid'>,
    { key, initialized }: Pick<StateNode, 'key' | 'initialized'>,
    now: number,
  ): number {
    const before = this.#onReady.get(uid)
    if (initialized && before?.key === key) return now - before.since
    if (initialized) this.#onReady.set(uid, { key, since: now })
    else this.#onReady.delete(uid)
    return 0
  }

  /** Pods that were promised a place on the node, by namespace and name. */
  podsOn({ key, nodeClaim }: Pick<StateNode, 'key' | 'nodeClaim'>): readonly ObjectKey[] {
    return [...this.#places.values()]
      .filter(({ place }) => ('key' in place ? place.key === key : place.claim === nodeClaim?.metadata.name))
      .map(({ pod }) => pod)
      .toSorted((a, b) => compareText(a.namespace ?? '', b.namespace ?? '') || compareText(a.name, b.name))
  }

  /** Told of every pod whose place is new. Returns a function that unsubscribes. */
  subscribe(listener: (pod: ObjectKey) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** By pod UID, the keys of the nodes that are still there; pods that do not wait any more are forgotten. */
  keep(waiting: readonly PodInfo[], snapshot: Snapshot): ReadonlyMap<string, string> {
    const keyOfClaim = new Map(
      snapshot.nodes.flatMap(({ key, nodeClaim }) => (nodeClaim === undefined ? [] : [[nodeClaim.metadata.name, key]])),
    )
    const byNomination = promisedByNomination(waiting, snapshot.nodes)
    const uids = new Set(waiting.map(({ uid }) => uid))
    for (const uid of this.#places.keys()) if (!uids.has(uid)) this.#places.delete(uid)
    for (const uid of this.#onReady.keys()) if (!uids.has(uid)) this.#onReady.delete(uid)
    const kept = new Map<string, string>()
    for (const pod of waiting) {
      const place = this.placeOf(pod.uid)
      const key =
        place === undefined ? byNomination.get(pod.uid) : 'key' in place ? place.key : keyOfClaim.get(place.claim)
      if (key !== undefined) kept.set(pod.uid, key)
    }
    return kept
  }

  #promise({ uid, namespace, name }: PodInfo, place: PromisedPlace): void {
    const before = this.placeOf(uid)
    this.#places.set(uid, { pod: { namespace, name }, place })
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(place)) return
    for (const listener of this.#listeners) listener({ namespace, name })
  }
}
