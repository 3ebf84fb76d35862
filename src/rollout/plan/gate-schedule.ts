import { conditionOf, isConditionTrue } from '../../api/conditions.ts'
import type { EC2NodeClass, NodeClaim, NodePool, RolloutPolicy } from '../../api/karpenter.ts'
import { annotationApprove } from '../../api/joinery-annotations.ts'
import { ec2NodeClassHashAnnotations, nodePoolHash } from '../../api/hash/index.ts'
import { countPoolNodes } from '../../disruption/budgets.ts'
import type { Candidate } from '../../disruption/candidates.ts'
import { type DisruptionGate, type Hold, openGate } from '../../disruption/gate.ts'
import { parseTimestamp } from '../../model/clock.ts'
import { zoneKey } from '../../model/offering-price.ts'
import { compareText } from '../../model/order.ts'
import type { StateNode } from '../../model/snapshot.ts'
import { readRolloutAnnotations } from '../annotations.ts'
import {
  advance,
  gateOfPolicies,
  govern,
  type NodeFacts,
  type PolicyView,
  policyView,
  type PoolFacts,
  type RolloutStepResult,
} from '../engine/index.ts'
import { poolPause } from '../pause.ts'
import { approvedBy, classTarget, imageIds, nodeClassNameOf, poolTarget } from '../target.ts'
import type { ReplacementTiming } from './input.ts'
import type { FleetProgress, GateSchedule } from './timeline.ts'

export interface GateScheduleInput {
  /** As proposed, stamped. */
  readonly nodePools: readonly NodePool[]
  readonly nodeClasses: ReadonlyMap<string, EC2NodeClass>
  readonly policies: readonly RolloutPolicy[]
  /** Those that drift say so in their conditions. */
  readonly nodes: readonly StateNode[]
  /** Names of classes whose images nobody knows yet. */
  readonly unresolvedClasses: ReadonlySet<string>
  readonly timing: ReplacementTiming
}

/**
 * Pauses and rollout policies as they will hold over the time of the plan: the rollout engine is asked again at every moment, with a
 * fleet whose replacements come to life on time and stay well. What it would wait for from outside (pods, a metric) counts as good.
 */
export function gateSchedule(input: GateScheduleInput): GateSchedule {
  const { selecting, governing } = govern(input.policies, input.nodePools)
  const isAnyPaused = input.nodePools.some((pool) => pauseOf(pool, input, selecting, 0) !== undefined)
  if (governing.size === 0 && !isAnyPaused)
    return { at: () => openGate, afterStart: () => undefined, changesAfter: () => undefined }
  return new PolicyGateSchedule(input)
}

/** The engine moves one step in one look; this many looks at one moment are more than any policy has steps. */
const looksMax = 50

class PolicyGateSchedule implements GateSchedule {
  readonly #input: GateScheduleInput
  readonly #governance: ReturnType<typeof govern>
  readonly #policies = new Map<string, RolloutPolicy>()
  readonly #results = new Map<string, RolloutStepResult>()
  readonly #machines: readonly Machine[]
  readonly #machineOfClaim: ReadonlyMap<string, Machine>
  /** By key of the node. */
  readonly #poolOf: ReadonlyMap<string, string>
  /** At the start of the plan. */
  readonly #counts: ReturnType<typeof countPoolNodes>
  /** By pool: hashing it again for every node would take longer than all the rest. */
  readonly #targets: ReadonlyMap<string, Targets>

