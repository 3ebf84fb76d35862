import { labelHostname } from '../api/labels.ts'
import { hasLostNode } from '../model/lost-node.ts'
import { compareText } from '../model/order.ts'
import { podKey, type PodInfo } from '../model/pod.ts'
import { allows } from '../model/requirement.ts'
import type { LabelAliases } from '../model/requirements.ts'
import type { Sliced } from '../model/sliced.ts'
import type { VolumeObjects } from '../model/snapshot.ts'
import type { AmountSpace, RequestVector } from './amounts.ts'
import { type ClusterIndex, nodesPerSlice } from './cluster-index.ts'
import { type Daemon, daemonRemainder } from './daemons.ts'
import type { HeldPort } from './host-ports.ts'
import type { PodClasses } from './pod-class.ts'
import { termRequirements } from './pod-constraints.ts'
import type { RequirementSpace } from './requirement-space.ts'
import { uniteVolumes, type VolumesByDriver, volumesOf } from './volume-usage.ts'

export interface NodeRoomOptions {
  readonly cluster: ClusterIndex
  readonly amounts: AmountSpace
  readonly requirements: RequirementSpace
  readonly classes: PodClasses
  readonly daemons: readonly Daemon[]
  readonly aliases: LabelAliases
  readonly volumes: VolumeObjects
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** What running pods and daemons leave free on the nodes of a snapshot. Shared by all solves, which copy what they change. */
export class NodeRoom {
  /** Row by row, `stride` amounts for each node. */
  readonly remaining: Float64Array
  readonly stride: number
  /**
   * Nodes that may take pods, in the order to try them: initialized ones first, then by name. Once all is measured, without those where
   * nothing fits, not even nothing: some amount is negative.
   */
  targets: readonly number[]
  readonly #cluster: ClusterIndex
  readonly #objects: VolumeObjects
  /** By request. */
  readonly #roomy = new Map<number, Int32Array>()
  readonly #ports = new Map<number, readonly HeldPort[]>()
  readonly #volumes = new Map<number, VolumesByDriver>()
  readonly #volumesOfPods = new WeakMap<PodInfo, VolumesByDriver>()

  constructor(options: Pick<NodeRoomOptions, 'cluster' | 'amounts' | 'volumes' | 'now'>) {
    const { cluster, amounts, now } = options
    this.#cluster = cluster
    this.#objects = options.volumes
    const { nodes } = cluster
    this.stride = amounts.size
    this.remaining = new Float64Array(nodes.length * this.stride)
    this.targets = [...nodes.keys()]
      .filter((index) => {
        const node = nodes[index]
        return node !== undefined && !node.markedForDeletion && !hasLostNode(node, now)
      })
      .toSorted((a, b) => {
        const [x, y] = [nodes[a], nodes[b]]
        if (x === undefined || y === undefined) return a - b
        return Number(y.initialized) - Number(x.initialized) || compareText(x.name, y.name) || compareText(x.key, y.key)
      })
  }

