import type { PricingClient } from '../../cloud/aws/clients.ts'
import type { Account } from './account.ts'
import { page } from './filters.ts'
import type { Handlers } from './service.ts'

/** Price list items as texts of JSON, with the parts that a reader of on-demand prices looks at. */
export function pricingHandlers(account: Account): Handlers<PricingClient> {
  return {
    getProducts: (input) => {
      const wanted = new Map((input.Filters ?? []).map(({ Field, Value }) => [Field ?? '', Value ?? '']))
      const region = wanted.get('regionCode') ?? account.region.name
      const metal = wanted.get('productFamily') === 'Compute Instance (bare metal)'
      const sold = account.types.filter((facts) => {
        if (region !== account.region.name) return false
        if (wanted.has('productFamily') && (facts.bareMetal === true) !== metal) return false
        return account.onDemandPrice(facts) !== undefined
      })
      const { items, nextToken } = page(sold, input.MaxResults ?? 100, input.NextToken)
      return {
        FormatVersion: 'aws_v1',
        PriceList: items.map((facts) => priceItem(facts.name, region, metal, account.onDemandPrice(facts) ?? 0)),
        ...nextToken,
      }
    },
  }
}

function priceItem(type: string, region: string, metal: boolean, price: number): string {
  const sku = type.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
  const currency = region.startsWith('cn-') ? 'CNY' : 'USD'
  return JSON.stringify({
    product: {
      productFamily: metal ? 'Compute Instance (bare metal)' : 'Compute Instance',
      attributes: {
        instanceType: type,
        regionCode: region,
        operatingSystem: 'Linux',
        tenancy: metal ? 'Dedicated' : 'Shared',
        capacitystatus: 'Used',
        preInstalledSw: 'NA',
        marketoption: 'OnDemand',
      },
      sku,
    },
    serviceCode: 'AmazonEC2',
    terms: {
      OnDemand: {
        [`${sku}.JRTCKXETXF`]: {
          priceDimensions: {
            [`${sku}.JRTCKXETXF.6YS6EN2CT7`]: { unit: 'Hrs', pricePerUnit: { [currency]: price.toFixed(10) } },
          },
        },
      },
    },
  })
}
