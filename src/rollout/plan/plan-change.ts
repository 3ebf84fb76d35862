import { conditionOf, nodeClaimConditions, setCondition } from '../../api/conditions.ts'
import type { NodePool } from '../../api/karpenter.ts'
import { surveyCandidates } from '../../disruption/candidates.ts'
import type { Displaced, UnplacedPod } from '../../disruption/what-if.ts'
import { isReschedulable } from '../../disruption/pod-eviction.ts'
import { toTimestamp } from '../../model/clock.ts'
import { cheapestPrice } from '../../model/offering-price.ts'
import { compareText } from '../../model/order.ts'
import { podKey } from '../../model/pod.ts'
import type { PodInfo } from '../../model/pod.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import { type Placement, templateRequirements } from '../../scheduling/index.ts'
import { CoarseJudge } from './coarse-judge.ts'
import { ExactJudge } from './exact-judge.ts'
import { FleetCount } from './fleet-count.ts'
import { gateSchedule } from './gate-schedule.ts'
import { exactMaxDefault, type PlanInput } from './input.ts'
import { exceededLimits, limitHits } from './limit-hits.ts'
import { judgeNodes, type JudgedNode } from './node-verdicts.ts'
import { openedConsolidation } from './opened-consolidation.ts'
import type { BlockedNode, LimitHit, Plan, PlannedNode, PlanWave, UnplaceablePod } from './plan.ts'
import { costOf, type CostChange, priceList } from './plan-cost.ts'
import { type Timeline, walkTimeline } from './timeline.ts'
import { PlanWorld } from './world.ts'

