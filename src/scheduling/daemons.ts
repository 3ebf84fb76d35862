import type { NodeSelectorTerm, Taint } from '../api/kubernetes.ts'
import { addResources, maxResources, noResources, type Resources, subtractResources } from '../model/resources.ts'
import type { HostPort, PodInfo } from '../model/pod.ts'
import { isOwnedByDaemonSet } from '../model/pod.ts'
import { withDefaultRequests } from '../model/pod-requests.ts'
import type { LabelAliases, Requirements } from '../model/requirements.ts'
import { intersects, isCompatible } from '../model/requirements.ts'
import type { DaemonSetInfo, StateNode } from '../model/snapshot.ts'
import { untoleratedTaints } from '../model/taints.ts'
import { toPodInfo } from '../model/to-pod-info.ts'
import { Quantity } from '../model/quantity.ts'
import {
  constraintsOf,
  isEmptyTerm,
  type PodConstraints,
  strictRequirements,
  tolerateSoftTaints,
  withSelector,
} from './pod-constraints.ts'

/**
 * What a DaemonSet puts on a node. The constraints change while templates are looked at: a toleration that was added and terms that
 * were dropped stay so for the types, templates and nodes that follow, as they do upstream.
 */
export interface Daemon {
  readonly name: string
  readonly pod: PodInfo
  constraints: PodConstraints
  /** Requirements of node selector and first term; follows `constraints`. */
  requirements: Requirements
}

/** Instance types that would host the same daemons. */
export interface DaemonGroup {
  readonly daemons: readonly Daemon[]
  /** `pods` included; empty without daemons. */
  readonly overhead: Resources
  readonly ports: readonly { readonly port: HostPort; readonly pod: string }[]
}

export function toDaemons(
  sets: readonly DaemonSetInfo[],
  options: { readonly ignoreDRA: boolean; readonly aliases: LabelAliases },
): Daemon[] {
  const daemons: Daemon[] = []
  for (const info of sets) {
    const pod = daemonPod(info)
    if (options.ignoreDRA && pod.hasResourceClaims) continue
    const constraints = possibleConstraints(pod, options.aliases)
    if (constraints === undefined) continue
    daemons.push({
      name: `${info.daemonSet.metadata.namespace ?? ''}/${info.daemonSet.metadata.name}`,
      pod,
      constraints,
      requirements: strictRequirements(pod.nodeSelector, constraints, options.aliases),
    })
  }
  return daemons
}

/** Without terms that no node can match; undefined where that leaves none, so that the daemon runs nowhere. */
function possibleConstraints(pod: PodInfo, aliases: LabelAliases): PodConstraints | undefined {
  const constraints = constraintsOf(pod)
  const isPossible = (term: NodeSelectorTerm): boolean =>
    withSelector(pod.nodeSelector, term, aliases).excluded.length === 0
  if (constraints.requiredNodeTerms.length === 0) return isPossible({}) ? constraints : undefined
  const requiredNodeTerms = constraints.requiredNodeTerms.filter((term) => !isEmptyTerm(term) && isPossible(term))
  return requiredNodeTerms.length === 0 ? undefined : { ...constraints, requiredNodeTerms }
}

