import type { AdmissionFacts } from '../../admission/index.ts'
import type { EC2NodeClass, InstanceTypeCatalog, NodePool } from '../../api/karpenter.ts'
import { parseEC2NodeClass, parseInstanceTypeCatalog, parseNodePool } from '../../api/validators.ts'
import { classProblems } from '../../cloud/aws/class-problems.ts'
import type { ManifestDocument } from '../input/documents.ts'
import { admitOwnKind } from '../input/own-kinds.ts'
import { toInstanceTypes } from '../simulate/catalogue.ts'

/**
 * What can be known without a cluster: the other documents of the same input stand for what will be in it. Without a node class
 * among them nothing is known of node classes, so none is called missing; the same goes for instance types.
 */
export function offlineFacts(documents: readonly ManifestDocument[]): AdmissionFacts {
  const nodePools: NodePool[] = []
  const nodeClasses: EC2NodeClass[] = []
  const catalogues: InstanceTypeCatalog[] = []
  for (const { content } of documents) {
    if (content.kind !== 'object') continue
    const { object } = content
    if (object.kind === 'InstanceTypeCatalog') {
      const catalogue = parseInstanceTypeCatalog(object)
      if (catalogue.kind === 'ok') catalogues.push(catalogue.value)
      continue
    }
    if (object.kind !== 'NodePool' && object.kind !== 'EC2NodeClass') continue
    const admitted = admitOwnKind(object)?.object
    const pool = object.kind === 'NodePool' ? parseNodePool(admitted) : undefined
    const nodeClass = object.kind === 'EC2NodeClass' ? parseEC2NodeClass(admitted) : undefined
    if (pool?.kind === 'ok') nodePools.push(pool.value)
    if (nodeClass?.kind === 'ok') nodeClasses.push(nodeClass.value)
  }
  const types = catalogues.length === 0 ? undefined : toInstanceTypes(catalogues)
  return {
    ...classProblems,
    nodePools,
    ...(nodeClasses.length === 0 ? {} : { nodeClasses }),
    ...(types === undefined ? {} : { catalogueOf: () => types }),
  }
}
