import { conditionOf, isConditionTrue } from '../../../src/api/conditions.ts'
import type { NodeClaim, NodePool } from '../../../src/api/karpenter.ts'
import type { Node } from '../../../src/api/kubernetes.ts'
import { labelInitialized, labelNodePool, taintDisruptedKey } from '../../../src/api/labels.ts'
import { parseQuantity } from '../quantities.ts'
import { hour, minute } from '../world.ts'
import { type ChangeType, isReadyNode, type Look, taintKeys, type Watcher } from './look.ts'

type Budget = NonNullable<NonNullable<NodePool['spec']['disruption']>['budgets']>[number]

/** A decision is validated for fifteen seconds and carried out over an API that may be slow: what it was based on may be so old. */
const decisionMs = 2 * minute
/** What changed this lately no decision can have known. */
const unknownMs = 30_000

const reasons = ['Empty', 'Drifted', 'Underutilized'] as const
type Reason = (typeof reasons)[number]
type Allowed = Readonly<Record<Reason, number>>

interface Start {
  readonly pool: string
  readonly node: string
  readonly out: readonly string[]
  readonly allowed: Allowed
}

/**
 * I7: when a voluntary disruption starts, the nodes of its pool that are out of service, the new one among them, are within the budget.
 * Out of service, as budgets count it: tainted for disruption, being deleted, or not ready. The taint comes
 * first and does not say why: the reason is judged when the claim tells it.
 */
export function budgetWatcher(look: Look): Watcher {
  const allowed = new Map<string, { at: number; nodes: Allowed }[]>()
  /** By claim: its reason is awaited. */
  const started = new Map<string, Start>()
  const outSince = new Map<string, number>()

  function members(pool: string): readonly NodeClaim[] {
    return look.claims.filter(
      (claim) =>
        claim.metadata.labels?.[labelNodePool] === pool &&
        isInitialized(claim) &&
        !isConditionTrue(claim, 'InstanceTerminating') &&
        !isDrained(claim),
    )
  }

  /** The node's label tells: the claim's condition, a write of its own, may be refused for a while. */
  function isInitialized(claim: NodeClaim): boolean {
    const node = look.nodeOf(claim)
    return node === undefined
      ? isConditionTrue(claim, 'Initialized')
      : node.metadata.labels?.[labelInitialized] === 'true'
  }

  /** Its node has gone in good order: budgets count nodes, and only the machine's end is awaited. */
  function isDrained(claim: NodeClaim): boolean {
    return claim.metadata.deletionTimestamp !== undefined && look.nodeOf(claim) === undefined
  }

  function isOut(claim: NodeClaim): boolean {
    const node = look.nodeOf(claim)
    if (claim.metadata.deletionTimestamp !== undefined || node === undefined) return true
    return taintKeys(node).has(taintDisruptedKey) || !isReadyNode(node)
  }

  function whyOut(claim: NodeClaim): string {
    const node = look.nodeOf(claim)
    const why = [
      ...(claim.metadata.deletionTimestamp === undefined ? [] : ['is being deleted']),
      ...(node === undefined ? ['has no node'] : []),
      ...(taintKeys(node).has(taintDisruptedKey) ? ['is tainted'] : []),
      ...(node !== undefined && !isReadyNode(node) ? ['is not ready'] : []),
    ]
    return `${claim.metadata.name} ${why.join(', ')}`
  }

  function remember(): void {
    for (const pool of look.pools) {
      const { name } = pool.metadata
      const all = members(name)
      const recent = (allowed.get(name) ?? []).filter(({ at }) => look.elapsed - at <= decisionMs)
      allowed.set(name, [...recent, { at: look.elapsed, nodes: budgetsOf(pool, all.length, look.now) }])
      for (const claim of all) {
        const { uid } = claim.metadata
        if (!isOut(claim)) outSince.delete(uid)
        else if (!outSince.has(uid)) outSince.set(uid, look.elapsed)
      }
    }
  }

  function starts(node: Node): void {
    const claim = look.claimOf(node)
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return
    const pool = claim.metadata.labels?.[labelNodePool] ?? ''
    remember()
    const out = members(pool).filter((member) => {
      const known = look.elapsed - (outSince.get(member.metadata.uid) ?? look.elapsed) >= unknownMs
      const ours = conditionOf(member, 'DisruptionReason') !== undefined || member === claim
      return isOut(member) && (known || ours || taintKeys(look.nodeOf(member)).has(taintDisruptedKey))
    })
    if (look.elapsed - look.allowances.policyEditedAt <= hour) return
    const recent = allowed.get(pool) ?? []
    const widest = (reason: Reason): number => Math.max(0, ...recent.map(({ nodes }) => nodes[reason]))
    const start: Start = {
      pool,
      node: node.metadata.name,
      out: out.map(whyOut),
      allowed: forEach(widest),
    }
    check(start, Math.max(...Object.values(start.allowed)), 'disrupted')
    started.set(claim.metadata.name, start)
  }

  function check({ pool, node, out }: Start, most: number, how: string): void {
    if (out.length <= most) return
    const found = `${out.length} out of service when it was ${how}, budget ${most}`
    look.report('I7', `${pool}/${node}`, `${found}: ${out.join(', ')}`)
  }

  return {
    onNode(type: ChangeType, node: Node, previous: Node | undefined) {
      if (type === 'DELETED') return
      if (taintKeys(node).has(taintDisruptedKey) && !taintKeys(previous).has(taintDisruptedKey)) starts(node)
    },
    onClaim(type, claim) {
      const { name } = claim.metadata
      const start = started.get(name)
      const told = conditionOf(claim, 'DisruptionReason')
      if (start === undefined || (type !== 'DELETED' && told?.status !== 'True')) return
      started.delete(name)
      const reason = reasons.find((known) => known === told?.reason)
      if (reason !== undefined) check(start, start.allowed[reason], `disrupted as ${reason}`)
    },
    tick: remember,
  }
}

