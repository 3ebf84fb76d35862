import type { NodePool, RolloutGates, RolloutPolicy, RolloutRate, RolloutRateStatus } from '../../api/karpenter.ts'
import { nodeClassNameOf } from '../../api/node-class-ref.ts'
import type { VoluntaryReason } from '../../disruption/budgets.ts'
import { type Candidate, poolName } from '../../disruption/candidates.ts'
import { combineGates, type DisruptionGate, type Hold, openGate } from '../../disruption/gate.ts'
import { compareText } from '../../model/order.ts'
import type { StateNode } from '../../model/snapshot.ts'
import {
  advance,
  gateOfPolicies,
  type Governance,
  govern,
  nodeReadyTimeoutMs,
  type PolicyView,
  type RateResult,
  type RolloutStepResult,
  spendRate,
  takesPart,
  viewAfter,
} from '../engine/index.ts'
import type { PoolPause } from '../pause.ts'
import { isPoolReason } from '../target.ts'
import { FleetFacts } from './fleet-facts.ts'
import type { FleetCount } from './fleet-count.ts'
import type { ReplacementTiming } from './input.ts'
import { pauseOf, type PlannedClasses, poolFacts, type ApprovalTargets, targetsOf } from './pool-facts.ts'
import type { GateSchedule } from './timeline.ts'

export interface GateScheduleInput extends PlannedClasses {
  /** As proposed, stamped. */
  readonly nodePools: readonly NodePool[]
  readonly policies: readonly RolloutPolicy[]
  /** Those that drift say so in their conditions; those that go anyway or at once are marked. */
  readonly nodes: readonly StateNode[]
  /** Of the same nodes, and kept up by whoever walks the time. */
  readonly counts: FleetCount
  readonly timing: ReplacementTiming
}

/**
 * Pauses and rollout policies as they will hold over the time of the plan: the rollout engine is asked with a fleet whose replacements
 * come to life on time and stay well. What it would wait for from outside (pods, a metric) counts as good.
 */
export function gateSchedule(input: GateScheduleInput): GateSchedule {
  const governance = govern(input.policies, input.nodePools)
  const isAnyPaused = input.nodePools.some((pool) => pauseOf(pool, input, governance, 0) !== undefined)
  return governance.governing.size === 0 && !isAnyPaused ? openSchedule : new PolicyGateSchedule(input, governance)
}

const openSchedule: GateSchedule = {
  at: () => openGate,
  afterStart: () => undefined,
  changesAfter: () => undefined,
  started: () => undefined,
  removed: () => undefined,
  ready: () => undefined,
  gone: () => undefined,
}

/** The engine moves one step in one look; this many looks at one moment are more than any policy has steps. */
const looksMax = 50

/** A policy and what has happened to its nodes since the engine was asked last. */
interface Governed {
  policy: RolloutPolicy
  readonly pools: readonly NodePool[]
  result: RolloutStepResult | undefined
  /** Whether something has happened that the engine may answer otherwise for. */
  isStale: boolean
  /** Begun since the last look. */
  begun: { changes: number; all: number }
  /** Nodes that have begun to go or to come, and are still on their way. */
  underWay: number
  /** Claims whose replacement has begun and that are still there. */
  readonly going: Set<string>
  readonly rate: RolloutRate | undefined
  /** What those that began have left in the bucket, as last looked into; undefined when it has to be again. */
  bucket: { readonly at: number; readonly left: RateResult } | undefined
  rateStatus: RolloutRateStatus | undefined
  /** Whether nodes are so long on their way that the engine may give them up. */
  readonly canFail: boolean
}

/**
 * A look at a policy costs in proportion to its nodes, so it is taken only when time or what has happened can change the answer: at the
 * engine's own wake times, and when the last node under way has gone. In between, what has begun is taken off the last answer, as the
 * disruption loop does it. A rate, which the answer depends on at each start, is kept here instead.
 */
class PolicyGateSchedule implements GateSchedule {
  readonly #input: GateScheduleInput
  readonly #governance: Governance
  readonly #facts: FleetFacts
  /** Of the fleet as it is, as far as they are still there. */
  readonly #claims: Set<string>
  /** By name of the policy. */
  readonly #governed: ReadonlyMap<string, Governed>
  /** By pool: hashing it again for every node would take longer than all the rest. */
  readonly #targets: ReadonlyMap<string, ApprovalTargets>
  #driftOrder: { readonly order: DisruptionGate['driftOrder'] } | undefined
  #pauses: { readonly byPool: ReadonlyMap<string, PoolPause | undefined>; readonly until: number } | undefined

