import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import type { EC2NodeClass, NodePool } from '../../../../src/api/karpenter.ts'
import { admissionCatalogue, readCatalogues } from '../../../../src/cli/input/admission-catalogue.ts'
import { aPool } from '../../../support/controller-builders.ts'
import { aType } from '../../../support/disruption-builders.ts'

const stored = { uid: '', resourceVersion: '', creationTimestamp: '' }

function pool(): NodePool {
  const { metadata, ...rest } = aPool()
  return { ...rest, metadata: { ...stored, ...metadata } } as NodePool
}

const zoneIDs: Readonly<Record<string, string>> = { 'us-west-2a': 'usw2-az1', 'us-west-2-lax-1a': 'usw2-lax1-az1' }

function classIn(...zones: string[]): EC2NodeClass {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { ...stored, name: 'default' },
    status: { subnets: zones.map((zone) => ({ id: `subnet-${zone}`, zone, zoneID: zoneIDs[zone] ?? '' })) },
  }
}

function zonesOffered(catalogue: ReturnType<typeof admissionCatalogue>, ...classes: EC2NodeClass[]) {
  const types = catalogue.typesFor(pool(), classes)
  const zones = types?.flatMap(({ offerings }) =>
    offerings.flatMap(({ requirements }) => [...(requirements.get('topology.kubernetes.io/zone')?.values ?? [])]),
  )
  return zones === undefined ? undefined : [...new Set(zones)].sort()
}

test('types are offered where the class of the pool has found subnets, everywhere in the region until it has', () => {
  const catalogue = admissionCatalogue({ region: 'us-west-2' })
  expect(zonesOffered(catalogue, classIn('us-west-2a', 'us-west-2c'))).toEqual(['us-west-2a', 'us-west-2c'])
  expect(zonesOffered(catalogue, classIn())).toEqual(['us-west-2a', 'us-west-2b', 'us-west-2c', 'us-west-2d'])
})

test("without a region it is that of the class's zones; of an unknown region nothing is known", () => {
  const catalogue = admissionCatalogue({})
  expect(zonesOffered(catalogue, classIn('eu-west-1b'))).toEqual(['eu-west-1b'])
  expect(zonesOffered(catalogue, classIn())).toBeUndefined()
  expect(zonesOffered(catalogue, classIn('mars-north-1a'))).toBeUndefined()
  expect(zonesOffered(admissionCatalogue({ region: 'mars-north-1' }))).toBeUndefined()
})

test.each([
  ['In', ['reserved'], false],
  ['NotIn', ['on-demand', 'spot'], false],
  ['In', ['reserved', 'spot'], true],
  ['NotIn', ['spot'], true],
] as const)('of reserved capacity no table knows: %s %j', (operator, values, isKnown) => {
  const reserving = pool()
  reserving.spec.template.spec.requirements = [{ key: 'karpenter.sh/capacity-type', operator, values: [...values] }]
  const types = admissionCatalogue({ region: 'us-west-2' }).typesFor(reserving, [])
  expect(types !== undefined).toBe(isKnown)
})

test.each([
  ['nothing', ['us-west-2-lax-1a', 'us-west-2-wl1-las-wlz-1'], [], false],
  ['nothing, also by its ID', ['usw2-lax1-az1', 'usw2-wl1-las-wlz1'], [], false],
  ['nothing, where its class is there', [], ['us-west-2-lax-1a'], false],
  [
    'nothing, where its class is there, too, and the pool nowhere else',
    ['us-west-2-lax-1a'],
    ['us-west-2a', 'us-west-2-lax-1a'],
    false,
  ],
  [
    'nothing, where its class is there, too, and the pool nowhere else, by its ID',
    ['usw2-lax1-az1'],
    ['us-west-2a', 'us-west-2-lax-1a'],
    false,
  ],
  ['what the region has, where it may be there', ['us-west-2a', 'us-west-2-lax-1a'], [], true],
  ['what the region has, where it may be there, by its ID', ['usw2-az1', 'usw2-lax1-az1'], [], true],
  ['what the region has, where its class is there', [], ['us-west-2a', 'us-west-2-lax-1a'], true],
] as const)('of Local Zones no table knows: of a pool there %s', (_what, wanted, found, isKnown) => {
  const local = pool()
  const [zone] = wanted
  if (zone !== undefined) {
    const key = zone.startsWith('usw2') ? 'topology.k8s.aws/zone-id' : 'topology.kubernetes.io/zone'
    local.spec.template.spec.requirements = [{ key, operator: 'In', values: [...wanted] }]
  }
  const types = admissionCatalogue({ region: 'us-west-2' }).typesFor(local, [classIn(...found)])
  expect(types !== undefined).toBe(isKnown)
})

