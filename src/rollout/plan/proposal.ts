import { diffFields } from '../../api/field-diff.ts'
import type { EC2NodeClass, NodeOverlay, NodePool, RolloutPolicy } from '../../api/karpenter.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import { compareText } from '../../model/order.ts'
import { annotationLastApplied, appliedKeys } from './applied-keys.ts'
import type { ObjectChange } from './plan.ts'

/** The objects that a plan compares. Specs are complete: as the API server stores them, defaults included. */
export interface FleetObjects {
  readonly nodePools: readonly NodePool[]
  readonly nodeClasses: readonly EC2NodeClass[]
  readonly nodeOverlays: readonly NodeOverlay[]
  readonly rolloutPolicies: readonly RolloutPolicy[]
}

export interface Proposal {
  readonly objects: readonly ObjectChange[]
  /** The cluster's objects once the manifests are applied; status is what it is now. */
  readonly proposed: FleetObjects
}

/** Applies whole manifests to what is there. With `prune`, objects that no manifest names go; else they stay as they are. */
export function propose(
  present: FleetObjects,
  manifests: FleetObjects,
  { prune }: { readonly prune: boolean },
): Proposal {
  const objects: ObjectChange[] = []
  const merge = <T extends KubeObject & { readonly spec?: unknown }>(
    kind: string,
    here: readonly T[],
    there: readonly T[],
  ): readonly T[] => {
    const wanted = new Map(there.map((object) => [object.metadata.name, object]))
    const known = new Set(here.map(({ metadata }) => metadata.name))
    const kept = here.flatMap((object) => {
      const { name } = object.metadata
      const manifest = wanted.get(name)
      if (manifest === undefined) {
        if (prune) objects.push({ kind, name, change: 'removed' })
        return prune ? [] : [object]
      }
      const change = changes(object, manifest) ? 'changed' : 'unchanged'
      objects.push({ kind, name, change })
      return [change === 'changed' ? applied(object, manifest) : object]
    })
    const added = [...wanted.values()].filter(({ metadata }) => !known.has(metadata.name))
    for (const { metadata } of added) objects.push({ kind, name: metadata.name, change: 'added' })
    return [...kept, ...added].toSorted((a, b) => compareText(a.metadata.name, b.metadata.name))
  }
  const proposed: FleetObjects = {
    nodePools: merge('NodePool', present.nodePools, manifests.nodePools),
    nodeClasses: merge('EC2NodeClass', present.nodeClasses, manifests.nodeClasses),
    nodeOverlays: merge('NodeOverlay', present.nodeOverlays, manifests.nodeOverlays),
    rolloutPolicies: merge('RolloutPolicy', present.rolloutPolicies, manifests.rolloutPolicies.map(notMadeYet)),
  }
  return {
    objects: objects.toSorted((a, b) => compareText(a.kind, b.kind) || compareText(a.name, b.name)),
    proposed,
  }
}

/** The oldest policy governs: one that is made now is none of those, whatever its manifest says. What is there keeps its own time. */
function notMadeYet(policy: RolloutPolicy): RolloutPolicy {
  return { ...policy, metadata: { ...policy.metadata, creationTimestamp: '' } }
}

function changes(
  object: KubeObject & { readonly spec?: unknown },
  manifest: KubeObject & { readonly spec?: unknown },
): boolean {
  return hasOtherSpec(object, manifest) || metadataFields.some((field) => hasOtherKeys(object, manifest, field))
}

function hasOtherSpec(object: { readonly spec?: unknown }, manifest: { readonly spec?: unknown }): boolean {
  return diffFields(object.spec, manifest.spec, 'spec').length > 0
}

const metadataFields = ['labels', 'annotations'] as const
type MetadataField = (typeof metadataFields)[number]

function hasOtherKeys(object: KubeObject, manifest: KubeObject, field: MetadataField): boolean {
  const have = object.metadata[field] ?? {}
  const after = appliedTo(object, manifest, field)
  return Object.keys({ ...have, ...after }).some((key) => key !== annotationLastApplied && have[key] !== after[key])
}

/** Labels and annotations that others put on the object are none of the manifest's business. */
function appliedTo(object: KubeObject, manifest: KubeObject, field: MetadataField): Readonly<Record<string, string>> {
  const gone = new Set(appliedKeys(object)[field])
  const kept = Object.entries(object.metadata[field] ?? {}).filter(([key]) => !gone.has(key))
  return { ...Object.fromEntries(kept), ...manifest.metadata[field] }
}

/** The API server counts changes of the spec only. */
function applied<T extends KubeObject & { readonly spec?: unknown }>(object: T, manifest: T): T {
  const { generation = 0 } = object.metadata
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: appliedTo(object, manifest, 'labels'),
      annotations: appliedTo(object, manifest, 'annotations'),
      generation: hasOtherSpec(object, manifest) ? generation + 1 : generation,
    },
    spec: manifest.spec,
  }
}
