import type { KubeObject, Pod, ReplicaSet } from '../../api/kubernetes.ts'
import { controllerOf } from '../../api/owner-references.ts'
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
  const about = ownerOf(pod)
  const component = creators[about?.kind ?? '']
  if (about === undefined || component === undefined) return []
  const { name } = pod.metadata
  const message =
    about.kind === 'StatefulSet'
      ? `create Pod ${name} in StatefulSet ${about.metadata.name} successful`
      : `Created pod: ${name}`
  return [{ about, type: 'Normal', reason: 'SuccessfulCreate', message, by: { component } }]
}

/** What a Deployment does to its ReplicaSets. */
export function scalingEvents(before: ReplicaSet | undefined, after: ReplicaSet): readonly Told[] {
  const about = ownerOf(after)
  const [from, to] = [before?.spec?.replicas ?? 0, after.spec?.replicas ?? 0]
  if (about?.kind !== 'Deployment' || from === to) return []
  const message = `Scaled ${to > from ? 'up' : 'down'} replica set ${after.metadata.name} from ${from} to ${to}`
  return [{ about, type: 'Normal', reason: 'ScalingReplicaSet', message, by: deployments }]
}

/** The object that controls this one and lives beside it. */
function ownerOf(object: KubeObject): Told['about'] | undefined {
  const owner = controllerOf(object.metadata)
  if (owner === undefined) return undefined
  const { namespace } = object.metadata
  const { apiVersion, kind, name, uid } = owner
  return { apiVersion, kind, metadata: { name, uid, ...(namespace === undefined ? {} : { namespace }) } }
}
