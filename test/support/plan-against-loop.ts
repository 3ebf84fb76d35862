import { expect } from 'vitest'
import { coreGates } from '../../src/operator/option-table.ts'
import { toTimestamp } from '../../src/model/clock.ts'
import { drainMs, launchMs, type LoopInput, runLoop } from './disruption-loop.ts'
import { fleetNow } from './fleet-objects.ts'
import { planOf } from './plan-of.ts'

/** The same nodes, in the same order, at the same times, for the same reasons. Resolves to how many there were. */
export async function expectPlanIsDone(
  input: LoopInput,
): Promise<{ readonly disrupted: number; readonly emptied: number }> {
  const { cluster, manifests, prune = false, resolved, untilMs } = input
  const plan = planOf(cluster, manifests, {
    timing: { launchMs, drainMs },
    prune,
    featureGates: { ...coreGates, CapacityBuffer: true, StaticCapacity: true },
    resolved: new Map(resolved === undefined ? [] : [['default', resolved]]),
  })
  const { starts, reasons, atOnce } = await runLoop(input)
  const end = toTimestamp(Date.parse(fleetNow) + untilMs)
  const gone = new Set(atOnce)
  const planned = plan.waves.flatMap(({ notBefore, nodes }) =>
    nodes.flatMap((node) => (notBefore > end || gone.has(node) ? [] : [`${notBefore} ${node}`])),
  )
  expect(planned).toEqual(starts.map(({ at, node }) => `${toTimestamp(at)} ${node}`))
  const drifted = plan.nodes.filter(({ action }) => action === 'replace')
  expect(new Map(drifted.map(({ node, reason }) => [node, reason]))).toEqual(
    new Map([...reasons].filter(([node]) => !gone.has(node))),
  )
  const removed = plan.nodes.filter(({ reason }) => reason === 'NodePoolRemoved' || reason === 'ScaledDown')
  expect(new Set(removed.map(({ node }) => node))).toEqual(gone)
  // Whoever is to go either has a wave or is told to be held back.
  const held = new Set(plan.blockedBy.map(({ node }) => node))
  for (const { node, action, wave } of plan.nodes)
    expect((action === 'replace' || action === 'remove') && wave === null).toBe(held.has(node))
  const emptied = plan.nodes.filter(({ reason, wave }) => reason === 'Empty' && wave !== null).length
  return { disrupted: starts.length + gone.size, emptied }
}
