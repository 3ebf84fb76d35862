import { describe, expect, test } from 'vitest'
import { approvedBy, classTarget, imagesDigest, poolTarget } from '../../../src/rollout/target.ts'

describe('targets', () => {
  test('do not depend on the order of the images, and tell apart what differs in one character', () => {
    expect(imagesDigest(['ami-2', 'ami-1'])).toBe(imagesDigest(['ami-1', 'ami-2']))
    expect(imagesDigest(['ami-1', 'ami-2'])).not.toBe(imagesDigest(['ami-1', 'ami-3']))
    expect(imagesDigest(['ami-1'])).toMatch(/^[0-9a-f]{8}$/)
  })

  test('carry the hash in front, and follow pool, class and images', () => {
    const byClass = classTarget('123', ['ami-1'])
    expect(byClass).toMatch(/^123-[0-9a-f]{8}$/)
    expect(poolTarget('456', byClass)).toMatch(/^456-[0-9a-f]{8}$/)
    expect(poolTarget('456', byClass)).not.toBe(poolTarget('456', classTarget('123', ['ami-2'])))
    expect(poolTarget('456', byClass)).not.toBe(poolTarget('456', undefined))
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
