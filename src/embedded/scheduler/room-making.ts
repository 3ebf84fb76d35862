import type { Pod } from '../../api/kubernetes.ts'
import { isConflict, isNotFound, KubeError } from '../../kube/errors.ts'
import { pods } from '../../kube/kinds.ts'
import type { Patch } from '../../kube/port.ts'
import { keyOf } from '../../kube/resource.ts'
import { toTimestamp } from '../../model/clock.ts'
import type { EmbeddedDeps } from '../deps.ts'
import type { Told } from '../events/event-log.ts'
import type { NodeState } from './node-state.ts'
import type { Unschedulable } from './placement.ts'
import { type Preemption, preemptionReason } from './preemption.ts'
import { sayUnplaced } from './unplaced.ts'

export interface SchedulerDeps extends EmbeddedDeps {
  readonly tell: (told: Told) => void
}

/** Ends the pod's victims and keeps the node for it; says what the API server refuses of that, if anything. */
export async function makeRoom(
  deps: SchedulerDeps,
  pod: Pod,
  {
    placement,
    preemption,
  }: { readonly placement: Unschedulable; readonly preemption: Extract<Preemption, { kind: 'victims' }> },
): Promise<string | undefined> {
  const { client } = deps
  const { node, victims, displaced } = preemption
  const nomination = { nominatedNodeName: node.name }
  try {
    for (const lesser of displaced) {
      node.nominees.delete(lesser)
      await client.patch(pods, keyOf(lesser), withdrawn(lesser), { subresource: 'status' })
    }
    for (const victim of victims) await endVictim(deps, { victim, pod, node })
    await sayUnplaced(deps, pod, { reason: 'Unschedulable', message: placement.message }, nomination)
    node.nominees.add({ ...pod, status: { ...pod.status, ...nomination } })
    return undefined
  } catch (error) {
    if (error instanceof KubeError) return error.message
    throw error
  }
}

function withdrawn({ metadata: { uid } }: Pod): Patch {
  return { kind: 'merge', body: { metadata: { uid }, status: { nominatedNodeName: null } } }
}

/** No eviction: budgets were weighed when it was chosen. It gets its grace period. */
async function endVictim(
  { client, clock, tell }: SchedulerDeps,
  { victim, pod, node }: { readonly victim: Pod; readonly pod: Pod; readonly node: NodeState },
): Promise<void> {
  if (victim.metadata.deletionTimestamp !== undefined) return
  const { uid } = victim.metadata
  const why = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: preemptionReason,
    message: 'default-scheduler: preempting to accommodate a higher priority pod',
  } as const
  const body = { metadata: { uid }, status: { conditions: [{ ...why, lastTransitionTime: toTimestamp(clock.now()) }] } }
  try {
    await client.patch(pods, keyOf(victim), { kind: 'strategic', body }, { subresource: 'status' })
    await client.delete(pods, keyOf(victim), { preconditions: { uid } })
  } catch (error) {
    // Gone, or another of the same name: either way this one makes no trouble any more.
    if (isNotFound(error) || isConflict(error)) return
    throw error
  }
  tell({
    about: victim,
    type: 'Normal',
    reason: 'Preempted',
    message: `Preempted by pod ${pod.metadata.uid} on node ${node.name}`,
    by: { component: 'default-scheduler', action: 'Preempting' },
  })
}