describe('types run Windows where their class has it', () => {
  const catalogue = admissionCatalogue({ region: 'us-west-2' })
  const classWith = (alias: string): EC2NodeClass => ({
    ...classIn('us-west-2a'),
    spec: { amiSelectorTerms: [{ alias }], subnetSelectorTerms: [], securityGroupSelectorTerms: [] },
  })
  const labelsOf = (key: string, ...classes: EC2NodeClass[]) => {
    const types = catalogue.typesFor(pool(), classes) ?? []
    return [...new Set(types.flatMap(({ requirements }) => [...(requirements.get(key)?.values ?? [])]))]
  }

  test('of its own build, beside classes of Linux', () => {
    expect(labelsOf('kubernetes.io/os', classWith('windows2022@latest'))).toEqual(['windows'])
    expect(labelsOf('node.kubernetes.io/windows-build', classWith('windows2022@latest'))).toEqual(['10.0.20348'])
    expect(labelsOf('node.kubernetes.io/windows-build', classWith('windows2019@latest'))).toEqual(['10.0.17763'])
    expect(labelsOf('kubernetes.io/os', classWith('bottlerocket@latest'))).toEqual(['linux'])
  })

  test.each([
    { key: 'kubernetes.io/os', values: ['windows'] },
    { key: 'node.kubernetes.io/windows-build', values: ['10.0.20348'] },
  ])('so of a pool that asks for it nothing is known without its class: $key', (requirement) => {
    const asking = pool()
    asking.spec.template.spec.requirements = [{ ...requirement, operator: 'In' }]
    expect(catalogue.typesFor(asking, [])).toBeUndefined()
    expect(catalogue.typesFor(asking, [classIn()])).toBeDefined()
  })
})

test("of another controller's nodes nothing is known, whatever the name of their class", () => {
  const foreign = pool()
  foreign.spec.template.spec.nodeClassRef = { group: 'eks.amazonaws.com', kind: 'NodeClass', name: 'default' }
  expect(admissionCatalogue({ region: 'us-west-2' }).typesFor(foreign, [classIn('us-west-2a')])).toBeUndefined()
  expect(admissionCatalogue({ catalogues: [] }).typesFor(foreign, [])).toEqual([])
})

test('the list for the same zones is the same object, so that what was found in it is remembered', () => {
  const catalogue = admissionCatalogue({ region: 'us-west-2' })
  const first = catalogue.typesFor(pool(), [classIn('us-west-2a')])
  expect(catalogue.typesFor(pool(), [classIn('us-west-2a')])).toBe(first)
  const everywhere = catalogue.typesFor(pool(), [classIn()])
  expect(first?.map(({ offerings: _in, ...type }) => type)).toEqual(
    everywhere?.map(({ offerings: _in, ...type }) => type),
  )
})

test('what pools of a class will be asked about is made when the class is seen: no review has the time', () => {
  const made: string[] = []
  const catalogue = admissionCatalogue({}, (region) => {
    made.push(region)
    return [aType('m5.large')]
  })
  catalogue.prepare(classIn())
  expect(made).toEqual([])
  catalogue.prepare(classIn('eu-west-1b'))
  expect(made).toEqual(['eu-west-1'])
  expect(catalogue.typesFor(pool(), [classIn('eu-west-1b')])?.map(({ name }) => name)).toEqual(['m5.large'])
  expect(made).toEqual(['eu-west-1'])
})

test('where a catalogue is given, no table is made', () => {
  const catalogue = admissionCatalogue({ catalogues: [], region: 'eu-west-1' }, () => {
    throw new Error('nobody asks for it')
  })
  catalogue.prepare(classIn('eu-west-1b'))
  expect(catalogue.typesFor(pool(), [classIn('eu-west-1b')])).toEqual([])
})

test('a catalogue that cannot be read is told with its place, also beside one that can', async () => {
  const catalogue = (types: string): string =>
    `apiVersion: joinery.dev/v1alpha1\nkind: InstanceTypeCatalog\nmetadata: {name: a}\ninstanceTypes: ${types}\n`
  const stdin = Readable.from([`${catalogue('[]')}---\n${catalogue('3')}`])
  await expect(readCatalogues(['-'], { cwd: '/', stdin })).rejects.toThrow(
    '-:9:1 InstanceTypeCatalog/a instanceTypes: must be array',
  )
})

test('text that does not parse is told with its place, also beside a catalogue that can be read', async () => {
  const good = 'apiVersion: joinery.dev/v1alpha1\nkind: InstanceTypeCatalog\nmetadata: {name: a}\ninstanceTypes: []\n'
  const stdin = Readable.from([`${good}---\nkind: [InstanceTypeCatalog\n`])
  await expect(readCatalogues(['-'], { cwd: '/', stdin })).rejects.toThrow(/^-:7:1: /)
})
