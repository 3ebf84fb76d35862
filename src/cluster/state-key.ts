import type { Node } from '../api/kubernetes.ts'
import { labelInitialized, labelInstanceType, labelNodePool } from '../api/labels.ts'
import { compareText } from '../model/order.ts'

/** Provider ID, or the name of an unmanaged node that has none; undefined while a managed node is not ready to be tracked. */
export function stateKeyOf(node: Node): string | undefined {
  const labels = node.metadata.labels ?? {}
  const providerID = node.spec.providerID ?? ''
  if (labels[labelNodePool] === undefined) return providerID === '' ? node.metadata.name : providerID
  if (providerID === '') return undefined
  return labels[labelInstanceType] === undefined && labels[labelInitialized] === undefined ? undefined : providerID
}

export function isInitialized(node: Node | undefined): boolean {
  return node?.metadata.labels?.[labelInitialized] === 'true'
}

export function isOlder(a: Node, b: Node): boolean {
  return compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') < 0
}
