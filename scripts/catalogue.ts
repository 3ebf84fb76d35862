/**
 * Packs facts about EC2 (instance types, prices, zones, spot savings; see the layout in `src/embedded/aws/catalogue.ts`) into the
 * table that the simulated AWS ships. Usage: node scripts/catalogue.ts FOLDER
 * FOLDER holds ec2-instance-types.json, ec2-prices.json, ec2-zones.json and ec2-spot-advisor.json.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const regions = ['us-east-1', 'us-east-2', 'us-west-2', 'eu-west-1', 'eu-central-1', 'ap-southeast-2', 'us-gov-west-1']
const nested = ['net', 'ebs', 'local']

interface Facts {
  readonly name: string
  readonly [field: string]: unknown
}

const folder = process.argv[2]
if (folder === undefined) throw new Error('usage: node scripts/catalogue.ts FOLDER')

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(String(folder), name), 'utf8')) as T
}

const types = read<{ asOf: string; types: readonly Facts[] }>('ec2-instance-types.json')
const prices = read<{
  regions: Record<string, { asOf: string; prices: Record<string, number> }>
  regionFactor: { regions: Record<string, { factor: number }> }
}>('ec2-prices.json')
const zones = read<{
  regions: Record<
    string,
    { zones: readonly { name: string; id: string }[]; offered: Record<string, readonly string[]> }
  >
}>('ec2-zones.json')
const spot = read<{ regions: Record<string, Record<string, [number, number]>> }>('ec2-spot-advisor.json')

/** Regions whose zones the facts lack: every priced type is taken to be offered in three zones. */
const shortNames: Record<string, string> = { 'us-gov-west-1': 'usgw1' }
for (const [region, short] of Object.entries(shortNames)) {
  zones.regions[region] ??= {
    zones: ['a', 'b', 'c'].map((letter, index) => ({ name: `${region}${letter}`, id: `${short}-az${index + 1}` })),
    offered: { abc: Object.keys(prices.regions[region]?.prices ?? {}) },
  }
}

const zonesOf = new Map<string, Map<string, string>>()
for (const region of regions) {
  const byType = new Map<string, string>()
  for (const [letters, names] of Object.entries(zones.regions[region]?.offered ?? {})) {
    for (const name of names) byType.set(name, letters)
  }
  zonesOf.set(region, byType)
}

/** One flat record per type: nested objects as `net.maxEnis`, regional facts as `zones:us-east-1`, `spot:us-east-1`. */
function flatten(facts: Facts): Map<string, unknown> {
  const flat = new Map<string, unknown>()
  for (const [field, value] of Object.entries(facts)) {
    if (field === 'name') continue
    if (nested.includes(field)) {
      for (const [inner, innerValue] of Object.entries(value as object)) flat.set(`${field}.${inner}`, innerValue)
    } else flat.set(field, value)
  }
  for (const region of regions) {
    const price = prices.regions[region]?.prices[facts.name]
    if (price !== undefined) flat.set(`price:${region}`, price)
    const letters = zonesOf.get(region)?.get(facts.name)
    if (letters !== undefined) flat.set(`zones:${region}`, letters)
    const saving = spot.regions[region]?.[facts.name]
    if (saving !== undefined) flat.set(`spot:${region}`, saving[0])
  }
  return flat
}

const families = new Map<string, Map<string, Map<string, unknown>>>()
for (const facts of types.types) {
  const [family = '', size = ''] = facts.name.split('.')
  const members = families.get(family) ?? new Map<string, Map<string, unknown>>()
  families.set(family, members.set(size, flatten(facts)))
}

const lines = [...families].map(([family, members]) => {
  const fields = [...new Set([...members.values()].flatMap((flat) => [...flat.keys()]))]
  const common: Record<string, unknown> = {}
  const columns: string[] = []
  for (const field of fields) {
    const texts = new Set([...members.values()].map((flat) => JSON.stringify(flat.get(field) ?? null)))
    const [first] = members.values()
    if (texts.size === 1) common[field] = first?.get(field)
    else columns.push(field)
  }
  const sizes = Object.fromEntries(
    [...members].map(([size, flat]) => [size, columns.map((column) => flat.get(column) ?? null)]),
  )
  return `${JSON.stringify(family)}:${JSON.stringify({ common, columns, sizes })}`
})

const header = {
  asOf: types.asOf,
  pricesAsOf: prices.regions['us-east-1']?.asOf,
  regions: Object.fromEntries(
    regions.map((region) => [
      region,
      { factor: prices.regionFactor.regions[region]?.factor ?? 1, zones: zones.regions[region]?.zones ?? [] },
    ]),
  ),
}
const text = `${JSON.stringify(header).slice(0, -1)},"families":{\n${lines.join(',\n')}\n}}\n`
JSON.parse(text)
writeFileSync('src/embedded/aws/data/catalogue.json', text)
