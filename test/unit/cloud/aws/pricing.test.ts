import { describe, expect, test } from 'vitest'
import { parseOnDemandPrices, parseSpotPrices } from '../../../../src/cloud/aws/pricing/parse.ts'
import { PricingProvider, pricingRegion } from '../../../../src/cloud/aws/pricing/pricing-provider.ts'
import { staticOnDemandPrice } from '../../../../src/cloud/aws/pricing/static-prices.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'
import { silentLogger } from '../../../../src/kube/logger.ts'
import { aNodeClass, anAWSWorld } from '../../../support/aws-world.ts'

const product = (instanceType: string, price: object) =>
  JSON.stringify({
    product: { attributes: { instanceType } },
    terms: { OnDemand: { offer: { priceDimensions: { dimension: { pricePerUnit: price } } } } },
  })

describe('the price list', () => {
  test('is read in the currency of the partition; free and unreadable entries are left out', () => {
    const documents = [
      product('m5.large', { USD: '0.0960000000' }),
      product('c5.large', { USD: '0.0000000000' }),
      product('r5.large', { CNY: '1.5' }),
      product('x5.large', { USD: 'cheap' }),
      'not json',
      '{}',
      '{"product":null}',
      '{"product":{"attributes":{"instanceType":"t3.large"}},"terms":{"OnDemand":null}}',
      '{"product":{"attributes":{"instanceType":"t3.large"}},"terms":{"OnDemand":{"offer":{"priceDimensions":7}}}}',
    ]
    expect(parseOnDemandPrices(documents, 'USD')).toEqual(new Map([['m5.large', 0.096]]))
    expect(parseOnDemandPrices(documents, 'CNY')).toEqual(new Map([['r5.large', 1.5]]))
  })

  test('spot history: the last record of a pool wins', () => {
    const at = (SpotPrice: string | undefined, more: object = {}) => ({
      InstanceType: 'm5.large' as const,
      AvailabilityZone: 'us-east-1a',
      SpotPrice,
      Timestamp: new Date(0),
      ...more,
    })
    expect(
      parseSpotPrices([
        ...[at('x'), at(undefined), at('0.01', { Timestamp: undefined }), at('0.05'), at('0.04'), at('y'), at('')],
        ...[at('0.01', { AvailabilityZone: undefined }), at('0.01', { InstanceType: undefined })],
      ]),
    ).toEqual(new Map([['m5.large', new Map([['us-east-1a', 0.04]])]]))
  })

  test('of several spot prices of a pool the newest counts, though EC2 tells it first', () => {
    const at = (SpotPrice: string, ms: number) => ({
      InstanceType: 'm5.large' as const,
      AvailabilityZone: 'us-east-1a',
      SpotPrice,
      Timestamp: new Date(ms),
    })
    expect(
      parseSpotPrices([at('0.07', 3), at('0.04', 1), at('0.05', 2)])
        .get('m5.large')
        ?.get('us-east-1a'),
    ).toBe(0.07)
  })

  test.each([
    ['us-west-2', 'us-east-1'],
    ['eu-west-3', 'eu-central-1'],
    ['ap-southeast-2', 'ap-south-1'],
    ['cn-north-1', 'cn-northwest-1'],
    ['sa-east-1', 'us-east-1'],
  ])('for %s is read in %s', (region, api) => {
    expect(pricingRegion(region)).toBe(api)
  })
})

describe('static prices', () => {
  const siblings = new Set(['m5.24xlarge', 'm5.large', 'm5.metal', 'c6g.16xlarge', 'c6g.metal', 'a1.4xlarge'])
  test.each([
    ['m5.large', 0.096],
    ['m5.4xlarge', 0.768],
    ['m5.metal', 4.608],
    ['a1.metal', 0.408],
    ['t3.nano', 0.0052],
    ['t3.micro', 0.0104],
    ['t3.small', 0.0208],
    ['t3.medium', 0.0416],
    ['t3.xlarge', 0.1664],
    ['c6g.metal', 2.3066],
    ['p5.48xlarge', 55.04],
    ['m7i.metal-48xl', 9.6768],
    ['trn2.48xlarge', undefined],
    ['m5.huge', undefined],
    ['nothing', undefined],
  ])('%s costs %s', (type, price) => {
    expect(staticOnDemandPrice(type, siblings)).toBe(price)
  })
})