  constructor(input: GateScheduleInput) {
    this.#input = input
    this.#governance = govern(input.policies, input.nodePools)
    for (const policy of this.#governance.governing.values()) this.#policies.set(policy.metadata.name, policy)
    this.#machines = input.nodes
      .flatMap((stateNode) => (stateNode.nodeClaim === undefined ? [] : [toMachine(stateNode, stateNode.nodeClaim)]))
      .toSorted((a, b) => compareText(a.facts.name, b.facts.name))
    this.#machineOfClaim = new Map(this.#machines.map((machine) => [machine.facts.name, machine]))
    this.#poolOf = new Map(this.#machines.map(({ key, pool }) => [key, pool]))
    this.#counts = countPoolNodes(input.nodes)
    this.#targets = new Map(input.nodePools.map((pool) => [pool.metadata.name, targetsOf(pool, input)]))
  }

  at(now: number, { started }: FleetProgress): DisruptionGate {
    for (const name of [...this.#policies.keys()].toSorted(compareText)) this.#look(name, now, started)
    return this.afterStart(now, { started })
  }

  afterStart(now: number, { started }: FleetProgress): DisruptionGate {
    const { governing, selecting } = this.#governance
    const isGoing = (claim: string): boolean => {
      const machine = this.#machineOfClaim.get(claim)
      return machine !== undefined && (started.has(machine.key) || machine.facts.going)
    }
    const underWay = this.#underWay(now, started)
    const views = new Map<string, PolicyView>()
    for (const [name, policy] of this.#policies) {
      const pools = [...governing].flatMap(([pool, each]) => (each.metadata.name === name ? [pool] : []))
      const view = policyView(policy, this.#results.get(name)?.gate, {
        isGoing,
        total: pools.reduce((sum, pool) => sum + (this.#counts.get(pool)?.total ?? 0), 0),
        unavailable: pools.reduce(
          (sum, pool) => sum + (underWay.get(pool) ?? 0) + (this.#counts.get(pool)?.disrupting ?? 0),
          0,
        ),
      })
      for (const pool of pools) views.set(pool, view)
    }
    const gate = gateOfPolicies({
      pauses: new Map(
        this.#input.nodePools.map((pool) => [pool.metadata.name, pauseOf(pool, this.#input, selecting, now)]),
      ),
      views,
      targetOf: (pool) => this.#targetsOf(pool).pool,
      now,
    })
    return { ...gate, hold: (candidate, reason) => this.#unknownTarget(candidate) ?? gate.hold(candidate, reason) }
  }

  /** No approval that exists can be of images that are not known yet. */
  #unknownTarget({ pool }: Candidate): Hold | undefined {
    const { name } = pool.metadata
    const policy = this.#governance.governing.get(name)
    const className = nodeClassNameOf(pool)
    if (policy?.spec.mode !== 'Approve' || className === undefined) return undefined
    if (!this.#input.unresolvedClasses.has(className)) return undefined
    const message = `RolloutPolicy ${policy.metadata.name}: NodePool ${name} awaits joinery.dev/approve; what to approve is known once EC2NodeClass ${className} has found its images`
    return { code: 'RolloutHeld', message }
  }

  changesAfter(now: number): number | undefined {
    const wakes = [...this.#results.values()].map(({ wakeAt }) => wakeAt)
    const pauses = this.#input.nodePools.map(
      (pool) => pauseOf(pool, this.#input, this.#governance.selecting, now)?.until,
    )
    const times = [...wakes, ...pauses].filter((at) => at !== undefined && at > now).map(Number)
    return times.length === 0 ? undefined : Math.min(...times)
  }

  #targetsOf(pool: NodePool): Targets {
    return this.#targets.get(pool.metadata.name) ?? targetsOf(pool, this.#input)
  }

  #look(name: string, now: number, started: ReadonlyMap<string, number>): void {
    for (let looks = 0; looks < looksMax; looks += 1) {
      const policy = this.#policies.get(name)
      if (policy === undefined) return
      const result = advance({
        policy,
        pools: this.#poolFacts(name, now, started),
        yielded: [],
        pods: { waitingSince: [] },
        metric: { kind: 'good', value: 0 },
        now,
      })
      this.#results.set(name, result)
      const isSettled = JSON.stringify(result.status) === JSON.stringify(policy.status)
      this.#policies.set(name, { ...policy, status: result.status })
      if (isSettled) return
    }
  }

  /** By pool, the nodes that are being replaced. */
  #underWay(now: number, started: ReadonlyMap<string, number>): ReadonlyMap<string, number> {
    const { launchMs, drainMs } = this.#input.timing
    const counts = new Map<string, number>()
    for (const [key, since] of started) {
      const pool = this.#poolOf.get(key)
      if (pool !== undefined && now < since + launchMs + drainMs) counts.set(pool, (counts.get(pool) ?? 0) + 1)
    }
    return counts
  }

  #poolFacts(policy: string, now: number, started: ReadonlyMap<string, number>): readonly PoolFacts[] {
    const { nodePools, nodeClasses } = this.#input
    return nodePools.flatMap((pool): PoolFacts[] => {
      const { name } = pool.metadata
      if (this.#governance.governing.get(name)?.metadata.name !== policy) return []
      const nodeClass = nodeClasses.get(nodeClassNameOf(pool) ?? '')
      const targets = this.#targetsOf(pool)
      const [own, ofClass] = [readRolloutAnnotations(pool, now), nodeClass && readRolloutAnnotations(nodeClass, now)]
      const restarts = [own.restartAt, ofClass?.restartAt].filter((at) => at !== undefined)
      const nodes = this.#machines.flatMap((machine) =>
        machine.pool === name ? this.#nodeFacts(machine, now, started.get(machine.key)) : [],
      )
      const drifted = nodes.flatMap(({ drift }) => drift ?? [])
      const kind = approvedBy(
        {
          pool: pool.metadata.annotations?.[annotationApprove],
          nodeClass: nodeClass?.metadata.annotations?.[annotationApprove],
        },
        { pool: targets.pool, nodeClass: targets.nodeClass, poolChanged: drifted.some((it) => poolReasons.has(it)) },
      )
      return [
        {
          name,
          target: targets.pool,
          wanted: targets.pool,
          nodeClass:
            nodeClass === undefined || targets.nodeClass === undefined
              ? undefined
              : {
                  name: nodeClass.metadata.name,
                  target: targets.nodeClass,
                  images: (nodeClass.status?.amis ?? []).map(({ id, name: image = '' }) => ({ id, name: image })),
                  youngestImageAt: undefined,
                  isGood: false,
                  lastGood: undefined,
                  pinnedInsteadOf: undefined,
                },
          isStatic: pool.spec.replicas !== undefined,
          retiring: own.retire,
          restartAt: restarts.length === 0 ? undefined : Math.max(...restarts),
          approval:
            kind === undefined
              ? undefined
              : {
                  kind,
                  name: kind === 'NodePool' ? name : (nodeClass?.metadata.name ?? ''),
                  target: kind === 'NodePool' ? targets.pool : (targets.nodeClass ?? ''),
                  time: undefined,
                  fieldManager: undefined,
                },
          pause: pauseOf(pool, this.#input, this.#governance.selecting, now),
          nodes,
        },
      ]
    })
  }

  /** The node until it is gone, and from the start of its replacement the one that comes instead. */
  #nodeFacts({ facts }: Machine, now: number, startedAt: number | undefined): readonly NodeFacts[] {
    if (startedAt === undefined) return [facts]
    const { launchMs, drainMs } = this.#input.timing
    const isReady = now >= startedAt + launchMs
    const successor: NodeFacts = {
      ...facts,
      name: `${facts.name}-next`,
      createdAt: startedAt + 1_000,
      drift: undefined,
      launched: isReady,
      initialized: isReady,
      ready: isReady,
    }
    const isGone = now >= startedAt + launchMs + drainMs
    return isGone ? [successor] : [{ ...facts, going: true, goingForDrift: true }, successor]
  }
}

interface Machine {
  readonly key: string
  readonly pool: string
  readonly facts: NodeFacts
}

/** A node that is there counts as well: what ails it today is no part of the change. */
function toMachine({ key, nodePool, labels, markedForDeletion }: StateNode, claim: NodeClaim): Machine {
  const drifted = isConditionTrue(claim, 'Drifted') ? conditionOf(claim, 'Drifted')?.reason : undefined
  return {
    key,
    pool: nodePool,
    facts: {
      name: claim.metadata.name,
      createdAt: parseTimestamp(claim.metadata.creationTimestamp) ?? 0,
      zone: labels[zoneKey] ?? '',
      labels,
      drift: drifted,
      image: claim.status?.imageID,
      launched: true,
      initialized: true,
      ready: true,
      unreadyFrom: undefined,
      going: markedForDeletion,
      goingForDrift: false,
      blocked: undefined,
      unreadyPods: 0,
      unreadySince: undefined,
    },
  }
}

/** Reasons that lie in the pool: an approval of the class does not speak of them. */
const poolReasons: ReadonlySet<string> = new Set(['NodePoolDrifted', 'RequirementsDrifted'])

interface Targets {
  readonly pool: string
  readonly nodeClass: string | undefined
}

function targetsOf(pool: NodePool, { nodeClasses }: Pick<GateScheduleInput, 'nodeClasses'>): Targets {
  const nodeClass = nodeClasses.get(nodeClassNameOf(pool) ?? '')
  const hash = nodeClass?.metadata.annotations?.[ec2NodeClassHashAnnotations.hash]
  const ofClass = nodeClass === undefined || hash === undefined ? undefined : classTarget(hash, imageIds(nodeClass))
  return { nodeClass: ofClass, pool: poolTarget(nodePoolHash(pool), ofClass) }
}

function pauseOf(
  pool: NodePool,
  { nodeClasses }: Pick<GateScheduleInput, 'nodeClasses'>,
  selecting: ReturnType<typeof govern>['selecting'],
  now: number,
) {
  const nodeClass = nodeClasses.get(nodeClassNameOf(pool) ?? '')
  return poolPause({ pool, nodeClass, policies: selecting.get(pool.metadata.name) ?? [] }, now)
}
