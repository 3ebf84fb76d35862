import { KubeError } from '../../kube/errors.ts'
import { toTimestamp } from '../../model/clock.ts'
import type { ApiContext, Target, WriteRequest } from './api/context.ts'
import { deleteObject, type DeleteRequest } from './api/delete.ts'
import { getObject } from './api/read.ts'
import { updateObject } from './api/update.ts'
import { forbidden, tooManyRequests } from './errors.ts'
import { arrayAt, numberAt, objectAt, textAt, withAt } from './json.ts'
import type { StoredObject } from './object.ts'
import type { KindDefinition } from './registry/definition.ts'
import { labelPredicate, toLabelSelector } from './label-selectors.ts'

/** More disrupted pods than this waiting in a budget's status means that its controller is not keeping up. */
const disruptedPodsMax = 2000
/** What clients are told to wait when the budget's controller has yet to look at it. */
const retryAfterSeconds = 10

/**
 * Deletes a pod if its disruption budget allows. Pods that are finished, not started or already going are not protected; a running pod that
 * is not ready may be evicted as its budget's `unhealthyPodEvictionPolicy` says.
 */
export async function evictPod(
  context: ApiContext,
  pods: KindDefinition,
  budgets: KindDefinition,
  input: { readonly target: Target; readonly options: DeleteRequest },
  request: WriteRequest,
): Promise<void> {
  const pod = getObject(context, pods, input.target)
  const atWork = isProtected(pod)
  const covering = atWork ? coveringBudgets(context, budgets, pod) : []
  if (covering.length > 1) {
    throw new KubeError(
      'Unknown',
      500,
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    )
  }
  const [budget] = covering
  if (budget !== undefined && !ignoresBudget(pod, budget))
    await spend(context, budgets, { budget, pod: pod.metadata.name }, request)
  const preconditions = input.options.preconditions ?? { uid: pod.metadata.uid }
  if (atWork) await markEvicted(context, pods, input.target, request)
  await deleteObject(context, pods, input.target, { ...input.options, preconditions }, request)
}

function isProtected(pod: StoredObject): boolean {
  const phase = textAt(pod, 'status', 'phase')
  return (
    pod.metadata.deletionTimestamp === undefined && phase !== 'Succeeded' && phase !== 'Failed' && phase !== 'Pending'
  )
}

function coveringBudgets(context: ApiContext, budgets: KindDefinition, pod: StoredObject): readonly StoredObject[] {
  const labels = pod.metadata.labels ?? {}
  return context.store.list(budgets.table, `${pod.metadata.namespace ?? ''}/`).filter((budget) => {
    const selector = objectAt(budget, 'spec', 'selector')
    return selector !== undefined && labelPredicate(toLabelSelector(selector))(labels)
  })
}

function ignoresBudget(pod: StoredObject, budget: StoredObject): boolean {
  const ready = arrayAt(pod, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'True',
  )
  if (ready) return false
  if (textAt(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true
  const desired = numberAt(budget, 'status', 'desiredHealthy') ?? 0
  return desired > 0 && (numberAt(budget, 'status', 'currentHealthy') ?? 0) >= desired
}

async function spend(
  context: ApiContext,
  budgets: KindDefinition,
  { budget, pod }: { readonly budget: StoredObject; readonly pod: string },
  request: WriteRequest,
): Promise<void> {
  const { name, namespace } = budget.metadata
  await updateObject(
    context,
    budgets,
    {
      target: { namespace, name },
      subresource: 'status',
      change: (current) => {
        const allowed = allowedDisruptions(budgets, current)
        const disrupted = { ...objectAt(current, 'status', 'disruptedPods'), [pod]: toTimestamp(context.clock.now()) }
        const status = { ...objectAt(current, 'status'), disruptionsAllowed: allowed - 1, disruptedPods: disrupted }
        return withAt(current, ['status'], { ...status, conditions: withAllowed(context, current, allowed - 1) })
      },
    },
    { ...request, fieldManager: 'kube-apiserver' },
  )
}

/** The budget's DisruptionAllowed condition after an eviction. */
function withAllowed(context: ApiContext, budget: StoredObject, left: number): readonly unknown[] {
  const before = arrayAt(budget, 'status', 'conditions')
  const current = before.find((condition) => textAt(condition, 'type') === 'DisruptionAllowed')
  const status = left > 0 ? 'True' : 'False'
  if (textAt(current, 'status') === status) return before
  const condition = {
    type: 'DisruptionAllowed',
    status,
    reason: left > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    observedGeneration: numberAt(budget, 'status', 'observedGeneration') ?? 0,
    lastTransitionTime: toTimestamp(context.clock.now()),
  }
  return [...before.filter((each) => each !== current), condition]
}

/** Tells the pod why it goes. */
async function markEvicted(
  context: ApiContext,
  pods: KindDefinition,
  target: Target,
  request: WriteRequest,
): Promise<void> {
  const change = (pod: StoredObject): StoredObject => {
    const others = arrayAt(pod, 'status', 'conditions').filter(
      (condition) => textAt(condition, 'type') !== 'DisruptionTarget',
    )
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'EvictionByEvictionAPI',
      message: 'Eviction API: evicting',
      lastProbeTime: null,
      lastTransitionTime: toTimestamp(context.clock.now()),
    }
    return withAt(pod, ['status', 'conditions'], [...others, condition])
  }
  await updateObject(
    context,
    pods,
    { target, subresource: 'status', change },
    { ...request, fieldManager: 'kube-apiserver' },
  )
}

/** How many disruptions the budget has left, at least one; otherwise the refusal. */
function allowedDisruptions(budgets: KindDefinition, budget: StoredObject): number {
  const { name, generation = 0 } = budget.metadata
  const status = objectAt(budget, 'status') ?? {}
  if ((numberAt(status, 'observedGeneration') ?? 0) < generation) {
    throw tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", {
      retryAfterSeconds,
      causes: [
        {
          reason: 'DisruptionBudget',
          message: `The disruption budget ${name} is still being processed by the server.`,
        },
      ],
    })
  }
  const allowed = numberAt(status, 'disruptionsAllowed') ?? 0
  if (allowed < 0) throw forbidden(budgets, name, 'pdb disruptions allowed is negative')
  if (Object.keys(objectAt(status, 'disruptedPods') ?? {}).length > disruptedPodsMax) {
    throw forbidden(budgets, name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller')
  }
  if (allowed > 0) return allowed
  const needs = numberAt(status, 'desiredHealthy') ?? 0
  const has = numberAt(status, 'currentHealthy') ?? 0
  throw tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [
      {
        reason: 'DisruptionBudget',
        message: `The disruption budget ${name} needs ${needs} healthy pods and has ${has} currently`,
      },
    ],
  })
}
