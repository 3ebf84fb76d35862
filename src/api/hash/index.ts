export {
  ec2NodeClassHash,
  type EC2NodeClassHashVersion,
  ec2NodeClassHashVersion,
} from './ec2-node-class-hash.ts'
export {
  type AnnotationPatch,
  compareHash,
  type HashAnnotations,
  hashesDiffer,
  type HashPlan,
  planHashStamps,
  type PresentHash,
  type StampedHash,
} from './migration.ts'
export { ec2NodeClassHashInput, nodePoolHashInput } from './hash-input.ts'
export {
  changedFields,
  type HashRecord,
  type ImageIdentity,
  noRecordText,
  recordedChanges,
  recordOf,
  recordText,
} from './record.ts'
export { nodePoolHash, nodePoolHashVersion } from './node-pool-hash.ts'
export { fnv1 } from './structural-hash.ts'

import { annotationNodeClassHashInput, annotationNodePoolHashInput } from '../joinery-annotations.ts'
import {
  annotationEC2NodeClassHash,
  annotationEC2NodeClassHashVersion,
  annotationNodePoolHash,
  annotationNodePoolHashVersion,
} from '../labels.ts'
import type { HashAnnotations } from './migration.ts'

export const nodePoolHashAnnotations: HashAnnotations = {
  hash: annotationNodePoolHash,
  version: annotationNodePoolHashVersion,
  input: annotationNodePoolHashInput,
}
export const ec2NodeClassHashAnnotations: HashAnnotations = {
  hash: annotationEC2NodeClassHash,
  version: annotationEC2NodeClassHashVersion,
  input: annotationNodeClassHashInput,
}