/** A template's types by the daemons that they would host; `groupOf` has the group of each type. */
export function groupByDaemons(
  types: readonly { readonly requirements: Requirements }[],
  template: { readonly taints: readonly Taint[]; readonly requirements: Requirements },
  daemons: readonly Daemon[],
  options: { readonly wellKnown: ReadonlySet<string>; readonly aliases: LabelAliases },
): { readonly groups: readonly DaemonGroup[]; readonly groupOf: readonly number[] } {
  const groups: DaemonGroup[] = []
  // Whether the template suits a daemon does not depend on the type, but on which of its terms are left.
  const verdicts = new Map<Requirements, boolean>()
  const onTemplate = (requirements: Requirements): boolean => {
    const verdict = verdicts.get(requirements) ?? isCompatible(template.requirements, requirements, options.wellKnown)
    verdicts.set(requirements, verdict)
    return verdict
  }
  const byMembers = new Map<string, number>()
  const groupOf = types.map((type) => {
    const members = daemons.flatMap((daemon, index) =>
      suits(daemon, type, template.taints, onTemplate, options.aliases) ? [index] : [],
    )
    const key = members.join(',')
    const known = byMembers.get(key)
    if (known !== undefined) return known
    const hosted = members.flatMap((index) => daemons[index] ?? [])
    byMembers.set(key, groups.length)
    groups.push({
      daemons: hosted,
      overhead: hosted.length === 0 ? noResources : addResources(...hosted.map(({ pod }) => pod.requests)),
      // A pod may bear the name of a DaemonSet, and is in its way all the same.
      ports: hosted.flatMap(({ pod, name }) => pod.hostPorts.map((port) => ({ port, pod: `DaemonSet ${name}` }))),
    })
    return groups.length - 1
  })
  return { groups, groupOf }
}

/**
 * What the daemons that belong on a node have not requested there yet; never below zero. `matches` tells whether the node's labels
 * satisfy the daemon's requirements.
 */
export function daemonRemainder(
  node: Pick<StateNode, 'taints' | 'pods'>,
  daemons: readonly Daemon[],
  matches: (daemon: Daemon) => boolean,
): Resources {
  const expected = daemons.filter(
    (daemon) => untoleratedTaints(node.taints, daemon.constraints.tolerations).length === 0 && matches(daemon),
  )
  if (expected.length === 0) return noResources
  const present = node.pods.filter(isOwnedByDaemonSet).map((pod) => pod.requests)
  const missing = subtractResources(addResources(...expected.map(({ pod }) => pod.requests)), addResources(...present))
  const floor = new Map([...missing.keys()].map((name) => [name, Quantity.zero]))
  return maxResources(floor, missing)
}

function suits(
  daemon: Daemon,
  type: { readonly requirements: Requirements },
  taints: readonly Taint[],
  onTemplate: (requirements: Requirements) => boolean,
  aliases: LabelAliases,
): boolean {
  setConstraints(daemon, tolerateSoftTaints(daemon.constraints), aliases)
  if (untoleratedTaints(taints, daemon.constraints.tolerations).length > 0) return false
  for (;;) {
    if (onTemplate(daemon.requirements) && intersects(type.requirements, daemon.requirements)) return true
    const [, ...others]: readonly NodeSelectorTerm[] = daemon.constraints.requiredNodeTerms
    if (others.length === 0) return false
    setConstraints(daemon, { ...daemon.constraints, requiredNodeTerms: others }, aliases)
  }
}

function setConstraints(daemon: Daemon, constraints: PodConstraints, aliases: LabelAliases): void {
  if (daemon.constraints === constraints) return
  const sameTerms = daemon.constraints.requiredNodeTerms === constraints.requiredNodeTerms
  daemon.constraints = constraints
  if (!sameTerms) daemon.requirements = strictRequirements(daemon.pod.nodeSelector, constraints, aliases)
}

function daemonPod({ daemonSet, newestPod }: DaemonSetInfo): PodInfo {
  const { metadata, spec } = daemonSet.spec.template
  const templateTerms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? undefined
  if (newestPod !== undefined) {
    if (templateTerms === undefined) return newestPod
    const nodeAffinity = {
      ...newestPod.affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: templateTerms,
    }
    return { ...newestPod, affinity: { ...newestPod.affinity, nodeAffinity } }
  }
  return toPodInfo({
    metadata: {
      ...metadata,
      name: daemonSet.metadata.name,
      namespace: daemonSet.metadata.namespace ?? '',
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: 'DaemonSet',
          name: daemonSet.metadata.name,
          uid: daemonSet.metadata.uid,
          controller: true,
        },
      ],
    },
    // No API server has completed a pod that does not exist yet.
    spec: withDefaultRequests(spec),
  })
}
