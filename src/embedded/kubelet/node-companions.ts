import type { CSINode, Lease, Node, Unsaved } from '../../api/kubernetes.ts'
import { hasCode } from '../../kube/errors.ts'
import { csiNodes, leases } from '../../kube/kinds.ts'
import { toMicroTimestamp } from '../../model/clock.ts'
import type { TypeFacts } from '../aws/catalogue.ts'
import type { InstanceRecord } from '../aws/state.ts'
import type { EmbeddedDeps } from '../deps.ts'

/** EBS volumes that a node may attach when its type says nothing: AWS' usual limit. */
const usualAttachments = 25

/** By which a control plane hears that the kubelet is there. */
export async function createLease({ client, clock }: EmbeddedDeps, node: Node): Promise<void> {
  const time = toMicroTimestamp(clock.now())
  const lease: Unsaved<Lease> = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: node.metadata.name, namespace: 'kube-node-lease', ownerReferences: [ownerOf(node)] },
    spec: { holderIdentity: node.metadata.name, leaseDurationSeconds: 40, renewTime: time },
  }
  await ignoreExisting(client.create(leases, lease))
}

/** What the driver of EBS volumes tells of the node. */
export async function createCSINode(
  { client }: EmbeddedDeps,
  node: Node,
  instance: InstanceRecord,
  facts: TypeFacts,
): Promise<void> {
  const attachments = facts.ebs.maxAttachments ?? usualAttachments
  // Instances of most types share one budget among volumes, network interfaces and local disks; one volume is the root.
  const shared = facts.ebs.attachmentLimit === 'shared' ? instance.interfaces.length + localDisks(facts) : 0
  const csiNode: Unsaved<CSINode> = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'CSINode',
    metadata: { name: node.metadata.name, ownerReferences: [ownerOf(node)] },
    spec: {
      drivers: [
        {
          name: 'ebs.csi.aws.com',
          nodeID: instance.id,
          topologyKeys: ['kubernetes.io/os', 'topology.ebs.csi.aws.com/zone', 'topology.kubernetes.io/zone'],
          allocatable: { count: Math.max(1, attachments - 1 - shared) },
        } as CSINode['spec']['drivers'][number],
      ],
    },
  }
  await ignoreExisting(client.create(csiNodes, csiNode))
}

function localDisks(facts: TypeFacts): number {
  return (facts.local?.disks ?? []).reduce((sum, disk) => sum + disk.count, 0)
}

function ownerOf(node: Node) {
  return { apiVersion: 'v1', kind: 'Node', name: node.metadata.name, uid: node.metadata.uid }
}

async function ignoreExisting(creation: Promise<unknown>): Promise<void> {
  try {
    await creation
  } catch (error) {
    if (!hasCode(error, 'AlreadyExists')) throw error
  }
}
