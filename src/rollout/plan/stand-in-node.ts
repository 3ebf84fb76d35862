import type { Node } from '../../api/kubernetes.ts'
import type { StateNode } from '../../model/snapshot.ts'

/** The Node object of a machine that has none yet, as far as decisions read it. */
export function standInNode({
  key,
  name,
  labels,
  annotations,
  taints,
}: Pick<StateNode, 'key' | 'name' | 'labels' | 'annotations' | 'taints'>): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      uid: key,
      resourceVersion: '0',
      creationTimestamp: '1970-01-01T00:00:00Z',
      labels,
      annotations: { ...annotations },
    },
    spec: { providerID: key, taints: [...taints] },
  }
}
