import { labelHostname } from '../../api/labels.ts'
import { allows, anyValue, effectiveOperator, oneValue, type Requirement } from '../../model/requirement.ts'
import type { PodClass } from '../pod-class.ts'
import type { SetID } from '../requirement-space.ts'
import { acceptsHost, validDomains } from './choose.ts'
import { ClassGroups, type TopologyBatch, type TopologyContext } from './class-groups.ts'
import { anywhere, DomainChoice, nowhere, type Obeyed } from './domain-choice.ts'
import { failureText, type TopologyFailure } from './failure-text.ts'
import type { TopologyGroup } from './group.ts'

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

/** What the pods of one solve, and those that run already, make of the places for a pod. */
export class Topology {
  readonly groups: ClassGroups
  readonly #context: TopologyContext
  readonly #choice: DomainChoice
  readonly #excludedNodes: ReadonlySet<number>
  readonly #hostName: (host: number) => string

  constructor(context: TopologyContext, batch: TopologyBatch & { readonly hostName: (host: number) => string }) {
    this.#context = context
    this.#excludedNodes = batch.excludedNodes
    this.#hostName = batch.hostName
    this.groups = new ClassGroups(context, batch)
    this.#choice = new DomainChoice(context)
  }

  /** Whether some group refuses the class wherever it is put, so that no target need be tried. */
  refusesEverywhere(podClass: PodClass): boolean {
    const { elsewhere, onHost } = this.groups.of(podClass)
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
    for (const obeyed of this.groups.of(podClass).hostAffinity)
      if (!this.#acceptsHost(obeyed, podClass, host)) return false
    return true
  }

  /**
   * What the groups other than those on hostnames make of a target: its set, narrowed, or −1 when one of them cannot be met.
   * Whether the result is compatible with the target is the caller's question.
   */
  tighten(podClass: PodClass, target: SetID): SetID {
    const { requirements } = this.#context
    let result = target
    for (const obeyed of this.groups.of(podClass).elsewhere) {
      const nodeID = requirements.requirementIDIn(target, obeyed.group.spec.key)
      const chosen = this.#choice.of(obeyed, podClass, nodeID)
      if (chosen === nowhere) return nowhere
      result = requirements.merge(result, chosen)
    }
    return result
  }

  /** Whether the class has to be in some domain of a label of which the set says nothing. */
  needsMore(podClass: PodClass, set: SetID): boolean {
    return this.groups
      .of(podClass)
      .elsewhere.some(
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
    for (const obeyed of this.groups.of(podClass).elsewhere) {
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
    const { elsewhere } = this.groups.of(podClass)
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
    for (const obeyed of this.groups.of(podClass).elsewhere) {
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
    for (const { group, selfSelecting } of this.groups.of(podClass).elsewhere) {
      if (group.spec.key !== key || group.spec.inverse) continue
      const domains = validDomains(group, { podDomains, nodeDomains: anyValue(key), selfSelecting })
      valid = valid === undefined ? domains : valid.filter((domain) => domains.includes(domain))
    }
    return valid
  }

  /** The first group that refuses the target, for the error text. */
  failure(podClass: PodClass, target: SetID, host: number): TopologyFailure | undefined {
    const { requirements } = this.#context
    const { elsewhere, onHost } = this.groups.of(podClass)
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
    for (let host = 0; host < this.groups.hostsKnown; host += 1) {
      const count = group.onHost(host)
      if (count > 0 || host >= hostnames.length || targets.has(host)) counts.push([this.#hostName(host), count])
    }
    return counts
  }
}

/** Of no more domains each is looked at by itself whether a node can be made there: zones, capacity types. */
const fewDomains = 64
