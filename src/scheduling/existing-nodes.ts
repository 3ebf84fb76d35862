import { podKey, type PodInfo } from '../model/pod.ts'
import type { StateNode } from '../model/snapshot.ts'
import type { RequestVector } from './amounts.ts'
import type { SolveContext } from './context.ts'
import type { DeviceAllocator, DeviceFit } from './devices/allocator.ts'
import { type HeldPort, portConflict } from './host-ports.ts'
import type { PodClass } from './pod-class.ts'
import type { SetID } from './requirement-space.ts'
import { type AttemptMemo, tellsTargetsApart, refused, settle } from './settle.ts'
import type { ClassTopology } from './topology/class-groups.ts'
import type { Topology } from './topology/topology.ts'
import { staysWithinLimits, uniteVolumes, type VolumesByDriver } from './volume-usage.ts'

/** A further condition on destinations, for simulations: some nodes are about to go and take only certain pods. */
export type DestinationFilter = (node: StateNode, pod: PodInfo) => boolean

/** Where pods with one request may go. */
interface Destinations {
  /** Positions of the nodes that had room before the solve, in the order to try them. */
  readonly targets: Int32Array
  /** By place among these: 1 where the solve has left no room, or may not go. Room only shrinks, so a refusal stands. */
  readonly full: Uint8Array
  /** All before it are full. */
  first: number
}

const noneFull = new Uint8Array(0)

/** The nodes of one solve: what is free on them shrinks as pods are placed. */
export class ExistingNodes {
  readonly placed = new Map<number, PodInfo[]>()
  /** Nodes looked at since the solve began: the measure of its work. */
  work = 0
  readonly #context: SolveContext
  readonly #topology: Topology
  readonly #accepts: DestinationFilter | undefined
  readonly #excluded: ReadonlySet<number>
  /** What is free, and what nodes require: shared with other solves until this one places a pod. */
  #remaining: Float64Array
  #sets: readonly SetID[]
  #own: { readonly remaining: Float64Array; readonly sets: SetID[] } | undefined
  readonly #memo: AttemptMemo
  readonly #destinations = new Map<number, Destinations>()
  readonly #ports = new Map<number, HeldPort[]>()
  /** Of nodes on which pods with volumes were placed: what ran there included. */
  readonly #volumes = new Map<number, VolumesByDriver>()
  readonly #promised = new Map<string, number>()
  readonly #devices: DeviceAllocator | undefined
  /** What the last node that was judged would give to the pod's resource claims. */
  #fit: DeviceFit | undefined

  constructor(
    context: SolveContext,
    options: {
      readonly topology: Topology
      readonly excluded: ReadonlySet<number>
      readonly keys: ReadonlySet<string>
      readonly accepts: DestinationFilter | undefined
      /** Undefined when no pod wants devices. */
      readonly devices: DeviceAllocator | undefined
      /** By pod UID: the key of the node that an earlier solve found for the pod. */
      readonly promised: ReadonlyMap<string, string>
    },
  ) {
    this.#context = context
    this.#topology = options.topology
    this.#memo = context.attemptsOnNodes
    this.#accepts = options.accepts
    this.#devices = options.devices
    const { room, cluster } = context
    this.#excluded = options.excluded
    if (options.promised.size > 0) {
      const indexOf = new Map(room.targets.map((index) => [cluster.nodes[index]?.key, index]))
      for (const [uid, key] of options.promised) {
        const index = indexOf.get(key)
        if (index !== undefined && !options.excluded.has(index)) this.#promised.set(uid, index)
      }
    }
    this.#remaining = room.remaining
    this.#sets = cluster.nodeSets(options.keys, 'state')
  }

  /** Puts the pod on the first node that takes it; undefined when none does. */
  place(podClass: PodClass, pod: PodInfo): number | undefined {
    const promised = this.#keepPromise(podClass, pod)
    if (promised !== undefined) return promised
    const destinations = this.#destinationsFor(podClass.requests)
    const { targets, full } = destinations
    if (destinations.first === targets.length) return undefined
    const { hostLimits } = this.#topology.groups.of(podClass)
    this.#memo.begin()
    let isPrefix = true
    for (let position = destinations.first; position < targets.length; position += 1) {
      if (full[position] === 1) {
        if (isPrefix) destinations.first = position + 1
        continue
      }
      const index = targets[position] ?? 0
      this.work += 1
      if (this.#excluded.has(index) || !this.#hasRoom(podClass, index)) {
        full[position] = 1
        if (isPrefix) destinations.first = position + 1
        continue
      }
      isPrefix = false
      const set = this.#judge(podClass, pod, index, hostLimits)
      if (set === refused) continue
      this.#commit(podClass, pod, index, set)
      return index
    }
    return undefined
  }

