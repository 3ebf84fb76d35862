import { conditionReady, isConditionTrue } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import { getIfPresent } from '../../kube/get-if-present.ts'
import { nodes } from '../../kube/kinds.ts'
import type { KubeClient } from '../../kube/port.ts'

/** Whether the API server knows the claim's node as ready: a watch that lags or has died without a word may show it as it was before, or not. */
export async function isReadyUnseen({ status }: NodeClaim, kube: Pick<KubeClient, 'get'>): Promise<boolean> {
  const { nodeName: name = '', providerID } = status ?? {}
  const present = name === '' ? undefined : await getIfPresent(kube, nodes, { name })
  return present !== undefined && present.spec.providerID === providerID && isConditionTrue(present, conditionReady)
}