/** What the proposal would do to the cluster. The same input gives the same plan. */
export function planChange(input: PlanInput): Plan {
  const { snapshot, proposal, timing } = input
  const { nodes: judged, stamped } = judgeNodes(input)
  const priceOf = priceList(input.presentTypes)
  const after = snapshotAfter(snapshot, judged, [...stamped.nodePools.values()])
  const { nodes, empties } = openedConsolidation(judged, { present: input.present.nodePools, after })
  const world = new PlanWorld(after, input)
  const drifting = nodes.filter(({ verdict }) => verdict.kind === 'replace')
  const going = nodes.flatMap(({ stateNode, verdict }) =>
    verdict.kind === 'remove' && atOnce.has(verdict.reason) ? [stateNode] : [],
  )
  const found = new Findings()
  const changes: CostChange[] = []

  const isTouched = drifting.length + going.length + empties.length > 0
  const settled = isTouched ? world.settle(going.map(displacedOf)) : undefined
  const unknown = whyTypesUnknown(input)
  if (settled !== undefined && going.length > 0) {
    const names = new Set(going.map(({ name }) => name))
    const isTheirs = ({ nodeName }: PodInfo): boolean => names.has(nodeName)
    // Pods that find no place anyway, and what comes for them, are no concern of a plan.
    if (unknown === undefined) {
      found.unplaced(
        settled.unplaced.filter(({ pod }) => isTheirs(pod)),
        settled.placement,
      )
    }
    const added = settled.placement.newNodePlans.filter(({ pods }) => pods.some(isTheirs))
    changes.push({ at: snapshot.now, amount: added.reduce((sum, { price }) => sum + (price ?? 0), 0) })
    const goneAt = snapshot.now + timing.drainMs
    for (const stateNode of going) changes.push({ at: goneAt, amount: -priceOf(stateNode) })
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
  const judge = isExact
    ? new ExactJudge(world)
    : new CoarseJudge(world, Math.max(1, Math.ceil(toJudge / coarseNodesMax)))
  const leavingKeys = new Set(going.map(({ key }) => key))
  const fleet = after.nodes.map((node) => (leavingKeys.has(node.key) ? { ...node, markedForDeletion: true } : node))
  const counts = new FleetCount(fleet)
  const timeline = walkTimeline({
    start: snapshot.now,
    candidates,
    empties,
    leaving: fleet.filter(({ markedForDeletion }) => markedForDeletion),
    coming: settled?.placement.newNodePlans.map(({ nodePool }) => nodePool) ?? [],
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
    staticPrice: (pool) => templatePrice(pool, input),
  })
  for (const { candidate, message } of timeline.held) {
    found.blocked(candidate.stateNode, message)
    const judged = judge.refusal(candidate)
    if (judged !== undefined) found.unplaced(judged.unplaced, judged.placement)
  }
  for (const { candidate, at, goneAt, addedPrice } of timeline.starts) {
    changes.push({ at, amount: addedPrice })
    changes.push({ at: goneAt, amount: -priceOf(candidate.stateNode) })
  }

  found.limited(exceededLimits(after.nodePools, after.nodes))

  const before = nodes.reduce((sum, { stateNode }) => sum + priceOf(stateNode), 0)
  const waves = wavesOf(timeline, going, snapshot.now)
  const waveOf = new Map(waves.flatMap(({ wave, nodes: names }) => names.map((name) => [name, wave])))
  const removalEnd = going.length === 0 ? snapshot.now : snapshot.now + timing.drainMs
  return {
    objects: proposal.objects,
    nodes: nodes.map((judged) => plannedNode(judged, waveOf)).toSorted((a, b) => compareText(a.node, b.node)),
    waves,
    ...found.lists(),
    cost: unknown === undefined ? costOf(before, changes) : null,
    durationSeconds: Math.round((Math.max(timeline.end, removalEnd) - snapshot.now) / 1000),
    notices: [...unknownNotices(unknown), ...noticesOf(nodes, isExact ? 0 : candidates.length)],
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

function unknownNotices(because: string | undefined): readonly string[] {
  if (because === undefined) return []
  const text = because.slice(0, 1).toUpperCase() + because.slice(1)
  return [`${text}. The plan takes it that new nodes can be launched where they are needed, and tells no cost.`]
}

/** `grouped`: nodes that were not judged each by itself. */
function noticesOf(nodes: readonly JudgedNode[], grouped: number): readonly string[] {
  const open = nodes.filter(({ verdict }) => verdict.kind === 'inPlace' && verdict.reason !== undefined).length
  return [
    ...(grouped === 0
      ? []
      : [
          `${grouped} nodes to replace are too many to judge each by itself: they are judged in groups, so single nodes may go sooner or later than told. --exact judges each, which takes far longer.`,
        ]),
    ...(open === 0
      ? []
      : [
          `Consolidation may from now on move the pods of ${open} node(s) together and remove or replace them: a plan does not say which.`,
        ]),
  ]
}

/** The cluster as soon as the proposal is applied and every claim has been looked at: nobody has moved yet. */
function snapshotAfter(snapshot: Snapshot, nodes: readonly JudgedNode[], pools: readonly NodePool[]): Snapshot {
  const judged = new Map(nodes.map(({ stateNode, verdict }) => [stateNode.key, verdict]))
  return {
    ...snapshot,
    nodePools: pools.toSorted((a, b) => compareText(a.metadata.name, b.metadata.name)),
    nodes: snapshot.nodes.map((stateNode) => {
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

function displacedOf(stateNode: StateNode): Displaced {
  return { stateNode, reschedulablePods: stateNode.pods.filter(isReschedulable) }
}

function plannedNode({ stateNode, verdict }: JudgedNode, waveOf: ReadonlyMap<string, number>): PlannedNode {
  const { name, nodePool, nodeClaim } = stateNode
  const common = { node: name, nodeClaim: nodeClaim?.metadata.name ?? '', nodePool }
  const wave = waveOf.get(name) ?? null
  switch (verdict.kind) {
    case 'stay':
      return { ...common, action: 'stay', reason: null, fields: [], wave: null }
    case 'inPlace':
      return {
        ...common,
        action: 'inPlace',
        reason: verdict.reason ?? null,
        fields: shown(verdict.fields),
        wave: null,
      }
    case 'replace':
      return {
        ...common,
        action: 'replace',
        reason: verdict.finding.reason,
        fields: shown(verdict.finding.fields),
        wave,
      }
    case 'remove':
      return { ...common, action: 'remove', reason: verdict.reason, fields: shown(verdict.fields), wave }
  }
}

/** JSON has no undefined: a side that lacks the field is null. */
function shown(fields: PlannedNode['fields']): PlannedNode['fields'] {
  return fields.map((field) => ({ path: field.path, old: field.old ?? null, new: field.new ?? null }))
}

function wavesOf({ starts }: Timeline, going: readonly StateNode[], now: number): readonly PlanWave[] {
  const byTime = new Map<number, string[]>()
  const at = (time: number): string[] => {
    const names = byTime.get(time) ?? []
    byTime.set(time, names)
    return names
  }
  for (const { name } of going) at(now).push(name)
  for (const start of starts) at(start.at).push(start.candidate.name)
  return [...byTime]
    .toSorted(([a], [b]) => a - b)
    .map(([time, nodes], index) => ({ wave: index + 1, notBefore: toTimestamp(time), nodes }))
}

/** The cheapest that a static pool's template could become. */
function templatePrice(pool: NodePool, { snapshot, settings }: PlanInput): number {
  const list = snapshot.instanceTypes.get(pool.metadata.name)
  if (list?.kind !== 'resolved' || pool.spec.replicas === undefined) return 0
  const requirements = templateRequirements(pool, settings.vocabulary.aliases)
  const prices = list.types.map((type) => cheapestPrice(type, requirements, settings.vocabulary.wellKnown))
  const lowest = Math.min(...prices)
  return Number.isFinite(lowest) ? lowest : 0
}

/** What stands in the way, gathered while the plan is made; each thing once. */
class Findings {
  readonly #blocked = new Map<string, BlockedNode>()
  readonly #pods = new Map<string, UnplaceablePod>()
  readonly #limits = new Map<string, LimitHit>()
  /** Many refusals may rest on one placement. */
  readonly #seen = new Set<Placement>()

  blocked({ name }: StateNode, message: string): void {
    this.#blocked.set(name, { node: name, message })
  }

  unplaced(pods: readonly UnplacedPod[], placement: Placement): void {
    for (const { pod, text } of pods) {
      this.#pods.set(podKey(pod), { pod: podKey(pod), node: pod.nodeName, message: text })
    }
    if (this.#seen.has(placement)) return
    this.#seen.add(placement)
    this.limited(limitHits(placement))
  }

  limited(hits: readonly LimitHit[]): void {
    for (const hit of hits) this.#limits.set(`${hit.nodePool} ${hit.message}`, hit)
  }

  lists(): Pick<Plan, 'unplaceablePods' | 'blockedBy' | 'limits'> {
    return {
      unplaceablePods: [...this.#pods.values()].toSorted((a, b) => compareText(a.pod, b.pod)),
      blockedBy: [...this.#blocked.values()].toSorted((a, b) => compareText(a.node, b.node)),
      limits: [...this.#limits.values()].toSorted(
        (a, b) => compareText(a.nodePool, b.nodePool) || compareText(a.message, b.message),
      ),
    }
  }
}
