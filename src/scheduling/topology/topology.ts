import type { LabelVocabulary } from '../../api/label-rules.ts'
import { labelHostname } from '../../api/labels.ts'
import { allows, anyValue, effectiveOperator, oneValue, type Requirement } from '../../model/requirement.ts'
import type { PodInfo } from '../../model/pod.ts'
import { compareText } from '../../model/order.ts'
import type { ClusterIndex } from '../cluster-index.ts'
import type { SlicePace } from '../slice-pace.ts'
import type { ClassedPod, LabelClass, PodClass } from '../pod-class.ts'
import type { RequirementSpace, SetID } from '../requirement-space.ts'
import { appended } from './appended.ts'
import { acceptsHost, validDomains } from './choose.ts'
import type { StandingInverse, TopologyCounts } from './counting.ts'
import { anywhere, DomainChoice, nowhere, type Obeyed } from './domain-choice.ts'
import { failureText, type TopologyFailure } from './failure-text.ts'
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

/** What nodes could be made for a pod. */
export interface Prospects {
  /** Whether there is any that meets the requirements. */
  readonly admits: (set: SetID) => boolean
  /** Values that those which meet the requirements could have for a label; undefined where they could have any. */
  readonly values: (set: SetID, key: string) => ReadonlySet<string> | undefined
}

/** Domains of which a group takes one. */
interface OpenChoice {
  readonly key: string
  readonly domains: readonly string[]
}

interface Conflict {
  readonly existing: Requirement
  readonly incoming: Requirement
}

/** Where a pod was committed: the final requirements and taints. */
interface Target {
  readonly set: SetID
  /** That it will have labels of which the set says only what they are not. */
  readonly existing: SetID
  readonly host: number
  readonly taintsID: number
}

/** How the pods of one solve lie across domains, beside those that run already. */
export class Topology {
  readonly #context: TopologyContext
  readonly #excludedNodes: ReadonlySet<number>
  readonly #counts: SolveCounts
  readonly #choice: DomainChoice
  readonly #classes: ReadonlySet<PodClass>
  readonly #ordinary: SolveGroups
  /** Inverse groups but for those that only running pods have made. */
  readonly #inverse: SolveGroups
  /** Inverse groups of running pods; undefined where all of these are about to be placed elsewhere. */
  readonly #standing = new Map<StandingInverse, TopologyGroup | undefined>()
  readonly #ofClass = new Map<PodClass, Owned>()
  /** Where the pods of this solve went so far. */
  readonly #recorded = new Map<LabelClass, Target[]>()
  /** Groups looked at for classes that have to do with many: part of the measure of a solve's work. */
  work = 0
  readonly #selectedBy = new Map<TopologyGroup, Obeyed>()
  readonly #untouchedBy = new Map<TopologyGroup, HostLimit>()
  #places: { readonly known: number; readonly of: ReadonlyMap<TopologyGroup, number> } | undefined
  readonly #hostName: (host: number) => string
  /** Host ids of all targets so far, for texts. */
  #hostsKnown: number

  constructor(
    context: TopologyContext,
    batch: {
      readonly pods: readonly ClassedPod[]
      /** Of the pods. */
      readonly classes: ReadonlySet<PodClass>
      readonly excludedNodes: ReadonlySet<number>
      readonly nodeOf: (pod: PodInfo) => number | undefined
      readonly hostName: (host: number) => string
    },
  ) {
    this.#context = context
    const { created } = context.groupSpecs
    this.#ordinary = new SolveGroups(created.ordinary)
    this.#inverse = new SolveGroups(created.inverse)
    this.#excludedNodes = batch.excludedNodes
    this.#hostName = batch.hostName
    this.#hostsKnown = context.cluster.hostnames.length
    const moved = new MovedPods(batch.pods, batch.nodeOf)
    this.#counts = new SolveCounts(context, { moved, excludedNodes: batch.excludedNodes })
    this.#choice = new DomainChoice(context)
    this.#classes = batch.classes
  }