test.each([
  ['us-gov-west-1', 'm5.large', 0.121],
  ['us-gov-east-1', 'c5.xlarge', 0.204],
  ['cn-north-1', 'm5.large', 1.013],
  ['eu-west-1', 'm5.large', 0.096],
])('in %s the static price of %s is %s', (region, type, price) => {
  expect(staticOnDemandPrice(type, new Set(), region)).toBe(price)
})

describe('updates', () => {
  test('in an isolated VPC on-demand prices stay static', async () => {
    const world = await anAWSWorld({ types: ['m5.large'], settings: { isolatedVPC: true } })
    await world.drive(world.cloud.pricing.updateOnDemand())
    expect(world.countOf('pricing:GetProducts')).toBe(0)
    expect(world.cloud.pricing.onDemandPrice('m5.large')).toBe(0.096)
  })

  test('an empty answer is an error, and what was known stays', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    await world.drive(world.cloud.pricing.updateSpot())
    const before = world.cloud.pricing.spotPrice('m5.large', 'us-east-1a')
    world.aws.faults.add((call) =>
      call.action === 'DescribeSpotPriceHistory' || call.action === 'GetProducts'
        ? { kind: 'answer', output: {} }
        : undefined,
    )
    expect((await world.failure(world.cloud.pricing.update())).message).toBe(
      'no on-demand pricing found; no spot pricing found',
    )
    expect(world.cloud.pricing.spotPrice('m5.large', 'us-east-1a')).toBe(before)
  })

  test('a retry asks only for what was refused, until the rest is ten minutes old', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    world.aws.faults.add(({ action }) => (action === 'GetProducts' ? { kind: 'answer', output: {} } : undefined))
    const asked = async (): Promise<number> => {
      const before = world.countOf('ec2:DescribeSpotPriceHistory')
      await world.failure(world.cloud.pricing.update())
      return world.countOf('ec2:DescribeSpotPriceHistory') - before
    }
    expect(await asked()).toBe(1)
    expect(await asked()).toBe(0)
    await world.clock.run({ forMs: 600_000 })
    expect(await asked()).toBe(1)
  })
})

