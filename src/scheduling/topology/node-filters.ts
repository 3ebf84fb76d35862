import type { Taint } from '../../api/kubernetes.ts'
import { byIdentity } from '../../model/by-identity.ts'
import { mayBeAbsent } from '../../model/requirements.ts'
import { untoleratedTaints } from '../../model/taints.ts'
import type { ClusterIndex } from '../cluster-index.ts'
import type { RequirementSpace, SetID } from '../requirement-space.ts'
import type { NodeFilter } from './group-spec.ts'
import type { DomainUniverse } from './universe.ts'

interface FilterTarget {
  readonly set: SetID
  readonly existing: SetID
  readonly host: number
  readonly taintsID: number
}

/** What a filter says of nodes, and of targets that may be new. */
export interface FilterVerdicts {
  /** Equal for filters that say the same. */
  readonly text: string
  /** By position. */
  readonly node: (node: number) => boolean
  /** Of one with these requirements and taints, and with labels that exist, whatever their values. */
  readonly target: (target: FilterTarget) => boolean
}

const everywhere = (): boolean => true
const unfiltered: FilterVerdicts = { text: '', node: everywhere, target: everywhere }

/** As kube-scheduler has it, soft taints exclude no node: it would count the pods there, and refuse a zone that looks empty without them. */
function hardTaints(taints: readonly Taint[]): readonly Taint[] {
  return taints.filter(({ effect }) => effect !== 'PreferNoSchedule')
}

/** Which nodes count for a constraint. Most constraints of a cluster say the same about that, and share what is worked out. */
export class NodeFilters {
  readonly #cluster: ClusterIndex
  readonly #requirements: RequirementSpace
  readonly #universe: Pick<DomainUniverse, 'isOptional'>
  readonly #byText = new Map<string, FilterVerdicts>()
  readonly #verdictsOf = byIdentity((filter: NodeFilter) => this.#shared(filter))

  constructor(cluster: ClusterIndex, requirements: RequirementSpace, universe: Pick<DomainUniverse, 'isOptional'>) {
    this.#cluster = cluster
    this.#requirements = requirements
    this.#universe = universe
  }

  of(filter: NodeFilter | undefined): FilterVerdicts {
    return filter === undefined ? unfiltered : this.#verdictsOf(filter)
  }

  #shared(filter: NodeFilter): FilterVerdicts {
    const { honorAffinity, honorTaints, labels, tolerations } = filter
    const alternatives = filter.alternatives.map(({ requirements, needed }) => ({
      set: this.#requirements.intern(requirements),
      needed,
    }))
    const text = JSON.stringify([honorAffinity, honorTaints, labels, tolerations, alternatives])
    let verdicts = this.#byText.get(text)
    if (verdicts === undefined) {
      verdicts = this.#verdicts(filter, alternatives, text)
      this.#byText.set(text, verdicts)
    }
    return verdicts
  }

  #verdicts(
    { honorAffinity, honorTaints, labels, tolerations, alternatives }: NodeFilter,
    wanted: readonly { readonly set: SetID; readonly needed: readonly string[] }[],
    text: string,
  ): FilterVerdicts {
    const requirements = this.#requirements
    const anywhere = !honorAffinity || wanted.some(({ set }) => set === requirements.empty)
    if (anywhere && !honorTaints && labels.length === 0) return { text, node: everywhere, target: everywhere }
    const byTaints = new Map<number, boolean>()
    const tolerated = (taintsID: number): boolean => {
      let verdict = byTaints.get(taintsID)
      if (verdict === undefined) {
        verdict = untoleratedTaints(hardTaints(this.#cluster.taints(taintsID)), tolerations).length === 0
        byTaints.set(taintsID, verdict)
      }
      return verdict
    }
    const has = (set: SetID, key: string): boolean => {
      const requirement = requirements.requirement(set, key)
      return requirement !== undefined && !mayBeAbsent(requirement)
    }
    const matches = ({ set, existing }: FilterTarget): boolean =>
      wanted.some(
        (alternative) =>
          requirements.strictlyCompatible(set, alternative.set) &&
          alternative.needed.every((key) => has(set, key) || has(existing, key)),
      )
    const firstClaimHost = this.#cluster.hostnames.length
    const isLabelled = ({ set, existing, host }: FilterTarget): boolean =>
      labels.every(
        (key) => has(set, key) || has(existing, key) || (host >= firstClaimHost && !this.#universe.isOptional(key)),
      )
    const passes = (target: FilterTarget): boolean =>
      isLabelled(target) && (anywhere || matches(target)) && (!honorTaints || tolerated(target.taintsID))
    const selected = anywhere ? [] : alternatives.flatMap((alternative) => [...alternative.requirements.keys()])
    const keys = new Set([...labels, ...selected])
    const sets = keys.size === 0 ? [] : this.#cluster.nodeSets(keys, 'object')
    const { objectTaintsIDs, hostIDs } = this.#cluster
    const existing = requirements.empty
    return {
      text,
      node: (node) =>
        passes({
          set: sets[node] ?? requirements.empty,
          existing,
          host: hostIDs[node] ?? 0,
          taintsID: objectTaintsIDs[node] ?? 0,
        }),
      target: passes,
    }
  }
}
