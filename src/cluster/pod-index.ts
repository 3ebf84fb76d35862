import type { Pod } from '../api/kubernetes.ts'
import { controllerOf } from '../api/owner-references.ts'
import type { Cache, Change } from '../kube/controller.ts'
import { keyOf, keyText } from '../kube/resource.ts'
import { comparePods, isTerminal, type PodInfo } from '../model/pod.ts'
import type { Sliced } from '../model/sliced.ts'
import { podInfoOf } from '../model/to-pod-info.ts'

/** What a change of a pod meant for the nodes. */
export interface PodMoved {
  /** Nodes whose pods are different now. */
  readonly nodeNames: readonly string[]
  /** A pod was bound, finished, or went away. */
  readonly usageChanged: boolean
}

/** Pods as the core thinks of them, by node; every pod is parsed at most once per version, and only when somebody asks. */
export class PodIndex {
  /** Told of already. */
  readonly #unparsable = new WeakSet<Pod>()
  readonly #bound = new Map<string, Map<string, Pod>>()
  readonly #unbound = new Map<string, Pod>()
  readonly #byDaemonSet = new Map<string, Map<string, Pod>>()
  /** Of the DaemonSets whose pods have not changed since somebody asked. */
  readonly #newest = new Map<string, PodInfo | undefined>()
  readonly #sorted = new Map<string, readonly PodInfo[]>()
  readonly #onUnparsable: (pod: Pod, error: unknown) => void
  #sortedUnbound: readonly PodInfo[] | undefined

  constructor(
    cache: Cache<Pod>,
    onMoved: (moved: PodMoved, change: Change<Pod>) => void,
    onUnparsable: (pod: Pod, error: unknown) => void,
  ) {
    this.#onUnparsable = onUnparsable
    for (const pod of cache.list()) this.#add(pod)
    cache.subscribe((change) => onMoved(this.#apply(change), change))
  }

  /** Bound to the node and not finished, by namespace and name. */
  onNode(nodeName: string): readonly PodInfo[] {
    let sorted = this.#sorted.get(nodeName)
    if (sorted === undefined) {
      sorted = this.#parseSorted(this.#bound.get(nodeName)?.values() ?? [])
      if (sorted.length > 0) this.#sorted.set(nodeName, sorted)
    }
    return sorted
  }

  unbound(): readonly PodInfo[] {
    this.#sortedUnbound ??= this.#parseSorted(this.#unbound.values())
    return this.#sortedUnbound
  }

  /** Parses them, with a pause after so many. */
  *readUnbound(podsPerSlice: number): Sliced<void> {
    for (const [position, pod] of [...this.#unbound.values()].entries()) {
      this.parse(pod)
      if (position % podsPerSlice === podsPerSlice - 1) yield
    }
  }

  /** The newest pod that the DaemonSet controls; of pods made in the same second, the last by name. */
  newestOfDaemonSet(uid: string): PodInfo | undefined {
    if (!this.#newest.has(uid)) this.#newest.set(uid, this.#findNewest(uid))
    return this.#newest.get(uid)
  }

  #findNewest(uid: string): PodInfo | undefined {
    let newest: PodInfo | undefined
    for (const pod of this.#byDaemonSet.get(uid)?.values() ?? []) {
      const info = this.parse(pod)
      if (info === undefined) continue
      if (newest === undefined || info.createdAt > newest.createdAt) newest = info
      else if (info.createdAt === newest.createdAt && comparePods(info, newest) > 0) newest = info
    }
    return newest
  }

  parse(pod: Pod): PodInfo | undefined {
    if (this.#unparsable.has(pod)) return undefined
    try {
      return podInfoOf(pod)
    } catch (error) {
      this.#unparsable.add(pod)
      this.#onUnparsable(pod, error)
      return undefined
    }
  }

  #apply(change: Change<Pod>): PodMoved {
    if (change.before !== undefined) this.#remove(change.before)
    if (change.after !== undefined) this.#add(change.after)
    const before = usedNode(change.before)
    const after = usedNode(change.after)
    return {
      nodeNames: [...new Set([before, after])].filter((name) => name !== undefined),
      usageChanged: before !== after,
    }
  }

  #add(pod: Pod): void {
    const key = keyText(keyOf(pod))
    const daemonSet = daemonSetOf(pod)
    if (daemonSet !== undefined) {
      into(this.#byDaemonSet, daemonSet).set(key, pod)
      this.#newest.delete(daemonSet)
    }
    const node = usedNode(pod)
    if (node !== undefined) {
      into(this.#bound, node).set(key, pod)
      this.#sorted.delete(node)
    } else if ((pod.spec.nodeName ?? '') === '') {
      this.#unbound.set(key, pod)
      this.#sortedUnbound = undefined
    }
  }

  #remove(pod: Pod): void {
    const key = keyText(keyOf(pod))
    const daemonSet = daemonSetOf(pod)
    if (daemonSet !== undefined) {
      outOf(this.#byDaemonSet, daemonSet, key)
      this.#newest.delete(daemonSet)
    }
    const node = usedNode(pod)
    if (node !== undefined) {
      outOf(this.#bound, node, key)
      this.#sorted.delete(node)
    } else if (this.#unbound.delete(key)) {
      this.#sortedUnbound = undefined
    }
  }

  #parseSorted(pods: Iterable<Pod>): readonly PodInfo[] {
    const parsed: PodInfo[] = []
    for (const pod of pods) {
      const info = this.parse(pod)
      if (info !== undefined) parsed.push(info)
    }
    return parsed.toSorted(comparePods)
  }
}

/** The node whose resources the pod uses, if it uses any. */
function usedNode(pod: Pod | undefined): string | undefined {
  const nodeName = pod?.spec.nodeName ?? ''
  if (nodeName === '' || isTerminal({ phase: pod?.status?.phase ?? 'Pending' })) return undefined
  return nodeName
}

function daemonSetOf(pod: Pod): string | undefined {
  const owner = controllerOf(pod.metadata)
  return owner?.kind === 'DaemonSet' ? owner.uid : undefined
}

function into<T>(map: Map<string, Map<string, T>>, group: string): Map<string, T> {
  let members = map.get(group)
  if (members === undefined) {
    members = new Map()
    map.set(group, members)
  }
  return members
}

function outOf<T>(map: Map<string, Map<string, T>>, group: string, key: string): void {
  const members = map.get(group)
  members?.delete(key)
  if (members?.size === 0) map.delete(group)
}
