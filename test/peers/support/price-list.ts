import type { Fault } from './aws-edge.ts'

/** One page of the price list, which moto does not have, with one instance type and what an hour of it costs. */
export function priceList(instanceType: string, USD: string): Fault {
  const product = {
    product: { attributes: { instanceType } },
    terms: { OnDemand: { a: { priceDimensions: { b: { pricePerUnit: { USD } } } } } },
  }
  const body = JSON.stringify({ FormatVersion: 'aws_v1', PriceList: [JSON.stringify(product)] })
  return { kind: 'answer', type: 'application/x-amz-json-1.1', body: () => body }
}
