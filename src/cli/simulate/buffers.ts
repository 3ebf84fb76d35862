import type { CapacityBuffer } from '../../api/karpenter.ts'
import type { PodTemplateSpec } from '../../api/kubernetes.ts'
import { type HeldRoom, heldRoomOf, noHeldRoom } from '../../disruption/held-room.ts'
import { podsOfDeletingNodes } from '../../disruption/what-if.ts'
import type { PodInfo } from '../../model/pod.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import {
  activeCapacityStrategy,
  bufferReplicas,
  isScalableGroup,
  virtualPods,
} from '../../scheduling/capacity-buffer.ts'
import { prepare, type SchedulingSettings, solve } from '../../scheduling/index.ts'
import type { SimulationObjects } from './objects.ts'
import { waitingPods } from './waiting-pods.ts'

/** As the operator's next pass of provisioning would find it. */
export function heldRoomIn(snapshot: Snapshot, settings: SchedulingSettings, objects: SimulationObjects): HeldRoom {
  const standIns = virtualBufferPods(objects)
  if (standIns.length === 0) return noHeldRoom
  const pods = [...waitingPods(snapshot, settings).accepted, ...standIns, ...podsOfDeletingNodes(snapshot)]
  return heldRoomOf(standIns, solve(prepare(snapshot, settings, pods), { pods, reservedMode: 'strict' }))
}

/** The stand-ins of the input's capacity buffers; a buffer whose template or workload is missing has none. */
export function virtualBufferPods(objects: SimulationObjects): readonly PodInfo[] {
  return objects.capacityBuffers.flatMap((buffer) => {
    const { spec, metadata } = buffer
    if ((spec.provisioningStrategy ?? activeCapacityStrategy) !== activeCapacityStrategy) return []
    const shape = shapeOf(buffer, objects)
    if (shape === undefined) return []
    const replicas = bufferReplicas(spec, shape.template, shape.replicas)
    const { namespace = 'default', name, uid } = metadata
    return virtualPods({ namespace, name, uid }, shape.template, replicas)
  })
}

interface Shape {
  readonly template: PodTemplateSpec
  /** Undefined for a template, which has none. */
  readonly replicas: number | undefined
}

function shapeOf({ spec, metadata }: CapacityBuffer, objects: SimulationObjects): Shape | undefined {
  const isNamed =
    (name: string) => (object: { readonly metadata: { readonly name: string; readonly namespace?: string } }) =>
      object.metadata.name === name && object.metadata.namespace === metadata.namespace
  if (spec.podTemplateRef !== undefined) {
    const found = objects.podTemplates.find(isNamed(spec.podTemplateRef.name))
    return found === undefined ? undefined : { template: found.template, replicas: undefined }
  }
  const reference = spec.scalableRef
  if (reference === undefined || !isScalableGroup(reference.apiGroup)) return undefined
  const lists = { Deployment: objects.deployments, ReplicaSet: objects.replicaSets, StatefulSet: objects.statefulSets }
  const list = Object.hasOwn(lists, reference.kind) ? lists[reference.kind as keyof typeof lists] : []
  const found = list.find(isNamed(reference.name))
  return found === undefined ? undefined : { template: found.spec.template, replicas: found.spec.replicas ?? 1 }
}
