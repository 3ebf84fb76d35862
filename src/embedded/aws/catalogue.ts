import table from './data/catalogue.json' with { type: 'json' }

/** What is known of one instance type; absent means false, none or unknown. Units are in the names, bandwidths in bits. */
export interface TypeFacts {
  readonly name: string
  readonly vcpu: number
  readonly cores: number
  readonly threadsPerCore: number
  readonly memoryMiB: number
  readonly arch: readonly string[]
  readonly cpuManufacturer?: string
  readonly clockGHz?: number
  readonly hypervisor?: string
  readonly bareMetal?: boolean
  readonly burstable?: boolean
  readonly currentGeneration: boolean
  readonly usageClasses: readonly string[]
  readonly bootModes: readonly string[]
  readonly virtualization: readonly string[]
  readonly rootDevices: readonly string[]
  readonly placement?: readonly string[]
  readonly enclaves?: boolean
  readonly nitroTpm?: boolean
  readonly hibernation?: boolean
  readonly dedicatedHosts?: boolean
  readonly autoRecovery?: boolean
  readonly freeTier?: boolean
  readonly net: NetworkFacts
  readonly ebs: EbsFacts
  readonly local?: LocalDiskFacts
  readonly gpus?: readonly GpuFacts[]
  readonly neuron?: readonly NeuronFacts[]
  readonly inference?: readonly DeviceFacts[]
  readonly fpgas?: readonly DeviceFacts[]
  readonly media?: readonly DeviceFacts[]
  /** US dollars per hour, Linux, shared tenancy; observed for these regions only. */
  readonly prices: Readonly<Record<string, number>>
  /** Letters of the zones that offer it, by region. */
  readonly zones: Readonly<Record<string, string>>
  /** Usual saving of spot over on-demand in percent, by region. */
  readonly spotSavings: Readonly<Record<string, number>>
}

interface NetworkFacts {
  readonly mbps?: number
  readonly performance?: string
  /** Run-length list of network cards. */
  readonly cards: readonly { count: number; enis: number; baseGbps?: number; peakGbps?: number }[]
  readonly defaultCard?: number
  readonly maxEnis: number
  readonly ipv4PerEni: number
  readonly ipv6PerEni?: number
  readonly branchEnis?: number
  readonly trunking?: boolean
  readonly ena?: string
  readonly efaMax?: number
  readonly encryptionInTransit?: boolean
}

interface EbsFacts {
  readonly optimized?: string
  readonly nvme?: string
  readonly baseMbps?: number
  readonly maxMbps?: number
  readonly baseIops?: number
  readonly maxIops?: number
  readonly maxAttachments?: number
  readonly attachmentLimit?: string
}

interface LocalDiskFacts {
  readonly totalGB: number
  readonly nvme?: string
  readonly disks?: readonly { count: number; sizeGB: number; type: string }[]
}

export interface DeviceFacts {
  readonly manufacturer?: string
  readonly name: string
  readonly count: number
  readonly memoryMiB?: number
}

interface GpuFacts extends DeviceFacts {
  /** Share of one GPU, for types that get a part; `count` is 0 then. */
  readonly partition?: number
  readonly logicalCount?: number
}

interface NeuronFacts extends DeviceFacts {
  readonly coresEach: number
  readonly coreVersion: number
}

export interface RegionFacts {
  readonly name: string
  /** Estimated price relative to us-east-1, for types without a price of their own in this region. */
  readonly priceFactor: number
  readonly zones: readonly { readonly name: string; readonly id: string }[]
}

interface Table {
  readonly regions: Readonly<Record<string, { factor: number; zones: readonly { name: string; id: string }[] }>>
  /** Fields that all sizes share, then one row per size under `columns`. A dot nests; `price:REGION` and the like are regional. */
  readonly families: Readonly<
    Record<
      string,
      {
        common: Readonly<Record<string, unknown>>
        columns: readonly string[]
        sizes: Readonly<Record<string, readonly unknown[]>>
      }
    >
  >
}

const nestedFields = ['net', 'ebs', 'local']
const regionalFields: Readonly<Record<string, string>> = { price: 'prices', zones: 'zones', spot: 'spotSavings' }

let unpacked: ReadonlyMap<string, TypeFacts> | undefined

/** Every type of the shipped table, in name order. */
export function catalogue(): ReadonlyMap<string, TypeFacts> {
  unpacked ??= unpack(table as Table)
  return unpacked
}

export function regionFacts(region: string): RegionFacts {
  const known = (table as Table).regions[region]
  if (known === undefined) {
    throw new Error(`the simulated AWS has no region ${region}, only ${knownRegions().join(', ')}`)
  }
  return { name: region, priceFactor: known.factor, zones: known.zones }
}

/** Regions that the table has zones and prices of. */
export function knownRegions(): readonly string[] {
  return Object.keys((table as Table).regions)
}

/** US dollars per hour; undefined for types that are not sold by the hour. */
export function onDemandPrice(facts: TypeFacts, region: RegionFacts): number | undefined {
  const observed = facts.prices[region.name]
  if (observed !== undefined) return observed
  const base = facts.prices['us-east-1']
  return base === undefined ? undefined : Math.round(base * region.priceFactor * 1e5) / 1e5
}

/** Names of the region's zones that offer the type. */
export function zonesOffering(facts: TypeFacts, region: RegionFacts): readonly string[] {
  const letters = facts.zones[region.name] ?? ''
  return region.zones.map(({ name }) => name).filter((name) => letters.includes(name.slice(-1)))
}

function unpack(packed: Table): ReadonlyMap<string, TypeFacts> {
  const types: TypeFacts[] = []
  for (const [family, { common, columns, sizes }] of Object.entries(packed.families)) {
    for (const [size, row] of Object.entries(sizes)) {
      const facts: Record<string, unknown> = { name: `${family}.${size}`, prices: {}, zones: {}, spotSavings: {} }
      for (const [field, value] of Object.entries(common)) setField(facts, field, value)
      for (const [index, field] of columns.entries()) setField(facts, field, row[index])
      types.push(facts as unknown as TypeFacts)
    }
  }
  types.sort((a, b) => (a.name < b.name ? -1 : 1))
  return new Map(types.map((facts) => [facts.name, facts]))
}

function setField(facts: Record<string, unknown>, field: string, value: unknown): void {
  if (value === null || value === undefined) return
  let path = paths.get(field)
  if (path === undefined) {
    path = pathOf(field)
    paths.set(field, path)
  }
  const [outer, inner] = path
  if (inner === undefined) facts[outer] = value
  else nest(facts, outer, inner, value)
}

const paths = new Map<string, readonly [string, string?]>()

function pathOf(field: string): readonly [string, string?] {
  const [regional = '', region] = field.split(':')
  if (region !== undefined) return [regionalFields[regional] ?? regional, region]
  const [outer = '', inner] = field.split('.')
  return inner !== undefined && nestedFields.includes(outer) ? [outer, inner] : [field]
}

function nest(facts: Record<string, unknown>, outer: string, inner: string, value: unknown): void {
  const object = (facts[outer] ?? {}) as Record<string, unknown>
  object[inner] = value
  facts[outer] = object
}
