import { type ConditionChange, type ConditionTypes, conditionReady, setCondition } from '../../api/conditions.ts'
import type { RolloutPolicy } from '../../api/karpenter.ts'
import type { RolloutStepResult } from '../../rollout/engine/index.ts'
import { joinSentences } from '../../rollout/joined-sentences.ts'
import { mergeStalled } from '../../rollout/stalled.ts'
import { newNodesOnly } from '../../rollout/status.ts'
import { annotationCauses } from './status-deps.ts'

const types: ConditionTypes = { root: conditionReady, dependents: [] }

/** As kstatus reads them: Reconciling while a rollout is under way, Stalled when nothing but a person helps. */
export function policyConditions(
  policy: RolloutPolicy,
  { status, stalled }: RolloutStepResult,
  now: number,
): NonNullable<NonNullable<RolloutPolicy['status']>['conditions']> {
  // What stalls the rollouts comes first: the next process reads it here.
  const cause = mergeStalled(stalled) ?? mergeStalled(annotationCauses(policy, now))
  const message = status.message ?? ''
  const reason = status.reason ?? 'Unknown'
  // A rollout that is kept for the day on which old nodes may go again is no work.
  const isLeft = reason === newNodesOnly
  const working =
    status.startTime !== undefined && status.failure?.state !== 'RolledBack' && stalled.length === 0 && !isLeft
  const yields = (status.nodePools ?? []).filter(({ governedBy }) => governedBy !== undefined)
  const changes: readonly ConditionChange[] = [
    { type: 'Reconciling', status: working ? 'True' : 'False', reason, message },
    cause === undefined
      ? { type: 'Stalled', status: 'False', reason: 'NotStalled', message: '' }
      : { type: 'Stalled', status: 'True', ...cause },
    yields.length === 0
      ? { type: 'Conflicting', status: 'False', reason: 'NoOtherPolicy', message: '' }
      : {
          type: 'Conflicting',
          status: 'True',
          reason: 'OlderPolicyGoverns',
          message: joinSentences(
            yields.map(({ name, governedBy = '' }) => `NodePool ${name} is governed by ${governedBy}`),
          ),
        },
    { type: conditionReady, status: 'True', reason: conditionReady, message: '' },
  ]
  const after = changes.reduce((object, change) => setCondition(object, types, change, now), policy)
  return after.status?.conditions ?? []
}
