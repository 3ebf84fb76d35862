import { conditionIn } from '../../api/conditions.ts'
import type { EC2NodeClass, NodePool, NodePoolRolloutStatus, RolloutPolicy } from '../../api/karpenter.ts'
import { countPoolNodes } from '../../disruption/budgets.ts'
import { type DisruptionGate, openGate } from '../../disruption/gate.ts'
import { byIdentity } from '../../model/by-identity.ts'
import type { Clock } from '../../model/clock.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import {
  type ClosedGate,
  type Governance,
  gateOfPolicies,
  govern,
  type PolicyGate,
  type PolicyView,
  policyView,
  type RolloutStepResult,
} from '../../rollout/engine/index.ts'
import { imageProblems, rollbackPin } from '../../rollout/images.ts'
import { asksForPause, type PoolPause, poolPause } from '../../rollout/pause.ts'
import type { StalledCause, StalledSource } from '../../rollout/stalled.ts'
import { newNodesOnly } from '../../rollout/status.ts'
import type { Fleet } from './fleet.ts'
import { invalidAnnotation } from './status-deps.ts'

/** The RolloutPolicies there are; a cluster without their definition has none, and works as Karpenter does. */
interface PolicySource {
  list(): readonly RolloutPolicy[]
}

/** The last look at each policy. Memory only: after a restart the pools of a policy wait for the first look at it, and statuses tell of the last one before. */
export class RolloutBook implements StalledSource {
  readonly #policies: PolicySource
  readonly #fleet: Fleet
  readonly #clock: Clock
  readonly #results = new Map<
    string,
    { readonly uid: string; readonly generation: number; readonly result: RolloutStepResult }
  >()
  /** By policy: why the gate of the last look does not count any more. */
  readonly #closed = new Map<string, string>()
  #governance:
    | {
        readonly policies: readonly RolloutPolicy[]
        readonly pools: readonly NodePool[]
        readonly governance: Governance
      }
    | undefined

  constructor(deps: { readonly policies: PolicySource; readonly fleet: Fleet; readonly clock: Clock }) {
    this.#policies = deps.policies
    this.#fleet = deps.fleet
    this.#clock = deps.clock
  }

  record(policy: RolloutPolicy, result: RolloutStepResult): void {
    const { name, uid, generation = 0 } = policy.metadata
    this.#results.set(name, { uid, generation, result })
    this.#closed.delete(name)
  }

  /** Until the next look is remembered: what the last one let through may be what the policy holds now. */
  close(policy: string, because: string): void {
    this.#closed.set(policy, because)
  }

  forget(policy: string): void {
    this.#results.delete(policy)
    this.#closed.delete(policy)
  }

  /** Asked for by every look at a pool; neither list changes often. */
  governance(): Governance {
    const policies = this.#policies.list()
    const pools = this.#fleet.pools()
    if (this.#governance?.policies !== policies || this.#governance.pools !== pools) {
      this.#governance = { policies, pools, governance: govern(policies, pools) }
    }
    return this.#governance.governance
  }

  /** Whether some policy has taken the node in, in the look at it that counts now. */
  resultOf(policy: RolloutPolicy): RolloutStepResult | undefined {
    const known = this.#results.get(policy.metadata.name)
    return known?.uid === policy.metadata.uid ? known.result : undefined
  }

