import { nillableDurationMs } from '../api/duration.ts'
import { fnv1 } from '../api/hash/index.ts'
import type { EC2NodeClass, NodeClaim, NodePool, RolloutPolicy } from '../api/karpenter.ts'
import { toTimestamp, parseTimestamp } from '../model/clock.ts'
import { readRolloutAnnotations } from './annotations.ts'

/** Reasons of this project's own to replace a node; they travel the road of drift. */
type OwnDriftReason = 'Retiring' | 'RestartRequested' | 'SoftExpired'

export interface OwnDriftInput {
  readonly claim: NodeClaim
  /** The pool is to be emptied. */
  readonly retiring: boolean
  /** Nodes made before it are to be replaced: the latest of those that pool and class ask for. In ms since the epoch. */
  readonly restartAt: number | undefined
  /** From the governing RolloutPolicy. */
  readonly softExpireAfterMs: number | undefined
  /** How much later, as a share of the age, nodes may be due: 0 to 1. */
  readonly softExpireJitter: number
  readonly now: number
}

export type OwnDrift = Readonly<
  | { kind: 'drifted'; reason: OwnDriftReason; detail: string }
  /** `dueAt`: when time alone will change the answer. */
  | { kind: 'kept'; dueAt: number | undefined }
>

/** Why a node is to be replaced although nothing about what nodes are made of has changed; `now` in ms since the epoch. */
export type OwnDriftOf = (claim: NodeClaim, pool: NodePool, now: number) => OwnDrift

/** What is asked of the nodes of a pool. */
export interface Asking {
  readonly pool: NodePool
  readonly nodeClass: EC2NodeClass | undefined
  /** That governs the pool. */
  readonly policy: RolloutPolicy | undefined
}

/** Reads what annotations and the policy ask, for one of the pool's claims. */
export function ownDriftOf(claim: NodeClaim, { pool, nodeClass, policy }: Asking, now: number): OwnDrift {
  const own = readRolloutAnnotations(pool, now)
  const restarts = [own.restartAt, nodeClass && readRolloutAnnotations(nodeClass, now).restartAt].filter(
    (at) => at !== undefined,
  )
  const spec = policy?.spec
  const isActive = spec !== undefined && spec.mode !== 'Observe'
  return decideOwnDrift({
    claim,
    retiring: own.retire,
    restartAt: restarts.length === 0 ? undefined : Math.max(...restarts),
    softExpireAfterMs:
      isActive && spec.softExpireAfter !== undefined ? nillableDurationMs(spec.softExpireAfter) : undefined,
    softExpireJitter: Number.parseInt(spec?.softExpireJitter ?? '10%', 10) / 100,
    now,
  })
}

/** Asked only when nothing else makes the node drift. */
export function decideOwnDrift(input: OwnDriftInput): OwnDrift {
  const { claim, now } = input
  const createdAt = parseTimestamp(claim.metadata.creationTimestamp) ?? now
  if (input.retiring) {
    return { kind: 'drifted', reason: 'Retiring', detail: 'the NodePool takes its nodes out of service' }
  }
  if (input.restartAt !== undefined && createdAt < input.restartAt) {
    const detail = `made at ${toTimestamp(createdAt)}, before ${toTimestamp(input.restartAt)}`
    return { kind: 'drifted', reason: 'RestartRequested', detail }
  }
  if (input.softExpireAfterMs === undefined) return { kind: 'kept', dueAt: undefined }
  const dueAt = createdAt + input.softExpireAfterMs * (1 + input.softExpireJitter * spreadOf(claim.metadata.uid))
  if (now < dueAt) return { kind: 'kept', dueAt }
  const detail = `made at ${toTimestamp(createdAt)}, due at ${toTimestamp(dueAt)}`
  return { kind: 'drifted', reason: 'SoftExpired', detail }
}

/** From 0 to 1, the same for one claim whoever asks: nodes that were made together are not replaced together. */
function spreadOf(uid: string): number {
  // FNV-1 mixes the last bytes only into the low bits.
  return Number(fnv1(new TextEncoder().encode(uid)) % 1_000n) / 1_000
}
