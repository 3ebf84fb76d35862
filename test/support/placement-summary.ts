import { requirementsText, type Requirements } from '../../src/model/requirements.ts'
import type { Placement } from '../../src/scheduling/index.ts'
import type { ReferencePlacement } from '../reference-scheduler/index.ts'

const simulationKeys = new Set(['karpenter.sh/registered', 'karpenter.sh/initialized', 'kubernetes.io/hostname'])

function plain(requirements: Requirements): string {
  return requirementsText(new Map([...requirements].filter(([key]) => !simulationKeys.has(key))))
}

/** What a placement decided, in an order that does not matter. */
export function summaryOf(placement: Placement): unknown {
  return {
    claims: placement.newNodePlans
      .map((plan) => ({
        pods: plan.pods.map(({ name }) => name),
        pool: plan.nodePool,
        types: plan.instanceTypes.map(({ name }) => name).toSorted(),
        requirements: plain(plan.requirements),
      }))
      .toSorted(byFirstPod),
    existing: placement.existing
      .map(({ node, pods }) => `${node.key}: ${pods.map(({ name }) => name).join()}`)
      .toSorted(),
    failed: placement.failures.map(({ pod }) => pod.name).toSorted(),
    deferred: placement.deferred.map(({ name }) => name).toSorted(),
  }
}

/** The same of a plain scheduler's. */
export function referenceSummary({ claims, existing, failed, deferred }: ReferencePlacement): unknown {
  return {
    claims: claims
      .map((claim) => ({
        pods: claim.pods.map(({ name }) => name),
        pool: claim.pool.metadata.name,
        types: claim.types.map(({ type }) => type.name).toSorted(),
        requirements: plain(claim.requirements),
      }))
      .toSorted(byFirstPod),
    existing: [...existing].map(([key, pods]) => `${key}: ${pods.map(({ name }) => name).join()}`).toSorted(),
    failed: failed.map(({ name }) => name).toSorted(),
    deferred: deferred.map(({ name }) => name).toSorted(),
  }
}

function byFirstPod(a: { pods: string[] }, b: { pods: string[] }): number {
  return (a.pods[0] ?? '') < (b.pods[0] ?? '') ? -1 : 1
}
