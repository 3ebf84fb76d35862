import { listText } from '../../model/list-text.ts'
import { compareText } from '../../model/order.ts'
import { type Requirement, requirementText } from '../../model/requirement.ts'
import type { TopologyGroup } from './group.ts'

export interface TopologyFailure {
  readonly group: TopologyGroup
  readonly podDomains: Requirement
  readonly nodeDomains: Requirement
}

/** What an error says of a group that refuses a target; `counts`: its pods by domain. */
export function failureText(
  { group, podDomains, nodeDomains }: TopologyFailure,
  counts: readonly (readonly [domain: string, pods: number])[],
): string {
  const shown = counts.toSorted(([a], [b]) => compareText(a, b)).map(([domain, count]) => `${domain}: ${count}`)
  return (
    `unsatisfiable topology constraint for ${kindText[group.spec.kind]}, key=${group.spec.key} ` +
    `(counts = ${listText(shown, countsShown)}, podDomains = ${requirementText(podDomains)}, nodeDomains = ${requirementText(nodeDomains)}`
  )
}

/** As many domains as error texts list. */
const countsShown = 25

const kindText = {
  spread: 'topology spread',
  affinity: 'pod affinity',
  antiAffinity: 'pod anti-affinity',
} as const