describe('on-demand prices', () => {
  /** A price list of virtual machines and one of metal, which may be edited. */
  function aPriceList(region = 'us-east-1', names: readonly string[] = []) {
    const lists = {
      virtual: [product('m5.large', { USD: '0.1', CNY: '0.7' })],
      metal: [product('m5.metal', { USD: '4' })],
    }
    const asked: { readonly service: string | undefined; readonly filters: Readonly<Record<string, string>> }[] = []
    const prices = new PricingProvider({
      clients: {
        region,
        ec2: {} as never,
        pricing: {
          getProducts: ({ ServiceCode, Filters = [] }) => {
            const filters = Object.fromEntries(Filters.map(({ Field = '', Value = '' }) => [Field, Value]))
            asked.push({ service: ServiceCode, filters })
            return Promise.resolve({ PriceList: filters['tenancy'] === 'Shared' ? lists.virtual : lists.metal })
          },
        },
      },
      clock: new VirtualClock(),
      isolatedVPC: false,
      log: silentLogger,
      typeNames: () => new Set(names),
    })
    return { lists, asked, prices }
  }

  test('are not asked for in GovCloud, which has no price list', async () => {
    const { prices, asked } = aPriceList('us-gov-west-1')
    await prices.updateOnDemand()
    expect(asked).toEqual([])
  })

  test('are those of Linux alone on shared machines, and of bare metal, in the region', async () => {
    const { prices, asked } = aPriceList()
    await prices.updateOnDemand()
    const common = {
      regionCode: 'us-east-1',
      serviceCode: 'AmazonEC2',
      preInstalledSw: 'NA',
      operatingSystem: 'Linux',
      capacitystatus: 'Used',
      marketoption: 'OnDemand',
    }
    expect(asked).toEqual([
      { service: 'AmazonEC2', filters: { ...common, tenancy: 'Shared', productFamily: 'Compute Instance' } },
      {
        service: 'AmazonEC2',
        filters: { ...common, tenancy: 'Dedicated', productFamily: 'Compute Instance (bare metal)' },
      },
    ])
    expect(['m5.large', 'm5.metal', 'c5.large'].map((type) => prices.onDemandPrice(type))).toEqual([0.1, 4, 0.085])
  })

  test('in China are in the currency of the country', async () => {
    const { prices, lists } = aPriceList('cn-north-1')
    lists.metal = [product('m5.metal', { CNY: '40' })]
    await prices.updateOnDemand()
    expect(prices.onDemandPrice('m5.large')).toBe(0.7)
  })

  test.each(['virtual', 'metal'] as const)('of an answer without those of %s machines none counts', async (kind) => {
    const { prices, lists } = aPriceList()
    lists[kind] = []
    await expect(prices.updateOnDemand()).rejects.toThrow('no on-demand pricing found')
    expect(prices.onDemandPrice('m5.large')).toBe(0.096)
  })

  test.each([
    ['no bare metal count without its', ['m5.large', 'c5.large'], 0.1],
    ['bare metal do not', ['m5.large', 'm7i.metal-48xl'], 0.096],
  ])('in a region that has %s', async (_which, names, price) => {
    const { prices, lists } = aPriceList('us-east-1', names)
    lists.metal = []
    await Promise.allSettled([prices.updateOnDemand()])
    expect(prices.onDemandPrice('m5.large')).toBe(price)
  })

  test('stay when a later answer leaves them out', async () => {
    const { prices, lists } = aPriceList()
    await prices.updateOnDemand()
    lists.virtual = [product('c5.large', { USD: '0.2' })]
    await prices.updateOnDemand()
    expect(['m5.large', 'c5.large'].map((type) => prices.onDemandPrice(type))).toEqual([0.1, 0.2])
  })
})

test.each([
  ['on-demand', 'updateOnDemand'],
  ['spot', 'updateSpot'],
] as const)('new %s prices reach the offerings, and the same once more change nothing', async (kind, update) => {
  const world = await anAWSWorld({ types: ['m5.large', 'm5.metal'] })
  const nodeClass = aNodeClass()
  let price = '0.07'
  const pool = { InstanceType: 'm5.large', AvailabilityZone: 'us-east-1a', Timestamp: new Date(0) }
  world.aws.faults.add(({ action }) =>
    action === 'DescribeSpotPriceHistory'
      ? { kind: 'answer', output: { SpotPriceHistory: [{ ...pool, SpotPrice: price }] } }
      : action === 'GetProducts'
        ? { kind: 'answer', output: { PriceList: [product('m5.large', { USD: price })] } }
        : undefined,
  )
  const list = () => world.cloud.instanceTypes.list(nodeClass)
  const prices = () =>
    (list().find(({ name }) => name === 'm5.large')?.offerings ?? []).flatMap(({ requirements, price: one }) =>
      requirements.get('karpenter.sh/capacity-type')?.values.has(kind) &&
      requirements.get('topology.kubernetes.io/zone')?.values.has('us-east-1a')
        ? [one]
        : [],
    )
  expect(prices()).toEqual([0.096])
  for (const next of ['0.07', '0.08']) {
    price = next
    await world.drive(world.cloud.pricing[update]())
    expect(prices()).toEqual([Number(next)])
    const before = list()
    await world.drive(world.cloud.pricing[update]())
    expect(list()).toBe(before)
  }
})

test('a static price follows what is on offer: metal costs what the largest of its family does', () => {
  let names: ReadonlySet<string> = new Set(['m5.metal', 'm5.large'])
  const prices = new PricingProvider({
    clients: { region: 'us-east-1', ec2: {} as never, pricing: {} as never },
    clock: new VirtualClock(),
    isolatedVPC: false,
    log: silentLogger,
    typeNames: () => names,
  })
  expect(prices.onDemandPrice('m5.metal')).toBe(0.096)
  names = new Set([...names, 'm5.24xlarge'])
  expect(prices.onDemandPrice('m5.metal')).toBe(4.608)
})
