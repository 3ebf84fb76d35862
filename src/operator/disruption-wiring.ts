import { awsVocabulary } from '../api/label-rules.ts'
import type { NodePool } from '../api/karpenter.ts'
import { gatherInstanceTypes, missedPods, type PoolCostTracker } from '../cluster/index.ts'
import type { RolloutBook } from '../controllers/rollout/index.ts'
import type { BufferBook } from '../controllers/capacitybuffer/index.ts'
import {
  type DisruptionCluster,
  disruptionController,
  type DisruptionDeps,
  type LateReplacements,
  OrchestrationQueue,
  type StaticPools,
  type UndoneConsolidations,
} from '../controllers/disruption/index.ts'
import type { DisruptionBrake } from '../controllers/disruption-brake.ts'
import {
  breakerGate,
  type LaunchGuard,
  simulateWithRoom,
  type VainLaunches,
  withRoom,
} from '../controllers/launches/index.ts'
import {
  awaitedPods,
  awaitedPodsGate,
  createClaim,
  heldPoolsText,
  type PlannedClaim,
  type Promises,
  withoutHeld,
} from '../controllers/provisioning/index.ts'
import { createStaticClaim } from '../controllers/static/index.ts'
import { SteadyMoments } from '../controllers/steady-moments.ts'
import { combineGates } from '../disruption/gate.ts'
import { nodeLimitOf } from '../disruption/static-capacity.ts'
import type { NodePlan } from '../scheduling/index.ts'
import { nodeClaims, nodePools } from '../kube/karpenter-kinds.ts'
import { pods } from '../kube/kinds.ts'
import { byIdentity } from '../model/by-identity.ts'
import type { PodInfo } from '../model/pod.ts'
import type { Snapshot } from '../model/snapshot.ts'
import type { AnyController, Parts } from './parts.ts'

/** What disruption reads besides cluster state. */
export interface DisruptionInputs {
  readonly brake: DisruptionBrake
  readonly buffers: Pick<BufferBook, 'bufferNodes' | 'virtualPods'>
  readonly costs: PoolCostTracker
  readonly late: LateReplacements
  readonly launches: LaunchGuard
  readonly promises: Promises
  readonly rollouts: RolloutBook
  readonly undone: UndoneConsolidations
  readonly vain: VainLaunches
}

export function disruptionControllers(parts: Parts, inputs: DisruptionInputs): readonly AnyController[] {
  const moments = new SteadyMoments(parts.clock)
  const awaited = byIdentity((snapshot: Snapshot) => awaitedPods(inputs.promises, snapshot, moments))
  const withBuffers = parts.options.featureGates['CapacityBuffer'] === true
  const standIns = (): readonly PodInfo[] => (withBuffers ? inputs.buffers.virtualPods() : noStandIns)
  const deps: DisruptionDeps<NodePlan> = {
    kube: parts.kube,
    clock: parts.clock,
    random: parts.random,
    recorder: parts.recorder,
    metrics: parts.families,
    cluster: disruptionCluster(parts, inputs),
    simulationKeys: (snapshot) => [
      heldPoolsText(snapshot, inputs.launches),
      [...inputs.vain.held([...snapshot.unboundPods, ...standIns()]).keys()].join(' '),
      inputs.vain.shortfallsText,
      [...awaited(snapshot).keys()].join(' '),
      standIns(),
    ],
    simulatorFor: (snapshot) =>
      simulateWithRoom(
        parts.solver.simulatorFor(withoutHeldPods(withoutHeld(snapshot, inputs.launches), inputs.vain), {
          virtual: withRoom(standIns(), inputs.vain),
          held: inputs.vain.held(standIns()),
          awaiting: new Set(awaited(snapshot).keys()),
        }),
        inputs.vain,
      ),
    launch: (plan, { reason, annotations }, basis, log) =>
      createClaim(
        {
          kube: parts.kube,
          cluster: parts.state,
          metrics: parts.families,
          launches: inputs.launches,
          basis,
        },
        annotated(parts.solver.claimOf(plan), annotations),
        reason,
        log,
      ),
    static: staticPools(parts, inputs.launches),
    gate: (snapshot) =>
      combineGates(
        inputs.rollouts.gateFor(snapshot),
        breakerGate(inputs.launches, snapshot.nodes),
        awaitedPodsGate(awaited(snapshot)),
      ),
    undone: inputs.undone,
    late: inputs.late,
    brake: inputs.brake,
    settings: {
      spotToSpot: parts.options.featureGates['SpotToSpotConsolidation'] === true,
      wellKnownLabels: awsVocabulary.wellKnown,
    },
  }
  const queue = new OrchestrationQueue(deps)
  return [disruptionController(deps, queue, parts.verdicts), queue.controller()]
}

