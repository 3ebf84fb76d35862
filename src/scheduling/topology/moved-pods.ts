import { firstEquality, labelOf } from '../../model/label-selector.ts'
import { isActive, type PodInfo } from '../../model/pod.ts'
import type { ClassedPod, LabelClass } from '../pod-class.ts'
import { appended } from './appended.ts'
import type { TopologyGroup } from './group.ts'
import { selectsPods } from './group-spec.ts'
import type { SolveGroups } from './solve-groups.ts'

interface MovedPod extends ClassedPod {
  /** Position of the node that it runs on now. */
  readonly node: number
}

/** Pods of a solve that run already: they are about to be placed elsewhere, and count nowhere until they are. */
export class MovedPods {
  /** Positions of the nodes that they run on. */
  readonly nodes: ReadonlySet<number>
  readonly #all: readonly PodInfo[]
  #pods: ReadonlySet<PodInfo> | undefined
  /** Those that count anywhere. */
  readonly #active: readonly MovedPod[]
  /** Undefined for those that count none; groups that came later are missing. */
  #byGroup: ReadonlyMap<TopologyGroup, readonly number[] | undefined> | undefined

  constructor(pods: readonly ClassedPod[], nodeOf: (pod: PodInfo) => number | undefined) {
    const all: PodInfo[] = []
    const nodes = new Set<number>()
    const active: MovedPod[] = []
    for (const { pod, podClass } of pods) {
      const node = pod.nodeName === '' ? undefined : nodeOf(pod)
      if (node === undefined) continue
      all.push(pod)
      nodes.add(node)
      if (isActive(pod)) active.push({ pod, podClass, node })
    }
    this.#all = all
    this.nodes = nodes
    this.#active = active
  }

  /** `node`: position of the one that it runs on. */
  has(pod: PodInfo, node: number): boolean {
    return this.nodes.has(node) && (this.#pods ??= new Set(this.#all)).has(pod)
  }

  /** Positions of the nodes of those that the group counts, once for each pod. `groups`: all of its kind, asked together. */
  countedBy(group: TopologyGroup, groups: SolveGroups): readonly number[] {
    const { spec } = group
    if (spec.selector === undefined) return none
    if (this.#active.length > fewPods) {
      this.#byGroup ??= this.#grouped(groups)
      if (this.#byGroup.has(group)) return this.#byGroup.get(group) ?? none
    }
    const pin = firstEquality(spec.selector)
    return this.#nodesOf((labelClass) => {
      // Nearly all pods of other workloads are told apart by one label.
      const value = pin === undefined ? undefined : labelOf(labelClass.labels, pin.key)
      if (pin !== undefined && (value === undefined || !pin.values.includes(value))) return false
      return selectsPods(spec, labelClass)
    })
  }

  #grouped(groups: SolveGroups): ReadonlyMap<TopologyGroup, readonly number[] | undefined> {
    const byGroup = new Map<TopologyGroup, number[] | undefined>()
    for (const group of groups.all()) byGroup.set(group, undefined)
    for (const { podClass, node } of this.#active) {
      for (const group of groups.selectingOften(podClass.labelClass)) {
        const nodes = byGroup.get(group)
        if (nodes === undefined) byGroup.set(group, [node])
        else nodes.push(node)
      }
    }
    return byGroup
  }

  #nodesOf(isCounted: (labelClass: LabelClass) => boolean): readonly number[] {
    let nodes: number[] = []
    for (const { podClass, node } of this.#active) if (isCounted(podClass.labelClass)) nodes = appended(nodes, node)
    return nodes
  }
}

const none: readonly number[] = []

/** So many pods are sooner asked one by one: those of a node. */
const fewPods = 64
