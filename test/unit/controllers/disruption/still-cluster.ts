import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import type { StateNode } from '../../../../src/model/snapshot.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aPool, aType, aWorld } from '../../../support/disruption-builders.ts'
import { disruptionDeps } from '../../../support/disruption-deps.ts'

/** The loop in a cluster that shows the very same objects whenever it is looked at. */
export async function aStillCluster(nodes: readonly StateNode[], more: object, world = aControllerWorld()) {
  const pools = [aPool(), aPool({ name: 'slow', disruption: { consolidateAfter: '1m' } })]
  const still = aWorld({ nodes, pools, types: [aType('m5.large', { price: 0.1 })], now: 0 })
  const base = disruptionDeps(world, { snapshot: () => ({ ...still, now: world.clock.now() }) }, more)
  const known = { bufferNodes: new Set<string>(), poolCosts: new Map<string, number>(), disruptionCosts: new Map() }
  let looks = 0
  const cluster = Object.create(base.cluster, {
    bufferNodes: { get: () => known.bufferNodes },
    poolCosts: { get: () => known.poolCosts },
    disruptionCosts: { get: () => known.disruptionCosts },
    // As if something had changed that no search goes by.
    consolidationState: { get: () => (looks += 1) },
  })
  const deps = { ...base, cluster }
  const queue = new OrchestrationQueue(deps)
  const start = () => world.start(disruptionController(deps, queue, new VerdictBook()))
  return { ...world, known, queue, start }
}
