import type { CapacityBuffer } from '../../api/karpenter.ts'
import type { PodTemplateSpec } from '../../api/kubernetes.ts'
import type { PodInfo } from '../../model/pod.ts'
import { activeCapacityStrategy, bufferReplicas, virtualPods } from '../../scheduling/capacity-buffer.ts'
import type { SimulationObjects } from './objects.ts'

/** The stand-ins of the input's capacity buffers; a buffer whose template or workload is missing has none. */
export function virtualBufferPods(objects: SimulationObjects, now: number): readonly PodInfo[] {
  return objects.capacityBuffers.flatMap((buffer) => {
    const { spec, metadata } = buffer
    if ((spec.provisioningStrategy ?? activeCapacityStrategy) !== activeCapacityStrategy) return []
    const shape = shapeOf(buffer, objects)
    if (shape === undefined) return []
    const replicas = bufferReplicas(spec, shape.template, shape.replicas)
    const { namespace = 'default', name, uid } = metadata
    return virtualPods({ namespace, name, uid }, shape.template, replicas, now)
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
  if (reference === undefined) return undefined
  const lists = { Deployment: objects.deployments, ReplicaSet: objects.replicaSets, StatefulSet: objects.statefulSets }
  const list = Object.hasOwn(lists, reference.kind) ? lists[reference.kind as keyof typeof lists] : []
  const found = list.find(isNamed(reference.name))
  return found === undefined ? undefined : { template: found.spec.template, replicas: found.spec.replicas ?? 1 }
}
