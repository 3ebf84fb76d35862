import type { InstanceTypeInfo } from '@aws-sdk/client-ec2'
import { compareText } from '../../../model/order.ts'
import { canonicalText, hash64 } from '../canonical.ts'
import type { EC2Client } from '../clients.ts'
import { readPages } from '../paginate.ts'

class CatalogueError extends Error {
  readonly code = 'Catalogue'
  override readonly name = 'CatalogueError'
}

/** What EC2 offers in the region: types by name, in byte order, and the zones of each. */
export class InstanceTypeCatalogue {
  readonly #ec2: Pick<EC2Client, 'describeInstanceTypes' | 'describeInstanceTypeOfferings'>
  #types: ReadonlyMap<string, InstanceTypeInfo> = new Map()
  #names: ReadonlySet<string> = new Set()
  #zonesByType: ReadonlyMap<string, ReadonlySet<string>> = new Map()
  #allZones: readonly string[] = []
  #typesHash = ''
  #offeringsHash = ''
  #version = 0

  constructor(ec2: Pick<EC2Client, 'describeInstanceTypes' | 'describeInstanceTypeOfferings'>) {
    this.#ec2 = ec2
  }

  get types(): ReadonlyMap<string, InstanceTypeInfo> {
    return this.#types
  }

  get names(): ReadonlySet<string> {
    return this.#names
  }

  get zonesByType(): ReadonlyMap<string, ReadonlySet<string>> {
    return this.#zonesByType
  }

  /** Sorted. */
  get allZones(): readonly string[] {
    return this.#allZones
  }

  /** Changes when an update brought something new. */
  get version(): number {
    return this.#version
  }

  async update(): Promise<void> {
    await this.updateTypes()
    await this.updateOfferings()
  }

  /** @throws CatalogueError when EC2 names no type, which would read as: none can be had */
  async updateTypes(): Promise<void> {
    const found = await readPages(
      (token) =>
        this.#ec2.describeInstanceTypes({
          Filters: [
            { Name: 'supported-virtualization-type', Values: ['hvm'] },
            { Name: 'processor-info.supported-architecture', Values: ['x86_64', 'arm64'] },
          ],
          MaxResults: 100,
          ...token,
        }),
      // Page by page, as they come: all of it at once would hold up the process.
      (page) => page.InstanceTypes?.map((info) => ({ name: info.InstanceType ?? '', info, text: canonicalText(info) })),
    )
    if (found.length === 0) throw new CatalogueError('no instance types found')
    const sorted = found.toSorted((a, b) => compareText(a.name, b.name))
    const hash = hash64(sorted.map(({ text }) => text).join())
    if (hash === this.#typesHash) return
    this.#typesHash = hash
    this.#types = new Map(sorted.map(({ name, info }) => [name, info]))
    this.#names = new Set(this.#types.keys())
    this.#version += 1
  }

  /** @throws CatalogueError when EC2 names no offering */
  async updateOfferings(): Promise<void> {
    const found = await readPages(
      (token) =>
        this.#ec2.describeInstanceTypeOfferings({ LocationType: 'availability-zone', MaxResults: 1_000, ...token }),
      (page) => page.InstanceTypeOfferings,
    )
    if (found.length === 0) throw new CatalogueError('no instance type offerings found')
    const pairs = found
      .map((offering): [string, string] => [offering.InstanceType ?? '', offering.Location ?? ''])
      .toSorted(([a, zoneA], [b, zoneB]) => compareText(a, b) || compareText(zoneA, zoneB))
    const hash = hash64(JSON.stringify(pairs))
    if (hash === this.#offeringsHash) return
    this.#offeringsHash = hash
    const zonesByType = new Map<string, Set<string>>()
    const zones = new Set<string>()
    for (const [type, zone] of pairs) {
      zones.add(zone)
      const known = zonesByType.get(type)
      if (known === undefined) zonesByType.set(type, new Set([zone]))
      else known.add(zone)
    }
    this.#zonesByType = zonesByType
    this.#allZones = [...zones].toSorted(compareText)
    this.#version += 1
  }
}