/**
 * What the budgets of a pool of so many nodes allow for each reason: of those that apply at this time the tightest counts. Worked out here
 * from the documentation, since src/disruption's own reading of it is what is judged.
 */
function budgetsOf({ spec }: NodePool, total: number, now: number): Allowed {
  const budgets = (spec.disruption?.budgets ?? [{ nodes: '10%' }]).filter((budget) => isActive(budget, now))
  const tightest = (reason: Reason): number =>
    Math.min(
      total,
      ...budgets
        .filter((budget) => budget.reasons?.includes(reason) ?? true)
        .map(({ nodes }) => nodeCount(nodes, total)),
    )
  return forEach(tightest)
}

function forEach(allowedFor: (reason: Reason) => number): Allowed {
  return { Empty: allowedFor('Empty'), Drifted: allowedFor('Drifted'), Underutilized: allowedFor('Underutilized') }
}

/** Of schedules only those of once a day, for whole hours, are read here. */
function isActive({ schedule, duration }: Budget, now: number): boolean {
  if (schedule === undefined) return true
  const [from, hours] = [/^0 (\d+) \* \* \*$/.exec(schedule), /^(\d+)h$/.exec(duration ?? '')].map(
    (found) => found?.[1],
  )
  if (from === undefined || hours === undefined)
    throw new Error(`nothing here judges a budget for ${duration ?? 'ever'} at ${schedule}`)
  const day = 24 * hour
  return (now + day - Number(from) * hour) % day < Number(hours) * hour
}

/** A number, or a percentage of all, rounded up. */
function nodeCount(text: string, total: number): number {
  return text.endsWith('%') ? Math.ceil((Number(text.slice(0, -1)) * total) / 100) : Number(text)
}

/**
 * I17: at each creation, and again when the launch shows what the node holds, all that exists or is on its way stays within the pool's
 * limits. What is being disrupted or deleted does not count any more when its replacement is made. When it
 * stays after all, because another one of its replacements did not come up, this one is left alone (lifecycle-disruption.md case 103): its
 * launch is not held against it.
 */
export function limitWatcher(look: Look): Watcher {
  /** By claim, in steps: a node may stay in the very moment in which another is decided on. */
  const createdAt = new Map<string, number>()
  const stayedAt = new Map<string, number>()

  function isDisrupted(claim: NodeClaim | undefined): boolean {
    return claim !== undefined && conditionOf(claim, 'DisruptionReason') !== undefined
  }

  function leaves(claim: NodeClaim): boolean {
    if (claim.metadata.deletionTimestamp !== undefined || isDisrupted(claim)) return true
    return taintKeys(look.nodeOf(claim)).has(taintDisruptedKey)
  }

  function check(claim: NodeClaim): void {
    const poolName = claim.metadata.labels?.[labelNodePool] ?? ''
    const limits = look.pool(poolName)?.spec.limits
    if (limits === undefined || claim.metadata.deletionTimestamp !== undefined) return
    const since = createdAt.get(claim.metadata.name) ?? look.steps
    const counted = look.claims.filter(
      (other) =>
        other.metadata.labels?.[labelNodePool] === poolName &&
        !leaves(other) &&
        (stayedAt.get(other.metadata.name) ?? -Infinity) <= since,
    )
    for (const resource of ['cpu']) {
      const limit = limits[resource]
      if (limit === undefined) continue
      // A claim that is not launched yet will hold what its pods ask for at least.
      const used = counted.reduce((sum, { spec, status }) => {
        const known = status?.capacity?.[resource] ?? spec.resources?.requests?.[resource] ?? 0
        return sum + parseQuantity(known)
      }, 0)
      if (used > parseQuantity(limit)) look.report('I17', poolName, `${used} ${resource}, limit ${limit}`)
    }
  }

  return {
    onClaim(type, claim, previous) {
      const { name } = claim.metadata
      if (type === 'ADDED') createdAt.set(name, look.steps)
      if (type === 'DELETED') {
        createdAt.delete(name)
        stayedAt.delete(name)
      } else if (isDisrupted(previous) && !isDisrupted(claim)) stayedAt.set(name, look.steps)
      if (look.elapsed - look.allowances.policyEditedAt < hour) return
      // The second of two leaders takes back what the first has begun and it knows nothing of; the first counts on it until it finds out.
      if (look.allowances.twoLead) return
      const launched =
        type === 'MODIFIED' && previous?.status?.capacity === undefined && claim.status?.capacity !== undefined
      if (type === 'ADDED' || launched) check(claim)
    },
  }
}
