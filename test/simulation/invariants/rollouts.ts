import { conditionOf, isConditionTrue } from '../../../src/api/conditions.ts'
import type { NodeClaim, RolloutPolicy } from '../../../src/api/karpenter.ts'
import { durationMs } from '../../../src/api/duration.ts'
import { annotationApprove } from '../../../src/api/joinery-annotations.ts'
import { labelNodePool, taintDisruptedKey } from '../../../src/api/labels.ts'
import { hour, minute } from '../world.ts'
import { type Look, taintKeys, type Watcher } from './look.ts'

/** A phase that was written while a decision was under way could not stop it any more. */
const noticedMs = 2 * minute
/** A rollback takes a few waves at most, each of which may wait for capacity. */
const rollbackMs = 60 * minute
const standing: ReadonlySet<string> = new Set(['Halted', 'AwaitingApproval', 'Paused'])

/**
 * How far the wall clock has been set forward in all. Rates follow it (docs/reliability.md, I31), so that a jump fills a bucket by as much
 * as it is long, and one that is taken back before it was seen as well.
 */
class ForwardJumps {
  readonly #look: Look
  #skewMs: number
  #sumMs = 0

  constructor(look: Look) {
    this.#look = look
    this.#skewMs = look.now - look.elapsed
  }

  get sumMs(): number {
    const skewMs = this.#look.now - this.#look.elapsed
    this.#sumMs += Math.max(0, skewMs - this.#skewMs)
    this.#skewMs = skewMs
    return this.#sumMs
  }
}

/**
 * Rollouts under a policy: never more nodes in replacement than its shared budget, never more replaced than its step and its rate allow,
 * and none while it stands, outside its windows, or towards a target that nobody has approved; a rollback comes to an end. Budgets and
 * PDBs hold as always (I7, I10).
 */
