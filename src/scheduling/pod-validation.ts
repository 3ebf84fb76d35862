import { labelNodePool } from '../api/labels.ts'
import { awsVocabulary, type LabelVocabulary } from '../api/label-rules.ts'
import type { NodeSelectorTerm } from '../api/kubernetes.ts'
import { requirementErrors } from '../api/runtime-validation/index.ts'
import type { PodInfo } from '../model/pod.ts'
import { effectiveOperator } from '../model/requirement.ts'
import type { VolumeObjects } from '../model/snapshot.ts'
import { constraintsOf, fullRequirements, strictRequirements } from './pod-constraints.ts'
import { everyVolume, volumeError, type VolumeSupport } from './volume-validation.ts'

/** Why a pass leaves a pending pod alone (scheduling.md §2.2). */
export interface PodRejection {
  readonly text: string
  /** The pod keeps away from our nodes on purpose: that is nothing to report. */
  readonly deliberate: boolean
}

export interface PodValidationOptions {
  readonly volumes: VolumeObjects
  readonly vocabulary?: LabelVocabulary
  readonly support?: VolumeSupport
}

/** Every check runs; undefined for a pod that all are content with. */
export function rejectionOf(
  pod: Pick<
    PodInfo,
    'namespace' | 'volumes' | 'nodeSelector' | 'affinity' | 'topologySpreadConstraints' | 'tolerations'
  >,
  { volumes, vocabulary = awsVocabulary, support = everyVolume }: PodValidationOptions,
): PodRejection | undefined {
  const constraints = constraintsOf(pod)
  const strict = strictRequirements(pod.nodeSelector, constraints, vocabulary.aliases)
  const nodePool = fullRequirements(strict, constraints, 'Respect', vocabulary.aliases).get(labelNodePool)
  const deliberate = nodePool !== undefined && effectiveOperator(nodePool) === 'DoesNotExist'
  const selected = Object.entries(pod.nodeSelector).map(([key, value]) => ({ key, operator: 'In', values: [value] }))
  const volume = volumeError(pod, volumes, support)
  const errors = [
    ...(deliberate
      ? [`configured to not run on a Karpenter provisioned node (requirement=${labelNodePool} DoesNotExist)`]
      : []),
    ...selected.flatMap((requirement) => requirementErrors(requirement, { notInNeedsValue: false, vocabulary })),
    ...constraints.requiredNodeTerms.flatMap((term) => termErrors(term, vocabulary)),
    ...(volume === undefined ? [] : [volume]),
  ]
  return errors.length === 0 ? undefined : { text: errors.join('; '), deliberate }
}

/** Alternatives that the pod may never need are checked, too. */
function termErrors(term: NodeSelectorTerm, vocabulary: LabelVocabulary): readonly string[] {
  return [
    ...(term.matchFields === undefined ? [] : ['node selector term with matchFields is not supported']),
    ...(term.matchExpressions ?? []).flatMap((requirement) =>
      requirementErrors(requirement, { notInNeedsValue: false, vocabulary }),
    ),
  ]
}
