import { conditionOf, nodeClaimConditions, setCondition } from '../../api/conditions.ts'
import type { NodePool } from '../../api/karpenter.ts'
import { surveyCandidates } from '../../disruption/candidates.ts'
import type { HeldRoom } from '../../disruption/held-room.ts'
import type { Displaced, UnplacedPod } from '../../disruption/what-if.ts'
import { isReschedulable } from '../../disruption/pod-eviction.ts'
import { sumPrices } from '../../model/instance-type.ts'
import { compareText } from '../../model/order.ts'
import type { PodInfo } from '../../model/pod.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import { CoarseJudge } from './coarse-judge.ts'
import { ExactJudge } from './exact-judge.ts'
import { FleetCount } from './fleet-count.ts'
import { Findings } from './findings.ts'
import { gateSchedule } from './gate-schedule.ts'
import { exactMaxDefault, type PlanInput } from './input.ts'
import { exceededLimits } from './limit-hits.ts'
import { missingReplicas } from './missing-replicas.ts'
import { judgeNodes, type JudgedNode } from './node-verdicts.ts'
import { noticesOf } from './notices.ts'
import { openedConsolidation } from './opened-consolidation.ts'
import type { Plan } from './plan.ts'
import { costOf, type CostChange, priceList } from './plan-cost.ts'
import { plannedNode, wavesOf } from './planned-nodes.ts'
import { repricedPools } from './repriced-pools.ts'
import { standInNode } from './stand-in-node.ts'
import { outdatedAtStart } from './starting-claims.ts'
import { staticPlan } from './static-plan.ts'
import { walkTimeline } from './timeline.ts'
import { untypedPools } from './untyped-pools.ts'
import { type Move, PlanWorld } from './world.ts'

