import { expect, test } from 'vitest'
import { nodesPerSlice, surveyCandidates, surveyInSlices } from '../../../src/disruption/candidates.ts'
import { aStateNode, aWorld } from '../../support/disruption-builders.ts'

const options = { disruptionClass: 'graceful', queued: new Set<string>() } as const

function slicesOf(work: ReturnType<typeof surveyInSlices>): number {
  let slices = 1
  while (work.next().done !== true) slices += 1
  return slices
}

test('a survey of a large cluster hands back control on the way, and the next one finds everything remembered', () => {
  const nodes = Array.from({ length: 3 * nodesPerSlice + 1 }, (_, index) => aStateNode(`n-${index}`))
  const world = aWorld({ nodes })
  expect(slicesOf(surveyInSlices(world, options))).toBe(4)
  expect(slicesOf(surveyInSlices(world, options))).toBe(1)
  expect(surveyCandidates(world, options).candidates.map(({ name }) => name)).toEqual(nodes.map(({ name }) => name))
  const renewed = nodes.map((node, index) => (index < nodesPerSlice ? { ...node } : node))
  expect(slicesOf(surveyInSlices({ ...world, nodes: renewed }, options))).toBe(2)
})
