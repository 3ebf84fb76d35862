import type { EventRecorder } from '../../kube/recorder.ts'
import type { Clock } from '../../model/clock.ts'
import { podInfoOf } from '../../model/to-pod-info.ts'
import { listText } from '../../model/list-text.ts'
import { pendingAttachments } from './volume-detachment.ts'
import type { Termination, Waiting } from './termination-state.ts'

const pollMs = 1_000

/** Waits for the drained pods' volumes, until the termination time at the latest. */
export function awaitVolumeDetachment(
  deps: { readonly clock: Clock; readonly recorder: EventRecorder },
  { node, terminationTime, draft, lookup, volumes }: Termination,
): Waiting {
  const now = deps.clock.now()
  const { name } = node.metadata
  const pending = pendingAttachments(
    volumes.attachmentsOf(name),
    lookup.podsOn(name).map(podInfoOf),
    (key) => volumes.claims.get(key),
    now,
  )
  if (pending.length === 0) {
    draft?.conditions.setTrue('VolumesDetached')
    return undefined
  }
  if (terminationTime !== undefined && now > terminationTime) {
    const reason = 'TerminationGracePeriodElapsed'
    draft?.conditions.set('VolumesDetached', 'False', reason, reason)
    return undefined
  }
  const names = listText(pending.map((attachment) => attachment.metadata.name))
  deps.recorder.publish({
    object: node,
    type: 'Normal',
    reason: 'AwaitingVolumeDetachment',
    message: `Awaiting deletion of bound volumeattachments (${names})`,
    dedupeValues: [name],
  })
  draft?.conditions.set('VolumesDetached', 'Unknown', 'AwaitingVolumeDetachment', 'AwaitingVolumeDetachment')
  return { afterMs: pollMs }
}
