import type { EC2NodeClassStatus } from '../../api/karpenter.ts'
import type { Logger } from '../../kube/logger.ts'

/** Says what a class selects when that is not what it selected before. */
export function logDiscoveries(before: EC2NodeClassStatus = {}, after: EC2NodeClassStatus = {}, log: Logger): void {
  const { amis = [], subnets = [], securityGroups = [] } = after
  if (isNews(before.amis, amis)) log.debug({ ids: idsOf(amis) }, 'discovered amis')
  if (isNews(before.subnets, subnets)) {
    log.debug({ subnets: subnets.map(({ id, zone, zoneID }) => ({ id, zone, zoneID })) }, 'discovered subnets')
  }
  if (isNews(before.securityGroups, securityGroups)) {
    log.debug({ 'security-groups': idsOf(securityGroups) }, 'discovered security groups')
  }
}

interface Identified {
  readonly id: string
}

function isNews(before: readonly Identified[] = [], after: readonly Identified[]): boolean {
  return idsOf(before).toSorted().join() !== idsOf(after).toSorted().join()
}

function idsOf(found: readonly Identified[]): readonly string[] {
  return found.map(({ id }) => id)
}
