import { type ConditionChange, type ConditionTypes, conditionReady, setCondition } from '../../api/conditions.ts'
import type { RolloutPolicy } from '../../api/karpenter.ts'
import type { RolloutStepResult } from '../../rollout/engine/index.ts'
import { mergeStalled } from '../../rollout/stalled.ts'

const types: ConditionTypes = { root: conditionReady, dependents: [] }

/** As kstatus reads them: Reconciling while a rollout is under way, Stalled when nothing but a person helps. */
export function policyConditions(
  policy: RolloutPolicy,
  { status, stalled }: RolloutStepResult,
  now: number,
): NonNullable<NonNullable<RolloutPolicy['status']>['conditions']> {
  const cause = mergeStalled(stalled)
  const message = status.message ?? ''
  const reason = status.reason ?? 'Unknown'
  const working = status.startTime !== undefined && status.failure?.state !== 'RolledBack' && cause === undefined
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
          message: yields
            .map(({ name, governedBy = '' }) => `NodePool ${name} is governed by ${governedBy}`)
            .join('; '),
        },
    { type: conditionReady, status: 'True', reason: conditionReady, message: '' },
  ]
  const after = changes.reduce((object, change) => setCondition(object, types, change, now), policy)
  return after.status?.conditions ?? []
}
