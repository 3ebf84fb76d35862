import { describe, expect, test } from 'vitest'
import type { EC2NodeClass, EC2NodeClassSpec, NodePool } from '../../../src/api/karpenter.ts'
import { approvedBy, classTarget, isPoolReason, poolTarget } from '../../../src/rollout/target.ts'
import { aPool } from '../../support/controller-builders.ts'

describe('targets', () => {
  const nodeClass = (spec: Partial<EC2NodeClassSpec> = {}): Pick<EC2NodeClass, 'spec'> => ({
    spec: { amiSelectorTerms: [], subnetSelectorTerms: [], securityGroupSelectorTerms: [], ...spec },
  })
  const pool = (requirements: NodePool['spec']['template']['spec']['requirements'] = []) =>
    aPool('default', { template: { spec: { ...aPool().spec.template.spec, requirements } } })
  const byClass = classTarget('123', nodeClass(), ['ami-1'])

  test('do not depend on the order of what is listed, and tell apart what differs in one character', () => {
    const both = classTarget('123', nodeClass(), ['ami-2', 'ami-1'])
    expect(both).toBe(classTarget('123', nodeClass(), ['ami-1', 'ami-2']))
    expect(both).not.toBe(classTarget('123', nodeClass(), ['ami-1', 'ami-3']))
    const [a, b] = [{ id: 'subnet-1' }, { tags: { x: '1', y: '2' } }]
    expect(classTarget('1', nodeClass({ subnetSelectorTerms: [a, b] }), [])).toBe(
      classTarget('1', nodeClass({ subnetSelectorTerms: [{ tags: { y: '2', x: '1' } }, a] }), []),
    )
    const zones = { key: 'zone', operator: 'In' as const, values: ['a', 'b'] }
    const sizes = { key: 'size', operator: 'Exists' as const }
    expect(poolTarget('1', pool([zones, sizes]), byClass)).toBe(
      poolTarget('1', pool([sizes, { ...zones, values: ['b', 'a'] }]), byClass),
    )
  })

  test('carry the hash in front, and follow pool, class and images', () => {
    expect(byClass).toMatch(/^123-[0-9a-f]{8}$/)
    expect(poolTarget('456', pool(), byClass)).toMatch(/^456-[0-9a-f]{8}$/)
    expect(poolTarget('456', pool(), byClass)).not.toBe(
      poolTarget('456', pool(), classTarget('123', nodeClass(), ['ami-2'])),
    )
    expect(poolTarget('456', pool(), byClass)).not.toBe(poolTarget('456', pool(), undefined))
  })

  test('follow what no hash covers, too: an approval must not hold for any edit of it', () => {
    const zone = (name: string) => [{ key: 'zone', operator: 'In' as const, values: [name] }]
    expect(poolTarget('456', pool(zone('a')), byClass)).not.toBe(poolTarget('456', pool(zone('b')), byClass))
    for (const field of ['subnetSelectorTerms', 'securityGroupSelectorTerms'] as const) {
      expect(classTarget('123', nodeClass({ [field]: [{ id: 'x' }] }), ['ami-1'])).not.toBe(byClass)
    }
    const reservations = nodeClass({ capacityReservationSelectorTerms: [{ id: 'cr-1' }] })
    expect(classTarget('123', reservations, ['ami-1'])).not.toBe(byClass)
  })
})

describe('an approval', () => {
  const targets = { pool: 'pool-2', nodeClass: 'class-2', poolChanged: false }

  test.each([
    ['of the pool', { pool: 'pool-2', nodeClass: undefined }, targets, 'NodePool'],
    ['of the class', { pool: undefined, nodeClass: 'class-2' }, targets, 'EC2NodeClass'],
    ['of the pool, when both are given', { pool: 'pool-2', nodeClass: 'class-2' }, targets, 'NodePool'],
    ['of an earlier target', { pool: 'pool-1', nodeClass: 'class-1' }, targets, undefined],
    ['that nobody gave', { pool: undefined, nodeClass: undefined }, targets, undefined],
    [
      'of the class, when the pool has changed too',
      { pool: undefined, nodeClass: 'class-2' },
      { ...targets, poolChanged: true },
      undefined,
    ],
    [
      'that nobody gave, of a class that is not there',
      { pool: undefined, nodeClass: undefined },
      { ...targets, nodeClass: undefined },
      undefined,
    ],
  ])('%s', (_name, approvals, those, want) => {
    expect(approvedBy(approvals, those)).toBe(want)
  })
})

test.each([
  ['NodePoolDrifted', true],
  ['RequirementsDrifted', true],
  ['NodeClassDrift', false],
  ['AMIDrift', false],
])('whether %s is the change of a pool, which no approval of its class covers: %s', (reason, want) => {
  expect(isPoolReason(reason)).toBe(want)
})
