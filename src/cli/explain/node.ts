import { conditionOf, nodeClaimDependents } from '../../api/conditions.ts'
import { formatDurationMs, nillableDurationMs } from '../../api/duration.ts'
import type { EC2NodeClass, NodeClaim, RolloutPolicy } from '../../api/karpenter.ts'
import type { Pod } from '../../api/kubernetes.ts'
import { labelCapacityType, labelInstanceType, labelZone, taintDisruptedKey } from '../../api/labels.ts'
import { budgetHoldText, type VoluntaryReason } from '../../disruption/budgets.ts'
import { type Blocked, type Candidate, isEmpty, isStatic, surveyCandidates } from '../../disruption/candidates.ts'
import { decideConsolidatable } from '../../disruption/conditions.ts'
import { filterConsolidation } from '../../disruption/consolidation.ts'
import { isDrifted, unplacedBlock } from '../../disruption/drift.ts'
import { filterEmpty, isConsolidatable } from '../../disruption/emptiness.ts'
import type { HeldRoom } from '../../disruption/held-room.ts'
import { runToEnd } from '../../model/sliced.ts'
import { heldByExcess, heldByNodeLimit, replacementRoom, staticCounts } from '../../disruption/static-drift.ts'
import { parseTimestamp, toTimestamp } from '../../model/clock.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import { simulatorOn } from '../../disruption/what-if.ts'
import { claimExpiryTime } from '../../rollout/engine/index.ts'
import type { SchedulingSettings } from '../../scheduling/index.ts'
import { governingPolicy, rolloutHold } from '../simulate/holds.ts'
import { nominatedFor } from '../simulate/nominations.ts'
import { withoutBarredPools } from '../simulate/shown-breaker.ts'
import { queuedKeys } from '../simulate/under-way.ts'
import { budgetReason } from './budget.ts'
import { type Explanation, type Fact, momentText, reason, type Reason } from './explanation.ts'
import { healthFacts, healthReasons } from './health.ts'
import { nodeHelp, stayHelp } from './help.ts'
import { leavingOf } from './leaving.ts'
import { type MadeOf, madeOf } from './made-of.ts'
import { poolHoldReason } from './pool-hold.ts'
import { consolidationReason } from './underutilized.ts'

export interface NodeQuestion {
  /** With Drifted and Consolidatable set as their controller would. */
  readonly snapshot: Snapshot
  readonly settings: SchedulingSettings
  readonly gates: Readonly<Record<string, boolean>>
  readonly held: HeldRoom
  readonly nodeClasses: readonly EC2NodeClass[]
  readonly policies: readonly RolloutPolicy[]
  readonly pods: readonly Pod[]
}

/** Why a node is or is not disrupted and what would change that; undefined when there is no such node. */
export function explainNode(name: string, question: NodeQuestion): Explanation | undefined {
  const stateNode = question.snapshot.nodes.find(({ node }) => node?.metadata.name === name)
  return stateNode === undefined ? undefined : explainMachine('Node', name, stateNode, question)
}

/** The same for a claim, launched or not; undefined when there is none of that name. */
export function explainNodeClaim(
  name: string,
  claims: readonly NodeClaim[],
  question: NodeQuestion,
): Explanation | undefined {
  const stateNode = question.snapshot.nodes.find(({ nodeClaim }) => nodeClaim?.metadata.name === name)
  if (stateNode !== undefined) return explainMachine('NodeClaim', name, stateNode, question)
  const claim = claims.find(({ metadata }) => metadata.name === name)
  if (claim === undefined) return undefined
  const isDeleting = claim.metadata.deletionTimestamp !== undefined
  return {
    kind: 'NodeClaim',
    name,
    summary: `The claim ${isDeleting ? 'is being deleted' : 'has not been launched'}: it has no instance${isDeleting ? '' : ' yet'}.`,
    facts: [],
    reasons: conditionReasons(claim),
  }
}

