import type { AnnotationPatch, HashPlan } from '../api/hash/index.ts'
import type { NodeClaim } from '../api/karpenter.ts'
import type { KubeObject } from '../api/kubernetes.ts'
import { done, type ReconcileResult, requeueAfter } from '../kube/controller.ts'
import { isNotFound } from '../kube/errors.ts'
import { nodeClaims } from '../kube/karpenter-kinds.ts'
import type { KubeClient } from '../kube/port.ts'
import { keyOf, type Resource } from '../kube/resource.ts'

/** A fleet that another controller launched lacks all its records; nothing waits for them. */
const recordsAtOnce = 100
const recordsEveryMs = 2_000

/**
 * Writes what `planHashStamps` found to be missing on a NodePool or NodeClass and its claims, whose order is the plan's. Claims first: as
 * long as the parent has its old stamp, a crash is made up for by the next reconcile. Records go in batches; then it is not done yet.
 */
export async function writeHashStamps<T extends KubeObject>(
  kube: KubeClient,
  resource: Resource<T>,
  parent: T,
  claims: readonly NodeClaim[],
  plan: HashPlan,
): Promise<ReconcileResult> {
  const annotateClaims = async (patches: HashPlan['claims']): Promise<void> => {
    await Promise.all(
      patches.map(async ({ index, annotations }) => {
        const claim = claims[index]
        if (claim !== undefined) await annotate(kube, nodeClaims, claim, annotations)
      }),
    )
  }
  await annotateClaims(plan.claims)
  if (plan.parent !== undefined) await annotate(kube, resource, parent, plan.parent)
  await annotateClaims(plan.records.slice(0, recordsAtOnce))
  return plan.records.length > recordsAtOnce ? requeueAfter(recordsEveryMs) : done
}

async function annotate<T extends KubeObject>(
  kube: KubeClient,
  resource: Resource<T>,
  object: T,
  annotations: AnnotationPatch,
): Promise<void> {
  try {
    await kube.patch(resource, keyOf(object), { kind: 'merge', body: { metadata: { annotations } } })
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
