import type { NodeClaim } from '../../api/karpenter.ts'
import type { Logger } from '../../kube/logger.ts'

/** Fields that every line about a claim carries once they are known. */
export function claimLog(log: Logger, claim: NodeClaim): Logger {
  const { providerID = '', nodeName = '' } = claim.status ?? {}
  return log.child({
    ...(providerID === '' ? {} : { 'provider-id': providerID }),
    ...(nodeName === '' ? {} : { Node: { name: nodeName } }),
  })
}