function explainMachine(
  kind: 'Node' | 'NodeClaim',
  name: string,
  stateNode: StateNode,
  question: NodeQuestion,
): Explanation {
  const { snapshot } = question
  const conditions = stateNode.nodeClaim === undefined ? [] : conditionReasons(stateNode.nodeClaim)
  const leaving = leavingOf(stateNode, question)
  const voluntary = leaving?.reasons ?? voluntaryReasons(stateNode, question).map(unlessRemembered)
  const forceful =
    stateNode.nodeClaim === undefined ? [] : expirationReason(stateNode.nodeClaim, stateNode.nodePool, question)
  const made = madeOfNode(stateNode, question)
  const unhealthy = healthFacts(stateNode)
  const repair = healthReasons(stateNode, question)
  const answer = leaving?.summary ?? summaryOf([...repair, ...voluntary])
  return {
    kind,
    name,
    summary: unhealthy.length === 0 || answer === repairedNow ? answer : `${answer} It is not healthy.`,
    facts: [...factsOf(stateNode, snapshot), ...unhealthy, ...(leaving?.facts ?? []), ...made.facts],
    // When a node would have expired matters no more once it goes for another reason.
    reasons: [
      ...conditions,
      ...repair,
      ...voluntary,
      ...forceful.filter(({ outcome }) => leaving?.deleting !== true || outcome === 'allows'),
    ],
    changes: made.changes,
  }
}

/** What was refused or did not hold is known to the operator alone, which tells of it in events. */
function unlessRemembered(found: Reason): Reason {
  return found.outcome === 'allows' ? { ...found, help: found.help ?? stayHelp } : found
}

const repairedNow = 'The node is replaced now: it has been unhealthy for too long.'

function summaryOf(reasons: readonly Reason[]): string {
  const going = reasons.find(({ outcome }) => outcome === 'allows')
  if (going?.about === 'Unhealthy') return repairedNow
  if (going !== undefined) return `The node can be disrupted now: ${going.about}.`
  return reasons.some(({ outcome }) => outcome === 'blocks')
    ? 'The node is not disrupted: something holds it.'
    : 'The node is not disrupted: there is no reason to.'
}

function madeOfNode({ nodeClaim, nodePool }: StateNode, { snapshot, settings, nodeClasses }: NodeQuestion): MadeOf {
  if (nodeClaim === undefined) return { facts: [], changes: [] }
  const pool = snapshot.nodePools.find(({ metadata }) => metadata.name === nodePool)
  const wanted = pool?.spec.template.spec.nodeClassRef.name ?? nodeClaim.spec.nodeClassRef.name
  const nodeClass = nodeClasses.find(({ metadata }) => metadata.name === wanted)
  return madeOf(nodeClaim, {
    ...(pool && { pool }),
    ...(nodeClass && { nodeClass }),
    aliases: settings.vocabulary.aliases,
  })
}

function voluntaryReasons(stateNode: StateNode, question: NodeQuestion): readonly Reason[] {
  const { snapshot } = question
  const queued = queuedKeys(snapshot)
  const graceful = surveyCandidates(snapshot, { disruptionClass: 'graceful', queued })
  const eventual = surveyCandidates(snapshot, { disruptionClass: 'eventual', queued })
  const isThis = (found: { readonly stateNode: StateNode }): boolean => found.stateNode.key === stateNode.key
  const held = graceful.blocked.find(isThis)
  const heldFromDrift = eventual.blocked.find(isThis)
  if (held !== undefined && heldFromDrift !== undefined) return [blockedReason('every reason', held)]
  const forDrift = eventual.candidates.find(isThis)
  const drift = forDrift === undefined ? [] : [driftReason(forDrift, question)]
  const candidate = graceful.candidates.find(isThis)
  if (candidate === undefined) {
    return [...drift, ...(held === undefined ? [] : [blockedReason('Empty and Underutilized', held)])]
  }
  if (isStatic(candidate.pool)) {
    const message = 'nodes of a static NodePool are never consolidated'
    return [...drift, reason('Empty and Underutilized', 'idle', 'StaticPool', message)]
  }
  return [emptyReason(candidate, question), ...drift, underutilizedReason(candidate, graceful.candidates, question)]
}

