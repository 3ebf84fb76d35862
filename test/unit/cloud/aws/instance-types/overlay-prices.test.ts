import { expect, test } from 'vitest'
import type { NodeOverlay } from '../../../../../src/api/karpenter.ts'
import { OverlayPrices } from '../../../../../src/cloud/aws/instance-types/overlay-prices.ts'
import { VirtualClock } from '../../../../../src/embedded/clock.ts'

const typeIs = (...values: string[]) => ({ key: 'node.kubernetes.io/instance-type', operator: 'In' as const, values })

function anOverlay(name: string, spec: Partial<NodeOverlay['spec']>, status: 'True' | 'False' = 'True'): NodeOverlay {
  const lastTransitionTime = '2026-01-01T00:00:00Z'
  return {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name, uid: name, resourceVersion: '1', creationTimestamp: lastTransitionTime },
    spec: { price: '1', requirements: [typeIs('m5.large')], ...spec },
    status: { conditions: [{ type: 'ValidationSucceeded', status, lastTransitionTime }] },
  }
}

const priceOf = (overlays: readonly NodeOverlay[], type = 'm5.large') =>
  new OverlayPrices(new VirtualClock(), () => overlays).get(type)

test('an overlay gives its price to every type that it names', () => {
  const overlays = [anOverlay('a', { price: '0.25', requirements: [typeIs('m5.large', 'm5.xlarge')] })]
  expect(['m5.large', 'm5.xlarge', 'c5.large'].map((type) => priceOf(overlays, type))).toEqual([0.25, 0.25, undefined])
})

const others: Record<string, NodeOverlay> = {
  'that is not valid': anOverlay('a', {}, 'False'),
  'that adjusts a price': anOverlay('a', { price: undefined, priceAdjustment: '+10%' } as object),
  'for all types': anOverlay('a', { requirements: [] }),
  'that asks for more than the type': anOverlay('a', {
    requirements: [typeIs('m5.large'), { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-east-1a'] }],
  }),
  'for all types but some': anOverlay('a', {
    requirements: [{ ...typeIs('c5.large'), operator: 'NotIn' }],
  }),
  'for a label that happens to have the value': anOverlay('a', {
    requirements: [{ ...typeIs('m5.large'), key: 'team' }],
  }),
}
test.each(Object.entries(others))('an overlay %s gives no type a price', (_what, overlay) => {
  expect(priceOf([overlay])).toBeUndefined()
})

test('of several the heaviest counts, of equal ones the last by name, whatever their order', () => {
  const overlays = [
    anOverlay('c', { price: '3' }),
    anOverlay('a', { price: '5', weight: 10 }),
    anOverlay('b', { price: '4', weight: 10 }),
    anOverlay('d', { price: '2', weight: 2 }),
  ]
  expect(priceOf(overlays)).toBe(4)
  expect(priceOf([...overlays].reverse())).toBe(4)
  expect(priceOf(overlays.slice(3).concat(overlays.slice(0, 1)))).toBe(2)
})

test('prices are read once in five minutes', async () => {
  const clock = new VirtualClock()
  let overlays = [anOverlay('a', { price: '1' })]
  let reads = 0
  const prices = new OverlayPrices(clock, () => {
    reads += 1
    return overlays
  })
  await clock.run({ forMs: 300_000 - (clock.monotonicMs() % 300_000) })
  const first = prices.period
  expect(prices.get('m5.large')).toBe(1)
  overlays = [anOverlay('a', { price: '2' })]
  await clock.run({ forMs: 299_999 })
  expect([prices.get('m5.large'), prices.period, reads]).toEqual([1, first, 1])
  await clock.run({ forMs: 1 })
  expect([prices.get('m5.large'), prices.period, reads]).toEqual([2, first + 1, 2])
})
