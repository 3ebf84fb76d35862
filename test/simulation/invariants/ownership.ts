import type { NodeClaim } from '../../../src/api/karpenter.ts'
import type { Node, PersistentVolumeClaim, VolumeAttachment } from '../../../src/api/kubernetes.ts'
import {
  annotationTerminationTimestamp,
  clusterOwnedTagKey,
  finalizerTermination,
  labelRegistered,
  tagNodeClaim,
  tagNodePool,
} from '../../../src/api/labels.ts'
import type { InstanceRecord } from '../../../src/embedded/aws/state.ts'
import { minute } from '../world.ts'
import { idOf, isReadyNode, type Look, type Watcher } from './look.ts'

/** I1 to I6, I12, I21, I26: who owns which machine, and what may happen to it. */
export function ownershipWatcher(look: Look): Watcher {
  const { cluster } = look

  function isOurs({ tags }: InstanceRecord): boolean {
    return tags[clusterOwnedTagKey(cluster.clusterName)] === 'owned' && tags[tagNodePool] !== undefined
  }

  /** I21: only what carries our tags. I5: a healthy machine only when somebody said so. I26: volumes first. */
  function mayTerminate(instance: InstanceRecord): void {
    if (!isOurs(instance)) look.report('I21', instance.id, 'is terminated though it is not ours')
    const claim = look.claims.find(({ status }) => idOf(status?.providerID) === instance.id)
    if (claim === undefined || look.allowances.cloudIsStale) return
    const node = look.nodeOf(claim)
    if (claim.metadata.deletionTimestamp === undefined && node !== undefined && isReadyNode(node)) {
      const { name } = claim.metadata
      look.report('I5', instance.id, `is terminated while claim ${name} wants it and its node is Ready`)
    }
    if (node === undefined || instance.state !== 'running') return
    if (claim.metadata.annotations?.[annotationTerminationTimestamp] !== undefined || !isReadyNode(node)) return
    const stuck = volumesOfStuckPods(node.metadata.name)
    const attached = look
      .list<VolumeAttachment>('storage.k8s.io/volumeattachments')
      .filter(({ spec }) => spec.nodeName === node.metadata.name && !stuck.has(spec.source.persistentVolumeName))
    if (attached.length > 0) look.report('I26', instance.id, `is terminated with ${attached.length} volumes attached`)
  }

  /** Pods that a kubelet does not end within a minute are not waited for, nor are their volumes. */
  function volumesOfStuckPods(nodeName: string): ReadonlySet<string | undefined> {
    const claims = look
      .podsOn(nodeName)
      .filter(({ metadata }) => look.now - Date.parse(metadata.deletionTimestamp ?? '') > minute)
      .flatMap(({ metadata, spec }) =>
        (spec.volumes ?? []).map((volume) => `${metadata.namespace ?? ''}/${volume.persistentVolumeClaim?.claimName}`),
      )
    const named = look
      .list<PersistentVolumeClaim>('/persistentvolumeclaims')
      .filter(({ metadata }) => claims.includes(`${metadata.namespace ?? ''}/${metadata.name}`))
    return new Set(named.map(({ spec }) => spec.volumeName))
  }

  /** I6: the finalizer goes only after the cloud has said that the machine is gone. */
  function claimGone(claim: NodeClaim): void {
    if (look.allowances.cloudIsStale) return
    const instance = look.instance(claim.status?.providerID)
    if (instance !== undefined && instance.state !== 'terminated') {
      look.report('I6', claim.metadata.name, `is gone while ${instance.id} is ${instance.state}`)
    }
  }

  /** I3: a node and its claim are one machine because they name the same provider ID; a name that both bear proves nothing. */
  function identity(node: Node): void {
    if (node.metadata.labels?.[labelRegistered] !== 'true') return
    const sharing = look.nodes.filter(({ spec }) => spec.providerID === node.spec.providerID)
    if (sharing.length > 1) look.report('I3', node.metadata.name, 'shares its provider ID with another registered node')
    const sameName = look.claims.find(({ status }) => status?.nodeName === node.metadata.name)
    const other = sameName?.status?.providerID
    if (other === undefined || other === node.spec.providerID || look.claimOf(node) !== undefined) return
    const instance = look.instance(other)
    if (instance?.state === 'running' && sameName?.metadata.deletionTimestamp === undefined) {
      look.report(
        'I3',
        node.metadata.name,
        `was registered for a claim of machine ${other}, but is ${node.spec.providerID ?? ''}`,
      )
    }
  }

  function deletesNode(name: string): void {
    const node = look.node(name)
    const claim = node === undefined ? undefined : look.claimOf(node)
    if (node === undefined || claim === undefined || look.allowances.cloudIsStale) return
    const instance = look.instance(node.spec.providerID)
    if (instance === undefined || instance.state !== 'running') return
    if (claim.metadata.deletionTimestamp === undefined && isReadyNode(node)) {
      look.report('I3', name, `is deleted although claim ${claim.metadata.name} and its machine live`)
    }
  }

  function claimLiveness(claim: NodeClaim): void {
    const instance = look.instance(claim.status?.providerID)
    const gone = instance === undefined || instance.state === 'terminated'
    const launched = (claim.status?.providerID ?? '') !== ''
    const waits = claim.metadata.deletionTimestamp !== undefined && launched && gone && look.nodeOf(claim) === undefined
    look.since('I12', claim.metadata.name, waits, 10 * minute, 'keeps its finalizer')
  }

  function nodeLiveness(node: Node): void {
    if (!(node.metadata.finalizers ?? []).includes(finalizerTermination)) return
    const instance = look.instance(node.spec.providerID)
    const gone = instance === undefined || instance.state === 'terminated'
    look.since('I4', node.metadata.name, gone, 10 * minute, 'is there although its machine is gone')
  }

  return {
    onClaim(type, claim) {
      if (type === 'DELETED') claimGone(claim)
    },
    onNode(type, node) {
      if (type !== 'DELETED') identity(node)
    },
    onCall({ resource, verb, name = '' }) {
      if (resource.plural === 'nodes' && verb === 'delete') deletesNode(name)
    },
    onCloudCall({ service, action, input }) {
      if (service !== 'ec2' || action !== 'TerminateInstances') return
      for (const id of instanceIDsOf(input)) {
        const instance = cluster.aws.account.instance(id)
        if (instance !== undefined) mayTerminate(instance)
      }
    },
    tick() {
      const known = new Set(look.claims.map(({ status }) => idOf(status?.providerID)))
      const live = cluster.aws.state.instances.filter(
        (instance) => isOurs(instance) && (instance.state === 'running' || instance.state === 'pending'),
      )
      for (const { id } of live) look.since('I1', id, !known.has(id), 10 * minute, 'runs without a NodeClaim')
      const owners = live.flatMap(({ tags }) => tags[tagNodeClaim] ?? []).filter((name) => name !== '')
      for (const name of new Set(owners)) {
        const count = owners.filter((other) => other === name).length
        if (count > 1) look.report('I2', name, `owns ${count} running instances`)
      }
      for (const claim of look.claims) claimLiveness(claim)
      for (const node of look.nodes) nodeLiveness(node)
    },
  }
}

export function instanceIDsOf(input: unknown): readonly string[] {
  if (typeof input !== 'object' || input === null || !('InstanceIds' in input)) return []
  return Array.isArray(input.InstanceIds) ? input.InstanceIds.filter((id) => typeof id === 'string') : []
}
