import { conditionOf } from '../../api/conditions.ts'
import type { Pod } from '../../api/kubernetes.ts'
import { KubeError } from '../../kube/errors.ts'
import { pods } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import { toTimestamp } from '../../model/clock.ts'
import { withCondition } from '../conditions.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { nominationOf } from './waiting-pods.ts'

/** Whoever refuses the binding may refuse this as well: then nobody is told, and the next pod has its turn. */
export async function sayUnplaced(
  { client, clock }: EmbeddedDeps,
  pod: Pod,
  refusal: { readonly reason: 'Unschedulable' | 'SchedulerError'; readonly message: string },
  nomination: { readonly nominatedNodeName: string } = { nominatedNodeName: '' },
): Promise<void> {
  const known = conditionOf(pod, 'PodScheduled')
  const isNominated = nominationOf(pod) === nomination.nominatedNodeName
  if (known?.status === 'False' && known.message === refusal.message && isNominated) return
  const changed = isNominated ? {} : { nominatedNodeName: nomination.nominatedNodeName || null }
  const conditions = withCondition(
    pod.status?.conditions,
    { type: 'PodScheduled', status: 'False', ...refusal },
    toTimestamp(clock.now()),
  )
  const body = { metadata: { uid: pod.metadata.uid }, status: { conditions, ...changed } }
  try {
    await client.patch(pods, keyOf(pod), { kind: 'merge', body }, { subresource: 'status' })
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
  }
}
