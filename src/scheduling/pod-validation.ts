import { labelNodePool } from '../api/labels.ts'
import { awsVocabulary, isRestrictedLabel, type LabelVocabulary } from '../api/label-rules.ts'
import type { NodeSelectorRequirement, NodeSelectorTerm } from '../api/kubernetes.ts'
import { requirementErrors } from '../api/runtime-validation/index.ts'
import { compareText } from '../model/order.ts'
import type { PodInfo } from '../model/pod.ts'
import { effectiveOperator } from '../model/requirement.ts'
import type { Snapshot, VolumeObjects } from '../model/snapshot.ts'
import { exclusiveVolumeError } from './exclusive-volumes.ts'
import {
  constraintsOf,
  isEmptyTerm,
  fullRequirements,
  type PodConstraints,
  strictRequirements,
  withSelector,
} from './pod-constraints.ts'
import { everyVolume, volumeError, type VolumeSupport } from './volume-validation.ts'

/** Why a pass leaves a pending pod alone. */
export interface PodRejection {
  readonly text: string
  /** The pod keeps away from our nodes on purpose: that is nothing to report. */
  readonly deliberate: boolean
  /** At least one, in the order of the checks. */
  readonly causes: readonly PodRejectionCause[]
}

export type PodRejectionCause = { readonly text: string } & (
  | { readonly kind: 'keepsAway' }
  | { readonly kind: 'requirement'; readonly key: string }
  | { readonly kind: 'matchFields' }
  | { readonly kind: 'emptyTerms' }
  | { readonly kind: 'contradiction' }
  /** `isInUse`: all is well with it, but another pod has it to itself. */
  | { readonly kind: 'volume'; readonly isInUse: boolean }
)

export interface PodValidationOptions {
  readonly volumes: VolumeObjects
  /** Whose pods may have a volume to themselves; nobody has where it is left out. */
  readonly nodes?: Snapshot['nodes']
  readonly vocabulary?: LabelVocabulary
  readonly support?: VolumeSupport
}

/** Every check runs; undefined for a pod that all are content with. */
export function rejectionOf(
  pod: Pick<
    PodInfo,
    'namespace' | 'name' | 'volumes' | 'nodeSelector' | 'affinity' | 'topologySpreadConstraints' | 'tolerations'
  >,
  { volumes, nodes, vocabulary = awsVocabulary, support = everyVolume }: PodValidationOptions,
): PodRejection | undefined {
  const constraints = constraintsOf(pod)
  const strict = strictRequirements(pod.nodeSelector, constraints, vocabulary.aliases)
  const nodePool = fullRequirements(strict, constraints, 'Respect', vocabulary.aliases).get(labelNodePool)
  const deliberate = nodePool !== undefined && effectiveOperator(nodePool) === 'DoesNotExist'
  const selected = Object.entries(pod.nodeSelector).map(([key, value]) => ({ key, operator: 'In', values: [value] }))
  const unfit = volumeError(pod, volumes, support)
  const volume = unfit ?? exclusiveVolumeError(pod, volumes, nodes ?? [])
  const causes: PodRejectionCause[] = [
    ...(deliberate ? [{ kind: 'keepsAway', text: keepsAwayText } as const] : []),
    ...selected.flatMap((requirement) => requirementCauses(requirement, vocabulary)),
    ...constraints.requiredNodeTerms.flatMap((term) => termCauses(term, vocabulary)),
    ...(matchesNoNode(constraints.requiredNodeTerms) ? [{ kind: 'emptyTerms', text: emptyTermsText } as const] : []),
    ...contradictions(pod, constraints, vocabulary),
    ...(volume === undefined ? [] : [{ kind: 'volume', text: volume, isInUse: unfit === undefined } as const]),
  ]
  return causes.length === 0 ? undefined : { text: causes.map(({ text }) => text).join('; '), deliberate, causes }
}

/**
 * Stand-ins of capacity buffers are not validated: what is impossible for them, the solve shows. But what it overlooks would make nodes for
 * them where no real pod can run, or claims that the API server refuses.
 */
export function standInRejectionOf(pod: PodInfo, options: PodValidationOptions): PodRejection | undefined {
  const { vocabulary = awsVocabulary } = options
  const rejection = rejectionOf(pod, options)
  const isOverlooked = rejection?.causes.some(
    (cause) =>
      cause.kind === 'matchFields' ||
      cause.kind === 'emptyTerms' ||
      cause.kind === 'contradiction' ||
      (cause.kind === 'requirement' && !isRestrictedLabel(cause.key, vocabulary)),
  )
  return isOverlooked === true ? rejection : undefined
}

const emptyTermsText = 'node selector terms without expressions match no node'

function matchesNoNode(terms: readonly NodeSelectorTerm[]): boolean {
  return terms.length > 0 && terms.every(isEmptyTerm)
}

/** Where each alternative wants a value of a label and leaves none: a pod that keeps away from our nodes does so on purpose. */
function contradictions(
  { nodeSelector }: Pick<PodInfo, 'nodeSelector'>,
  { requiredNodeTerms }: PodConstraints,
  { aliases }: LabelVocabulary,
): readonly PodRejectionCause[] {
  const terms = requiredNodeTerms.length === 0 ? [{}] : requiredNodeTerms
  const excluded = terms.map((term) =>
    withSelector(nodeSelector, term, aliases).excluded.filter((key) => key !== labelNodePool),
  )
  if (excluded.some((keys) => keys.length === 0)) return []
  const keys = [...new Set(excluded.flat())].toSorted(compareText)
  return [
    {
      kind: 'contradiction',
      text: `node selector and node affinity exclude each other (label(s)=[${keys.join(' ')}])`,
    },
  ]
}

const keepsAwayText = `configured to not run on a Karpenter provisioned node (requirement=${labelNodePool} DoesNotExist)`

/** Alternatives that the pod may never need are checked, too. */
function termCauses(
  { matchFields, matchExpressions = [] }: NodeSelectorTerm,
  vocabulary: LabelVocabulary,
): readonly PodRejectionCause[] {
  const text = 'node selector term with matchFields is not supported'
  return [
    ...(matchFields === undefined ? [] : [{ kind: 'matchFields', text } as const]),
    ...matchExpressions.flatMap((requirement) => requirementCauses(requirement, vocabulary)),
  ]
}

function requirementCauses(
  requirement: NodeSelectorRequirement,
  vocabulary: LabelVocabulary,
): readonly PodRejectionCause[] {
  return requirementErrors(requirement, { notInNeedsValue: false, vocabulary }).map((text) => ({
    kind: 'requirement',
    key: requirement.key,
    text,
  }))
}