  constructor(input: GateScheduleInput, governance: Governance) {
    this.#input = input
    this.#governance = governance
    this.#facts = new FleetFacts(input.nodes)
    this.#claims = new Set(input.nodes.flatMap(({ nodeClaim }) => nodeClaim?.metadata.name ?? []))
    this.#targets = new Map(input.nodePools.map((pool) => [pool.metadata.name, targetsOf(pool, input)]))
    const policies = new Map([...governance.governing.values()].map((policy) => [policy.metadata.name, policy]))
    this.#governed = new Map(
      [...policies]
        .toSorted(([a], [b]) => compareText(a, b))
        .map(([name, policy]) => {
          const pools = input.nodePools.filter(
            (pool) => governance.governing.get(pool.metadata.name)?.metadata.name === name,
          )
          return [name, governed(policy, pools, input.timing)]
        }),
    )
    for (const { nodePool, nodeClaim, markedForDeletion } of input.nodes) {
      if (!markedForDeletion) continue
      this.#moved(nodePool, 1)
      const claim = nodeClaim?.metadata.name ?? ''
      // A rate that comes with the plan is owed by those that go already, but for what a rollback takes back.
      const isFree = this.#of(nodePool)?.policy.status?.failure?.state === 'RollingBack'
      if (!isFree && this.#facts.node(nodePool, claim)?.goingForDrift === true) this.#pay(nodePool, claim)
    }
  }

  at(now: number): DisruptionGate {
    this.#lookAgain(now)
    return this.afterStart(now)
  }

  afterStart(now: number): DisruptionGate {
    const { counts } = this.#input
    const views = new Map<string, PolicyView>()
    for (const governed of this.#governed.values()) {
      const { policy, pools, result, begun } = governed
      const rest = viewAfter(policy, result?.gate, begun, {
        total: pools.reduce((sum, { metadata: { name } }) => sum + counts.total(name), 0),
        unavailable: pools.reduce((sum, { metadata: { name } }) => sum + counts.disrupting(name), 0),
      })
      const view = { ...rest, replacements: Math.min(rest.replacements, this.#bucket(governed, now).allowed) }
      for (const pool of pools) views.set(pool.metadata.name, view)
    }
    const gate = gateOfPolicies({
      pauses: this.#pausesAt(now),
      views,
      targetOf: (pool) => this.#targetsOf(pool).pool,
      now,
    })
    // The order changes with a look only; whoever has it once need not ask again.
    this.#driftOrder ??= { order: gate.driftOrder }
    const ofPlan: DisruptionGate = {
      hold: (candidate) => this.#unknownTarget(candidate),
      limit: (pool, reason) => rateLeft(views.get(pool), reason),
      driftOrder: undefined,
    }
    return { ...combineGates(ofPlan, gate), driftOrder: this.#driftOrder.order }
  }

  changesAfter(now: number): number | undefined {
    this.#lookAgain(now)
    const wakes = [...this.#governed.values()].flatMap((governed) => [
      governed.result?.wakeAt,
      (governed.result?.gate.nodes.size ?? 0) > 0 ? this.#bucket(governed, now).nextAt : undefined,
    ])
    const pauses = [...this.#pausesAt(now).values()].map((pause) => pause?.until)
    const times = [...wakes, ...pauses].filter((at) => at !== undefined && at > now).map(Number)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  started(candidate: Candidate, now: number, newNodes: readonly string[]): void {
    const [pool, claim] = [poolName(candidate), candidate.nodeClaim.metadata.name]
    this.#begin(pool, claim)
    this.#pay(pool, claim)
    this.#facts.started(pool, claim, { now, newNodes })
    for (const target of newNodes) this.#moved(target, 1)
  }

  removed(candidate: Candidate): void {
    const [pool, claim] = [poolName(candidate), candidate.nodeClaim.metadata.name]
    this.#begin(pool, claim)
    this.#facts.removed(pool, claim)
  }

  ready(candidate: Candidate, newNodes: readonly string[]): void {
    this.#facts.ready(candidate.nodeClaim.metadata.name, newNodes)
    for (const target of newNodes) this.#moved(target, -1)
  }

  gone({ nodePool, nodeClaim }: StateNode): void {
    const claim = nodeClaim?.metadata.name ?? ''
    const reason = this.#facts.node(nodePool, claim)?.drift
    this.#facts.gone(nodePool, claim)
    this.#moved(nodePool, -1)
    this.#claims.delete(claim)
    const governed = this.#of(nodePool)
    governed?.going.delete(claim)
    // Once no node drifts because of the pool any more, the approval of its class may be enough.
    const mayBeApproved = governed?.policy.spec.mode === 'Approve' && reason !== undefined && isPoolReason(reason)
    if (governed !== undefined && mayBeApproved) governed.isStale = true
  }

  #begin(pool: string, claim: string): void {
    const governed = this.#of(pool)
    const lane = governed?.result?.gate.nodes.get(claim)?.lane
    if (governed !== undefined && lane !== undefined) {
      governed.begun.all += 1
      if (lane === 'change') governed.begun.changes += 1
    }
    this.#moved(pool, 1)
  }

  #pay(pool: string, claim: string): void {
    const governed = this.#of(pool)
    const { nodes, changesAreFree = false } = governed?.result?.gate ?? {}
    if (governed === undefined || (changesAreFree && nodes?.get(claim)?.lane === 'change')) return
    governed.going.add(claim)
    governed.bucket = undefined
  }

  /** `by`: how many more are under way. */
  #moved(pool: string, by: 1 | -1): void {
    const governed = this.#of(pool)
    if (governed === undefined) return
    governed.underWay += by
    if (governed.canFail || governed.underWay === 0) governed.isStale = true
  }

  #bucket(governed: Governed, now: number): RateResult {
    const { rate, rateStatus: previous, bucket, going } = governed
    if (bucket?.at === now) return bucket.left
    const left = spendRate({ rate, previous, going, present: this.#claims, now })
    governed.bucket = { at: now, left }
    governed.rateStatus = left.status
    return left
  }

  #of(pool: string): Governed | undefined {
    return this.#governed.get(this.#governance.governing.get(pool)?.metadata.name ?? '')
  }

  /** No approval that exists can be of images that are not known yet. */
  #unknownTarget({ pool }: Candidate): Hold | undefined {
    const { name } = pool.metadata
    const policy = this.#governance.governing.get(name)
    const className = nodeClassNameOf(pool)
    if (policy?.spec.mode !== 'Approve' || className === undefined) return undefined
    if (!this.#input.unresolvedClasses.has(className)) return undefined
    const message = `RolloutPolicy ${policy.metadata.name}: NodePool ${name} awaits joinery.dev/approve; what to approve is known once EC2NodeClass ${className} has found its images, or to a plan that is told them (--images)`
    return { code: 'RolloutHeld', message }
  }

  #targetsOf(pool: NodePool): ApprovalTargets {
    return this.#targets.get(pool.metadata.name) ?? targetsOf(pool, this.#input)
  }