  /** An edit acts at once, before it has been looked at. */
  #gateOf(policy: RolloutPolicy): PolicyGate | ClosedGate | undefined {
    const closed = this.#closed.get(policy.metadata.name)
    if (closed !== undefined) return { closed }
    const gate = this.resultOf(policy)?.gate
    return gate !== undefined && this.#isEditedSince(policy) ? { closed: 'it has just been edited' } : gate
  }

  /** Since the last look. The cache may be behind that, which then knows more. */
  #isEditedSince({ metadata: { name, generation = 0 } }: RolloutPolicy): boolean {
    return (this.#results.get(name)?.generation ?? generation) < generation
  }

  ofPool(name: string): readonly StalledCause[] {
    const policy = this.governance().governing.get(name)
    const pool = this.#fleet.pools().find(({ metadata }) => metadata.name === name)
    const nodeClass = pool === undefined ? undefined : this.#fleet.nodeClassOf(pool)
    return [
      ...(policy === undefined ? [] : this.#causesOf(policy)),
      ...(nodeClass === undefined ? [] : imageProblems(nodeClass, this.#clock.now())),
      ...(nodeClass === undefined || isReturning(policy && this.#statusOf(policy), nodeClass)
        ? []
        : [rollbackPin(nodeClass)].filter((cause) => cause !== undefined)),
    ]
  }

  /** What was in the way of a text that was edited since may be what the edit mends; the next look tells. */
  #causesOf(policy: RolloutPolicy): readonly StalledCause[] {
    const result = this.resultOf(policy)
    if (result === undefined) return rememberedCauses(policy)
    return this.#isEditedSince(policy) ? [] : result.stalled
  }

  /** Of the last look at a policy, an earlier process's included. */
  #statusOf(policy: RolloutPolicy): RolloutPolicy['status'] {
    return this.resultOf(policy)?.status ?? rememberedStatus(policy)
  }

  /** What stalls a policy stalls the classes of its pools. */
  ofClass(name: string): readonly StalledCause[] {
    const causes = this.#fleet
      .pools()
      .flatMap((pool) => (this.#fleet.nodeClassOf(pool)?.metadata.name === name ? this.ofPool(pool.metadata.name) : []))
    return [...new Map(causes.map((cause) => [`${cause.reason} ${cause.message}`, cause])).values()]
  }

  /** What the status of a pool tells of the rollout that it takes part in. */
  poolStatus(name: string): NodePoolRolloutStatus | undefined {
    const policy = this.governance().governing.get(name)
    const status = policy && this.#statusOf(policy)
    if (policy === undefined || status === undefined || hasLeftMode(policy, status)) return undefined
    const { phase, reason, message, revision, step, steps, startTime, stepStartTime } = status
    const completionTime = phase === 'Completed' ? status.history?.[0]?.completionTime : undefined
    const own = status.nodePools?.find((pool) => pool.name === name)
    return {
      policy: policy.metadata.name,
      ...(phase === undefined ? {} : { phase }),
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined ? {} : { message }),
      ...(revision === undefined ? {} : { revision }),
      ...(step === undefined ? {} : { step }),
      ...(steps === undefined ? {} : { steps }),
      ...(own?.totalNodes === undefined ? {} : { totalNodes: own.totalNodes }),
      ...(own?.updatedNodes === undefined ? {} : { updatedNodes: own.updatedNodes }),
      ...(startTime === undefined ? {} : { startTime }),
      ...(stepStartTime === undefined ? {} : { stepStartTime }),
      ...(completionTime === undefined ? {} : { completionTime }),
    }
  }

  /** What pauses a pool, and until when. */
  pauseOf(name: string): PoolPause | undefined {
    const pool = this.#fleet.pools().find(({ metadata }) => metadata.name === name)
    if (pool === undefined) return undefined
    const policies = this.governance().selecting.get(name) ?? []
    return poolPause({ pool, nodeClass: this.#fleet.nodeClassOf(pool), policies }, this.#clock.now())
  }

  #mayBePaused(pool: NodePool): boolean {
    const nodeClass = this.#fleet.nodeClassOf(pool)
    return asksForPause(pool) || (nodeClass !== undefined && asksForPause(nodeClass))
  }

  gateFor(snapshot: Snapshot): DisruptionGate {
    const policies = this.#policies.list()
    if (policies.length === 0 && !snapshot.nodePools.some((pool) => this.#mayBePaused(pool))) return openGate
    const governance = govern(policies, snapshot.nodePools)
    const pauses = new Map(
      snapshot.nodePools.map((pool) => {
        const policies = governance.selecting.get(pool.metadata.name) ?? []
        const nodeClass = this.#fleet.nodeClassOf(pool)
        return [pool.metadata.name, poolPause({ pool, nodeClass, policies }, snapshot.now)] as const
      }),
    )
    const counts = countPoolNodes(snapshot.nodes)
    const byClaim = nodesByClaim(snapshot.nodes)
    const views = new Map<string, PolicyView>()
    for (const policy of new Set(governance.governing.values())) {
      const pools = [...governance.governing].flatMap(([pool, each]) => (each === policy ? [pool] : []))
      const view = policyView(policy, this.#gateOf(policy), {
        isGoing: (claim) => byClaim.get(claim)?.markedForDeletion ?? true,
        total: pools.reduce((sum, pool) => sum + (counts.get(pool)?.total ?? 0), 0),
        unavailable: pools.reduce((sum, pool) => sum + (counts.get(pool)?.disrupting ?? 0), 0),
      })
      for (const pool of pools) views.set(pool, view)
    }
    const targets = new Map<string, string>()
    return gateOfPolicies({
      pauses,
      views,
      targetOf: (pool) => {
        const target = targets.get(pool.metadata.name) ?? this.#fleet.targetsOf(pool).pool
        targets.set(pool.metadata.name, target)
        return target
      },
      now: snapshot.now,
    })
  }
}

/**
 * What the last look of an earlier process found, until this one has looked: a restart must not make a rollout that is stuck, or nodes
 * that are left alone on purpose, look otherwise for a moment. Of a policy that was edited since it says nothing.
 */
function rememberedStatus({ metadata, status }: RolloutPolicy): RolloutPolicy['status'] {
  return status?.observedGeneration === (metadata.generation ?? 0) ? status : undefined
}

/**
 * Whether nodes were left alone on purpose in the last look, by a mode that an edit has ended since. They are unfinished work from that
 * edit on: who waits for the pool must not find it done until the next look.
 */
function hasLeftMode({ spec }: RolloutPolicy, { reason }: NonNullable<RolloutPolicy['status']>): boolean {
  return reason === newNodesOnly && spec.mode !== 'NewNodesOnly'
}

/** Whether a rollback of the class is still on its way, which goes by itself. */
function isReturning(status: RolloutPolicy['status'], { metadata }: EC2NodeClass): boolean {
  const { failure, imageChanges = [] } = status ?? {}
  return failure?.state === 'RollingBack' && (failure.nodeClasses ?? imageChanges).includes(metadata.name)
}

function rememberedCauses(policy: RolloutPolicy): readonly StalledCause[] {
  const stalled = conditionIn(rememberedStatus(policy)?.conditions, 'Stalled')
  // An annotation of the policy that cannot be read keeps no pool from anything.
  return stalled?.status === 'True' && stalled.reason !== invalidAnnotation
    ? [{ reason: stalled.reason ?? '', message: stalled.message ?? '' }]
    : []
}

const nodesByClaim = byIdentity((nodes: readonly StateNode[]): ReadonlyMap<string, StateNode> => {
  const byClaim = new Map<string, StateNode>()
  for (const node of nodes) if (node.nodeClaim !== undefined) byClaim.set(node.nodeClaim.metadata.name, node)
  return byClaim
})
