import type { NodeClaim } from '../../api/karpenter.ts'
import type { Node } from '../../api/kubernetes.ts'
import { annotationTerminationTimestamp } from '../../api/labels.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import { parseRFC3339 } from '../../model/clock.ts'
import { truncated } from '../truncated.ts'

/** Terminating by guesswork could cost data, so the node stays until somebody mends the annotation. */
class TerminationTimestampError extends Error {
  readonly code = 'InvalidTerminationTimestamp'
  override readonly name = 'TerminationTimestampError'
}

/**
 * When the patience with the pods of the claim's node ends, in milliseconds since the epoch; undefined: never.
 * @throws TerminationTimestampError after it was told on both
 */
export function terminationTimeOf(recorder: EventRecorder, node: Node, claim: NodeClaim): number | undefined {
  const text = claim.metadata.annotations?.[annotationTerminationTimestamp]
  if (text === undefined) return undefined
  const parsed = parseRFC3339(text)
  if (parsed !== undefined) return parsed
  const what = `annotation ${annotationTerminationTimestamp} of nodeclaim ${claim.metadata.name}`
  const message = `${what}: ${truncated(JSON.stringify(text))} is no RFC 3339 time, and the node is not drained until it is mended or removed`
  const event = { type: 'Warning', reason: 'InvalidTerminationTimestamp', message } as const
  recorder.publish(...[node, claim].map((object) => ({ object, ...event, dedupeValues: [object.metadata.uid] })))
  throw new TerminationTimestampError(message)
}
