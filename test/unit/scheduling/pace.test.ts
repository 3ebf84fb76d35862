import { expect, test } from 'vitest'
import { Pace } from '../../../src/scheduling/pace.ts'
import { prepare, solveInSlices } from '../../../src/scheduling/index.ts'
import { busyCluster } from '../../bench/workloads.ts'
import { testSettings } from '../../support/solving.ts'

test('small pieces of work fill a slice together, and the next one begins empty', () => {
  const pace = new Pace()
  const filled = Array.from({ length: 8 }, () => pace.fills(2_500))
  expect(filled).toEqual([false, false, false, true, false, false, false, true])
})

test('simulations for one node each hand back control once in several of them, and still do', () => {
  const { snapshot } = busyCluster({ nodes: 40, running: 400, pending: 0 })
  const context = prepare(snapshot, testSettings)
  let pauses = 0
  for (const { key, pods } of snapshot.nodes) {
    const slices = solveInSlices(context, { pods, excludedNodes: new Set([key]), reservedMode: 'fallback' })
    for (let step = slices.next(); step.done !== true; step = slices.next()) pauses += 1
  }
  expect(pauses).toBeGreaterThan(0)
  expect(pauses).toBeLessThan(snapshot.nodes.length / 2)
})
