import { formatDurationMs } from '../../api/duration.ts'
import { toTimestamp } from '../../model/clock.ts'

/** What `joinery explain` tells about one object; `-o json` prints it as it is. */
export interface Explanation {
  readonly kind: 'Pod' | 'Node' | 'NodeClaim' | 'NodePool'
  /** Pods as `namespace/name`. */
  readonly name: string
  /** One sentence: the answer. */
  readonly summary: string
  /** What is so, in reading order. */
  readonly facts: readonly Fact[]
  /** Why it is so, what decides first coming first. */
  readonly reasons: readonly Reason[]
  /** Of nodes: what their NodePool and EC2NodeClass ask for differently since they were made. */
  readonly changes?: readonly SpecChange[]
}

export interface SpecChange {
  readonly object: 'NodePool' | 'EC2NodeClass'
  /** `spec.template.spec.taints[0].effect` */
  readonly path: string
  /** Null where the field was not there. */
  readonly old: unknown
  readonly new: unknown
}

export interface Fact {
  readonly name: string
  readonly value: string
}

export interface Reason {
  /** What it concerns: a NodePool, a disruption reason, a condition. */
  readonly about: string
  /** `blocks`: it stands in the way. `allows`: it would go ahead. `idle`: it does not apply now. */
  readonly outcome: 'blocks' | 'allows' | 'idle'
  /** Stable, for machines; see docs/troubleshooting.md. */
  readonly code: string
  readonly message: string
  /** What would change it; null where there is nothing to do but wait. */
  readonly help: string | null
}

export function reason(
  about: string,
  outcome: Reason['outcome'],
  code: string,
  message: string,
  help: string | null = null,
): Reason {
  return { about, outcome, code, message, help }
}

/** `2026-01-02T03:04:05Z, in 5m0s` */
export function momentText(at: number, now: number): string {
  const seconds = Math.ceil((at - now) / 1_000)
  return seconds > 0 ? `${toTimestamp(at)}, in ${formatDurationMs(seconds * 1_000)}` : toTimestamp(at)
}