export function rolloutWatcher(look: Look): Watcher {
  /** Claims that were replaced, by policy and rollout. */
  const replaced = new Map<string, Set<string>>()
  /** What a replacement began under: it is carried to its end when another revision comes meanwhile. */
  const begunUnder = new Map<string, string>()
  /** Claims that began alone while no node was up to date: a step takes one after the other until something has come of one. */
  const untried = new Set<string>()
  const phases = new Map<string, { phase: string; since: number }>()
  const jumps = new ForwardJumps(look)
  /** By policy, when each claim first began to be replaced, by a clock that only ever jumps forward; rollbacks are free. */
  const begun = new Map<string, Map<string, number>>()
  const counted: { at: number; members: number }[] = []
  /** By pool: every target that an annotation has named, and since when the present one is none of them. */
  const approved = new Map<string, Set<string>>()
  const unapproved = new Map<string, { target: string; since: number }>()

  function policies(): readonly RolloutPolicy[] {
    return look.list<RolloutPolicy>('joinery.dev/rolloutpolicies')
  }

  function isDriftedAway(claim: NodeClaim): boolean {
    const reason = conditionOf(claim, 'DisruptionReason')
    return reason?.status === 'True' && reason.reason === 'Drifted'
  }

  function starts(claim: NodeClaim): void {
    for (const policy of policies()) {
      const { name } = policy.metadata
      begunUnder.set(`${name}/${claim.metadata.uid}`, rolloutOf(policy))
      const under = look.claims.filter((each) => isDriftedAway(each) && isUnderWay(each))
      if (under.length === 1 && policy.status?.updatedNodes === 0) untried.add(`${name}/${claim.metadata.uid}`)
      const budget = policy.spec.sharedBudget
      if (budget !== undefined && under.length > shareOf(budget, mostMembers())) {
        look.report('rollout', claim.metadata.name, `${under.length} nodes in replacement, shared budget ${budget}`)
      }
      const known = phases.get(name)
      if (policy.status?.failure === undefined) startsByWill(policy, claim)
      const stands = known !== undefined && standing.has(known.phase) && policy.status?.phase === known.phase
      if (stands && look.elapsed - known.since > noticedMs) {
        look.report('rollout', `${name}/${claim.metadata.name}`, `is replaced while the rollout is ${known.phase}`)
      }
    }
  }

  /** A replacement that was broken off before its policy had seen it has taken no token. */
  function comesBack({ metadata: { name, uid } }: NodeClaim): void {
    for (const { metadata, status } of policies()) {
      if (status?.rate?.paid?.includes(name) !== true) begun.get(metadata.name)?.delete(uid)
    }
  }

  /** Neither forced nor a way back: all that a policy says holds. */
  function startsByWill({ metadata: { name }, spec, status }: RolloutPolicy, claim: NodeClaim): void {
    const times = begun.get(name) ?? new Map<string, number>()
    begun.set(name, times)
    const now = look.elapsed + jumps.sumMs
    if (!times.has(claim.metadata.uid)) times.set(claim.metadata.uid, now)
    if (spec.rate !== undefined) {
      const { nodes, per } = spec.rate
      const at = [...times.values()].toSorted((a, b) => a - b)
      // Of the tokens between any of them and the last one: those that were there at first, and those that came.
      const excess = at.findIndex(
        (from, index) => at.length - index > nodes + ((now - from + tokenSlackMs) * nodes) / durationMs(per) + rounding,
      )
      if (excess >= 0) look.report('rollout', claim.metadata.name, `begins beyond ${nodes} nodes per ${per}`)
    }
    // Those of the sweep open with each hour.
    const open = (spec.windows ?? []).some(({ duration }) => look.now % hour < durationMs(duration) + noticedMs)
    if (spec.windows !== undefined && !open) look.report('rollout', claim.metadata.name, 'begins outside all windows')
    const pool = claim.metadata.labels?.[labelNodePool] ?? ''
    const waiting = unapproved.get(pool)
    const target = status?.nodePools?.find((each) => each.name === pool)?.targetHash
    const isApproved = approved.get(pool)?.has(target ?? '') === true
    if (waiting !== undefined && waiting.target === target && !isApproved && look.elapsed - waiting.since > noticedMs) {
      look.report('rollout', claim.metadata.name, `begins towards ${target}, which nobody has approved`)
    }
  }

  function seeApprovals({ spec, status }: RolloutPolicy): void {
    if (spec.mode !== 'Approve') return
    for (const { name, targetHash = '' } of status?.nodePools ?? []) {
      const isApproved = approved.get(name)?.has(targetHash) === true
      if (isApproved) unapproved.delete(name)
      else if (unapproved.get(name)?.target !== targetHash) {
        unapproved.set(name, { target: targetHash, since: look.elapsed })
      }
    }
  }

  /** It was to end long ago, as a pod that may not be disturbed does not let it, and uses up the budget of its pool. */
  function lingers({ metadata: { deletionTimestamp } }: NodeClaim): boolean {
    return deletionTimestamp !== undefined && look.now - Date.parse(deletionTimestamp) > hour
  }

  /** As budgets count them; a decision rests on a count that may be so old. */
  function mostMembers(): number {
    counted.push({ at: look.elapsed, members: look.claims.filter(isMember).length })
    while (look.elapsed - (counted[0]?.at ?? look.elapsed) > noticedMs) counted.shift()
    return Math.max(...counted.map(({ members }) => members))
  }

  function isMember(claim: NodeClaim): boolean {
    return isConditionTrue(claim, 'Initialized') && !isConditionTrue(claim, 'InstanceTerminating')
  }

  function isUnderWay(claim: NodeClaim): boolean {
    // As budgets have it, a machine that is being ended is out of the count.
    if (isConditionTrue(claim, 'InstanceTerminating')) return false
    const node = look.nodeOf(claim)
    // Nor is one whose node is gone, whatever its claim waits for.
    if (node === undefined && isConditionTrue(claim, 'Registered')) return false
    return (
      claim.metadata.deletionTimestamp !== undefined || (node !== undefined && taintKeys(node).has(taintDisruptedKey))
    )
  }

  function goes(claim: NodeClaim): void {
    for (const policy of policies()) {
      const { metadata, spec, status } = policy
      if (begunUnder.get(`${metadata.name}/${claim.metadata.uid}`) !== rolloutOf(policy)) continue
      // Steps hold no node back that a rollback takes back.
      if (status?.failure !== undefined) continue
      if (untried.has(`${metadata.name}/${claim.metadata.uid}`)) continue
      const revision = `${metadata.name}/${rolloutOf(policy)}`
      const all = replaced.get(revision) ?? new Set<string>()
      replaced.set(revision, all.add(claim.metadata.uid))
      const step = spec.steps?.[status?.step ?? 0]
      if (step === undefined || status?.revision === undefined) continue
      const allowed = shareOf(step.nodes, Math.max(status.totalNodes ?? 0, look.nodes.length))
      if (all.size > allowed) {
        look.report(
          'rollout',
          revision,
          `${all.size} nodes were replaced in step ${status.step ?? 0}, which has ${step.nodes}`,
        )
      }
    }
  }

  return {
    onClaim(type, claim, previous) {
      if (type !== 'MODIFIED' || previous === undefined) return
      if (isDriftedAway(previous) && !isDriftedAway(claim)) comesBack(claim)
      if (!isDriftedAway(claim)) return
      if (!isDriftedAway(previous)) starts(claim)
      if (claim.metadata.deletionTimestamp !== undefined && previous.metadata.deletionTimestamp === undefined)
        goes(claim)
    },
    onPool(_type, { metadata: { name, annotations = {} } }) {
      const target = annotations[annotationApprove]
      if (target !== undefined) approved.set(name, (approved.get(name) ?? new Set()).add(target))
    },
    tick() {
      void jumps.sumMs
      mostMembers()
      for (const policy of policies()) {
        const { metadata, status } = policy
        seeApprovals(policy)
        const phase = status?.phase ?? ''
        look.since(
          'rollout',
          `${metadata.name}/${status?.revision ?? ''}`,
          phase === 'RollingBack' && !isHeld(policy, look.claims) && !look.claims.some(lingers),
          rollbackMs,
          'is still being rolled back',
        )
        if (phases.get(metadata.name)?.phase !== phase) phases.set(metadata.name, { phase, since: look.elapsed })
      }
    },
  }
}

/**
 * All that is left of a rollout are nodes that something holds, as a pod does that may not be disrupted. Of one that is rolled back those
 * are left that run its images; what ran others, which were not found good either, stays as it was until somebody decides.
 */
function isHeld({ status }: RolloutPolicy, claims: readonly NodeClaim[]): boolean {
  const { totalNodes = 0, updatedNodes = 0, blockedNodes = 0, history = [] } = status ?? {}
  const failed = new Set(history[0]?.images)
  const left = claims.filter((claim) => failed.has(claim.status?.imageID ?? '')).length
  return blockedNodes > 0 && (updatedNodes + blockedNodes >= totalNodes || (left > 0 && left <= blockedNodes))
}

/** Times in status have whole seconds. */
const tokenSlackMs = 1_000
const rounding = 1e-6

/** What was chosen before comes again under the same revision, as another rollout. */
function rolloutOf({ status }: RolloutPolicy): string {
  return status?.startTime === undefined ? '' : `${status.revision ?? ''}@${status.startTime}`
}

/** Percentages are rounded up. */
function shareOf(value: number | string, total: number): number {
  const text = String(value)
  return text.endsWith('%') ? Math.ceil((total * Number(text.slice(0, -1))) / 100) : Number(text)
}
