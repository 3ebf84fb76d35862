import { durationMs } from '../../api/duration.ts'
import type { RolloutFailure, RolloutPolicySpec } from '../../api/karpenter.ts'
import { parseTimestamp, toTimestamp } from '../../model/clock.ts'
import { compareText } from '../../model/order.ts'
import { isPoolReason, shortDigest } from '../target.ts'
import type { NodeFacts, PoolFacts, RolloutInput } from './input.ts'
import { isKnownOrder } from './order.ts'

/** Why the change of a pool does not begin. */
export interface NotEligible {
  readonly reason: UnknownTerm['reason'] | 'NewNodesOnly' | 'ImagesUnknown' | 'AwaitingApproval' | 'ImageTooYoung'
  readonly message: string
  /** When time alone will change it. */
  readonly until: number | undefined
}

/** What a rollout is about: which pools change, and what tells this rollout from the next. */
export interface Scope {
  /** Pools whose nodes may be replaced, and those that the rollout already covers; by name. */
  readonly covered: readonly PoolFacts[]
  readonly revision: string
  /** The same without what a rollback pinned: of a rollout that has failed. To any other, what another policy pins is another target. */
  readonly failedRevision: string
  readonly refusals: ReadonlyMap<string, NotEligible>
}

/** Reasons that have nothing to do with what nodes are made of: steps and approvals do not count them. */
const maintenanceReasons: ReadonlySet<string> = new Set(['Retiring', 'SoftExpired'])

export function laneOf(pool: PoolFacts, node: NodeFacts): 'change' | 'maintenance' | undefined {
  if (node.drift === undefined) return undefined
  return pool.retiring || !isOfChange(node) ? 'maintenance' : 'change'
}

/** Whether it is the change that the node drifts by. In a pool that is retired on the way, it goes for another reason all the same. */
export function isOfChange({ drift }: NodeFacts): boolean {
  return drift !== undefined && !maintenanceReasons.has(drift)
}

/** A restart is asked for by name and needs no second yes; images it needs as well, and nobody knows what an unknown mode or order would have it wait for. */
export function refuses({ reason }: NotEligible, { drift }: NodeFacts): boolean {
  return heedlessOfRestarts.has(reason) || drift !== 'RestartRequested'
}

export function changeNodes(pool: PoolFacts): readonly NodeFacts[] {
  return pool.nodes.filter((node) => laneOf(pool, node) === 'change')
}

/** `before`: pools that the rollout under way covers. One that has failed stays theirs, whatever other pools begin to change. */
export function scopeOf(
  { policy, pools, now }: RolloutInput,
  before: ReadonlySet<string>,
  { hasFailed = false }: { readonly hasFailed?: boolean } = {},
): Scope {
  const refusals = new Map<string, NotEligible>()
  const through = new Map<string, NotEligible>()
  const covered: PoolFacts[] = []
  for (const pool of pools) {
    const changing = changeNodes(pool)
    const refusal = refusalOf(policy.spec, pool, now)
    const isRefused = (node: NodeFacts): boolean => refusal !== undefined && refuses(refusal, node)
    if (refusal !== undefined && changing.some(isRefused)) refusals.set(pool.name, refusal)
    else if (refusal !== undefined && changing.length === 0 && before.has(pool.name)) through.set(pool.name, refusal)
    const begins = changing.some((node) => !node.going && !isRefused(node))
    if ((begins && !hasFailed) || before.has(pool.name)) covered.push(pool)
  }
  // A pool that the rollout is through with keeps it from nothing: what all others wait for is what the rollout waits for.
  if (refusals.size > 0) for (const [name, refusal] of through) refusals.set(name, refusal)
  return { covered, revision: revisionOf(covered, 'target'), failedRevision: revisionOf(covered, 'wanted'), refusals }
}

function revisionOf(covered: readonly PoolFacts[], by: 'target' | 'wanted'): string {
  return revisionOfParts(covered.map((pool) => partOf(pool, pool[by])))
}

export function revisionOfParts(parts: readonly string[]): string {
  return shortDigest(parts.toSorted(compareText).join(','))
}

/** What a rollout is about in one pool. */
export function partOf({ name, restartAt }: Pick<PoolFacts, 'name' | 'restartAt'>, target: string): string {
  return `${name}=${target}@${restartAt ?? ''}`
}

