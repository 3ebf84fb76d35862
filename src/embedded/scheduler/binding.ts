import type { Pod } from '../../api/kubernetes.ts'
import { isConflict, isNotFound, KubeError } from '../../kube/errors.ts'
import { persistentVolumeClaims, persistentVolumes } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { referenceTo } from '../storage/new-volume.ts'
import type { ScheduleResult } from './placement.ts'
import { madeVolumesFor, selectedNodeAnnotation } from './volumes.ts'

type Outcome =
  | { readonly kind: 'bound' | 'gone' | 'volumesFirst' }
  /** The API server, or somebody's webhook, does not take what has to be written: of this pod alone. */
  | { readonly kind: 'refused'; readonly message: string }

export async function carryOut(
  deps: EmbeddedDeps,
  pod: Pod,
  placement: Extract<ScheduleResult, { kind: 'placed' }>,
): Promise<Outcome> {
  try {
    if (placement.volumes.waiting.length > 0) {
      await chooseNodeForVolumes(deps, placement)
      return { kind: 'volumesFirst' }
    }
    return { kind: (await bind(deps, pod, placement.node.name)) ? 'bound' : 'gone' }
  } catch (error) {
    // Another took the volume, or it has gone: the next pass chooses anew.
    if (isConflict(error) || isNotFound(error)) return { kind: 'gone' }
    if (error instanceof KubeError) return { kind: 'refused', message: error.message }
    throw error
  }
}

async function bind({ client }: EmbeddedDeps, pod: Pod, nodeName: string): Promise<boolean> {
  try {
    await client.bind(keyOf(pod), nodeName, { uid: pod.metadata.uid })
    return true
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return false
    throw error
  }
}

async function chooseNodeForVolumes(
  { client }: EmbeddedDeps,
  { node, volumes }: Extract<ScheduleResult, { kind: 'placed' }>,
): Promise<void> {
  const made = madeVolumesFor(volumes.waiting, node.node)
  for (const { claim } of volumes.waiting) {
    const volume = made.get(claim)
    if (volume !== undefined) {
      if (volume.spec.claimRef !== undefined) continue
      const { name, resourceVersion } = volume.metadata
      const body = { metadata: { resourceVersion }, spec: { claimRef: referenceTo(claim) } }
      await client.patch(persistentVolumes, { name }, { kind: 'merge', body })
      continue
    }
    if (claim.metadata.annotations?.[selectedNodeAnnotation] !== undefined) continue
    const body = { metadata: { annotations: { [selectedNodeAnnotation]: node.name } } }
    await client.patch(persistentVolumeClaims, keyOf(claim), { kind: 'merge', body })
  }
}
