import { toTimestamp } from '../../model/clock.ts'
import type { ApiContext, Target, WriteRequest } from './api/context.ts'
import { getObject, inVersion } from './api/read.ts'
import { conflict, uidMismatch } from './errors.ts'
import { arrayAt, isObject, textAt, withAt } from './json.ts'
import { asIncoming, asStored, storeKeyOf } from './object.ts'
import { fieldsOfUpdate } from './patch/managed-fields.ts'
import type { KindDefinition } from './registry/definition.ts'

/** Assigns a pod to a node, once, and says so in its PodScheduled condition. */
export function bindPod(
  context: ApiContext,
  pods: KindDefinition,
  input: { readonly target: Target; readonly nodeName: string; readonly uid: string | undefined },
  request: WriteRequest,
): void {
  const { target, nodeName, uid } = input
  const binding = { ...pods, plural: 'pods/binding' }
  const pod = getObject(context, pods, target)
  if (uid !== undefined && uid !== '' && uid !== pod.metadata.uid) {
    throw conflict(
      pods,
      target.name,
      uidMismatch(pods, storeKeyOf(target.namespace, target.name), uid, pod.metadata.uid),
    )
  }
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw conflict(binding, target.name, `pod ${target.name} is being deleted, cannot be assigned to a host`)
  }
  const current = textAt(pod, 'spec', 'nodeName') ?? ''
  if (current !== '')
    throw conflict(binding, target.name, `pod ${target.name} is already assigned to node "${current}"`)
  if (arrayAt(pod, 'spec', 'schedulingGates').length > 0) {
    throw conflict(binding, target.name, `pod ${target.name} has non-empty .spec.schedulingGates`)
  }
  const now = toTimestamp(context.clock.now())
  const others = arrayAt(pod, 'status', 'conditions').filter(
    (condition) => isObject(condition) && condition['type'] !== 'PodScheduled',
  )
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now }
  const bound = withAt(withAt(pod, ['spec', 'nodeName'], nodeName), ['status', 'conditions'], [...others, scheduled])
  if (request.dryRun) return
  const tracked = fieldsOfUpdate(context, pods, { next: asIncoming(bound), old: pod, request, subresource: 'binding' })
  context.store.put(pods.table, storeKeyOf(target.namespace, target.name), inVersion(pods, asStored(tracked)))
}
