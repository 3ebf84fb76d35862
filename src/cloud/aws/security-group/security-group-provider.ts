import type { Filter, SecurityGroup } from '@aws-sdk/client-ec2'
import type { EC2NodeClass } from '../../../api/karpenter.ts'
import type { Clock } from '../../../model/clock.ts'
import { ExpiringMap } from '../../../model/expiring-map.ts'
import { compareText } from '../../../model/order.ts'
import type { EC2Client } from '../clients.ts'
import { readPages } from '../paginate.ts'
import { tagFilters } from '../tag-filters.ts'
import { specOf, type StatusSecurityGroup } from '../wire.ts'

const ttlMs = 60_000

export class SecurityGroupProvider {
  readonly #ec2: Pick<EC2Client, 'describeSecurityGroups'>
  readonly #cache: ExpiringMap<string, readonly SecurityGroup[]>

  constructor(options: { readonly ec2: Pick<EC2Client, 'describeSecurityGroups'>; readonly clock: Clock }) {
    this.#ec2 = options.ec2
    this.#cache = new ExpiringMap({ clock: options.clock, ttlMs })
  }

  /** Sorted by id. */
  async list(nodeClass: EC2NodeClass): Promise<readonly SecurityGroup[]> {
    const key = `${nodeClass.metadata.uid}-${nodeClass.metadata.generation ?? 0}`
    const known = this.#cache.get(key)
    if (known !== undefined) return known
    const found = new Map<string, SecurityGroup>()
    for (const filters of queriesOf(nodeClass)) {
      const groups = await readPages(
        (token) => this.#ec2.describeSecurityGroups({ Filters: filters, MaxResults: 500, ...token }),
        (page) => page.SecurityGroups,
      )
      for (const group of groups) if (group.GroupId !== undefined) found.set(group.GroupId, group)
    }
    const sorted = [...found.values()].toSorted((a, b) => compareText(a.GroupId ?? '', b.GroupId ?? ''))
    this.#cache.set(key, sorted)
    return sorted
  }

  clear(): void {
    this.#cache.clear()
  }
}

export function toStatusSecurityGroup(group: SecurityGroup): StatusSecurityGroup {
  return { id: group.GroupId ?? '', ...(group.GroupName === undefined ? {} : { name: group.GroupName }) }
}

function queriesOf(nodeClass: EC2NodeClass): Filter[][] {
  const terms = specOf(nodeClass).securityGroupSelectorTerms
  const ids = terms.map((term) => term.id).filter((id) => id !== undefined)
  const names = terms.filter((term) => term.id === undefined).map((term) => term.name)
  const named = names.filter((name) => name !== undefined)
  return [
    ...terms
      .filter((term) => term.id === undefined && term.name === undefined)
      .map((term) => tagFilters(term.tags ?? {})),
    ...(ids.length > 0 ? [[{ Name: 'group-id', Values: ids }]] : []),
    ...(named.length > 0 ? [[{ Name: 'group-name', Values: named }]] : []),
  ]
}
