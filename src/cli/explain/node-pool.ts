import { nodePoolDependents, conditionOf } from '../../api/conditions.ts'
import type { NodePool } from '../../api/karpenter.ts'
import { type VoluntaryReason, voluntaryReasons } from '../../disruption/budgets.ts'
import type { InstanceType } from '../../model/instance-type.ts'
import { availableOfferings } from '../../model/offering-price.ts'
import { intersects } from '../../model/requirements.ts'
import { toResourceList } from '../../model/resources.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import { prepare, type SchedulingSettings, templateRequirements } from '../../scheduling/index.ts'
import { heldBy, remainingLimits } from '../../scheduling/limits.ts'
import type { HoldSources } from '../simulate/holds.ts'
import { leftAloneText } from '../simulate/left-out-pools.ts'
import { isManaged } from '../simulate/managed.ts'
import { withoutBarredPools } from '../simulate/shown-breaker.ts'
import { budgetReason } from './budget.ts'
import { type Explanation, type Fact, reason, type Reason } from './explanation.ts'
import { nodeHelp, retiredHelp, retiredText, stalledHelp } from './help.ts'
import type { NodeQuestion } from './node.ts'
import { poolHoldReason } from './pool-hold.ts'
import { untypedReason } from './untyped-pool.ts'

/** Whether a pool launches nodes and how many of its nodes may be disrupted now; undefined when there is no such pool. */
export function explainNodePool(
  name: string,
  question: Pick<NodeQuestion, 'snapshot' | 'settings' | 'nodeClasses' | 'policies'> & {
    /** Whether the pool was read from a cluster in which nobody has said yet whether it is ready. */
    readonly isUntold: boolean
  },
): Explanation | undefined {
  const { snapshot, settings } = question
  const pool = snapshot.nodePools.find(({ metadata }) => metadata.name === name)
  if (pool === undefined) return undefined
  const launch = [...(question.isUntold ? [untoldReason] : []), ...launchReasons(pool, snapshot, settings)]
  const disruption = voluntaryReasons.toSorted().map((about) => disruptionReason(pool, about, question))
  const cannotLaunch = launch.some(({ outcome }) => outcome === 'blocks')
  const summary = `The NodePool ${cannotLaunch ? 'cannot launch nodes' : 'can launch nodes'}; ${disruptionText(disruption)}.`
  return {
    kind: 'NodePool',
    name,
    summary,
    facts: factsOf(pool, snapshot, settings),
    reasons: [...launch, ...rolloutReasons(pool), ...disruption],
  }
}

/** Of a pool that another controller has; undefined of one of ours, and when there is none of the name. */
export function explainForeignPool(name: string, nodePools: readonly NodePool[]): Explanation | undefined {
  const pool = nodePools.find(({ metadata }) => metadata.name === name)
  if (pool === undefined || isManaged(pool)) return undefined
  const { group } = pool.spec.template.spec.nodeClassRef
  const help = `ask the controller of ${group}, or refer to an EC2NodeClass of karpenter.k8s.aws`
  return {
    kind: 'NodePool',
    name,
    summary: `The NodePool ${leftAloneText(pool)}.`,
    facts: [],
    reasons: [reason('node class', 'blocks', 'NotManaged', `it is of ${group}`, help)],
  }
}

/** In manifests a pool without a status is taken as ready; in a cluster nobody launches for it. */
const untoldReason = reason(
  'condition Ready',
  'blocks',
  'NoStatus',
  'nothing has told yet whether it is ready',
  'is Joinery running? look at its Deployment and its log',
)

/** A pause or a closed window holds whatever the budgets allow; of a pool without nodes there is nothing to hold. */
function disruptionReason(
  pool: NodePool,
  about: VoluntaryReason,
  question: HoldSources & { snapshot: Snapshot },
): Reason {
  const budget = budgetReason(pool, about, question.snapshot)
  return budget.outcome === 'idle' ? budget : (poolHoldReason(about, pool, question) ?? budget)
}

function disruptionText(reasons: readonly Reason[]): string {
  const [first] = reasons
  if (first !== undefined && reasons.every(({ outcome }) => outcome === 'idle')) return first.message
  return reasons.every(({ outcome }) => outcome === 'blocks')
    ? 'none of its nodes may be disrupted now'
    : 'its budgets let nodes be disrupted'
}

