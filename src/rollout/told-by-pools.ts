import type { KubeObject } from '../api/kubernetes.ts'
import type { RolloutCondition } from './status.ts'

/** kustomize-controller puts it on everything it applies. */
const labelAppliedByFlux = 'kustomize.toolkit.fluxcd.io/name'

/** Of Reconciling and Stalled: they are False here, and what they would say the NodePools of the class say. */
export const toldByNodePools = 'ToldByNodePools'

/**
 * Whether what a class' nodes do is for its NodePools to say. Flux applies kinds whose name ends with `Class` first, and nothing else of the
 * Kustomization until kstatus calls them current, `wait` or not. A class that told of its rollout would keep every commit from the cluster
 * for as long as that takes, those included that pause it, approve it or mend what it is stuck on.
 */
export function isToldByPools({ metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return metadata.labels?.[labelAppliedByFlux] !== undefined
}

/**
 * The conditions of a class as its tool can bear them. What is wrong with the class itself (`ownFault`) is mended in it, and stays. The
 * target stays the last word of the message, where readers find it.
 */
export function leftToPools(
  conditions: readonly RolloutCondition[],
  { ownFault }: { readonly ownFault: boolean },
): readonly RolloutCondition[] {
  return conditions.map((condition) => {
    const { type, status, reason, message } = condition
    if (status === 'False' || (type === 'Stalled' && ownFault)) return condition
    return {
      type,
      status: 'False',
      reason: toldByNodePools,
      message:
        type === 'Stalled' ? `${reason}: ${message}` : `NodePools tell, since Flux waits for classes: ${message}`,
    }
  })
}
