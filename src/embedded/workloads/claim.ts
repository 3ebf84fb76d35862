import type { KubeObject, OwnerReference } from '../../api/kubernetes.ts'
import { controllerOf } from '../../api/owner-references.ts'
import type { Cache } from '../../kube/controller.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { keyOf, type Resource } from '../../kube/resource.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { selects } from '../labels.ts'
import type { Expectations } from './expectations.ts'
import { type Claimant, controllerReference, controllerUIDs } from './ownership.ts'

interface Claim<T extends KubeObject, Owner extends Claimant> {
  readonly owner: Owner
  readonly owners: Resource<Owner>
  readonly objects: Cache<T>
  readonly expectations: Expectations<T>
  /** What the owner would take, besides its selector: a finished pod is of no use to a ReplicaSet. */
  readonly takes?: (object: T) => boolean
}

/** The indexes that `claim` looks up: by the uid of the controller, and what has none by namespace. */
export function addClaimIndexes<T extends KubeObject>(objects: Cache<T>): void {
  objects.addIndex('controller', controllerUIDs)
  objects.addIndex('orphans', orphanNamespaces)
}

/**
 * What an owner controls, after it adopted what nobody controls and its selector matches, and released what no longer matches; as
 * kube-controller-manager's `ControllerRefManager`.
 */
export async function claim<T extends KubeObject, Owner extends Claimant>(
  deps: EmbeddedDeps,
  { owner, owners, objects, expectations, takes = () => true }: Claim<T, Owner>,
): Promise<readonly T[]> {
  const { uid, namespace = '', deletionTimestamp } = owner.metadata
  const { selector } = owner.spec
  const owned = expectations.apply(uid, objects.by('controller', uid))
  if (deletionTimestamp !== undefined || selector === undefined) return owned
  const stays = ({ metadata }: T) => metadata.deletionTimestamp !== undefined || selects(selector, metadata.labels)
  const released = owned.filter((object) => !stays(object))
  const known = new Set(owned.map(({ metadata }) => metadata.uid))
  const orphans = objects
    .by('orphans', namespace)
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined && !known.has(metadata.uid))
    .filter((object) => selects(selector, object.metadata.labels) && takes(object))
  if (released.length === 0 && orphans.length === 0) return owned

  for (const object of released) {
    const others = (object.metadata.ownerReferences ?? []).filter((reference) => reference.uid !== uid)
    await setOwners(deps, objects.resource, object, others)
    expectations.deleted(uid, object)
  }
  // An owner that has just gone leaves its orphans behind: taken back, they would go with it.
  if (orphans.length > 0 && (await isThere(deps, owners, owner))) {
    for (const object of orphans) {
      const references = [...(object.metadata.ownerReferences ?? []), controllerReference(owner)]
      const adopted = await setOwners(deps, objects.resource, object, references)
      if (adopted !== undefined) expectations.created(uid, adopted)
    }
  }
  return expectations.apply(uid, objects.by('controller', uid))
}

function orphanNamespaces({ metadata }: KubeObject): readonly string[] {
  return controllerOf(metadata) === undefined ? [metadata.namespace ?? ''] : []
}

async function isThere<Owner extends KubeObject>(
  { client }: EmbeddedDeps,
  owners: Resource<Owner>,
  owner: Owner,
): Promise<boolean> {
  try {
    const { metadata } = await client.get(owners, keyOf(owner))
    return metadata.uid === owner.metadata.uid && metadata.deletionTimestamp === undefined
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/** Undefined where the object has changed or gone meanwhile: that change comes up by itself. */
export async function setOwners<T extends KubeObject>(
  { client }: EmbeddedDeps,
  resource: Resource<T>,
  object: T,
  ownerReferences: OwnerReference[],
): Promise<T | undefined> {
  const { uid, resourceVersion } = object.metadata
  try {
    const body = { metadata: { uid, resourceVersion, ownerReferences } }
    return await client.patch(resource, keyOf(object), { kind: 'merge', body })
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return undefined
    throw error
  }
}