function launchReasons(pool: NodePool, snapshot: Snapshot, settings: SchedulingSettings): readonly Reason[] {
  const { name } = pool.metadata
  const context = prepare(withoutBarredPools(snapshot), settings)
  const reasons: Reason[] = []
  if (pool.metadata.deletionTimestamp !== undefined) {
    reasons.push(reason('launch', 'blocks', 'Deleting', 'the NodePool is being deleted'))
  }
  if (
    context.excludedPools.some(
      ({ pool: { metadata }, because }) => metadata.name === name && because.kind === 'retiring',
    )
  ) {
    reasons.push(reason('launch', 'blocks', 'retiring', retiredText, retiredHelp(name)))
  }
  for (const type of ['Ready', ...nodePoolDependents]) {
    const condition = conditionOf(pool, type)
    if (condition === undefined || condition.status === 'True') continue
    const { reason: code = '', message = '', status } = condition
    const help = conditionHelp(type, code, pool)
    reasons.push(reason(`condition ${type}`, status === 'False' ? 'blocks' : 'idle', code, message, help))
  }
  const unhealthy = conditionOf(pool, 'NodeRegistrationHealthy')
  if (unhealthy?.status === 'False') {
    const message = unhealthy.message ?? ''
    const help = 'the last nodes did not join: look at the NodeClaims, the user data and the security groups'
    reasons.push(reason('condition NodeRegistrationHealthy', 'idle', unhealthy.reason ?? '', message, help))
  }
  for (const found of context.unresolvedPools.filter(({ nodePool }) => nodePool === name)) {
    reasons.push(untypedReason('instance types', found, context))
    // A pool without instance types has none left after filtering either: report the cause only.
    return [...reasons, ...limitReasons(pool, snapshot)]
  }
  for (const { message } of context.filteredPools.filter(({ nodePool }) => nodePool.metadata.name === name)) {
    const help = 'widen its requirements or lower minValues'
    reasons.push(reason('instance types', 'blocks', 'noCompatibleInstanceTypes', message, help))
  }
  return [...reasons, ...limitReasons(pool, snapshot)]
}

function conditionHelp(type: string, code: string, { spec }: NodePool): string {
  if (code === 'NodeClassNotFound')
    return `create the EC2NodeClass ${spec.template.spec.nodeClassRef.name}, or correct nodeClassRef.name`
  return type === 'NodeClassReady' ? 'see the conditions of its EC2NodeClass' : 'mend what the message names'
}

function limitReasons(pool: NodePool, snapshot: Snapshot): readonly Reason[] {
  const remaining = remainingLimits(pool, (name) => heldBy(name, snapshot.nodes)) ?? new Map()
  return Object.entries(toResourceList(remaining)).map(([resource, left]) => {
    const limit = String(pool.spec.limits?.[resource] ?? '')
    const isSpent = left === '0' || left.startsWith('-')
    const message = `${left} left of limits.${resource} ${limit}`
    const help = isSpent ? `raise spec.limits.${resource}` : null
    return reason(
      `limit ${resource}`,
      isSpent ? 'blocks' : 'allows',
      isSpent ? 'limits' : 'WithinLimits',
      message,
      help,
    )
  })
}

/** What is still to be replaced, what holds it, and why it goes no further. */
function rolloutReasons(pool: NodePool): readonly Reason[] {
  const conditions = [conditionOf(pool, 'Reconciling'), conditionOf(pool, 'Stalled')]
  const told = conditions.flatMap((condition) => {
    if (condition?.status !== 'True') return []
    const { type, reason: code = type, message = '' } = condition
    return type === 'Stalled'
      ? [reason('rollout', 'blocks', code, message, stalledHelp(code))]
      : [reason('rollout', 'idle', code, message)]
  })
  const blocked = (pool.status?.blockedBy ?? []).map(({ reason: code, nodes, message }) =>
    reason(`rollout of ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`, 'blocks', code, message, blockHelp(code)),
  )
  return [...told, ...blocked]
}

function blockHelp(code: string): string | null {
  return Object.entries(nodeHelp).find(([known]) => known === code)?.[1] ?? null
}

function factsOf(pool: NodePool, snapshot: Snapshot, settings: SchedulingSettings): readonly Fact[] {
  const { name } = pool.metadata
  const list = snapshot.instanceTypes.get(name)
  const { upToDateNodes, driftedNodes, target } = pool.status ?? {}
  const { consolidationPolicy = 'WhenEmptyOrUnderutilized', consolidateAfter = '0s' } = pool.spec.disruption ?? {}
  return [
    { name: 'nodes', value: String(snapshot.nodes.filter(({ nodePool }) => nodePool === name).length) },
    {
      name: 'instance types',
      value: list?.kind === 'resolved' ? String(allowedTypes(pool, list.types, settings)) : 'not resolved',
    },
    { name: 'consolidation', value: `${consolidationPolicy} after ${consolidateAfter}` },
    ...(upToDateNodes === undefined || driftedNodes === undefined
      ? []
      : [{ name: 'up to date', value: `${upToDateNodes}, to be replaced ${driftedNodes}` }]),
    ...(target === undefined ? [] : [{ name: 'target', value: target }]),
    ...(pool.spec.replicas === undefined ? [] : [{ name: 'replicas', value: String(pool.spec.replicas) }]),
  ]
}

/** How many types the pool's requirements leave, offered where they let nodes be. */
function allowedTypes(pool: NodePool, types: readonly InstanceType[], { vocabulary }: SchedulingSettings): number {
  const requirements = templateRequirements(pool, vocabulary.aliases)
  return types.filter(
    (type) =>
      intersects(type.requirements, requirements) &&
      availableOfferings(type, requirements, vocabulary.wellKnown).length > 0,
  ).length
}
