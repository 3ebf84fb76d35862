import type { KubeObject, Pod, ReplicaSet } from '../../api/kubernetes.ts'
import type { Teller, Told } from './event-log.ts'

const deployments: Teller = { component: 'deployment-controller' }

const creators: Readonly<Record<string, string>> = {
  ReplicaSet: 'replicaset-controller',
  DaemonSet: 'daemonset-controller',
  StatefulSet: 'statefulset-controller',
  Job: 'job-controller',
}

/** A new pod is told of by whatever controller made it, on the object that owns it. */
export function createdPodEvents(pod: Pod): readonly Told[] {
  const owner = controllerOf(pod)
  const component = creators[owner?.kind ?? '']
  if (owner === undefined || component === undefined) return []
  const { name, namespace } = pod.metadata
  const message =
    owner.kind === 'StatefulSet' ? `create Pod ${name} in StatefulSet ${owner.name} successful` : `Created pod: ${name}`
  const { apiVersion, kind } = owner
  const about = { apiVersion, kind, metadata: { name: owner.name, uid: owner.uid, ...placeOf(namespace) } }
  return [{ about, type: 'Normal', reason: 'SuccessfulCreate', message, by: { component } }]
}

/** What a Deployment does to its ReplicaSets. */
export function scalingEvents(before: ReplicaSet | undefined, after: ReplicaSet): readonly Told[] {
  const owner = controllerOf(after)
  const [from, to] = [before?.spec?.replicas ?? 0, after.spec?.replicas ?? 0]
  if (owner?.kind !== 'Deployment' || from === to) return []
  const { name, namespace } = after.metadata
  const { apiVersion, kind } = owner
  const about = { apiVersion, kind, metadata: { name: owner.name, uid: owner.uid, ...placeOf(namespace) } }
  const message = `Scaled ${to > from ? 'up' : 'down'} replica set ${name} from ${from} to ${to}`
  return [{ about, type: 'Normal', reason: 'ScalingReplicaSet', message, by: deployments }]
}

function controllerOf(object: KubeObject) {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true)
}

function placeOf(namespace: string | undefined): { readonly namespace?: string } {
  return namespace === undefined ? {} : { namespace }
}