function emptyReason(candidate: Candidate, question: NodeQuestion): Reason {
  const { snapshot, held } = question
  const [blocked] = filterEmpty([candidate], held.onNodes).blocked
  if (!isEmpty(candidate)) {
    const count = candidate.reschedulablePods.length
    return reason('Empty', 'idle', 'NotEmpty', `${count} ${count === 1 ? 'pod' : 'pods'} would have to run elsewhere`)
  }
  if (blocked !== undefined) return blockedReason('Empty', blocked)
  return (
    unsettledReason('Empty', candidate, snapshot.now) ??
    poolHoldReason('Empty', candidate.pool, question) ??
    heldByBudget('Empty', candidate, snapshot) ??
    reason('Empty', 'allows', 'Empty', 'nothing on it would have to run elsewhere, the node is deleted')
  )
}

function driftReason(candidate: Candidate, question: NodeQuestion): Reason {
  const { snapshot, settings, held: room } = question
  if (!isDrifted(candidate)) {
    return reason('Drifted', 'idle', 'NotDrifted', 'the node is as its NodePool and EC2NodeClass want it')
  }
  const why = conditionOf(candidate.nodeClaim, 'Drifted')?.reason ?? ''
  const held =
    poolHoldReason('Drifted', candidate.pool, question) ??
    rolloutReason(candidate) ??
    heldByBudget('Drifted', candidate, snapshot)
  if (held !== undefined) return held
  if (isStatic(candidate.pool)) {
    const hasRoom = replacementRoom(candidate.pool, snapshot.nodes) > 0
    const blocked =
      heldByExcess(candidate, staticCounts(snapshot.nodes)) ?? (hasRoom ? undefined : heldByNodeLimit(candidate))
    return blocked === undefined
      ? reason('Drifted', 'allows', why, `${why}: it is replaced one for one as the node limit permits`)
      : blockedReason('Drifted', blocked)
  }
  const result = runToEnd(
    simulatorOn(withoutBarredPools(snapshot), settings, { virtual: room.standIns })({
      candidates: [candidate],
      destinations: 'any',
    }),
  )
  if (result.kind === 'candidateDeleting') return reason('Drifted', 'idle', 'Deleting', 'the node is on its way out')
  if (result.unplaced !== undefined) {
    const { code, message } = unplacedBlock(candidate, result.unplaced)
    return reason('Drifted', 'blocks', code, message, nodeHelp[code])
  }
  const count = result.replacements.length
  return reason(
    'Drifted',
    'allows',
    why,
    `${why}: it goes after ${count} ${count === 1 ? 'replacement is' : 'replacements are'} ready`,
  )
}

function underutilizedReason(candidate: Candidate, all: readonly Candidate[], question: NodeQuestion): Reason {
  const { snapshot } = question
  const about = 'Underutilized'
  const [blocked] = filterConsolidation([candidate]).blocked
  if (blocked !== undefined) return blockedReason(about, blocked)
  if (isEmpty(candidate)) return reason(about, 'idle', 'IsEmpty', 'an empty node goes for reason Empty')
  const early =
    unsettledReason(about, candidate, snapshot.now) ??
    poolHoldReason(about, candidate.pool, question) ??
    heldByBudget(about, candidate, snapshot)
  if (early !== undefined) return early
  const isHeld = (found: Candidate): boolean => poolHoldReason(about, found.pool, question) !== undefined
  return consolidationReason(candidate, { ...question, candidates: all, isHeld })
}

function unsettledReason(about: string, candidate: Candidate, now: number): Reason | undefined {
  if (isConsolidatable(candidate)) return undefined
  const decision = decideConsolidatable(candidate.nodeClaim, candidate.pool, now)
  const message =
    decision.kind === 'consolidatable'
      ? 'the condition Consolidatable has not been set yet'
      : 'remainingMs' in decision
        ? `${decision.because}, ${formatDurationMs(decision.remainingMs)} to go`
        : decision.because
  return reason(about, 'blocks', 'NotConsolidatable', message, nodeHelp.NotConsolidatable)
}

