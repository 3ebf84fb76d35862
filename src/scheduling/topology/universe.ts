import type { Taint, Toleration } from '../../api/kubernetes.ts'
import type { NodePool } from '../../api/karpenter.ts'
import type { InstanceType } from '../../model/instance-type.ts'
import { compareText } from '../../model/order.ts'
import { effectiveOperator, intersect, type Requirement } from '../../model/requirement.ts'
import { type LabelAliases, labelRequirements, mergeRequirements, toRequirements } from '../../model/requirements.ts'
import { untoleratedTaints } from '../../model/taints.ts'

interface PoolDomains {
  readonly pool: NodePool
  readonly types: readonly InstanceType[]
}

/**
 * The values that a label can have on nodes that could be made: what pools and their types say, whatever is available and whatever
 * limits are left. With each value come the taints of the pools that have it.
 */
export class DomainUniverse {
  readonly #pools: readonly PoolDomains[]
  readonly #aliases: LabelAliases
  readonly #isOptional = new Map<string, boolean>()
  readonly #byKey = new Map<string, ReadonlyMap<string, readonly (readonly Taint[])[]>>()

  constructor(pools: readonly PoolDomains[], aliases: LabelAliases) {
    this.#pools = pools
    this.#aliases = aliases
  }

  /** In byte order. With tolerations only the domains of pools that they let in. */
  domains(key: string, tolerations: readonly Toleration[] | undefined): readonly string[] {
    const known = [...this.#domainsOf(key)]
    const reachable =
      tolerations === undefined
        ? known
        : known.filter(([, taintSets]) =>
            taintSets.some((taints) => untoleratedTaints(taints, tolerations).length === 0),
          )
    return reachable.map(([domain]) => domain).toSorted(compareText)
  }

  /** Whether some type of some pool says nothing of the label, or that its nodes lack it. */
  isOptional(key: string): boolean {
    const known = this.#isOptional.get(key)
    if (known !== undefined) return known
    const isOptional = this.#pools.some(({ pool, types }) => {
      const stated = this.#statedBy(pool, key)
      return [...offeredBy(types, key)].some((offered) => {
        const both = bothOf(stated, offered)
        return both === undefined || effectiveOperator(both) === 'DoesNotExist'
      })
    })
    this.#isOptional.set(key, isOptional)
    return isOptional
  }

  #statedBy({ spec: { template } }: NodePool, key: string): Requirement | undefined {
    return mergeRequirements(
      toRequirements(template.spec.requirements, this.#aliases),
      labelRequirements(template.metadata?.labels ?? {}, this.#aliases),
    ).get(key)
  }

  #domainsOf(key: string): ReadonlyMap<string, readonly (readonly Taint[])[]> {
    const known = this.#byKey.get(key)
    if (known !== undefined) return known
    const domains = new Map<string, (readonly Taint[])[]>()
    for (const { pool, types } of this.#pools) {
      const taints = pool.spec.template.spec.taints ?? []
      const stated = this.#statedBy(pool, key)
      const values = new Set<string>()
      for (const offered of offeredBy(types, key)) {
        // Values of an exclusion are domains, too: upstream does not tell them apart.
        for (const value of bothOf(stated, offered)?.values ?? []) values.add(value)
      }
      if (stated !== undefined && effectiveOperator(stated) === 'In')
        for (const value of stated.values) values.add(value)
      for (const value of values) addTaints(domains, value, taints)
    }
    this.#byKey.set(key, domains)
    return domains
  }
}

/** What the types say about a label, each statement once; undefined stands for those that say nothing. */
function offeredBy(types: readonly InstanceType[], key: string): ReadonlySet<Requirement | undefined> {
  const byKey = offeredByKey.get(types) ?? new Map<string, ReadonlySet<Requirement | undefined>>()
  offeredByKey.set(types, byKey)
  const known = byKey.get(key)
  if (known !== undefined) return known
  const offered = new Set(types.map(({ requirements }) => requirements.get(key)))
  byKey.set(key, offered)
  return offered
}

/** Lists of types are immutable, and the same ones come back with every snapshot until something changed. */
const offeredByKey = new WeakMap<readonly InstanceType[], Map<string, ReadonlySet<Requirement | undefined>>>()

function bothOf(stated: Requirement | undefined, offered: Requirement | undefined): Requirement | undefined {
  if (stated === undefined) return offered
  return offered === undefined ? stated : intersect(stated, offered)
}

function addTaints(domains: Map<string, (readonly Taint[])[]>, domain: string, taints: readonly Taint[]): void {
  const known = domains.get(domain)
  if (known === undefined || taints.length === 0) domains.set(domain, [taints])
  else if (known[0]?.length !== 0) known.push(taints)
}
