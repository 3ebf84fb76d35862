import type { LabelVocabulary } from '../../api/label-rules.ts'
import { labelHostname } from '../../api/labels.ts'
import { compareText } from '../../model/order.ts'
import type { PodInfo } from '../../model/pod.ts'
import type { Sliced } from '../../model/sliced.ts'
import type { ClusterIndex } from '../cluster-index.ts'
import type { ClassedPod, LabelClass, PodClass } from '../pod-class.ts'
import type { RequirementSpace, SetID } from '../requirement-space.ts'
import type { SlicePace } from '../slice-pace.ts'
import { appended } from './appended.ts'
import type { StandingInverse, TopologyCounts } from './counting.ts'
import type { Obeyed } from './domain-choice.ts'
import { TopologyGroup } from './group.ts'
import { type GroupSpec, selectsPods } from './group-spec.ts'
import type { GroupSpecs, OwnGroup, OwnInverse } from './group-specs.ts'
import { MovedPods } from './moved-pods.ts'
import { SolveCounts } from './solve-counts.ts'
import { SolveGroups } from './solve-groups.ts'

interface HostLimit {
  readonly group: TopologyGroup
  readonly most: number
}

/** What a pod class has to do with the groups of a solve. */
export interface ClassTopology {
  readonly onHost: readonly Obeyed[]
  /** Spread and anti-affinity over hostnames: a host may have at most so many pods of the group already. */
  readonly hostLimits: readonly HostLimit[]
  readonly hostAffinity: readonly Obeyed[]
  readonly elsewhere: readonly Obeyed[]
  /** Groups in which the class's own required anti-affinity shows. */
  readonly inverseOwned: readonly TopologyGroup[]
}

interface Owned {
  readonly owned: readonly Obeyed[]
  readonly inverseOwned: readonly TopologyGroup[]
  /** Of running pods whose anti-affinity selects the class. */
  readonly standing: readonly TopologyGroup[]
  /** Once it has been asked for. */
  topology: ClassTopology | undefined
}

export interface TopologyContext {
  readonly settings: { readonly vocabulary: Pick<LabelVocabulary, 'wellKnown'> }
  readonly cluster: ClusterIndex
  readonly requirements: RequirementSpace
  readonly counts: TopologyCounts
  readonly groupSpecs: GroupSpecs
  readonly pace: SlicePace
}

/** What a solve is about to place. */
export interface TopologyBatch {
  readonly pods: readonly ClassedPod[]
  /** Of the pods. */
  readonly classes: ReadonlySet<PodClass>
  readonly excludedNodes: ReadonlySet<number>
  readonly nodeOf: (pod: PodInfo) => number | undefined
}

/** Where a pod was committed: the final requirements and taints. */
interface Target {
  readonly set: SetID
  /** That it will have labels of which the set says only what they are not. */
  readonly existing: SetID
  readonly host: number
  readonly taintsID: number
}

/** The groups of one solve by the classes that have to do with them, and how its pods lie across domains, beside those that run already. */
export class ClassGroups {
  /** Groups looked at for classes that have to do with many: part of the measure of a solve's work. */
  work = 0
  readonly #context: TopologyContext
  readonly #counts: SolveCounts
  readonly #classes: ReadonlySet<PodClass>
  readonly #ordinary: SolveGroups
  /** Inverse groups but for those that only running pods have made. */
  readonly #inverse: SolveGroups
  /** Inverse groups of running pods; undefined where all of these are about to be placed elsewhere. */
  readonly #standing = new Map<StandingInverse, TopologyGroup | undefined>()
  readonly #ofClass = new Map<PodClass, Owned>()
  /** Where the pods of this solve went so far. */
  readonly #recorded = new Map<LabelClass, Target[]>()
  readonly #selectedBy = new Map<TopologyGroup, Obeyed>()
  readonly #untouchedBy = new Map<TopologyGroup, HostLimit>()
  #places: { readonly known: number; readonly of: ReadonlyMap<TopologyGroup, number> } | undefined
  #hostsKnown: number

  constructor(context: TopologyContext, batch: TopologyBatch) {
    this.#context = context
    const { created } = context.groupSpecs
    this.#ordinary = new SolveGroups(created.ordinary)
    this.#inverse = new SolveGroups(created.inverse)
    this.#hostsKnown = context.cluster.hostnames.length
    const moved = new MovedPods(batch.pods, batch.nodeOf)
    this.#counts = new SolveCounts(context, { moved, excludedNodes: batch.excludedNodes })
    this.#classes = batch.classes
  }

  /** Ids of hosts are below it: those of nodes, and those of the targets of pods so far. */
  get hostsKnown(): number {
    return this.#hostsKnown
  }

