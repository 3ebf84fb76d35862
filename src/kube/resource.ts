import type { KubeObject } from '../api/kubernetes.ts'

/** One kind of object the API server serves; `T` is the JSON shape of its objects. Identity is by reference: use the constants of `kinds.ts`. */
export interface Resource<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly plural: string
  readonly namespaced: boolean
  /** A cluster may do without its definition: then there are none of them, until it is installed. */
  readonly optional?: boolean
  /** Never set; it carries the type. */
  readonly shape?: T
}

export function defineResource<T extends KubeObject>({
  scope,
  ...names
}: Pick<Resource, 'group' | 'version' | 'kind' | 'plural' | 'optional'> & {
  readonly scope: 'Namespaced' | 'Cluster'
}): Resource<T> {
  return Object.freeze({ ...names, namespaced: scope === 'Namespaced' })
}

export interface ObjectKey {
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string | undefined
  readonly name: string
}

export function apiVersionOf(resource: Resource): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`
}

/** `namespace/name`, or `name` for cluster-scoped objects. */
export function keyText(key: ObjectKey): string {
  return key.namespace === undefined || key.namespace === '' ? key.name : `${key.namespace}/${key.name}`
}

export function keyOf(object: KubeObject): ObjectKey {
  const { namespace, name } = object.metadata
  return namespace === undefined ? { name } : { namespace, name }
}
