import type { LabelSelector, Taint } from '../api/kubernetes.ts'
import type { Labels } from '../model/label-selector.ts'
import { firstEquality, labelOf, selects } from '../model/label-selector.ts'
import { compareText } from '../model/order.ts'
import { type LabelAliases, labelRequirements, type Requirements } from '../model/requirements.ts'
import type { Resources } from '../model/resources.ts'
import type { Sliced } from '../model/sliced.ts'
import type { StateNode } from '../model/snapshot.ts'
import { heldBy } from './limits.ts'
import type { LabelClass, PodClasses } from './pod-class.ts'
import type { RequirementSpace, SetID } from './requirement-space.ts'
import { runningPods } from './running-pods.ts'

/** Nodes looked at between two slices: with their pods about a millisecond or two. */
export const nodesPerSlice = 64

/** Where pods with the same namespace and labels run. */
export interface BoundPods {
  readonly labelClass: LabelClass
  /** Positions of nodes, ascending, and how many there are on each. */
  readonly nodes: readonly number[]
  readonly counts: readonly number[]
}

type GrowingBoundPods = BoundPods & { readonly nodes: number[]; readonly counts: number[] }

/** The nodes of a snapshot and the pods on them, indexed for the questions that solves ask again and again. */
export class ClusterIndex {
  readonly nodes: readonly StateNode[]
  /** Hostnames as numbers: each target has one, and counting per hostname is counting per number. */
  readonly hostIDs: readonly number[]
  readonly hostnames: readonly string[]
  readonly taintsIDs: readonly number[]
  /** Of the Node objects: what topology counts by. Targets are judged by the state's taints, which leave out passing ones. */
  readonly objectTaintsIDs: readonly number[]
  readonly #requirements: RequirementSpace
  readonly #aliases: LabelAliases
  readonly #spellings: ReadonlyMap<string, readonly string[]>
  readonly #taintLists: (readonly Taint[])[] = []
  readonly #taintIDs = new Map<string, number>()
  readonly #nodeSets = new Map<string, readonly SetID[]>()
  readonly #objectDomains = new Map<string, readonly (string | undefined)[]>()
  #indexes: ReadonlyMap<string, number> | undefined
  readonly #held = new Map<string, Resources>()
  readonly #bound = new Map<string, BoundPods[]>()
  readonly #boundByLabel = new Map<string, BoundPods[]>()

  constructor(
    nodes: readonly StateNode[],
    options: { readonly requirements: RequirementSpace; readonly aliases: LabelAliases },
  ) {
    this.nodes = nodes
    this.#requirements = options.requirements
    this.#aliases = options.aliases
    this.#spellings = Map.groupBy(options.aliases.keys(), (old) => options.aliases.get(old) ?? old)
    const hosts = new Map<string, number>()
    this.hostIDs = nodes.map(({ hostname }) => {
      const known = hosts.get(hostname) ?? hosts.size
      hosts.set(hostname, known)
      return known
    })
    this.hostnames = [...hosts.keys()]
    this.taintsIDs = nodes.map(({ taints }) => this.taintsID(taints))
    this.objectTaintsIDs = nodes.map(({ node }) => this.taintsID(node?.spec.taints ?? []))
  }

  /** Positions of the nodes with these keys, ascending. */
  indexesOf(keys: Iterable<string>): ReadonlySet<number> {
    this.#indexes ??= new Map(this.nodes.map(({ key }, index) => [key, index]))
    const indexes = this.#indexes
    return new Set([...keys].flatMap((key) => indexes.get(key) ?? []).sort((a, b) => a - b))
  }

  /** What the pool's nodes hold, as `heldBy`. */
  held(pool: string): Resources {
    let held = this.#held.get(pool)
    if (held === undefined) {
      held = heldBy(pool, this.nodes)
      this.#held.set(pool, held)
    }
    return held
  }

  taintsID(taints: readonly Taint[]): number {
    const text = taints.length === 0 ? '' : JSON.stringify(taints.map(({ key, value, effect }) => [key, value, effect]))
    let id = this.#taintIDs.get(text)
    if (id === undefined) {
      id = this.#taintLists.length
      this.#taintIDs.set(text, id)
      this.#taintLists.push(taints)
    }
    return id
  }

  taints(id: number): readonly Taint[] {
    return this.#taintLists[id] ?? []
  }

