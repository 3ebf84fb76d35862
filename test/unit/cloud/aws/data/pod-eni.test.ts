import { expect, test } from 'vitest'
import { hasNetworkLimits, podENILimit } from '../../../../../src/cloud/aws/data/pod-eni.ts'

/** With two interfaces of its own a type has as many branch interfaces as its budget. */
const budgetOf = (name: string, hypervisor = 'nitro') => podENILimit({ name, hypervisor, networkInterfacesMax: 2 })

const budgets: Record<string, number> = {
  ...{ 'm6i.medium': 4, 'm6i.large': 10, 'm6i.xlarge': 20, 'm6i.2xlarge': 40, 'x2iedn.3xlarge': 40 },
  ...{ 'm6i.4xlarge': 60, 'd3.6xlarge': 60, 'm5.8xlarge': 60, 'm6i.8xlarge': 90, 'c5.9xlarge': 60 },
  ...{ 'm6i.12xlarge': 120, 'm5.12xlarge': 60, 'm6g.12xlarge': 60, 'r8gn.12xlarge': 60, 'g4dn.12xlarge': 60 },
  ...{ 'x9g.12xlarge': 120, 'm6i.metal': 120, 'm7i.metal-24xl': 120, 'mac2.metal': 12, 'g4ad.16xlarge': 12 },
  ...{ 'c8g-flex.medium': 1, 'm7i-flex.large': 4, 'm7i-flex.xlarge': 10, 'm7i-flex.2xlarge': 20 },
  ...{ 'm7i-flex.4xlarge': 40, 'm7i-flex.8xlarge': 60, 'c8g-flex.12xlarge': 60, 'c7i-flex.12xlarge': 120 },
  ...{ 'c8g-flex.16xlarge': 60, 'm5.metal': 133, 'p5.48xlarge': 182, 'u-3tb1.56xlarge': 12 },
}

test('branch interfaces follow from a budget by family and size', () => {
  expect(Object.fromEntries(Object.keys(budgets).map((name) => [name, budgetOf(name)]))).toEqual(budgets)
})

test('the own interfaces of a type come off its budget, which never goes below nothing', () => {
  const limit = (networkInterfacesMax: number) =>
    podENILimit({ name: 'm6i.large', hypervisor: 'nitro', networkInterfacesMax })
  expect([limit(3), limit(12), limit(13)]).toEqual([9, 0, 0])
})

test.each([
  't3.large',
  't3a.large',
  't4g.large',
  'u-6tb1.56xlarge',
  'hpc6a.48xlarge',
  'hpc7a.96xlarge',
  'trn2.48xlarge',
])('%s has none', (name) => {
  expect(budgetOf(name)).toBe(0)
})

test('a machine on Xen has none', () => {
  expect(budgetOf('m4.large', 'xen')).toBe(0)
})

test('families that AWS publishes no limits of are known', () => {
  expect(['m5.large', 'trn1.2xlarge', 'trn2.48xlarge', 'hpc8a.96xlarge'].map(hasNetworkLimits)).toEqual([
    true,
    true,
    false,
    false,
  ])
})
