import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isActive, isOwnedByDaemonSet } from '../../../src/model/pod.ts'
import { prepare, solve } from '../../../src/scheduling/index.ts'
import { referenceSolve } from '../../reference-scheduler/index.ts'
import { diversePods, preferencePods } from '../../bench/workloads.ts'
import { arbitraryWorld } from '../../support/arbitrary-worlds.ts'
import { richWorld } from '../../support/rich-worlds.ts'
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

test('so does every world with minValues, reservations and volumes, under all policies', () => {
  const policies = fc.record({
    preferencePolicy: fc.constantFrom('Respect', 'Ignore'),
    minValuesPolicy: fc.constantFrom('Strict', 'BestEffort'),
    reservedMode: fc.constantFrom('strict', 'fallback', 'off'),
  })
  fc.assert(
    fc.property(richWorld, policies, (world, { preferencePolicy, minValuesPolicy, reservedMode }) => {
      const snapshot = aSnapshot(world)
      const displaced = snapshot.nodes
        .filter(({ markedForDeletion }) => markedForDeletion)
        .flatMap((node) => node.pods)
        .filter((pod) => isActive(pod) && !isOwnedByDaemonSet(pod))
      const pods = [...world.pods, ...displaced]
      const settings = { ...testSettings, preferencePolicy, minValuesPolicy }
      const placement = solve(prepare(snapshot, settings, pods), { pods, reservedMode })
      const reservations =
        reservedMode === 'off' ? {} : { reservations: { label: 'reservation-id', mode: reservedMode } }
      const reference = { vocabulary: testVocabulary, preferencePolicy, minValuesPolicy, ...reservations }
      expect(summaryOf(placement)).toEqual(referenceSummary(referenceSolve(snapshot, pods, reference)))
    }),
    { numRuns: 100 },
  )
})

test('the benchmark pods come out as the plain scheduler has them', () => {
  const snapshot = aSnapshot({ pools: [aPool()], types: fakeTypes(40) })
  for (const pods of [diversePods(150), preferencePods(60)]) {
    const placement = solve(prepare(snapshot, testSettings, pods), { pods })
    expect(summaryOf(placement)).toEqual(
      referenceSummary(referenceSolve(snapshot, pods, { vocabulary: testVocabulary })),
    )
  }
})
