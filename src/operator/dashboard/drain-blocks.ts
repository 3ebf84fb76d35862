import { annotationTerminationTimestamp } from '../../api/labels.ts'
import { isDoNotDisruptActive } from '../../disruption/do-not-disrupt.ts'
import { decideDrain, isForceEligible } from '../../disruption/drain.ts'
import { byNamespace, evictionAnswer } from '../../disruption/pdb.ts'
import { parseRFC3339 } from '../../model/clock.ts'
import { listText } from '../../model/list-text.ts'
import { type PodInfo, podKey } from '../../model/pod.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import type { NodeBlock } from './fleet-view.ts'

/** What holds the pods that the drain of a node still waits for, each cause once; `joinery explain node` tells of every pod.
 *  Undefined where nothing is drained. */
export function drainBlocks(
  { node, nodeClaim, pods }: StateNode,
  { now, podDisruptionBudgets }: Pick<Snapshot, 'now' | 'podDisruptionBudgets'>,
): readonly NodeBlock[] | undefined {
  if (node?.metadata.deletionTimestamp === undefined) return undefined
  const patience = {
    now,
    terminationTime: parseRFC3339(nodeClaim?.metadata.annotations?.[annotationTerminationTimestamp] ?? ''),
  }
  const budgets = byNamespace(podDisruptionBudgets)
  const held = decideDrain(pods, patience).waiting.flatMap((pod) => {
    if (pod.deletedAt !== undefined || isForceEligible(pod, patience)) return []
    const why = whyHeld(pod)
    return why === undefined ? [] : [{ pod, ...why }]
  })
  return [...Map.groupBy(held, ({ code, by }) => `${code} ${by}`).values()].flatMap((alike) => {
    const [first] = alike
    if (first === undefined) return []
    const names = listText(
      alike.map(({ pod }) => podKey(pod)),
      1,
      'more',
    )
    return [{ code: first.code, message: `${first.by} keeps ${names}` }]
  })

  function whyHeld(pod: PodInfo): { readonly code: string; readonly by: string } | undefined {
    if (isDoNotDisruptActive(pod, now)) return { code: 'PodDoNotDisrupt', by: 'karpenter.sh/do-not-disrupt' }
    const verdict = evictionAnswer(pod, budgets)
    switch (verdict.kind) {
      case 'blocked':
        return { code: 'PDBBlocked', by: `PodDisruptionBudget ${verdict.budget}` }
      case 'multiple':
        return { code: 'MultiplePDBs', by: `more than one PodDisruptionBudget (${verdict.budgets.join(', ')})` }
      case 'allowed':
        return undefined
    }
  }
}
