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
  /** UIDs of the pods by place: every claim that appears in state asks, while tens of thousands of pods may wait. */
  readonly #podsOf = new Map<string, Set<string>>()
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
  observeWaitMs(
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
    const places = [{ key }, ...(nodeClaim === undefined ? [] : [{ claim: nodeClaim.metadata.name }])]
    return places
      .flatMap((place) => [...(this.#podsOf.get(placeText(place)) ?? [])])
      .flatMap((uid) => this.#places.get(uid)?.pod ?? [])
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
    for (const uid of this.#places.keys()) if (!uids.has(uid)) this.#forget(uid)
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
    this.#forget(uid)
    this.#places.set(uid, { pod: { namespace, name }, place })
    const text = placeText(place)
    const pods = this.#podsOf.get(text)
    if (pods === undefined) this.#podsOf.set(text, new Set([uid]))
    else pods.add(uid)
    if (before !== undefined && placeText(before) === text) return
    for (const listener of this.#listeners) listener({ namespace, name })
  }

  #forget(uid: string): void {
    const place = this.placeOf(uid)
    if (place === undefined) return
    this.#places.delete(uid)
    const text = placeText(place)
    const pods = this.#podsOf.get(text)
    pods?.delete(uid)
    if (pods?.size === 0) this.#podsOf.delete(text)
  }
}

function placeText(place: PromisedPlace): string {
  return 'key' in place ? `node ${place.key}` : `claim ${place.claim}`
}
