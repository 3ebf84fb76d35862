import type { KubeObject, OwnerReference } from '../../api/kubernetes.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { type Source, source } from '../../kube/controller.ts'
import type { Resource } from '../../kube/resource.ts'

/** Wakes the controller of owners of this kind for each change of what they control. */
export function ownedSource(resource: Resource, ownerKind: string): Source {
  return source(resource, ({ before, after }) => {
    const { metadata } = after ?? before
    const owner = controllerOf(metadata)
    return owner?.kind === ownerKind ? [{ namespace: metadata.namespace, name: owner.name }] : []
  })
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
