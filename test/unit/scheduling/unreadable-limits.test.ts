import { expect, test } from 'vitest'
import type { NodePool } from '../../../src/api/karpenter.ts'
import { nodeLimitOf } from '../../../src/disruption/static-capacity.ts'
import { noResources, readableResources, toLimits, toResourceList } from '../../../src/model/resources.ts'
import { remainingLimits } from '../../../src/scheduling/limits.ts'

const aPool = (limits: Readonly<Record<string, string>>): NodePool =>
  ({ metadata: { name: 'p' }, spec: { limits } }) as unknown as NodePool

test('a limit that is no quantity allows nothing of what it speaks of, and leaves the others as they are', () => {
  const limits = { cpu: '1e1.5', memory: '4Gi' }
  expect(toResourceList(toLimits(limits))).toEqual({ cpu: '0', memory: '4Gi' })
  expect(toResourceList(remainingLimits(aPool(limits), () => noResources) ?? noResources)).toEqual({
    cpu: '0',
    memory: '4Gi',
  })
})

test('so it is for the number of nodes of a static pool', () => {
  expect(nodeLimitOf(aPool({ nodes: '1e1.5' }))).toBe(0)
  expect(nodeLimitOf(aPool({ nodes: '3' }))).toBe(3)
  expect(nodeLimitOf(aPool({}))).toBe(Number.MAX_SAFE_INTEGER)
})

test('of amounts, those that can be read are', () => {
  expect(toResourceList(readableResources({ cpu: '1e1.5', memory: '4Gi' }))).toEqual({ memory: '4Gi' })
})