  /** Labels of the Node object: what topology counts by. None while there is only a claim. */
  objectLabels(index: number): Labels {
    return this.nodes[index]?.node?.metadata.labels ?? {}
  }

  /** Whether the node has the label, be it by an older name. */
  hasLabel(index: number, key: string): boolean {
    const labels = this.nodes[index]?.labels ?? {}
    return [key, ...(this.#spellings.get(key) ?? [])].some((spelling) => labelOf(labels, spelling) !== undefined)
  }

  /** What the Node object of each node says for the key: its domain there. */
  objectDomains(key: string): readonly (string | undefined)[] {
    let domains = this.#objectDomains.get(key)
    if (domains === undefined) {
      domains = this.nodes.map((_, index) => labelOf(this.objectLabels(index), key))
      this.#objectDomains.set(key, domains)
    }
    return domains
  }

  /** What each node's labels say about the given keys: nodes that differ in other labels only have the same set. */
  nodeSets(keys: ReadonlySet<string>, source: 'state' | 'object'): readonly SetID[] {
    const sorted = [...keys].toSorted(compareText)
    const text = `${source}\n${sorted.join('\n')}`
    const known = this.#nodeSets.get(text)
    if (known !== undefined) return known
    const byValues = new Map<string, SetID>()
    const sets = this.nodes.map((node, index) => {
      const labels = source === 'state' ? node.labels : this.objectLabels(index)
      let values = ''
      for (const key of sorted) values += `${this.#value(labels, key)}\n`
      let set = byValues.get(values)
      if (set === undefined) {
        set = this.#requirements.intern(this.#project(labels, sorted))
        byValues.set(values, set)
      }
      return set
    })
    this.#nodeSets.set(text, sets)
    return sets
  }

  /** Running pods that the selector selects: none when there is no selector. */
  boundPods(namespaces: ReadonlySet<string>, selector: LabelSelector | undefined): readonly BoundPods[] {
    if (selector === undefined) return []
    const pin = firstEquality(selector)
    const found: BoundPods[] = []
    for (const namespace of [...namespaces].toSorted(compareText)) {
      const candidates =
        pin === undefined
          ? (this.#bound.get(namespace) ?? [])
          : pin.values.flatMap((value) => this.#boundByLabel.get(labelText(namespace, pin.key, value)) ?? [])
      for (const bound of candidates) {
        if (selects(selector, bound.labelClass.labels)) found.push(bound)
      }
    }
    return found
  }

  /** Counts the running pods; to be run to its end before `boundPods` is asked. */
  *indexPods(classes: PodClasses): Sliced<void> {
    const byText = new Map<string, GrowingBoundPods>()
    for (const [index, { pods, node }] of this.nodes.entries()) {
      if (node === undefined) continue
      for (const { labelsText, example, count } of runningPods(pods).alike) {
        let bound = byText.get(labelsText)
        if (bound === undefined) {
          const labelClass = classes.labelClassOf(example)
          bound = { labelClass, nodes: [], counts: [] }
          byText.set(labelsText, bound)
          append(this.#bound, labelClass.namespace, bound)
          for (const [key, value] of Object.entries(labelClass.labels)) {
            append(this.#boundByLabel, labelText(labelClass.namespace, key, value), bound)
          }
        }
        bound.nodes.push(index)
        bound.counts.push(count)
      }
      if (index % nodesPerSlice === nodesPerSlice - 1) yield
    }
  }

  #value(labels: Labels, key: string): string {
    const spellings = this.#spellings.get(key)
    const own = labelOf(labels, key)
    if (spellings === undefined) return own === undefined ? '' : `=${own}`
    return `${own === undefined ? '' : `=${own}`}${spellings.map((old) => (labels[old] === undefined ? '' : `~${labels[old]}`)).join('')}`
  }

  #project(labels: Labels, keys: readonly string[]): Requirements {
    const picked: Record<string, string> = {}
    for (const key of keys) {
      for (const spelling of [key, ...(this.#spellings.get(key) ?? [])]) {
        const value = labelOf(labels, spelling)
        if (value !== undefined) picked[spelling] = value
      }
    }
    return labelRequirements(picked, this.#aliases)
  }
}

function labelText(namespace: string, key: string, value: string): string {
  return `${namespace}\n${key}\n${value}`
}

function append<T>(into: Map<string, T[]>, key: string, value: T): void {
  const known = into.get(key)
  if (known === undefined) into.set(key, [value])
  else known.push(value)
}