  #lookAgain(now: number): void {
    for (const governed of this.#governed.values()) {
      const { result, isStale } = governed
      if (result === undefined || isStale || (result.wakeAt !== undefined && now >= result.wakeAt)) {
        this.#look(governed, now)
      }
    }
  }

  #look(governed: Governed, now: number): void {
    const pools = governed.pools.filter(takesPart).map((pool) => {
      const { name } = pool.metadata
      const [targets, nodes, pause] = [this.#targetsOf(pool), this.#facts.of(name), this.#pausesAt(now).get(name)]
      return poolFacts(pool, this.#input, { targets, nodes, pause, now })
    })
    governed.isStale = false
    this.#driftOrder = undefined
    governed.begun = { changes: 0, all: 0 }
    for (let looks = 0; looks < looksMax; looks += 1) {
      const { policy } = governed
      const result = advance({
        policy,
        pools,
        yielded: [],
        pods: { waitingSince: [] },
        metric: undefined,
        now,
      })
      governed.result = result
      governed.policy = { ...policy, status: result.status }
      if (standing(policy) === standing(governed.policy)) return
    }
  }

  #pausesAt(now: number): ReadonlyMap<string, PoolPause | undefined> {
    if (this.#pauses === undefined || now >= this.#pauses.until) {
      const { nodePools } = this.#input
      const byPool = new Map(
        nodePools.map((pool) => [pool.metadata.name, pauseOf(pool, this.#input, this.#governance, now)]),
      )
      const until = Math.min(...[...byPool.values()].map((pause) => pause?.until ?? Number.POSITIVE_INFINITY))
      this.#pauses = { byPool, until }
    }
    return this.#pauses.byPool
  }
}

function governed(policy: RolloutPolicy, pools: readonly NodePool[], { launchMs }: ReplacementTiming): Governed {
  const { rate, ...spec } = policy.spec
  const { status } = policy
  return {
    policy: {
      ...policy,
      spec: withoutQuery(spec),
      ...(status?.inForce === undefined ? {} : { status: { ...status, inForce: withoutQuery(status.inForce) } }),
    },
    pools,
    result: undefined,
    isStale: true,
    begun: { changes: 0, all: 0 },
    underWay: 0,
    going: new Set(),
    rate,
    bucket: undefined,
    rateStatus: policy.status?.rate,
    canFail: launchMs >= nodeReadyTimeoutMs(spec.gates),
  }
}

/** The query counts as good; it would be asked every half a minute. */
function withoutQuery<T extends { readonly gates?: RolloutGates }>(terms: T): T {
  if (terms.gates === undefined) return terms
  const { prometheus: _, ...gates } = terms.gates
  return { ...terms, gates }
}

/** What holds every node of the policy once it is used up, so that none of them need be asked about. */
function rateLeft(view: PolicyView | undefined, reason: VoluntaryReason): number | undefined {
  if (view === undefined || reason !== 'Drifted' || view.policy.spec.mode === 'Observe') return undefined
  return view.gate?.changesAreFree === true ? undefined : Math.max(0, view.replacements)
}

/** What the engine's next answer depends on, of what it remembers; counts are read from the fleet each time. */
function standing({ status }: RolloutPolicy): string {
  return JSON.stringify([status?.revision, status?.startTime, status?.step, status?.soakedUntil, status?.failure])
}
