import { compareText } from '../../model/order.ts'
import { allows, type Requirement } from '../../model/requirement.ts'
import { mayBeAbsent } from '../../model/requirements.ts'
import type { TopologyGroup } from './group.ts'

/** What a choice depends on besides the counts. `selfSelecting`: the group selects the pod that is being placed. */
export interface Question {
  /** What the pod itself insists on for the key. */
  readonly podDomains: Requirement
  /** What the target can still be. */
  readonly nodeDomains: Requirement
  readonly selfSelecting: boolean
}

/** Larger than any count: the minimum over no domain at all. */
const noMinimum = 2 ** 31 - 1

/** Domains of the key that the target may take; none means that the constraint cannot be met there. In byte order. */
export function chooseDomains(group: TopologyGroup, question: Question): readonly string[] {
  switch (group.spec.kind) {
    case 'spread':
      return spreadDomain(group, question)
    case 'affinity':
      return affinityDomains(group, question)
    case 'antiAffinity':
      return emptyDomains(group, question)
  }
}

/** The same where the key is the hostname, of which every target has exactly one. */
export function acceptsHost(
  group: TopologyGroup,
  host: number,
  question: {
    readonly selfSelecting: boolean
    readonly hostAllowed: boolean
    readonly anyAllowedHostOccupied: () => boolean
  },
): boolean {
  const count = group.onHost(host)
  switch (group.spec.kind) {
    case 'spread':
      return count + (question.selfSelecting ? 1 : 0) <= group.spec.maxSkew
    case 'affinity':
      return (
        question.hostAllowed &&
        (count > 0 || (question.selfSelecting && (group.isEmpty || !question.anyAllowedHostOccupied())))
      )
    case 'antiAffinity':
      return count === 0
  }
}

/** Where a choice takes one of several domains that would do: all of these, the better ones first, equal ones in byte order. */
export function domainsToTry(group: TopologyGroup, question: Question): readonly string[] {
  switch (group.spec.kind) {
    case 'spread': {
      const countOf = (domain: string): number => group.domains.get(domain) ?? 0
      return validDomains(group, question).toSorted((a, b) => countOf(a) - countOf(b) || compareText(a, b))
    }
    case 'affinity':
      return joinableDomains(group, question).length > 0 ? [] : firstDomains(group, question)
    case 'antiAffinity':
      return []
  }
}

/** All domains that would do, of which a choice takes one or more; in no order. */
export function validDomains(group: TopologyGroup, question: Question): readonly string[] {
  if (group.spec.kind !== 'spread') return chooseDomains(group, question)
  const most = mostForSkew(group, question)
  const found: string[] = []
  for (const [domain, count] of group.domains) {
    if (count <= most && allows(question.nodeDomains, domain)) found.push(domain)
  }
  return found
}

function spreadDomain(group: TopologyGroup, question: Question): readonly string[] {
  const most = mostForSkew(group, question)
  let best: string | undefined
  let lowest = noMinimum
  for (const [domain, count] of group.domains) {
    if (count > most || (best !== undefined && (count > lowest || (count === lowest && domain > best)))) continue
    if (!allows(question.nodeDomains, domain)) continue
    best = domain
    lowest = count
  }
  return best === undefined ? [] : [best]
}

/** How many pods a domain may have that takes one more. */
function mostForSkew(group: TopologyGroup, { podDomains, selfSelecting }: Question): number {
  const { maxSkew, minDomains, filter } = group.spec
  // Where it does not matter which nodes the pod may go to, those count that are there, not those that could be made.
  const everywhere = filter?.honorAffinity === false
  let minimum = noMinimum
  let eligible = 0
  for (const [domain, count] of group.domains) {
    if (!allows(podDomains, domain) && !(everywhere && group.hasNode(domain))) continue
    eligible += 1
    if (count < minimum) minimum = count
  }
  if (minDomains !== undefined && eligible < minDomains) minimum = 0
  return maxSkew + minimum - (selfSelecting ? 1 : 0)
}

function affinityDomains(group: TopologyGroup, question: Question): readonly string[] {
  const joinable = joinableDomains(group, question)
  return joinable.length > 0 ? joinable : firstDomains(group, question).slice(0, 1)
}

function joinableDomains(group: TopologyGroup, { podDomains, nodeDomains }: Question): readonly string[] {
  const joinable: string[] = []
  for (const [domain, count] of group.domains) {
    if (count > 0 && allows(podDomains, domain) && allows(nodeDomains, domain)) joinable.push(domain)
  }
  return joinable.toSorted()
}

/** For the first of its kind any domain will do, and one domain only, so that those who follow can join it. */
function firstDomains(group: TopologyGroup, { podDomains, nodeDomains, selfSelecting }: Question): readonly string[] {
  const ofPod = [...group.domains].filter(([domain]) => allows(podDomains, domain))
  if (!selfSelecting || ofPod.some(([, count]) => count > 0)) return []
  const possible = ofPod.map(([domain]) => domain).toSorted()
  const within = possible.filter((domain) => allows(nodeDomains, domain))
  if (within.length > 0) return within
  // On a node of another domain the answer tells where it would have to be. One that may lack the label would be left without it by both.
  return mayBeAbsent(nodeDomains) ? [] : possible.slice(0, 1)
}

function emptyDomains(group: TopologyGroup, { podDomains, nodeDomains }: Question): readonly string[] {
  const found: string[] = []
  for (const [domain, count] of group.domains) {
    if (count === 0 && allows(nodeDomains, domain) && allows(podDomains, domain)) found.push(domain)
  }
  return found.toSorted()
}
