import type { NodePool } from '../../src/api/karpenter.ts'
import type { LabelVocabulary } from '../../src/api/label-rules.ts'

export interface ReferenceOptions {
  readonly vocabulary: LabelVocabulary
  readonly preferencePolicy: 'Respect' | 'Ignore'
  /** Candidate pools in template order. */
  readonly pools: readonly NodePool[]
}
