import { conditionIn } from '../../api/conditions.ts'
import type { Condition } from '../../api/kubernetes.ts'

/** What is left of a namespace that goes. */
export interface Remains {
  /** By resource, as in `configmaps.` or `deployments.apps`. */
  readonly resources: ReadonlyMap<string, number>
  readonly finalizers: ReadonlyMap<string, number>
  /** Why objects may not be deleted. */
  readonly refusals: readonly string[]
}

/** The conditions of a namespace that is held, in the words of kube-controller-manager. */
export function remainsConditions(
  { resources, finalizers, refusals }: Remains,
  before: readonly Partial<Condition>[],
  now: string,
): readonly Partial<Condition>[] {
  const told: readonly (readonly [type: string, failed: boolean, reason: string, message: string])[] = [
    ['NamespaceDeletionDiscoveryFailure', false, 'ResourcesDiscovered', 'All resources successfully discovered'],
    [
      'NamespaceDeletionGroupVersionParsingFailure',
      false,
      'ParsedGroupVersions',
      'All legacy kube types successfully parsed',
    ],
    refusals.length === 0
      ? [
          'NamespaceDeletionContentFailure',
          false,
          'ContentDeleted',
          'All content successfully deleted, may be waiting on finalization',
        ]
      : [
          'NamespaceDeletionContentFailure',
          true,
          'ContentDeletionFailed',
          `Failed to delete all resource types, ${refusals.length} remaining: ${refusals.toSorted().join(', ')}`,
        ],
    resources.size === 0
      ? ['NamespaceContentRemaining', false, 'ContentRemoved', 'All content successfully removed']
      : [
          'NamespaceContentRemaining',
          true,
          'SomeResourcesRemain',
          `Some resources are remaining: ${counted(resources, 'has')}`,
        ],
    finalizers.size === 0
      ? ['NamespaceFinalizersRemaining', false, 'ContentHasNoFinalizers', 'All content-preserving finalizers finished']
      : [
          'NamespaceFinalizersRemaining',
          true,
          'SomeFinalizersRemain',
          `Some content in the namespace has finalizers remaining: ${counted(finalizers, 'in')}`,
        ],
  ]
  return told.map(([type, failed, reason, message]) => {
    const status = failed ? 'True' : 'False'
    const old = conditionIn(before, type)
    return {
      type,
      status,
      lastTransitionTime: old?.status === status ? (old.lastTransitionTime ?? now) : now,
      reason,
      message,
    }
  })
}

function counted(counts: ReadonlyMap<string, number>, word: string): string {
  return [...counts]
    .map(([name, count]) => `${name} ${word} ${count} resource instances`)
    .sort()
    .join(', ')
}