  /** Works out what is free; to be run to its end before anything is read. */
  *measure({ cluster, amounts, requirements, classes, daemons, aliases }: NodeRoomOptions): Sliced<void> {
    const { nodes } = cluster
    const split = daemons.map((daemon) => classes.split(daemon.requirements))
    const keys = new Set(
      daemons.flatMap(({ constraints, pod }) => [
        ...Object.keys(pod.nodeSelector).map((key) => aliases.get(key) ?? key),
        ...constraints.requiredNodeTerms.flatMap((term) => [...termRequirements(term, aliases).keys()]),
      ]),
    )
    keys.delete(labelHostname)
    const sets = daemons.length === 0 ? [] : cluster.nodeSets(keys, 'state')
    const overcommitted = new Set<number>()
    let done = 0
    for (const index of this.targets) {
      const node = nodes[index]
      if (node === undefined) continue
      done += 1
      if (done % nodesPerSlice === 0) yield
      const start = index * this.stride
      for (const [name, quantity] of node.allocatable) {
        const resource = amounts.indexOf(name)
        this.remaining[start + resource] = amounts.available(resource, quantity)
      }
      for (const [resource, asked] of askedTogether(node.pods, amounts).entries()) {
        if (asked === 0 || !node.allocatable.has(amounts.names[resource] ?? '')) continue
        this.remaining[start + resource] = (this.remaining[start + resource] ?? 0) - asked
      }
      const deduct = (name: string, quantity: Parameters<AmountSpace['asked']>[1]): void => {
        if (!node.allocatable.has(name)) return
        const resource = amounts.indexOf(name)
        this.remaining[start + resource] = (this.remaining[start + resource] ?? 0) - amounts.asked(resource, quantity)
      }
      const set = sets[index] ?? requirements.empty
      const reserved = daemonRemainder(node, daemons, (daemon) => {
        const wanted = split[daemons.indexOf(daemon)]
        return (
          wanted !== undefined &&
          requirements.strictlyCompatible(set, wanted.set) &&
          (wanted.hostname === undefined || allows(wanted.hostname, node.hostname))
        )
      })
      for (const [name, quantity] of reserved) deduct(name, quantity)
      for (let resource = 0; resource < this.stride; resource += 1) {
        if ((this.remaining[start + resource] ?? 0) < 0) overcommitted.add(index)
      }
    }
    this.targets = this.targets.filter((index) => !overcommitted.has(index))
  }

  /** The targets with room for the request, in the order to try them: a solve only ever takes room away. */
  targetsFor(requests: RequestVector): Int32Array {
    let roomy = this.#roomy.get(requests.id)
    if (roomy === undefined) {
      roomy = Int32Array.from(this.targets.filter((index) => this.holds(this.remaining, index, requests)))
      this.#roomy.set(requests.id, roomy)
    }
    return roomy
  }

  /** Whether so much remains of the node at the position. */
  holds(remaining: Float64Array, node: number, { indexes, amounts }: RequestVector): boolean {
    const start = node * this.stride
    for (let i = 0; i < indexes.length; i += 1) {
      const resource = indexes[i] ?? 0
      const free = resource < this.stride ? (remaining[start + resource] ?? 0) : 0
      if ((amounts[i] ?? 0) > free) return false
    }
    return true
  }

  ports(index: number): readonly HeldPort[] {
    let held = this.#ports.get(index)
    if (held === undefined) {
      held = (this.#cluster.nodes[index]?.pods ?? []).flatMap((pod) =>
        pod.hostPorts.map((port) => ({ port, pod: podKey(pod) })),
      )
      this.#ports.set(index, held)
    }
    return held
  }

  volumes(index: number): VolumesByDriver {
    let used = this.#volumes.get(index)
    if (used === undefined) {
      const pods = this.#cluster.nodes[index]?.pods.filter(({ volumes }) => volumes.length > 0) ?? []
      used = uniteVolumes(...pods.map((pod) => this.volumesOf(pod)))
      this.#volumes.set(index, used)
    }
    return used
  }

  /** Looked up once for each pod, which asks for them at every node that it is tried on. */
  volumesOf(pod: PodInfo): VolumesByDriver {
    let found = this.#volumesOfPods.get(pod)
    if (found === undefined) {
      found = volumesOf(pod, this.#objects)
      if (pod.volumes.length > 0) this.#volumesOfPods.set(pod, found)
    }
    return found
  }
}

/** What the pods ask for, by resource: the same in every snapshot until other amounts come up. */
function askedTogether(pods: readonly PodInfo[], amounts: AmountSpace): readonly number[] {
  const known = together.get(pods)
  if (known?.scale === amounts.scale) return known.asked
  const asked = new Array<number>(amounts.size).fill(0)
  for (const { requests } of pods) {
    for (const [name, quantity] of requests) {
      const resource = amounts.indexOf(name)
      asked[resource] = (asked[resource] ?? 0) + amounts.asked(resource, quantity)
    }
  }
  together.set(pods, { scale: amounts.scale, asked })
  return asked
}

const together = new WeakMap<readonly PodInfo[], { readonly scale: string; readonly asked: readonly number[] }>()
