import type { BlockCode } from '../../disruption/candidates.ts'
import type { VerdictBook } from '../disruption/index.ts'

/** What the disruption loop last found of a drifted node. */
export type DriftVerdict = Readonly<
  | { kind: 'free' }
  /** On its way, or not yet there: nothing to tell. */
  | { kind: 'underWay'; isQueued: boolean }
  | { kind: 'blocked'; reason: BlockCode; message: string }
>

const underWay: ReadonlySet<BlockCode> = new Set([
  'InQueue',
  'Deleting',
  'NotInitialized',
  'NotManaged',
  'NoNode',
  'Nominated',
])

export function driftVerdict(verdicts: Pick<VerdictBook, 'of'>, node: string): DriftVerdict {
  const verdict = verdicts.of(node).find(({ method }) => method === 'drift' || method === 'staticDrift')
  if (verdict === undefined) return { kind: 'free' }
  const { code, message } = verdict
  return underWay.has(code)
    ? { kind: 'underWay', isQueued: code === 'InQueue' }
    : { kind: 'blocked', reason: code, message }
}
