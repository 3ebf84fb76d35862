import type { ObjectMeta } from './kubernetes.ts'

/** Under which name the operator's writes go into `metadata.managedFields`: Karpenter's own. */
export const operatorFieldManager = 'karpenter'

/**
 * Of a pod's managed fields the entry that shows that the operator wrote `status.nominatedNodeName`: the pod waits for a node that was
 * planned for it, not for preemption. When the scheduler writes the field the API server takes it out of this entry.
 */
export function ownNominationIn({ managedFields }: Pick<ObjectMeta, 'managedFields'>): unknown {
  return managedFields?.find((entry) => {
    const { manager, subresource, fieldsV1 } = (entry ?? {}) as ManagedFieldsEntry
    return (
      manager === operatorFieldManager &&
      subresource === 'status' &&
      fieldsV1?.['f:status']?.['f:nominatedNodeName'] !== undefined
    )
  })
}

interface ManagedFieldsEntry {
  readonly manager?: unknown
  readonly subresource?: unknown
  readonly fieldsV1?: { readonly 'f:status'?: { readonly 'f:nominatedNodeName'?: unknown } }
}
