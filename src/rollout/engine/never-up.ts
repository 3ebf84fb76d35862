import type { NodeFacts } from './input.ts'
import { nodeReadyTimeoutMs } from './new-nodes.ts'
import type { PolicyGate } from './result.ts'
import type { Run } from './run.ts'
import { changeNodes, type Scope } from './scope.ts'

/** Nodes to be replaced that have never been in service. */
export interface NeverUp {
  /** Names of their claims: those that have had their time and may go now. */
  readonly names: readonly string[]
  /** When the next one will have had its time; in ms since the epoch. */
  readonly nextTimeout: number | undefined
}

/**
 * What an earlier rollout brought and never came up, as where another image takes the place of a bad one. Disruption never takes such a node,
 * and lets no other go whose pods would find room there: without this, the very image that mends the bad one would reach nothing.
 */
export function neverUp(run: Run, scope: Scope, gate: PolicyGate, now: number): NeverUp {
  const timeoutMs = nodeReadyTimeoutMs(run.terms.gates)
  const nodes = scope.covered.flatMap(changeNodes).filter(isUnused)
  const isLate = ({ createdAt }: NodeFacts): boolean => createdAt + timeoutMs <= now
  const coming = nodes.flatMap((node) => (isLate(node) ? [] : [node.createdAt + timeoutMs]))
  return {
    names: nodes.flatMap((node) => (isLate(node) && mayGo(gate, node) ? [node.name] : [])),
    nextTimeout: coming.length === 0 ? undefined : Math.min(...coming),
  }
}

/** One that has not all that its pods may ask for may be ready nevertheless, and pods that do not ask run there. */
function isUnused({ launched, initialized, going, hostsPods }: NodeFacts): boolean {
  return launched && !initialized && !going && !hostsPods
}

function mayGo({ nodes }: PolicyGate, { name }: NodeFacts): boolean {
  const lane = nodes.get(name)
  return lane !== undefined && lane.hold === undefined
}
