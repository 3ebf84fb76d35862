import type { InstanceTypeInfo, InstanceTypeOffering } from '@aws-sdk/client-ec2'
import { expect, test } from 'vitest'
import { InstanceTypeCatalogue } from '../../../../../src/cloud/aws/instance-types/catalogue.ts'

/** A catalogue, and what EC2 tells of types, of which more than one page, and of where they are. */
function aCatalogue() {
  const told = {
    types: ['m5.large', 'c5.large'].map((InstanceType) => ({ InstanceType })) as InstanceTypeInfo[],
    offerings: [
      ['m5.large', 'us-east-1b'],
      ['m5.large', 'us-east-1a'],
      ['c5.large', 'us-east-1c'],
    ].map(([InstanceType, Location]) => ({ InstanceType, Location })) as InstanceTypeOffering[],
  }
  const asked: unknown[] = []
  const catalogue = new InstanceTypeCatalogue({
    describeInstanceTypes: ({ Filters, MaxResults, NextToken }) => {
      asked.push({ Filters, MaxResults })
      const [first, ...others] = told.types
      if (NextToken === 'more') return Promise.resolve({ InstanceTypes: others })
      return Promise.resolve({ InstanceTypes: first === undefined ? [] : [first], NextToken: 'more' })
    },
    describeInstanceTypeOfferings: (input) => {
      asked.push(input)
      return Promise.resolve({ InstanceTypeOfferings: told.offerings })
    },
  })
  return { told, asked, catalogue }
}

const zonesOf = ({ zonesByType }: InstanceTypeCatalogue) =>
  Object.fromEntries([...zonesByType].map(([type, zones]) => [type, [...zones]]))

test('types come by name, each with its zones, from all pages', async () => {
  const { asked, catalogue } = aCatalogue()
  await catalogue.update()
  expect([...catalogue.types.keys()]).toEqual(['c5.large', 'm5.large'])
  expect([...catalogue.names]).toEqual(['c5.large', 'm5.large'])
  expect(zonesOf(catalogue)).toEqual({ 'c5.large': ['us-east-1c'], 'm5.large': ['us-east-1a', 'us-east-1b'] })
  expect(catalogue.allZones).toEqual(['us-east-1a', 'us-east-1b', 'us-east-1c'])
  const ofTypes = {
    Filters: [
      { Name: 'supported-virtualization-type', Values: ['hvm'] },
      { Name: 'processor-info.supported-architecture', Values: ['x86_64', 'arm64'] },
    ],
    MaxResults: 100,
  }
  expect(asked).toEqual([ofTypes, ofTypes, { LocationType: 'availability-zone', MaxResults: 1_000 }])
})

test('only what is new counts as news, not another order', async () => {
  const { told, catalogue } = aCatalogue()
  const news: boolean[] = []
  const updated = async (): Promise<void> => {
    const { version } = catalogue
    await catalogue.update()
    news.push(catalogue.version !== version)
  }
  await updated()
  told.types.reverse()
  told.offerings.reverse()
  await updated()
  told.types[0] = { ...told.types[0], BareMetal: false }
  await updated()
  told.offerings.pop()
  await updated()
  expect(news).toEqual([true, false, true, true])
})

test('a type that is gone is gone; offerings of types that nobody knows do no harm', async () => {
  const { told, catalogue } = aCatalogue()
  await catalogue.update()
  told.types.shift()
  await catalogue.update()
  expect([...catalogue.types.keys()]).toEqual(['c5.large'])
  expect(zonesOf(catalogue)['m5.large']).toEqual(['us-east-1a', 'us-east-1b'])
})

test.each([
  ['types', 'no instance types found'],
  ['offerings', 'no instance type offerings found'],
] as const)('an answer without any %s is refused, and what was known stays', async (what, message) => {
  const { told, catalogue } = aCatalogue()
  await catalogue.update()
  const { version, types, zonesByType } = catalogue
  told[what] = []
  await expect(catalogue.update()).rejects.toThrow(message)
  expect(catalogue.version).toBe(version)
  expect([catalogue.types, catalogue.zonesByType]).toEqual([types, zonesByType])
})

test('new types are known though their offerings cannot be read', async () => {
  const { told, catalogue } = aCatalogue()
  await catalogue.update()
  const { version } = catalogue
  told.types.push({ InstanceType: 'm9.large' as never })
  told.offerings = []
  await expect(catalogue.update()).rejects.toThrow('no instance type offerings found')
  expect(catalogue.names.has('m9.large')).toBe(true)
  expect(catalogue.version).toBe(version + 1)
})
