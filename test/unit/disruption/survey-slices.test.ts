import { expect, test } from 'vitest'
import { surveyCandidates, surveyInSlices, workPerSlice } from '../../../src/disruption/candidates.ts'
import { aRunningPod, aStateNode, aWorld } from '../../support/disruption-builders.ts'

const options = { disruptionClass: 'graceful', queued: new Set<string>() } as const

function slicesOf(work: ReturnType<typeof surveyInSlices>): number {
  let slices = 1
  while (work.next().done !== true) slices += 1
  return slices
}

test('a survey of a large cluster hands back control on the way, and the next one finds everything remembered', () => {
  const nodes = Array.from({ length: 3 * workPerSlice + 1 }, (_, index) => aStateNode(`n-${index}`))
  const world = aWorld({ nodes })
  expect(slicesOf(surveyInSlices(world, options))).toBe(4)
  expect(slicesOf(surveyInSlices(world, options))).toBe(1)
  expect(surveyCandidates(world, options).candidates.map(({ name }) => name)).toEqual(nodes.map(({ name }) => name))
  const renewed = nodes.map((node, index) => (index < workPerSlice ? { ...node } : node))
  expect(slicesOf(surveyInSlices({ ...world, nodes: renewed }, options))).toBe(2)
})

test('a node counts by its pods', () => {
  const pods = Array.from({ length: 99 }, () => aRunningPod())
  const nodes = Array.from({ length: Math.ceil((3 * workPerSlice) / 100) }, (_, index) =>
    aStateNode(`n-${index}`, { pods }),
  )
  const slices = slicesOf(surveyInSlices(aWorld({ nodes }), options))
  expect(slices).toBeGreaterThanOrEqual(3)
  expect(slices).toBeLessThanOrEqual(4)
})
