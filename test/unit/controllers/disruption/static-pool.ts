import { NodePoolCounts } from '../../../../src/cluster/node-pool-counts.ts'
import { PlanLedger } from '../../../../src/cluster/plan-ledger.ts'
import { DisruptionBrake } from '../../../../src/controllers/disruption-brake.ts'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import type { BrakeLimit } from '../../../../src/disruption/brake.ts'
import { type DisruptionGate, openGate } from '../../../../src/disruption/gate.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { aClaim } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aPool, aRunningPod, aType, aWorld, condition, type NodeOptions } from '../../../support/disruption-builders.ts'
import { aStoredNode, disruptionDeps, replacement } from '../../../support/disruption-deps.ts'

/** A static pool whose nodes have drifted, and by default room for one more. */
export async function aStaticPool(
  names: readonly string[] = ['a'],
  limit = names.length + 1,
  gate: DisruptionGate = openGate,
  more: NodeOptions = {},
  brake: BrakeLimit = { nodes: 0, windowMs: 1 },
) {
  const world = aControllerWorld()
  const conditions = [condition('Drifted')]
  const drifted = await Promise.all(
    names.map((name) => aStoredNode(world, name, { pods: [aRunningPod()], conditions, ...more })),
  )
  const types = [aType('m5.large', { price: 0.1 })]
  const pools = [aPool({ replicas: names.length, limits: { nodes: String(limit) } })]
  const snapshot = aWorld({ nodes: drifted, pools, types, now: world.clock.now() })
  const counts = new NodePoolCounts()
  for (const { nodeClaim } of drifted) counts.setActive('default', nodeClaim.metadata.name)
  const ledger = new PlanLedger()
  const launched: string[] = []
  const refusals: Error[] = []
  /** What happens while somebody looks at the cluster, by how many looks there were. */
  const meanwhile = new Map<number, () => void>()
  let looks = 0
  const seen = {
    snapshot: () => {
      looks += 1
      meanwhile.get(looks)?.()
      return snapshot
    },
    plans: ledger,
  }
  const deps = disruptionDeps(world, seen, {
    gate: () => gate,
    brake: new DisruptionBrake(world.clock, brake),
    static: {
      get counts() {
        return new Map([['default', counts.counts('default')]])
      },
      reserve: (pool: string, wanted: number) => counts.reserve(pool, limit, wanted),
      release: (pool: string, count: number) => counts.release(pool, count),
      markPendingDisruption: (pool: string, claim: string) => counts.setPendingDisruption(pool, claim),
      plan: () => replacement,
      launch: (pool: string) => {
        counts.release(pool, 1)
        const refusal = refusals.shift()
        if (refusal !== undefined) return Promise.reject(refusal)
        launched.push(pool)
        const name = `new-${launched.length}`
        counts.setActive(pool, name)
        return world.kube.create(nodeClaims, aClaim(name))
      },
    },
  })
  const queue = new OrchestrationQueue(deps)
  const verdicts = new VerdictBook()
  const start = () => world.start(disruptionController(deps, queue, verdicts))
  return { ...world, claims: counts, ledger, launched, meanwhile, queue, refusals, start, verdicts }
}
