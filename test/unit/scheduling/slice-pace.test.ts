import { expect, test } from 'vitest'
import { SlicePace } from '../../../src/scheduling/slice-pace.ts'
import { prepare, solveInSlices } from '../../../src/scheduling/index.ts'
import { busyCluster } from '../../bench/workloads.ts'
import { aPod } from '../../support/scheduling-world.ts'
import { testSettings } from '../../support/solving.ts'

test('small pieces of work fill a slice together, and the next one begins empty', () => {
  const pace = new SlicePace()
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

test('groups that select all pods but their own count as work: neither they nor their first counts fill a slice unseen', () => {
  const tenants = 300
  const { snapshot } = busyCluster({ nodes: 40, running: 400, pending: 0 })
  const pods = Array.from({ length: tenants }, (_, index) => {
    const labelSelector = { matchExpressions: [{ key: 'app', operator: 'NotIn' as const, values: [`t${index}`] }] }
    const term = { topologyKey: 'kubernetes.io/hostname', namespaceSelector: {}, labelSelector }
    return aPod({
      labels: { app: `t${index}` },
      requests: { cpu: '100m' },
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
    })
  })
  const slices = solveInSlices(prepare(snapshot, testSettings), { pods })
  let pauses = 0
  for (let step = slices.next(); step.done !== true; step = slices.next()) pauses += 1
  // Of each group the running pods are counted once; each pod obeys all groups but one, and counts in as many.
  expect(pauses).toBeGreaterThan((tenants * 1_000 + 2 * tenants * tenants) / 10_000 / 2)
})
