import type { Pod } from '../../api/kubernetes.ts'
import { numberAt, objectAt } from '../apiserver/json.ts'
import { hasStatus } from '../conditions.ts'
import type { Job, PodFailureRule } from './job-kind.ts'

/** What a failed pod means to its job. */
export type PodFailure =
  | { readonly kind: 'counts' }
  | { readonly kind: 'ignored' }
  | { readonly kind: 'failsJob'; readonly message: string }

/** Whether the job replaces pods only once they have ended, and not as soon as they are asked to. */
export function waitsForEnds({ spec }: Job): boolean {
  return spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined
}

/** A pod that somebody deletes before its work is done has failed, too. */
export function hasFailed({ metadata, status }: Pod): boolean {
  return status?.phase === 'Failed' || (metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded')
}

/** By the first rule of the job's `podFailurePolicy` that speaks of the pod. */
export function judgeFailure({ spec }: Job, pod: Pod): PodFailure {
  for (const [index, rule] of (spec.podFailurePolicy?.rules ?? []).entries()) {
    const why = matchOf(rule, pod)
    if (why === undefined) continue
    if (rule.action === 'Ignore') return { kind: 'ignored' }
    if (rule.action !== 'FailJob') break
    return { kind: 'failsJob', message: `${why} matching FailJob rule at index ${index}` }
  }
  return { kind: 'counts' }
}

/** What of the pod a rule speaks of, in the words of kube-controller-manager. */
function matchOf({ onExitCodes, onPodConditions = [] }: PodFailureRule, pod: Pod): string | undefined {
  const name = `${pod.metadata.namespace ?? ''}/${pod.metadata.name}`
  if (onExitCodes !== undefined) {
    const { containerName, operator, values } = onExitCodes
    for (const container of [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])]) {
      const code = numberAt(objectAt(container, 'state', 'terminated'), 'exitCode') ?? 0
      if (code === 0 || (containerName ?? container.name) !== container.name) continue
      if (values.includes(code) !== (operator === 'In')) continue
      return `Container ${container.name} for pod ${name} failed with exit code ${code}`
    }
    return undefined
  }
  const condition = onPodConditions.find(({ type, status = 'True' }) => hasStatus(pod.status?.conditions, type, status))
  return condition === undefined ? undefined : `Pod ${name} has condition ${condition.type}`
}