function rolloutReason({ pool }: Candidate): Reason | undefined {
  const hold = rolloutHold(pool)
  return hold === undefined ? undefined : reason('Drifted', 'blocks', hold.code, hold.message, nodeHelp.RolloutHeld)
}

function heldByBudget(about: VoluntaryReason, { pool }: Candidate, snapshot: Snapshot): Reason | undefined {
  const found = budgetReason(pool, about, snapshot)
  if (found.outcome !== 'blocks') return undefined
  if (found.code === 'InvalidBudget') return found
  return { ...found, message: `${budgetHoldText(about)} (${found.message})` }
}

function blockedReason(about: string, { code, message }: Blocked): Reason {
  return reason(about, 'blocks', code, message, nodeHelp[code])
}

/** Expiration is forceful: no budget holds it, but a RolloutPolicy may put it off. */
function expirationReason(claim: NodeClaim, nodePool: string, question: NodeQuestion): readonly Reason[] {
  const { policies, snapshot } = question
  const { now } = snapshot
  const afterMs = nillableDurationMs(claim.spec.expireAfter)
  const created = parseTimestamp(claim.metadata.creationTimestamp)
  if (afterMs === undefined || created === undefined) {
    return [reason('Expired', 'idle', 'NeverExpires', 'expireAfter is Never')]
  }
  const at = created + afterMs
  const pool = snapshot.nodePools.find(({ metadata }) => metadata.name === nodePool)
  const policy = pool && governingPolicy(pool, policies)
  const mayGoAt = claimExpiryTime(claim, policy, { dueAt: at, now })
  const putOff =
    mayGoAt > Math.max(at, now)
      ? `RolloutPolicy ${policy?.metadata.name} lets it go at ${momentText(mayGoAt, now)}`
      : undefined
  if (at > now) {
    const message = `expires at ${toTimestamp(at)}, in ${formatDurationMs(at - now)}; ${putOff ?? 'budgets do not hold it'}`
    return [reason('Expired', 'idle', 'NotExpired', message)]
  }
  const message = `expired at ${toTimestamp(at)}, ${putOff ?? 'budgets do not hold it'}`
  return putOff === undefined
    ? [reason('Expired', 'allows', 'Expired', message)]
    : [reason('Expired', 'blocks', 'RolloutHeld', message, expiryHelp)]
}

const expiryHelp = 'wait for the window, or take Expiration out of spec.covers of the RolloutPolicy'

/** What keeps the claim from being ready. */
function conditionReasons(claim: NodeClaim): readonly Reason[] {
  return nodeClaimDependents
    .filter((type) => conditionOf(claim, type)?.status !== 'True')
    .map((type) => {
      const { reason: code = 'Unknown', message = '' } = conditionOf(claim, type) ?? {}
      const text = message === '' ? code : message
      return reason(`condition ${type}`, 'blocks', code, text, 'see the events of the NodeClaim')
    })
}

function factsOf(stateNode: StateNode, snapshot: Snapshot): readonly Fact[] {
  const { nodeClaim, node, labels, nodePool, pods, taints } = stateNode
  const drifted = nodeClaim === undefined ? undefined : conditionOf(nodeClaim, 'Drifted')
  const disrupted = taints.some(({ key }) => key === taintDisruptedKey)
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['node', node?.metadata.name],
    ['nodeclaim', nodeClaim?.metadata.name],
    ['nodepool', nodePool],
    ['instance type', labels[labelInstanceType]],
    ['capacity type', labels[labelCapacityType]],
    ['zone', labels[labelZone]],
    ['pods', String(pods.length)],
    ['nominated for', nominatedFor(stateNode.key, snapshot).join(', ')],
    ['drifted', drifted?.status === 'True' ? (drifted.message ?? drifted.reason) : undefined],
    ['disruption', disrupted ? `under way: the node has the taint ${taintDisruptedKey}` : undefined],
  ]
  return facts.flatMap(([name, value = '']) => (value === '' ? [] : [{ name, value }]))
}
