import fc from 'fast-check'
import { expect, test } from 'vitest'
import { prepare, solve } from '../../../src/scheduling/index.ts'
import { referenceSolve } from '../../reference-scheduler/index.ts'
import { diversePods, preferencePods } from '../../bench/workloads.ts'
import { arbitraryWorld } from '../../support/arbitrary-worlds.ts'
import { referenceSummary, summaryOf } from '../../support/placement-summary.ts'
import { aPool, aSnapshot, fakeTypes, testVocabulary } from '../../support/scheduling-world.ts'
import { testSettings } from '../../support/solving.ts'

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
