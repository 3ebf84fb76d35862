import { conditionOf, nodeClaimConditions, setCondition, setConditionTrue } from '../../api/conditions.ts'
import { ec2NodeClassHashAnnotations, hashesDiffer } from '../../api/hash/index.ts'
import type { NodeClaim, NodePool } from '../../api/karpenter.ts'
import { awsVocabulary } from '../../api/label-rules.ts'
import { repairPolicies } from '../../cloud/aws/repair-policies.ts'
import { computeBudgets } from '../../disruption/budgets.ts'
import { type Blocked, type Candidate, poolName, surveyCandidates } from '../../disruption/candidates.ts'
import {
  type Command,
  type DisruptionMethod,
  estimatedSavings,
  methodOrder,
  reasonOf,
} from '../../disruption/command.ts'
import { decideConsolidatable } from '../../disruption/conditions.ts'
import { filterConsolidation } from '../../disruption/consolidation.ts'
import { decideDrift, filterDrifted } from '../../disruption/drift.ts'
import { decideEmptiness, filterEmpty } from '../../disruption/emptiness.ts'
import { decideMultiNode } from '../../disruption/multi-node.ts'
import { type DisruptionGate, throughGate } from '../../disruption/gate.ts'
import type { HeldRoom } from '../../disruption/held-room.ts'
import { explainPoolDrift } from '../../disruption/pool-drift.ts'
import { decideRepair } from '../../disruption/repair.ts'
import { runToEnd } from '../../model/sliced.ts'
import { decideSingleNode } from '../../disruption/single-node.ts'
import {
  decideStaticDrift,
  filterStaticDrifted,
  heldStaticDrift,
  replacementRoom,
  staticCounts,
} from '../../disruption/static-drift.ts'
import { type DriftFinding, driftMessage } from '../../model/drift-finding.ts'
import { compareText } from '../../model/order.ts'
import { noResources } from '../../model/resources.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import { simulatorOn } from '../../disruption/what-if.ts'
import { type NodePlan, type SchedulingSettings, templateRequirements } from '../../scheduling/index.ts'
import { type DisruptionAnswer, plannedNode } from './answer.ts'
import { shownGate } from './holds.ts'
import type { SimulationObjects } from './objects.ts'
import { totalsIn } from './pool-totals.ts'
import { withoutBarredPools } from './shown-breaker.ts'
import { queuedKeys } from './under-way.ts'

export interface DisruptOptions {
  readonly settings: SchedulingSettings
  readonly gates: Readonly<Record<string, boolean>>
  readonly held: HeldRoom
}

/** What one pass of the disruption loop would start from this state, before it waits and looks again; and why other nodes are left alone. */
export function decideDisruption(
  snapshot: Snapshot,
  objects: SimulationObjects,
  options: DisruptOptions,
): DisruptionAnswer {
  const state = { ...snapshot, nodes: snapshot.nodes.map((node) => withConditions(node, snapshot, objects)) }
  const { vocabulary } = options.settings
  const repairs = options.gates['NodeRepair'] === true ? repairCommands(state) : []
  const gate = shownGate({ snapshot, nodeClasses: objects.nodeClasses, policies: objects.rolloutPolicies })
  const blocked = new Map<string, Blocked>()
  let commands: readonly Command<NodePlan>[] = []
  for (const method of methodOrder) {
    const outcome = runMethod(method, state, { ...options, gate })
    for (const found of outcome.blocked) blocked.set(`${found.stateNode.key} ${found.code}`, found)
    commands = outcome.commands
    // The first method that starts something ends the pass.
    if (commands.length > 0) break
  }
  const chosen = new Set(commands.flatMap(({ candidates }) => candidates.map(({ name }) => name)))
  return {
    commands: [
      ...repairs,
      ...commands.map((command) => ({
        reason: command.reason,
        method: command.method,
        candidates: command.candidates.map(({ name }) => name),
        replacements: command.replacements.map((plan) => plannedNode(plan, vocabulary)),
        savingsPerHour: command.candidates.some(({ typesUnknown }) => typesUnknown !== undefined)
          ? null
          : estimatedSavings(command, vocabulary.wellKnown),
      })),
    ],
    blocked: [...blocked.values()]
      .filter(({ stateNode }) => !chosen.has(stateNode.name))
      .map(({ stateNode, code, message }) => ({ node: stateNode.name, reason: code, message }))
      .toSorted((a, b) => compareText(a.node, b.node) || compareText(a.reason, b.reason)),
  }
}

interface Filtered {
  readonly eligible: readonly Candidate[]
  readonly blocked: readonly Blocked[]
}

interface Outcome {
  readonly commands: readonly Command<NodePlan>[]
  readonly blocked: readonly Blocked[]
}