  /** A promise that still holds is kept: packing from scratch while nodes are launching would fill them differently and launch more. */
  #keepPromise(podClass: PodClass, pod: PodInfo): number | undefined {
    const index = this.#promised.get(pod.uid)
    if (index === undefined || !this.#hasRoom(podClass, index)) return undefined
    this.#memo.begin()
    const set = this.#judge(podClass, pod, index, this.#topology.groups.of(podClass).hostLimits)
    if (set === refused) return undefined
    this.#commit(podClass, pod, index, set)
    return index
  }

  #judge(podClass: PodClass, pod: PodInfo, index: number, hostLimits: ClassTopology['hostLimits']): SetID {
    const { cluster } = this.#context
    const host = cluster.hostIDs[index] ?? 0
    for (const { group, most } of hostLimits) if (group.onHost(host) > most) return refused
    if (!this.#context.tolerations.tolerates(podClass.tolerationsID, cluster.taintsIDs[index] ?? 0)) return refused
    const node = cluster.nodes[index]
    if (node === undefined || this.#accepts?.(node, pod) === false) return refused
    if (!podClass.full.needed.every((key) => cluster.hasLabel(index, key))) return refused
    if (!this.#volumesFit(pod, index, node) || !this.#portsFree(pod, index)) return refused
    const set = this.#settle(podClass, index, node)
    if (set === refused || !this.#topology.joinsHost(podClass, host)) return refused
    if (!podClass.hasResourceClaims || this.#devices === undefined) return set
    this.#fit = this.#devices.onNode(pod, index)
    return this.#fit === undefined ? refused : set
  }

  #settle(podClass: PodClass, index: number, node: StateNode): SetID {
    const set = this.#sets[index] ?? this.#context.requirements.empty
    const shared = !tellsTargetsApart(podClass)
    const known = shared ? this.#memo.get(set) : undefined
    if (known !== undefined) return known
    let result = refused
    for (const alternative of podClass.volumeAlternatives) {
      result = settle(podClass, { set, hostname: node.hostname, lenient: false }, alternative, {
        requirements: this.#context.requirements,
        topology: this.#topology,
      })
      if (result !== refused) break
    }
    if (shared) this.#memo.put(set, result)
    return result
  }

  #commit(podClass: PodClass, pod: PodInfo, index: number, set: SetID): void {
    const { cluster, room } = this.#context
    const pods = this.placed.get(index)
    if (pods === undefined) this.placed.set(index, [pod])
    else pods.push(pod)
    const start = index * room.stride
    const { indexes, amounts } = podClass.requests
    const own = (this.#own ??= this.#copy())
    for (const [position, resource] of indexes.entries()) {
      own.remaining[start + resource] = (own.remaining[start + resource] ?? 0) - (amounts[position] ?? 0)
    }
    // What a pod brought along stays with the node: a later pod may rely on a key that only this one named.
    own.sets[index] = set
    this.#topology.groups.record(podClass, {
      set,
      existing: this.#context.requirements.empty,
      host: cluster.hostIDs[index] ?? 0,
      taintsID: cluster.taintsIDs[index] ?? 0,
    })
    if (podClass.hasResourceClaims && this.#fit !== undefined) {
      this.#devices?.commit(this.#fit, cluster.hostIDs[index] ?? 0)
    }
    if (pod.hostPorts.length > 0) {
      const held = this.#ports.get(index) ?? []
      held.push(...pod.hostPorts.map((port) => ({ port, pod: podKey(pod) })))
      this.#ports.set(index, held)
    }
    if (pod.volumes.length > 0) {
      this.#volumes.set(index, uniteVolumes(this.#volumes.get(index) ?? room.volumes(index), room.volumesOf(pod)))
    }
  }

  #copy(): { readonly remaining: Float64Array; readonly sets: SetID[] } {
    const own = { remaining: this.#remaining.slice(), sets: this.#sets.slice() }
    this.#remaining = own.remaining
    this.#sets = own.sets
    return own
  }

  #hasRoom({ requests }: PodClass, index: number): boolean {
    return this.#context.room.holds(this.#remaining, index, requests)
  }

  #volumesFit(pod: PodInfo, index: number, node: StateNode): boolean {
    if (node.volumeLimits.size === 0) return true
    const { room } = this.#context
    return staysWithinLimits(this.#volumes.get(index) ?? room.volumes(index), room.volumesOf(pod), node.volumeLimits)
  }

  #portsFree(pod: PodInfo, index: number): boolean {
    if (pod.hostPorts.length === 0) return true
    const key = podKey(pod)
    return (
      portConflict(pod.hostPorts, key, this.#context.room.ports(index)) === undefined &&
      portConflict(pod.hostPorts, key, this.#ports.get(index) ?? []) === undefined
    )
  }

  #destinationsFor(requests: RequestVector): Destinations {
    let destinations = this.#destinations.get(requests.id)
    if (destinations === undefined) {
      const targets = this.#context.room.targetsFor(requests)
      destinations = { targets, full: targets.length === 0 ? noneFull : new Uint8Array(targets.length), first: 0 }
      this.#destinations.set(requests.id, destinations)
    }
    return destinations
  }
}
