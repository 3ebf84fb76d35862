import type { NodeSelectorTerm, PersistentVolume } from '../api/kubernetes.ts'
import { labelHostname, labelRegion, labelZone } from '../api/labels.ts'
import type { PodInfo } from '../model/pod.ts'
import { oneOf } from '../model/requirement.ts'
import {
  intersects,
  type LabelAliases,
  mergeRequirements,
  normaliseKey,
  type Requirements,
  requirementsOf,
  toRequirementEntries,
} from '../model/requirements.ts'
import type { VolumeObjects } from '../model/snapshot.ts'
import { nowhere, termRequirements } from './pod-constraints.ts'

/**
 * Where a pod's volumes are or may be made: alternatives in the order to try them. Undefined when the volumes do not care; several
 * volumes multiply, and where no combination agrees one is kept, so that the pod is refused rather than let through.
 */
export function volumeRequirements(
  pod: Pick<PodInfo, 'namespace' | 'volumes'>,
  objects: VolumeObjects,
  aliases: LabelAliases,
): readonly Requirements[] | undefined {
  let accumulated: readonly Requirements[] | undefined
  for (const { claimName } of pod.volumes) {
    const alternatives = alternativesOf(`${pod.namespace}/${claimName}`, objects, aliases)
    if (alternatives.length === 0) continue
    accumulated = accumulated === undefined ? alternatives : combine(accumulated, alternatives)
  }
  return accumulated
}

function combine(outer: readonly Requirements[], inner: readonly Requirements[]): readonly Requirements[] {
  const agreeing = outer.flatMap((a) => inner.flatMap((b) => (intersects(a, b) ? [mergeRequirements(a, b)] : [])))
  const [first, second] = [outer[0], inner[0]]
  // Any pair shows that nothing agrees.
  if (agreeing.length === 0) return first === undefined || second === undefined ? [] : [contradiction(first, second)]
  // Many volumes of one kind would multiply without end, and what they come to is the same again and again.
  const different = new Map<string, Requirements>()
  for (const each of agreeing) {
    const text = JSON.stringify(toRequirementEntries(each))
    if (!different.has(text)) different.set(text, each)
  }
  return [...different.values()]
}

/**
 * Volumes that exclude each other come to the absence of a label, which nodes without it would satisfy: so that the absence of a name is asked
 * for, too. Every node has one.
 */
function contradiction(a: Requirements, b: Requirements): Requirements {
  return mergeRequirements(a, b, nowhere)
}

function alternativesOf(claimKey: string, objects: VolumeObjects, aliases: LabelAliases): readonly Requirements[] {
  const claim = objects.claims.get(claimKey)
  if (claim === undefined) return []
  const volumeName = claim.spec.volumeName ?? ''
  if (volumeName !== '') {
    const volume = objects.volumes.get(volumeName)
    return volume === undefined ? [] : volumeAlternatives(volume, aliases)
  }
  const storageClass = objects.storageClasses.get(claim.spec.storageClassName ?? '')
  return (storageClass?.allowedTopologies ?? []).map(({ matchLabelExpressions = [] }) =>
    requirementsOf(...matchLabelExpressions.map(({ key, values }) => oneOf(normaliseKey(key, aliases), values))),
  )
}

function volumeAlternatives(volume: PersistentVolume, aliases: LabelAliases): readonly Requirements[] {
  const labelled = zonesByLabel(volume, aliases)
  const alternatives = termAlternatives(volume, aliases)
  if (labelled.size === 0) return alternatives
  return alternatives.length === 0 ? [labelled] : alternatives.map((each) => mergeRequirements(each, labelled))
}

/** Labels of older volumes that kube-scheduler heeds; several zones of one volume are joined by two underscores. */
const topologyLabels = [
  labelZone,
  labelRegion,
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
]

function zonesByLabel({ metadata: { labels = {} } }: PersistentVolume, aliases: LabelAliases): Requirements {
  return mergeRequirements(
    ...topologyLabels.flatMap((key) => {
      const value = labels[key]
      return value === undefined ? [] : [requirementsOf(oneOf(normaliseKey(key, aliases), value.split('__')))]
    }),
  )
}

function termAlternatives(volume: PersistentVolume, aliases: LabelAliases): readonly Requirements[] {
  const terms = volume.spec.nodeAffinity?.required?.nodeSelectorTerms ?? []
  // A node-local volume pins the node that is about to be replaced: only what else it says is of use.
  const local = volume.spec.local !== undefined || volume.spec.hostPath !== undefined
  return terms
    .filter(({ matchExpressions }) => (matchExpressions?.length ?? 0) > 0)
    .map((term) => termRequirements(local ? withoutHostname(term) : term, aliases))
}

function withoutHostname(term: NodeSelectorTerm): NodeSelectorTerm {
  return { matchExpressions: (term.matchExpressions ?? []).filter(({ key }) => key !== labelHostname) }
}
