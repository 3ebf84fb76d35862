import { conditionOf, isConditionTrue } from '../../../src/api/conditions.ts'
import type { NodeClaim, RolloutPolicy } from '../../../src/api/karpenter.ts'
import { taintDisruptedKey } from '../../../src/api/labels.ts'
import { minute } from '../world.ts'
import { type Look, taintKeys, type Watcher } from './look.ts'

/** A phase that was written while a decision was under way could not stop it any more. */
const noticedMs = 2 * minute
const standing: ReadonlySet<string> = new Set(['Halted', 'AwaitingApproval', 'Paused'])

/**
 * Rollouts under a policy: never more nodes in replacement than its shared budget, never more replaced than its step allows, and none
 * while it stands. Budgets and PDBs hold as always (I7, I10).
 */
export function rolloutWatcher(look: Look): Watcher {
  /** Claims that were replaced, by revision of the policy. */
  const replaced = new Map<string, Set<string>>()
  /** What a replacement began under: it is carried to its end when another revision comes meanwhile. */
  const begunUnder = new Map<string, string>()
  const phases = new Map<string, { phase: string; since: number }>()

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
      begunUnder.set(`${name}/${claim.metadata.uid}`, policy.status?.revision ?? '')
      const under = look.claims.filter((each) => isDriftedAway(each) && isUnderWay(each))
      const budget = policy.spec.sharedBudget
      if (budget !== undefined && under.length > shareOf(budget, look.nodes.length)) {
        look.report('rollout', claim.metadata.name, `${under.length} nodes in replacement, shared budget ${budget}`)
      }
      const known = phases.get(name)
      const stands = known !== undefined && standing.has(known.phase) && policy.status?.phase === known.phase
      if (stands && look.elapsed - known.since > noticedMs) {
        look.report('rollout', `${name}/${claim.metadata.name}`, `is replaced while the rollout is ${known.phase}`)
      }
    }
  }

  function isUnderWay(claim: NodeClaim): boolean {
    // As budgets have it, a machine that is being ended is out of the count.
    if (isConditionTrue(claim, 'InstanceTerminating')) return false
    const node = look.nodeOf(claim)
    return (
      claim.metadata.deletionTimestamp !== undefined || (node !== undefined && taintKeys(node).has(taintDisruptedKey))
    )
  }

  function goes(claim: NodeClaim): void {
    for (const { metadata, spec, status } of policies()) {
      if (begunUnder.get(`${metadata.name}/${claim.metadata.uid}`) !== (status?.revision ?? '')) continue
      const revision = `${metadata.name}/${status?.revision ?? ''}`
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
      if (type !== 'MODIFIED' || previous === undefined || !isDriftedAway(claim)) return
      if (!isDriftedAway(previous)) starts(claim)
      if (claim.metadata.deletionTimestamp !== undefined && previous.metadata.deletionTimestamp === undefined)
        goes(claim)
    },
    tick() {
      for (const { metadata, status } of policies()) {
        const phase = status?.phase ?? ''
        if (phases.get(metadata.name)?.phase !== phase) phases.set(metadata.name, { phase, since: look.elapsed })
      }
    },
  }
}

/** Percentages are rounded up. */
function shareOf(value: number | string, total: number): number {
  const text = String(value)
  return text.endsWith('%') ? Math.ceil((total * Number(text.slice(0, -1))) / 100) : Number(text)
}