function runMethod(
  method: DisruptionMethod,
  snapshot: Snapshot,
  { settings, gates, held, gate }: DisruptOptions & { readonly gate: DisruptionGate },
): Outcome {
  const disruptionClass = method === 'drift' || method === 'staticDrift' ? 'eventual' : 'graceful'
  const survey = surveyCandidates(snapshot, { disruptionClass, queued: queuedKeys(snapshot) })
  const budgets = computeBudgets(snapshot.nodePools, snapshot.nodes, reasonOf[method], snapshot.now)
  const simulate = simulatorOn(withoutBarredPools(snapshot), settings, { virtual: held.standIns })
  const common = {
    budgets,
    simulate,
    totals: totalsIn(snapshot, survey.candidates),
    options: { wellKnownLabels: settings.vocabulary.wellKnown, spotToSpot: gates['SpotToSpotConsolidation'] === true },
    elapsedMs: () => 0,
  }
  const gated = (found: Filtered): Filtered => {
    const { eligible, blocked } = throughGate(found.eligible, reasonOf[method], gate)
    return { eligible, blocked: [...found.blocked, ...blocked] }
  }
  switch (method) {
    case 'emptiness': {
      const { eligible, blocked } = gated(filterEmpty(survey.candidates, held.onNodes))
      const decision = decideEmptiness<NodePlan>(eligible, budgets)
      const commands = decision.kind === 'command' ? [decision.command] : []
      return { commands, blocked: [...survey.blocked, ...blocked, ...decision.blocked] }
    }
    case 'staticDrift': {
      const { eligible, blocked } = gated({ eligible: filterStaticDrifted(survey.candidates), blocked: [] })
      const counts = staticCounts(snapshot.nodes)
      const wishes = decideStaticDrift(eligible, budgets, counts)
      const granted = new Map(
        snapshot.nodePools.map((pool) => [pool.metadata.name, replacementRoom(pool, snapshot.nodes)]),
      )
      const commands = wishes.flatMap(({ pool, candidates }) =>
        candidates.slice(0, granted.get(pool)).map((candidate) => staticReplacement(candidate, settings)),
      )
      const held = heldStaticDrift(eligible, budgets, counts, granted)
      return { commands, blocked: [...survey.blocked, ...blocked, ...held] }
    }
    case 'drift': {
      const { eligible, blocked } = gated({ eligible: filterDrifted(survey.candidates), blocked: [] })
      const decision = runToEnd(decideDrift(eligible, budgets, simulate))
      const commands = decision.command === undefined ? [] : [decision.command]
      return { commands, blocked: [...survey.blocked, ...blocked, ...decision.blocked] }
    }
    case 'multiNode': {
      const { eligible, blocked } = gated(filterConsolidation(survey.candidates))
      const { command } = runToEnd(decideMultiNode({ ...common, eligible }))
      return { commands: command === undefined ? [] : [command], blocked: [...survey.blocked, ...blocked] }
    }
    case 'singleNode': {
      const { eligible, blocked } = gated(filterConsolidation(survey.candidates))
      const decision = runToEnd(
        decideSingleNode({ ...common, eligible, unseenPools: new Set<string>(), unsteady: new Set<string>() }),
      )
      const [failure] = decision.failed
      if (failure !== undefined) throw failure.error
      const commands = decision.step.kind === 'command' ? [decision.step.command] : []
      return { commands, blocked: [...survey.blocked, ...blocked, ...decision.blocked] }
    }
  }
}

function staticReplacement(candidate: Candidate, { vocabulary }: SchedulingSettings): Command<NodePlan> {
  const plan: NodePlan = {
    nodePool: poolName(candidate),
    pool: candidate.pool,
    requirements: templateRequirements(candidate.pool, vocabulary.aliases),
    instanceTypes: [],
    pods: [],
    requests: noResources,
    labels: {},
    annotations: {},
    reservations: [],
    minValuesRelaxed: false,
    price: undefined,
  }
  return { method: 'staticDrift', reason: 'Drifted', candidates: [candidate], replacements: [plan], destinations: [] }
}

function repairCommands(snapshot: Snapshot): DisruptionAnswer['commands'] {
  return snapshot.nodes.flatMap((stateNode) => {
    const { node, nodePool, nodeClaim } = stateNode
    if (node === undefined || nodeClaim === undefined || stateNode.markedForDeletion) return []
    const peers = () =>
      snapshot.nodes.flatMap((peer) =>
        peer.node !== undefined && (nodePool === '' || peer.nodePool === nodePool) ? [peer.node] : [],
      )
    const decision = decideRepair(node, repairPolicies, { now: snapshot.now, peers })
    if (decision.kind !== 'repair') return []
    return [
      {
        reason: 'Unhealthy' as const,
        method: 'repair' as const,
        candidates: [stateNode.name],
        replacements: [],
        savingsPerHour: 0,
      },
    ]
  })
}

/** Drifted and Consolidatable as their controller would set them, where the input does not say. */
export function withConditions(
  stateNode: StateNode,
  { nodePools, now }: Snapshot,
  objects: SimulationObjects,
): StateNode {
  const { nodeClaim } = stateNode
  const pool = nodePools.find(({ metadata }) => metadata.name === stateNode.nodePool)
  if (nodeClaim === undefined || pool === undefined) return stateNode
  let claim = nodeClaim
  const finding = conditionOf(claim, 'Drifted') === undefined ? driftOf(claim, pool, objects) : undefined
  if (finding !== undefined && conditionOf(claim, 'Launched')?.status === 'True') {
    const { reason } = finding
    const drifted = { type: 'Drifted', status: 'True', reason, message: driftMessage(finding) } as const
    claim = setCondition(claim, nodeClaimConditions, drifted, now)
  }
  const isUnsaid = conditionOf(claim, 'Consolidatable') === undefined && pool.spec.replicas === undefined
  if (isUnsaid && decideConsolidatable(claim, pool, now).kind === 'consolidatable') {
    claim = setConditionTrue(claim, nodeClaimConditions, 'Consolidatable', now)
  }
  return claim === nodeClaim ? stateNode : { ...stateNode, nodeClaim: claim }
}

function driftOf(claim: NodeClaim, pool: NodePool, { nodeClasses }: SimulationObjects): DriftFinding | undefined {
  const own = explainPoolDrift(claim, pool, awsVocabulary.aliases)
  if (own !== undefined) return own
  const nodeClass = nodeClasses.find(({ metadata }) => metadata.name === claim.spec.nodeClassRef.name)
  if (nodeClass === undefined || !hashesDiffer(nodeClass, claim, ec2NodeClassHashAnnotations)) return undefined
  return { reason: 'NodeClassDrift', fields: [] }
}