/** What the proposal would do to the cluster. The same input gives the same plan. */
export function planChange(input: PlanInput): Plan {
  const { snapshot, proposal, timing } = input
  const { nodes: judged, stamped } = judgeNodes(input)
  const priceOf = priceList(input.presentTypes)
  const after = snapshotAfter(snapshot, judged, [...stamped.nodePools.values()])
  const { nodes, empties } = openedConsolidation(judged, {
    present: input.present.nodePools,
    after,
    held: input.held.onNodes,
  })
  const world = new PlanWorld(after, input)
  const drifting = nodes.filter(({ verdict }) => verdict.kind === 'replace')
  const going = nodes.flatMap(({ stateNode, verdict }) =>
    verdict.kind === 'remove' && atOnce.has(verdict.reason) ? [stateNode] : [],
  )
  const leaving = nodes.flatMap(({ stateNode }) => (stateNode.markedForDeletion ? [stateNode] : []))
  const queued = new Set(
    nodes.flatMap(({ stateNode: { key }, verdict }) =>
      'reason' in verdict && verdict.reason === 'InQueue' ? [key] : [],
    ),
  )
  const goneAt = ({ key }: StateNode): number => snapshot.now + timing.drainMs + (queued.has(key) ? timing.launchMs : 0)
  const found = new Findings()
  const changes: CostChange[] = []

  const isTouched = drifting.length + going.length + leaving.length + empties.length > 0
  const settled = isTouched ? world.settle(going.map(displacedOf)) : undefined
  const typesUnknown = whyTypesUnknown(input)
  const removalEnd = going.length === 0 ? snapshot.now : snapshot.now + timing.drainMs
  if (settled !== undefined) {
    const { unplaced } = movedFrom(going, settled, input.held)
    if (typesUnknown === undefined && going.length > 0) found.unplaced(unplaced, settled.placement)
    const gone = [...going, ...leaving]
    changes.push({ at: snapshot.now, amount: movedFrom(gone, settled, input.held).addedPrice })
    for (const stateNode of gone) changes.push({ at: goneAt(stateNode), amount: -priceOf(stateNode) })
  }

  const survey = surveyCandidates(after, { disruptionClass: 'eventual', queued: new Set() })
  const wanted = new Set(drifting.map(({ stateNode }) => stateNode.key))
  // Those that pods of nodes that go at once have moved to have these by now.
  const candidates = survey.candidates
    .filter(({ providerID }) => wanted.has(providerID))
    .map((candidate) => world.current(candidate))
  for (const { stateNode, message } of survey.blocked) if (wanted.has(stateNode.key)) found.blocked(stateNode, message)
  const toJudge = candidates.length * snapshot.nodes.length
  const isExact = toJudge <= (input.exactMax ?? exactMaxDefault)
  const groupSize = Math.max(1, Math.ceil(toJudge / coarseNodesMax))
  const judge = isExact ? new ExactJudge(world) : new CoarseJudge(world, groupSize)
  const leavingKeys = new Set(going.map(({ key }) => key))
  const leavingNow = after.nodes.map((node) =>
    leavingKeys.has(node.key) ? { ...node, markedForDeletion: true } : node,
  )
  // Budgets count those that are on their way up once they are there.
  const comingKeys = new Set(snapshot.nodes.filter(isComing).map(({ key }) => key))
  const fleet = leavingNow.map((node) => (comingKeys.has(node.key) ? { ...node, initialized: false } : node))
  const counts = new FleetCount(fleet, queued)
  const staticPrice = (pool: NodePool): number => staticPlan(pool, snapshot, input.settings)?.price ?? 0
  const missing = input.keepsReplicas ? missingReplicas(after) : []
  for (const { pool, nodes: made, limit } of missing) {
    changes.push({ at: snapshot.now, amount: made * staticPrice(pool) })
    if (limit !== undefined) found.limited([limit])
  }
  const timeline = walkTimeline({
    start: snapshot.now,
    candidates,
    empties,
    leaving: fleet
      .filter(({ markedForDeletion }) => markedForDeletion)
      .map((stateNode) => ({ stateNode, goneAt: goneAt(stateNode) })),
    coming: [
      ...(settled?.placement.newNodePlans ?? []),
      ...fleet.filter(({ key, markedForDeletion }) => comingKeys.has(key) && !markedForDeletion),
      ...missing.flatMap(({ pool, nodes: made }) =>
        Array.from({ length: made }, () => ({ nodePool: pool.metadata.name })),
      ),
    ].map(({ nodePool }) => nodePool),
    notUp: comingKeys,
    counts,
    timing,
    judge,
    gates: gateSchedule({
      nodePools: after.nodePools,
      nodeClasses: stamped.nodeClasses,
      policies: proposal.proposed.rolloutPolicies,
      nodes: fleet,
      counts,
      unresolvedClasses: input.unresolvedClasses,
      timing,
    }),
    staticPrice,
  })
  for (const { candidate, message } of timeline.held) {
    found.blocked(candidate.stateNode, message)
    const judged = judge.refusal(candidate)
    if (judged !== undefined) found.unplaced(judged.unplaced, judged.placement)
  }
  const { lost } = world
  if (lost.placement !== undefined && typesUnknown === undefined) found.unplaced(lost.pods, lost.placement)
  changes.push(...timeline.late)
  for (const { candidate, at, goneAt, addedPrice } of timeline.starts) {
    changes.push({ at, amount: addedPrice })
    changes.push({ at: goneAt, amount: -priceOf(candidate.stateNode) })
  }

  found.limited(exceededLimits(after.nodePools, after.nodes))

  const before = sumPrices(nodes.map(({ stateNode }) => priceOf(stateNode)))
  const waves = wavesOf(timeline, going, snapshot.now)
  const waveOf = new Map(waves.flatMap(({ wave, nodes: names }) => names.map((name) => [name, wave])))
  return {
    objects: proposal.objects,
    nodes: nodes.map((judged) => plannedNode(judged, waveOf)).toSorted((a, b) => compareText(a.node, b.node)),
    waves,
    ...found.lists(),
    cost: typesUnknown === undefined ? costOf(before, changes) : null,
    durationSeconds: Math.round((Math.max(timeline.end, removalEnd) - snapshot.now) / 1000),
    notices: noticesOf({
      after,
      present: input.present,
      proposal,
      nodes,
      unresolvedClasses: input.unresolvedClasses,
      typesUnknown,
      untyped: untypedPools(after, input.settings),
      unpriced: nodes.filter(({ stateNode }) => priceOf(stateNode) === 0).length,
      repriced: repricedPools(input),
      missing,
      outdatedAtStart: outdatedAtStart(input.starting, stamped),
      keepsReplicas: input.keepsReplicas,
      grouped: isExact ? 0 : candidates.length,
      unread: input.unread ?? [],
      isCutOff: timeline.isCutOff && timeline.starts.length > 0 && timeline.held.length > 0,
    }),
  }
}