/** No plan of disruption launches a node for pods that may have none now. */
function withoutHeldPods(snapshot: Snapshot, vain: Pick<VainLaunches, 'held'>): Snapshot {
  const held = vain.held(snapshot.unboundPods)
  if (held.size === 0) return snapshot
  return { ...snapshot, unboundPods: snapshot.unboundPods.filter(({ uid }) => !held.has(uid)) }
}

const noStandIns: readonly PodInfo[] = []

function disruptionCluster(parts: Parts, inputs: DisruptionInputs): DisruptionCluster {
  const { state } = parts
  const typesNow = typesOfInstant(parts)
  return {
    get synced() {
      return state.synced()
    },
    snapshot: async () => {
      const snapshot = state.snapshot()
      return { ...snapshot, instanceTypes: await typesNow(snapshot.nodePools) }
    },
    markForDeletion: (...keys) => state.markForDeletion(...keys),
    unmarkForDeletion: (...keys) => state.unmarkForDeletion(...keys),
    plans: state.plans,
    nominate: (key) => state.nominate(key),
    get consolidationState() {
      return state.changeToken()
    },
    get bufferNodes() {
      return inputs.buffers.bufferNodes
    },
    get poolCosts() {
      return costOnly(inputs.costs.costs())
    },
    get disruptionCosts() {
      return state.trackedDisruptionCosts()
    },
    hasNodeClaim: (name) => state.hasClaim(name),
    nodeClaim: (name) => state.byClaimName(name)?.nodeClaim,
    nodeClaims: () => parts.caches.of(nodeClaims).list(),
    foundPod: missedPods({
      pods: parts.caches.of(pods),
      clock: parts.clock,
      relist: (resource) => parts.caches.relist(resource),
    }),
  }
}

/** The same map for the same costs. */
const costOnly = byIdentity(
  (costs: ReturnType<PoolCostTracker['costs']>): ReadonlyMap<string, number> =>
    new Map([...costs].map(([pool, { cost }]) => [pool, cost])),
)

/** The methods of one pass look at the cluster one after the other; at one instant the types are listed once for all of them. */
function typesOfInstant({
  instanceTypes,
  clock,
}: Parts): (pools: readonly NodePool[]) => ReturnType<typeof gatherInstanceTypes> {
  let last:
    | { readonly at: number; readonly pools: unknown; readonly types: ReturnType<typeof gatherInstanceTypes> }
    | undefined
  return (pools) => {
    const at = clock.monotonicMs()
    if (last === undefined || last.at !== at || last.pools !== pools) {
      last = { at, pools, types: gatherInstanceTypes(pools, instanceTypes) }
    }
    return last.types
  }
}

function annotated<T extends Omit<PlannedClaim, 'pods'>>(planned: T, more: Readonly<Record<string, string>>): T {
  const { metadata } = planned.claim
  const annotations = { ...metadata.annotations, ...more }
  return { ...planned, claim: { ...planned.claim, metadata: { ...metadata, annotations } } }
}

function staticPools(parts: Parts, launches: LaunchGuard): StaticPools<NodePlan> {
  const { state, caches, solver } = parts
  const pools = caches.of(nodePools)
  const provisioning = {
    kube: parts.kube,
    caches,
    cluster: state,
    metrics: parts.families,
    launches,
    planOf: (pool: NodePool) => solver.claimOf(solver.staticPlan(pool)),
  }
  return {
    get counts() {
      return new Map(pools.list().map(({ metadata: { name } }) => [name, state.counts.counts(name)]))
    },
    reserve: (name, wanted) => {
      const pool = pools.get({ name })
      return pool === undefined ? 0 : state.counts.reserve(name, nodeLimitOf(pool), wanted)
    },
    release: (name, count) => state.counts.release(name, count),
    markPendingDisruption: (pool, claim) => state.counts.setPendingDisruption(pool, claim),
    plan: (pool) => solver.staticPlan(pool),
    launch: (name, { reason, annotations }, log) => {
      const pool = pools.get({ name })
      if (pool === undefined) {
        state.counts.release(name, 1)
        return Promise.reject(new Error(`the NodePool ${name} is gone`))
      }
      const planOf = (of: NodePool) => annotated(provisioning.planOf(of), annotations)
      return createStaticClaim({ ...provisioning, planOf }, pool, reason, log)
    },
  }
}
