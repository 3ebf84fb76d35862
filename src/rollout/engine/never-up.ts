import type { RolloutGates, RolloutPendingNode } from '../../api/karpenter.ts'
import { toTimestamp } from '../../model/clock.ts'
import type { NodeFacts, PoolFacts } from './input.ts'
import { nodeReadyTimeoutMs } from './new-nodes.ts'
import type { PolicyGate } from './result.ts'
import type { Run } from './run.ts'
import { laneOf, type Scope } from './scope.ts'

/** Nodes that have never been in service, or broke down, and are to make room for others. */
export interface NeverUp {
  /** Names of their claims: those that have had their time and may go now. */
  readonly names: readonly string[]
  /** When the next one will have had its time; in ms since the epoch. */
  readonly nextTimeout: number | undefined
}

/**
 * What an earlier rollout brought and never came up, as where another image takes the place of a bad one, and what this one brought and may do
 * without. Disruption never takes such a node, and lets no other go whose pods would find room there: without this, the very image that mends
 * the bad one would reach nothing, and no next try would be made. The same goes for nodes of an image that is known to be bad which came up and
 * died: they count for budgets as nodes that go.
 */
export function neverUp(run: Run, scope: Scope, gate: PolicyGate, now: number): NeverUp {
  const timeoutMs = nodeReadyTimeoutMs(run.terms.gates)
  const tolerated = new Set(run.failure === undefined ? failedNames(run) : [])
  const names: string[] = []
  const coming: number[] = []
  for (const pool of scope.covered) {
    for (const node of pool.nodes) {
      const since = isUnused(node) ? node.createdAt : brokenDownSince(node, pool)
      if (since === undefined || node.isKept) continue
      const isOver = since + timeoutMs <= now
      if (tolerated.has(node.name) && pool.pause === undefined) names.push(node.name)
      else if (laneOf(pool, node) !== 'change') continue
      else if (!isOver) coming.push(since + timeoutMs)
      else if (mayGo(gate, node)) names.push(node.name)
    }
  }
  return { names, nextTimeout: coming.length === 0 ? undefined : Math.min(...coming) }
}

/** Of a step that is tried again: new machines that have had their time already. They failed the try before, and this one gets others. */
export function failedBefore(
  { covered }: Scope,
  gates: RolloutGates | undefined,
  now: number,
): readonly RolloutPendingNode[] {
  const timeoutMs = nodeReadyTimeoutMs(gates)
  return covered
    .flatMap(({ nodes }) => nodes)
    .filter((node) => node.drift === undefined && isUnused(node) && node.createdAt + timeoutMs <= now)
    .map(({ name, createdAt }) => ({ name, since: toTimestamp(createdAt), launched: true, failed: true }))
}

function failedNames({ pending }: Run): readonly string[] {
  return pending.flatMap(({ name, failed }) => (failed === true ? [name] : []))
}

/** One that has not all that its pods may ask for may be ready nevertheless, and pods that do not ask run there. */
function isUnused({ launched, initialized, going, hostsPods }: NodeFacts): boolean {
  return launched && !initialized && !going && !hostsPods
}

/** Of a node of an earlier, bad image that runs nothing any more; in ms since the epoch. */
function brokenDownSince(
  { drift, image = '', unreadyFrom, going, hostsPods }: NodeFacts,
  { nodeClass }: PoolFacts,
): number | undefined {
  const isOfBadImage = drift !== undefined && nodeClass?.badImages.has(image) === true
  return isOfBadImage && !going && !hostsPods ? unreadyFrom : undefined
}

function mayGo({ nodes }: PolicyGate, { name }: NodeFacts): boolean {
  const lane = nodes.get(name)
  return lane !== undefined && lane.hold === undefined
}
