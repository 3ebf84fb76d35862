import { expect, test } from 'vitest'
import { choosePools } from '../../../src/scheduling/node-pools.ts'
import { aPod, aPool } from '../../support/scheduling-world.ts'
import { errorsOf, solveWorld } from '../../support/solving.ts'

function retired(name: string, value = name) {
  const pool = aPool({ name, weight: 10 })
  const annotations = { ...pool.metadata.annotations, 'joinery.dev/retire': value }
  return { ...pool, metadata: { ...pool.metadata, annotations } }
}

test('a retired pool opens no node, however heavy it is', () => {
  const placement = solveWorld({ pools: [retired('old'), aPool({ name: 'next' })], pods: [aPod()] })
  expect(placement.newNodePlans.map(({ nodePool }) => nodePool)).toEqual(['next'])
})

test('a pod that only a retired pool could serve waits', () => {
  expect(errorsOf(solveWorld({ pools: [retired('old')], pods: [aPod()] }))).toHaveLength(1)
})

test('another value than the name retires nothing', () => {
  const placement = solveWorld({ pools: [retired('old', 'yes'), aPool({ name: 'next' })], pods: [aPod()] })
  expect(placement.newNodePlans.map(({ nodePool }) => nodePool)).toEqual(['old'])
})

test('the exclusion has a reason, and static and deleted pools keep theirs', () => {
  const because = (pool: ReturnType<typeof aPool>) => choosePools([pool]).excluded.map((each) => each.because.kind)
  expect(because(retired('old'))).toEqual(['retiring'])
  const fixed = retired('fixed')
  expect(because({ ...fixed, spec: { ...fixed.spec, replicas: 2 } })).toEqual(['static'])
})