  /** Creates the groups of the batch; to be run to its end before anything is asked. */
  *begin(): Generator<undefined, void, undefined> {
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
  *ready(podClass: PodClass): Generator<undefined, void, undefined> {
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

  /** Whether some group refuses the class wherever it is put, so that no target need be tried. */
  refusesEverywhere(podClass: PodClass): boolean {
    const { elsewhere, onHost } = this.of(podClass)
    for (const obeyed of elsewhere) {
      if (this.#choice.of(obeyed, podClass, anywhere) === nowhere) return true
    }
    for (const { group, selfSelecting } of onHost) {
      if (group.spec.kind === 'affinity' && !selfSelecting && group.isEmpty) return true
    }
    return false
  }

  /** Asks the affinity groups over hostnames; the others are in `hostLimits`. */
  joinsHost(podClass: PodClass, host: number): boolean {
    for (const obeyed of this.of(podClass).hostAffinity) if (!this.#acceptsHost(obeyed, podClass, host)) return false
    return true
  }

  /**
   * What the groups other than those on hostnames make of a target: its set, narrowed, or −1 when one of them cannot be met.
   * Whether the result is compatible with the target is the caller's question.
   */
  tighten(podClass: PodClass, target: SetID): SetID {
    const { requirements } = this.#context
    let result = target
    for (const obeyed of this.of(podClass).elsewhere) {
      const nodeID = requirements.requirementIDIn(target, obeyed.group.spec.key)
      const chosen = this.#choice.of(obeyed, podClass, nodeID)
      if (chosen === nowhere) return nowhere
      result = requirements.merge(result, chosen)
    }
    return result
  }

  /** Whether the class has to be in some domain of a label of which the set says nothing. */
  needsMore(podClass: PodClass, set: SetID): boolean {
    return this.of(podClass).elsewhere.some(
      ({ group: { spec } }) =>
        spec.kind !== 'antiAffinity' && this.#context.requirements.requirementIDIn(set, spec.key) === -1,
    )
  }

  /**
   * What `tighten` may answer as well, its answer included: groups that take one of several domains may take another where the first does
   * not go with the other groups, or no node can be made there. In the order to try them, without those that have no prospects.
   */
  *alternatives(podClass: PodClass, target: SetID, prospects: Prospects): Generator<SetID, void, undefined> {
    const { requirements, counts } = this.#context
    const open: OpenChoice[] = []
    let set = target
    for (const obeyed of this.of(podClass).elsewhere) {
      const { key } = obeyed.group.spec
      const nodeID = requirements.requirementIDIn(target, key)
      const domains = this.#choice.toTry(obeyed, podClass, nodeID)
      const chosen = domains.length > 1 ? requirements.empty : this.#choice.of(obeyed, podClass, nodeID)
      if (chosen === nowhere) return
      set = requirements.merge(set, chosen)
      if (domains.length > 1) open.push({ key, domains })
    }
    if (open.length === 0) return
    // Label by label first: those with many values, such as the instance type, would make too many pairs with others.
    const possible = open.map(({ key, domains }) => {
      const values = prospects.values(set, key)
      const left = values === undefined ? domains : domains.filter((domain) => values.has(domain))
      if (left.length > fewDomains) return { key, domains: left }
      const inDomain = (domain: string): SetID => requirements.merge(set, counts.domainSet(key, [domain]))
      return { key, domains: left.filter((domain) => prospects.admits(inDomain(domain))) }
    })
    yield* this.#combinations(set, possible)
  }

  *#combinations(set: SetID, [first, ...others]: readonly OpenChoice[]): Generator<SetID, void, undefined> {
    if (first === undefined) {
      yield set
      return
    }
    const { requirements, counts } = this.#context
    const left = requirements.requirement(set, first.key) ?? anyValue(first.key)
    for (const domain of first.domains) {
      if (!allows(left, domain)) continue
      yield* this.#combinations(requirements.merge(set, counts.domainSet(first.key, [domain])), others)
    }
  }

  /**
   * Where groups leave the target different values of a label, so that `tighten` answers that it has none, which is not what any of them
   * means: what the later one leaves, and those before it.
   */
  conflict(podClass: PodClass, target: SetID, tightened: SetID): Conflict | undefined {
    const { elsewhere } = this.of(podClass)
    if (elsewhere.length < 2) return undefined
    for (const { group } of elsewhere) {
      const { key } = group.spec
      if (this.#isAbsent(tightened, key) && !this.#isAbsent(target, key)) return this.#conflictOn(key, podClass, target)
    }
    return undefined
  }

  #conflictOn(key: string, podClass: PodClass, target: SetID): Conflict | undefined {
    const { requirements } = this.#context
    const nodeID = requirements.requirementIDIn(target, key)
    let set = target
    for (const obeyed of this.of(podClass).elsewhere) {
      if (obeyed.group.spec.key !== key) continue
      const chosen = this.#choice.of(obeyed, podClass, nodeID)
      const merged = requirements.merge(set, chosen)
      const [existing, incoming] = [set, chosen].map((each) => requirements.requirement(each, key) ?? anyValue(key))
      if (this.#isAbsent(merged, key) && existing !== undefined && incoming !== undefined) return { existing, incoming }
      set = merged
    }
    return undefined
  }

  #isAbsent(set: SetID, key: string): boolean {
    const requirement = this.#context.requirements.requirement(set, key)
    return requirement !== undefined && effectiveOperator(requirement) === 'DoesNotExist'
  }

  /** Values of the key that the class's own groups allow before it is known where it goes; undefined when none is on the key. */
  validDomains(podClass: PodClass, key: string): readonly string[] | undefined {
    const podDomains = this.#context.requirements.requirement(podClass.full.set, key) ?? anyValue(key)
    let valid: readonly string[] | undefined
    for (const { group, selfSelecting } of this.of(podClass).elsewhere) {
      if (group.spec.key !== key || group.spec.inverse) continue
      const domains = validDomains(group, { podDomains, nodeDomains: anyValue(key), selfSelecting })
      valid = valid === undefined ? domains : valid.filter((domain) => domains.includes(domain))
    }
    return valid
  }

  /** The first group that refuses the target, for the error text. */
  failure(podClass: PodClass, target: SetID, host: number): TopologyFailure | undefined {
    const { requirements } = this.#context
    const { elsewhere, onHost } = this.of(podClass)
    for (const obeyed of elsewhere) {
      const { key } = obeyed.group.spec
      if (this.#choice.of(obeyed, podClass, requirements.requirementIDIn(target, key)) !== nowhere) continue
      return {
        group: obeyed.group,
        podDomains: requirements.requirement(podClass.strict.set, key) ?? anyValue(key),
        nodeDomains: requirements.requirement(target, key) ?? anyValue(key),
      }
    }
    for (const obeyed of onHost) {
      if (this.#acceptsHost(obeyed, podClass, host)) continue
      return {
        group: obeyed.group,
        podDomains: podClass.strict.hostname ?? anyValue(labelHostname),
        nodeDomains: oneValue(labelHostname, this.#hostName(host)),
      }
    }
    return undefined
  }

  failureText(failure: TopologyFailure): string {
    return failureText(failure, this.#countsOf(failure.group))
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

  #acceptsHost({ group, selfSelecting }: Obeyed, podClass: PodClass, host: number): boolean {
    const wanted = podClass.strict.hostname
    return acceptsHost(group, host, {
      selfSelecting,
      hostAllowed: wanted === undefined || allows(wanted, this.#hostName(host)),
      anyAllowedHostOccupied: () =>
        wanted === undefined
          ? !group.isEmpty
          : group.occupiedHosts().some((occupied) => allows(wanted, this.#hostName(occupied))),
    })
  }

  #countsOf(group: TopologyGroup): [string, number][] {
    if (!group.onHostname) return [...group.domains]
    const { nodes, hostIDs, hostnames } = this.#context.cluster
    const targets = new Set<number>()
    for (const [index, { markedForDeletion }] of nodes.entries()) {
      if (!markedForDeletion && !this.#excludedNodes.has(index)) targets.add(hostIDs[index] ?? 0)
    }
    const counts: [string, number][] = []
    for (let host = 0; host < this.#hostsKnown; host += 1) {
      const count = group.onHost(host)
      if (count > 0 || host >= hostnames.length || targets.has(host)) counts.push([this.#hostName(host), count])
    }
    return counts
  }
}

function byIdentityText(a: TopologyGroup, b: TopologyGroup): number {
  return compareText(a.spec.identity, b.spec.identity)
}

/** What it takes to count the running pods of a group. */
const workPerCount = 1_000
/** Of classes with no more, work at groups is part of what looking at a target costs. */
const fewGroups = 16
/** Of no more domains each is looked at by itself whether a node can be made there: zones, capacity types. */
const fewDomains = 64
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