/** Where replacements are judged in groups, so many nodes are looked at in all the views that are made: what keeps 2,000 nodes under three seconds. */
const coarseNodesMax = 8_000

/** Removals that heed no budgets. */
const atOnce: ReadonlySet<string> = new Set(['NodePoolRemoved', 'ScaledDown'])

/** Of the first pool, before or after, whose types nobody knows; undefined when all are known. */
function whyTypesUnknown({ snapshot, presentTypes }: PlanInput): string | undefined {
  const lists = [...snapshot.instanceTypes.values(), ...presentTypes.values()]
  return lists.flatMap((list) => (list.kind === 'unknown' ? [list.because] : []))[0]
}

function withStatus(pool: NodePool, status: NodePool['status']): NodePool {
  return status === undefined ? pool : { ...pool, status }
}

/**
 * The cluster as soon as the proposal is applied and every claim has been looked at: nobody has moved yet. Nodes that are on their way up, as
 * some always are, are taken to be up: the loop waits for them, while here nothing would ever end the wait.
 */
function snapshotAfter(snapshot: Snapshot, nodes: readonly JudgedNode[], pools: readonly NodePool[]): Snapshot {
  // Nobody has looked at a pool yet that comes with the manifests: the snapshot says how ready it will be.
  const statuses = new Map(snapshot.nodePools.map(({ metadata, status }) => [metadata.name, status]))
  const judged = new Map(nodes.map(({ stateNode, verdict }) => [stateNode.key, verdict]))
  return {
    ...snapshot,
    nodePools: pools
      .map((pool) => withStatus(pool, statuses.get(pool.metadata.name)))
      .toSorted((a, b) => compareText(a.metadata.name, b.metadata.name)),
    nodes: snapshot.nodes.map((recorded) => {
      const stateNode = isComing(recorded) ? asUp(recorded) : recorded
      const verdict = judged.get(stateNode.key)
      const { nodeClaim } = stateNode
      if (verdict?.kind !== 'replace' || nodeClaim === undefined) return stateNode
      const { reason } = verdict.finding
      // A node that has drifted before keeps its place in the queue.
      const known = conditionOf(nodeClaim, 'Drifted')?.status === 'True'
      const claim = known
        ? nodeClaim
        : setCondition(nodeClaim, nodeClaimConditions, { type: 'Drifted', status: 'True', reason }, snapshot.now)
      return { ...stateNode, nodeClaim: claim }
    }),
  }
}

function asUp(recorded: StateNode): StateNode {
  return { ...recorded, node: recorded.node ?? standInNode(recorded), registered: true, initialized: true }
}

function isComing({ initialized, markedForDeletion }: StateNode): boolean {
  return !initialized && !markedForDeletion
}

/** What becomes of the pods of nodes that go. Others that find no place anyway, and what comes for them, are no concern of a plan. */
function movedFrom(
  going: readonly StateNode[],
  { unplaced, placement }: Move,
  { onNodes }: HeldRoom,
): { readonly unplaced: readonly UnplacedPod[]; readonly addedPrice: number } {
  const names = new Set(going.map(({ name }) => name))
  const standIns = new Set(going.flatMap(({ key }) => onNodes.get(key) ?? []).map(({ uid }) => uid))
  const isTheirs = ({ nodeName, uid }: PodInfo): boolean => names.has(nodeName) || standIns.has(uid)
  const added = placement.newNodePlans.filter(({ pods }) => pods.some(isTheirs))
  return {
    unplaced: unplaced.filter(({ pod }) => isTheirs(pod)),
    addedPrice: sumPrices(added.map(({ price }) => price ?? 0)),
  }
}

function displacedOf(stateNode: StateNode): Displaced {
  return { stateNode, reschedulablePods: stateNode.pods.filter(isReschedulable) }
}
