import type { KubeObject, LabelSelector, OwnerReference } from '../../api/kubernetes.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { type Cache, type Source, source } from '../../kube/controller.ts'
import { keyOf, type Resource } from '../../kube/resource.ts'
import { selects } from '../labels.ts'

/** A workload that owns what its selector matches. */
export type Claimant = KubeObject & { readonly spec: { readonly selector?: LabelSelector } }

/** Wakes the controller of owners of this kind for each change of what they control, or could: what nobody controls and they select. */
export function ownedSource(resource: Resource, owners: Cache<Claimant>): Source {
  const { kind } = owners.resource
  owners.addIndex('namespace', namespaceNames)
  return source(resource, ({ before, after }) => {
    const { metadata } = after ?? before
    const owner = controllerOf(metadata)
    if (owner !== undefined) return owner.kind === kind ? [{ namespace: metadata.namespace, name: owner.name }] : []
    if (after === undefined) return []
    return owners
      .by('namespace', metadata.namespace ?? '')
      .filter(({ spec }) => selects(spec.selector, metadata.labels))
      .map(keyOf)
  })
}

/** For an index by namespace. */
export function namespaceNames({ metadata }: KubeObject): readonly string[] {
  return [metadata.namespace ?? '']
}

/** For an index by controller. */
export function controllerUIDs({ metadata }: KubeObject): readonly string[] {
  const owner = controllerOf(metadata)
  return owner === undefined ? [] : [owner.uid]
}

export function controllerReference(owner: KubeObject): OwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  }
}
