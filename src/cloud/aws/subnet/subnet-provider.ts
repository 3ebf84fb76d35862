import type { Subnet } from '@aws-sdk/client-ec2'
import type { EC2NodeClass } from '../../../api/karpenter.ts'
import type { Clock } from '../../../model/clock.ts'
import { ExpiringMap } from '../../../model/expiring-map.ts'
import { compareText } from '../../../model/order.ts'
import type { EC2Client } from '../clients.ts'
import { readPages } from '../paginate.ts'
import { tagFilters } from '../tag-filters.ts'
import { specOf, type StatusSubnet } from '../wire.ts'
import { FreeAddresses } from './free-addresses.ts'

export interface SubnetOptions {
  readonly ec2: Pick<EC2Client, 'describeSubnets'>
  readonly clock: Clock
  readonly refreshIntervalMs: number
}

/** Finds a class's subnets and keeps count of their free addresses, launches under way included. */
export class SubnetProvider {
  readonly #options: SubnetOptions
  readonly #cache: ExpiringMap<string, readonly Subnet[]>
  readonly addresses: FreeAddresses

  constructor(options: SubnetOptions) {
    this.#options = options
    this.#cache = new ExpiringMap({ clock: options.clock, ttlMs: options.refreshIntervalMs })
    this.addresses = new FreeAddresses(options.clock, options.refreshIntervalMs)
  }

  /** Most free addresses first, as the class's status lists them. */
  async list(nodeClass: EC2NodeClass): Promise<readonly Subnet[]> {
    const key = `${nodeClass.metadata.uid}-${nodeClass.metadata.generation ?? 0}`
    const known = this.#cache.get(key)
    if (known !== undefined) return known
    const terms = specOf(nodeClass).subnetSelectorTerms
    const found = new Map<string, Subnet>()
    const ids = terms.map((term) => term.id).filter((id) => id !== undefined)
    const queries = [
      ...terms.filter((term) => term.id === undefined).map((term) => tagFilters(term.tags ?? {})),
      ...(ids.length > 0 ? [[{ Name: 'subnet-id', Values: ids }]] : []),
    ]
    for (const filters of queries) {
      const subnets = await readPages(
        (token) => this.#options.ec2.describeSubnets({ Filters: filters, MaxResults: 500, ...token }),
        (page) => page.Subnets,
      )
      for (const subnet of subnets) if (subnet.SubnetId !== undefined) found.set(subnet.SubnetId, subnet)
    }
    for (const [id, subnet] of found) this.addresses.observe(id, subnet.AvailableIpAddressCount ?? 0)
    const sorted = [...found.values()].toSorted(
      (a, b) =>
        (b.AvailableIpAddressCount ?? 0) - (a.AvailableIpAddressCount ?? 0) ||
        compareText(a.SubnetId ?? '', b.SubnetId ?? ''),
    )
    this.#cache.set(key, sorted)
    return sorted
  }

  clear(): void {
    this.#cache.clear()
  }
}

export function toStatusSubnet(subnet: Subnet): StatusSubnet {
  return {
    id: subnet.SubnetId ?? '',
    zone: subnet.AvailabilityZone ?? '',
    ...(subnet.AvailabilityZoneId === undefined ? {} : { zoneID: subnet.AvailabilityZoneId }),
  }
}