  /** Creates the groups of the batch; to be run to its end before anything is asked. */
  *begin(): Sliced<void> {
    for (const podClass of this.#classes) {
      this.#own(podClass)
      if (this.#context.pace.fills(workPerClass)) yield
    }
  }

  /** Groups of a class; created when a relaxed class is first seen. */
  of(podClass: PodClass): ClassTopology {
    const own = this.#own(podClass)
    return (own.topology ??= this.#topologyOf(podClass, own))
  }

  #topologyOf({ labelClass }: PodClass, { owned, inverseOwned, standing }: Owned): ClassTopology {
    const others = this.#inverse.selecting(labelClass)
    const selecting = others.length === 0 ? standing : [...standing, ...others]
    if (owned.length + inverseOwned.length + selecting.length === 0) return unconstrained
    let onHost = noneObeyed
    let elsewhere = noneObeyed
    const obey = (obeyed: Obeyed): void => {
      if (obeyed.group.onHostname) onHost = appended(onHost, obeyed)
      else elsewhere = appended(elsewhere, obeyed)
    }
    for (const obeyed of owned) obey(obeyed)
    // Which one an error names must not depend on which was created first.
    for (const group of this.#inOrder(selecting)) obey(this.#selected(group))
    let hostLimits: HostLimit[] = []
    let hostAffinity = noneObeyed
    for (const obeyed of onHost) {
      const { group, selfSelecting } = obeyed
      const { kind, maxSkew } = group.spec
      if (kind === 'affinity') hostAffinity = appended(hostAffinity, obeyed)
      else {
        const most = kind === 'antiAffinity' ? 0 : maxSkew - (selfSelecting ? 1 : 0)
        hostLimits = appended(hostLimits, most === 0 ? this.#untouched(group) : { group, most })
      }
    }
    this.#count(owned.length + selecting.length)
    return { onHost, hostLimits, hostAffinity, elsewhere, inverseOwned }
  }

  /** Counts what runs already, where a class has to do with many groups: else its first pod would wait for all of them. */
  *ready(podClass: PodClass): Sliced<void> {
    if (this.#ordinary.size + this.#inverse.size + this.#standing.size <= fewGroups) return
    const { onHost, elsewhere } = this.of(podClass)
    const counting = this.#ordinary.selectingOften(podClass.labelClass)
    if (onHost.length + elsewhere.length + counting.length <= fewGroups) return
    for (const { group } of [...onHost, ...elsewhere]) if (this.#fillsCounting(group)) yield
    for (const group of counting) if (this.#fillsCounting(group)) yield
  }

  #fillsCounting(group: TopologyGroup): boolean {
    return group.count() && this.#context.pace.fills(workPerCount)
  }

  /** By identity. */
  #inOrder(groups: readonly TopologyGroup[]): readonly TopologyGroup[] {
    if (groups.length <= fewGroups) return groups.length > 1 ? groups.toSorted(byIdentityText) : groups
    const places = this.#placesOfAll()
    const ordered = new Array<TopologyGroup | undefined>(places.size)
    for (const group of groups) ordered[places.get(group) ?? 0] = group
    return ordered.filter((group) => group !== undefined)
  }

  /** Sorted once for all classes until groups are added. */
  #placesOfAll(): ReadonlyMap<TopologyGroup, number> {
    const known = this.#inverse.size + this.#standing.size
    if (this.#places?.known !== known) {
      const standing = [...this.#standing.values()].filter((group) => group !== undefined)
      const all = [...new Set([...standing, ...this.#inverse.all()])].toSorted(byIdentityText)
      this.#places = { known, of: new Map(all.map((group, place) => [group, place])) }
    }
    return this.#places.of
  }

  /** The same object for all classes that the group selects: where each obeys all groups but its own, they would fill the memory. */
  #selected(group: TopologyGroup): Obeyed {
    let obeyed = this.#selectedBy.get(group)
    if (obeyed === undefined) {
      obeyed = { group, selfSelecting: true }
      this.#selectedBy.set(group, obeyed)
    }
    return obeyed
  }

  #untouched(group: TopologyGroup): HostLimit {
    let limit = this.#untouchedBy.get(group)
    if (limit === undefined) {
      limit = { group, most: 0 }
      this.#untouchedBy.set(group, limit)
    }
    return limit
  }

  #count(groups: number): void {
    if (groups > fewGroups) this.work += groups
  }

  /** Counts a pod that was committed to a target with these final requirements and taints. */
  record(podClass: PodClass, target: Target): void {
    if (target.host >= this.#hostsKnown) this.#hostsKnown = target.host + 1
    const { labelClass } = podClass
    const recorded = this.#recorded.get(labelClass)
    if (recorded === undefined) this.#recorded.set(labelClass, [target])
    else recorded.push(target)
    const counting = this.#ordinary.selectingOften(labelClass)
    for (const group of counting) this.#recordIn(group, target)
    this.#count(counting.length)
    const { requirements } = this.#context
    for (const group of this.of(podClass).inverseOwned) {
      if (group.onHostname) group.addOnHost(target.host, 1)
      else for (const value of requirements.requirement(target.set, group.spec.key)?.values ?? []) group.add(value)
    }
  }

  #recordIn(group: TopologyGroup, target: Target): void {
    const { requirements, counts } = this.#context
    if (!counts.filters.of(group.spec.filter).target(target)) return
    if (group.onHostname) {
      group.addOnHost(target.host, 1)
      return
    }
    const requirement = requirements.requirement(target.set, group.spec.key)
    if (requirement === undefined) return
    if (group.spec.kind === 'antiAffinity') for (const value of requirement.values) group.add(value)
    else if (!requirement.complement && requirement.values.size === 1) {
      for (const value of requirement.values) group.add(value)
    }
  }

  /** Non-hostname keys that decisions of the given classes read from targets. */
  keys(): ReadonlySet<string> {
    const keys = new Set<string>()
    for (const { spec } of this.#ordinary.all()) {
      keys.add(spec.key)
      for (const { requirements } of spec.filter?.alternatives ?? [])
        for (const key of requirements.keys()) keys.add(key)
    }
    for (const { spec } of this.#inverse.all()) keys.add(spec.key)
    for (const group of this.#standing.values()) if (group !== undefined) keys.add(group.spec.key)
    keys.delete(labelHostname)
    return keys
  }

  #own(podClass: PodClass): Owned {
    const known = this.#ofClass.get(podClass)
    if (known !== undefined) return known
    const { ordinary, inverse, standing } = this.#context.groupSpecs.of(podClass)
    const found = {
      standing: standing.length === 0 ? noGroups : this.#standingGroups(standing),
      inverseOwned: inverse.length === 0 ? noGroups : inverse.map((own) => this.#inverseGroup(own)),
      owned: ordinary.length === 0 ? noneObeyed : ordinary.map((own) => this.#ordinaryGroup(own, podClass.labelClass)),
      topology: undefined,
    }
    this.#ofClass.set(podClass, found)
    return found
  }

  #ordinaryGroup({ spec, selfSelecting }: OwnGroup, labelClass: LabelClass): Obeyed {
    const known = this.#ordinary.get(spec.identity)
    // Of a group that another class created the selector may differ where their identities do not tell.
    if (known !== undefined) {
      return { group: known, selfSelecting: known.spec === spec ? selfSelecting : selectsPods(known.spec, labelClass) }
    }
    const group: TopologyGroup = new TopologyGroup(spec, this.#context.cluster.hostnames.length, () =>
      this.#counts.selectedBy(group, this.#ordinary),
    )
    this.#ordinary.add(group)
    // A class that was relaxed may come with a group that the pods placed so far have not met.
    for (const [recorded, targets] of this.#recorded) {
      if (selectsPods(spec, recorded)) for (const target of targets) this.#recordIn(group, target)
    }
    return { group, selfSelecting }
  }

  #inverseGroup({ spec, standing }: OwnInverse): TopologyGroup {
    const running = standing === undefined ? undefined : this.#standingGroup(standing)
    const known = running ?? this.#inverse.get(spec.identity)
    if (known === undefined) return this.#inverse.add(this.#newInverse(spec, standing))
    // Owners that tolerate other taints could be elsewhere: the domains of all of them are open to those whom they keep away.
    const { counts } = this.#context
    const universe = counts.universe(spec)
    if (universe !== counts.universe(known.spec)) known.know(universe)
    return known
  }

  #standingGroups(standing: readonly StandingInverse[]): readonly TopologyGroup[] {
    let groups: TopologyGroup[] = []
    for (const each of standing) {
      const group = this.#standingGroup(each)
      if (group?.spec === each.spec) groups = appended(groups, group)
    }
    return groups
  }

  #standingGroup(standing: StandingInverse): TopologyGroup | undefined {
    const known = this.#standing.get(standing)
    if (known !== undefined || this.#standing.has(standing)) return known
    const owner = this.#counts.firstOwner(standing)
    const group = owner === undefined ? undefined : this.#newInverse(owner.spec, standing)
    this.#standing.set(standing, group)
    // Of another owner the selector may differ where their identities do not tell: whom it selects is looked up.
    if (group !== undefined && group.spec !== standing.spec) this.#inverse.add(group)
    return group
  }

  #newInverse(spec: GroupSpec, standing: StandingInverse | undefined): TopologyGroup {
    return new TopologyGroup(spec, this.#context.cluster.hostnames.length, () => this.#counts.owners(spec, standing))
  }
}

function byIdentityText(a: TopologyGroup, b: TopologyGroup): number {
  return compareText(a.spec.identity, b.spec.identity)
}

/** What it takes to count the running pods of a group. */
const workPerCount = 1_000
/** Of classes with no more, work at groups is part of what looking at a target costs. */
const fewGroups = 16
/** What it takes to create the groups of a class. */
const workPerClass = 25
const noneObeyed: Obeyed[] = []
const noGroups: readonly TopologyGroup[] = []
const unconstrained: ClassTopology = {
  onHost: noneObeyed,
  hostLimits: [],
  hostAffinity: noneObeyed,
  elsewhere: noneObeyed,
  inverseOwned: [],
}
