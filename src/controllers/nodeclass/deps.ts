import type { EC2NodeClass, NodeClaim } from '../../api/karpenter.ts'
import type { AWSClients } from '../../cloud/aws/clients.ts'
import type { AWSCloud } from '../../cloud/aws/create-aws-cloud.ts'
import type { AWSGates, AWSSettings } from '../../cloud/aws/settings.ts'
import type { Cache, Caches } from '../../kube/controller.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import type { Clock } from '../../model/clock.ts'

export interface NodeClassDeps {
  readonly kube: KubeClient
  readonly caches: Caches
  readonly clock: Clock
  readonly recorder: EventRecorder
  readonly cloud: AWSCloud
  readonly clients: AWSClients
  readonly settings: AWSSettings
  readonly gates: AWSGates
}

const byNodeClass = 'ec2nodeclass'

/** Claims that refer to a class of this provider. */
export function claimsByClass(caches: Caches): { of(nodeClass: EC2NodeClass): readonly NodeClaim[] } {
  const claims: Cache<NodeClaim> = caches.of(nodeClaims)
  claims.addIndex(byNodeClass, classKeys)
  return {
    of: ({ metadata }) =>
      claims.by(byNodeClass, refKey({ group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: metadata.name })),
  }
}

function refKey({ group, kind, name }: { group: string; kind: string; name: string }): string {
  return `${group}/${kind}/${name}`
}

function classKeys({ spec }: NodeClaim): readonly string[] {
  return [refKey(spec.nodeClassRef)]
}
