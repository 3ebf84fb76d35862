import type { NodeClaim, NodePool } from '../../api/karpenter.ts'
import { awsGroup } from '../../api/labels.ts'
import type { AWSClients } from '../../cloud/aws/clients.ts'
import type { AWSCloud } from '../../cloud/aws/create-aws-cloud.ts'
import { nodeClassKind } from '../../cloud/aws/keys.ts'
import type { AWSGates, AWSSettings } from '../../cloud/aws/settings.ts'
import type { Caches } from '../../kube/controller.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import type { Clock } from '../../model/clock.ts'

export interface AWSControllerDeps {
  readonly kube: KubeClient
  readonly caches: Caches
  readonly clock: Clock
  readonly recorder: EventRecorder
  readonly cloud: AWSCloud
  readonly clients: AWSClients
  readonly settings: AWSSettings
  readonly gates: AWSGates
  /** That the process runs in. */
  readonly namespace: string
}

export function isOurClaim(claim: Pick<NodeClaim, 'spec'>): boolean {
  const { group, kind } = claim.spec.nodeClassRef
  return group === awsGroup && kind === nodeClassKind
}

export function isOurPool(pool: Pick<NodePool, 'spec'>): boolean {
  const { group, kind } = pool.spec.template.spec.nodeClassRef
  return group === awsGroup && kind === nodeClassKind
}
