import fc from 'fast-check'
import { expect, test } from 'vitest'
import { prepare, type Placement, solve } from '../../../src/scheduling/index.ts'
import { referenceSolve, type ReferencePlacement } from '../../reference-scheduler/index.ts'
import { requirementsText, type Requirements } from '../../../src/model/requirements.ts'
import { diversePods, preferencePods } from '../../bench/workloads.ts'
import { arbitraryWorld } from '../../support/arbitrary-worlds.ts'
import { aPool, aSnapshot, fakeTypes, testVocabulary } from '../../support/scheduling-world.ts'
import { testSettings } from '../../support/solving.ts'

const simulationKeys = new Set(['karpenter.sh/registered', 'karpenter.sh/initialized', 'kubernetes.io/hostname'])

function plain(requirements: Requirements): string {
  return requirementsText(new Map([...requirements].filter(([key]) => !simulationKeys.has(key))))
}

function summaryOf(placement: Placement): unknown {
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
  }
}

function referenceSummary({ claims, existing, failed }: ReferencePlacement): unknown {
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
  }
}

function byFirstPod(a: { pods: string[] }, b: { pods: string[] }): number {
  return (a.pods[0] ?? '') < (b.pods[0] ?? '') ? -1 : 1
}

for (const preferencePolicy of ['Respect', 'Ignore'] as const) {
  test(`under ${preferencePolicy} every world comes out as the plain scheduler has it`, () => {
    fc.assert(
      fc.property(arbitraryWorld, (world) => {
        const snapshot = aSnapshot(world)
        const displaced = snapshot.nodes
          .filter(({ markedForDeletion }) => markedForDeletion)
          .flatMap(({ pods }) => pods)
        const pods = [...world.pods, ...displaced]
        const placement = solve(prepare(snapshot, { ...testSettings, preferencePolicy }, pods), { pods })
        expect(summaryOf(placement)).toEqual(
          referenceSummary(referenceSolve(snapshot, pods, { vocabulary: testVocabulary, preferencePolicy })),
        )
      }),
      { numRuns: 300 },
    )
  })
}

test('the benchmark pods come out as the plain scheduler has them', () => {
  const snapshot = aSnapshot({ pools: [aPool()], types: fakeTypes(40) })
  for (const pods of [diversePods(150), preferencePods(60)]) {
    const placement = solve(prepare(snapshot, testSettings, pods), { pods })
    expect(summaryOf(placement)).toEqual(
      referenceSummary(referenceSolve(snapshot, pods, { vocabulary: testVocabulary })),
    )
  }
})
