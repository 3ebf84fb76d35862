import type { PodInfo } from '../../model/pod.ts'
import type { Snapshot } from '../../model/snapshot.ts'

/**
 * Where earlier passes placed pods that still wait: on a claim by its name, for it has no provider ID yet when it is written, or on a
 * node by its key. Only memory: after a restart the next pass places them anew.
 */
export class Promises {
  readonly #places = new Map<string, { readonly claim: string } | { readonly key: string }>()

  onClaim(pods: readonly PodInfo[], claim: string): void {
    for (const { uid } of pods) this.#places.set(uid, { claim })
  }

  onNode(pods: readonly PodInfo[], key: string): void {
    for (const { uid } of pods) this.#places.set(uid, { key })
  }

  /** By pod UID, the keys of the nodes that are still there; pods that do not wait any more are forgotten. */
  keep(waiting: readonly PodInfo[], snapshot: Snapshot): ReadonlyMap<string, string> {
    const keyOfClaim = new Map(
      snapshot.nodes.flatMap(({ key, nodeClaim }) => (nodeClaim === undefined ? [] : [[nodeClaim.metadata.name, key]])),
    )
    const uids = new Set(waiting.map(({ uid }) => uid))
    for (const uid of this.#places.keys()) if (!uids.has(uid)) this.#places.delete(uid)
    const kept = new Map<string, string>()
    for (const [uid, place] of this.#places) {
      const key = 'key' in place ? place.key : keyOfClaim.get(place.claim)
      if (key !== undefined) kept.set(uid, key)
    }
    return kept
  }
}