export function failedTargets({ covered }: Scope): NonNullable<RolloutFailure['targets']> {
  return covered.map(({ name, wanted }) => ({ name, target: wanted })).slice(0, targetsMax)
}

/** As many as the status may hold. */
const targetsMax = 1_000

/**
 * Whether what failed is still all that is wanted of the pools that are left of it. A pool that goes, or a restart that is taken back, is
 * no reason to try it again; a restart that is asked for since is a wish of its own.
 */
export function isStillWanted({ targets, time }: RolloutFailure, { covered }: Scope): boolean {
  // A failure of an earlier version has no targets: the revision alone tells.
  if (targets === undefined || covered.length === 0) return false
  const failed = new Map(targets.map(({ name, target }) => [name, target]))
  const failedAt = parseTimestamp(time) ?? Number.NEGATIVE_INFINITY
  return covered.every(
    ({ name, wanted, restartAt = failedAt }) => (failed.get(name) ?? wanted) === wanted && restartAt <= failedAt,
  )
}

/** Why the pool's target is unknown: its EC2NodeClass resolves to no image. Undefined when it does. */
function unresolvedText({ nodeClass }: PoolFacts): string | undefined {
  return nodeClass === undefined || nodeClass.images.length > 0
    ? undefined
    : `EC2NodeClass ${nodeClass.name} finds no image at present`
}

/** The same for a rollout: it stands still until the images are known, and goes on if they are the ones it brings. */
export function whyUnresolved({ covered }: Pick<Scope, 'covered'>): string | undefined {
  return covered.map(unresolvedText).find((text) => text !== undefined)
}

/** What a later definition lets through and this version does not know. */
interface UnknownTerm {
  readonly reason: 'UnknownMode' | 'UnknownOrder'
  readonly message: string
}

/** Undefined where every term of the policy that decides which nodes go is known. */
export function unknownTerm({ mode = 'Automatic', order }: RolloutPolicySpec): UnknownTerm | undefined {
  if (!modes.has(mode)) {
    return { reason: 'UnknownMode', message: `this version knows no mode ${mode}; present nodes stay as they are` }
  }
  if (order === undefined || isKnownOrder(order) || mode === 'Observe') return undefined
  const message = `this version knows no order by ${order.by}; present nodes stay as they are`
  return { reason: 'UnknownOrder', message }
}

const modes: ReadonlySet<string> = new Set(['Automatic', 'Approve', 'NewNodesOnly', 'Observe'])
const heedlessOfRestarts: ReadonlySet<NotEligible['reason']> = new Set(['ImagesUnknown', 'UnknownMode', 'UnknownOrder'])

function refusalOf(spec: RolloutPolicySpec, pool: PoolFacts, now: number): NotEligible | undefined {
  const unknown = unknownTerm(spec)
  if (unknown !== undefined) return { ...unknown, until: undefined }
  if (spec.mode === 'NewNodesOnly') {
    const message = 'the policy leaves present nodes alone; only new ones are made in the new way'
    return { reason: 'NewNodesOnly', message, until: undefined }
  }
  const unresolved = unresolvedText(pool)
  if (unresolved !== undefined) {
    return { reason: 'ImagesUnknown', message: `NodePool ${pool.name}: ${unresolved}`, until: undefined }
  }
  if (spec.mode === 'Approve' && pool.approval === undefined) {
    const isPoolChanged = pool.nodes.some(({ drift }) => drift !== undefined && isPoolReason(drift))
    const byClass =
      pool.nodeClass === undefined || isPoolChanged ? '' : `, or ${pool.nodeClass.target} on its node class`
    const message = `NodePool ${pool.name} awaits joinery.dev/approve: ${pool.target}${byClass}`
    return { reason: 'AwaitingApproval', message, until: undefined }
  }
  const madeAt = pool.nodeClass?.youngestImageAt
  if (spec.minImageAge === undefined || madeAt === undefined) return undefined
  const until = madeAt + durationMs(spec.minImageAge)
  if (now >= until) return undefined
  const message = `NodePool ${pool.name}: its image is old enough at ${toTimestamp(until)}`
  return { reason: 'ImageTooYoung', message, until }
}
