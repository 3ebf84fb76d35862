/** Any object as an API server stores it. */
export interface KubeObject {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
}

export interface ObjectMeta {
  name: string
  generateName?: string
  namespace?: string
  uid: string
  resourceVersion: string
  generation?: number
  creationTimestamp: string
  deletionTimestamp?: string
  deletionGracePeriodSeconds?: number
  labels?: Record<string, string>
  annotations?: Record<string, string>
  finalizers?: string[]
  ownerReferences?: OwnerReference[]
  managedFields?: unknown[]
}

export interface OwnerReference {
  apiVersion: string
  kind: string
  name: string
  uid: string
  controller?: boolean
  blockOwnerDeletion?: boolean
}

/** What a client sends to create an object: the server fills in the rest of the metadata. */
export type Unsaved<T extends KubeObject> = Omit<T, 'metadata'> & { metadata: Partial<ObjectMeta> }

/** metav1.Condition, and the older core conditions, which lack observedGeneration. */
export interface Condition {
  type: string
  status: 'True' | 'False' | 'Unknown'
  lastTransitionTime: string
  reason?: string
  message?: string
  observedGeneration?: number
}

export interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] }
  status?: { phase?: string }
}
