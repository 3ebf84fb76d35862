import type { Node, Pod, ReplicaSet } from '../../api/kubernetes.ts'
import { shaped } from '../apiserver/object.ts'
import type { Store, StoreEvent } from '../apiserver/store.ts'
import type { EventLog, Told } from './event-log.ts'
import { becameUnreachable, nodeEvents, strandedEvents } from './node-events.ts'
import { podEvents } from './pod-events.ts'
import { createdPodEvents, scalingEvents } from './workload-events.ts'

/**
 * Tells what the cluster's components would, from the changes that they make: whoever writes a status has done what it says. Told once
 * the change has reached everybody who watches. Returns how to stop.
 */
export function tellOfChanges(store: Store, log: EventLog): () => void {
  const tell = (of: (change: StoreEvent) => readonly Told[]) => (change: StoreEvent) => {
    const told = of(change)
    if (told.length > 0) queueMicrotask(() => told.forEach((each) => log.tell(each)))
  }
  const stops = [
    store.subscribe('/pods', tell(ofPod)),
    store.subscribe('/nodes', tell(ofNode)),
    store.subscribe('apps/replicasets', tell(ofReplicaSet)),
  ]
  return () => stops.forEach((stop) => stop())

  function ofPod({ type, object, previous }: StoreEvent): readonly Told[] {
    if (type === 'DELETED') return []
    const pod = shaped<Pod>(object)
    const created = type === 'ADDED' ? createdPodEvents(pod) : []
    return [...created, ...podEvents(previous === undefined ? undefined : shaped<Pod>(previous), pod)]
  }

  function ofNode({ type, object, previous }: StoreEvent): readonly Told[] {
    const before =
      type === 'DELETED' ? shaped<Node>(object) : previous === undefined ? undefined : shaped<Node>(previous)
    const after = type === 'DELETED' ? undefined : shaped<Node>(object)
    const told = nodeEvents(before, after)
    if (!becameUnreachable(before, after)) return told
    const pods = store.list('/pods').map(shaped<Pod>)
    return [...told, ...strandedEvents(pods.filter(({ spec }) => spec.nodeName === object.metadata.name))]
  }

  function ofReplicaSet({ type, object, previous }: StoreEvent): readonly Told[] {
    if (type === 'DELETED') return []
    return scalingEvents(previous === undefined ? undefined : shaped<ReplicaSet>(previous), shaped<ReplicaSet>(object))
  }
}
