import fc from 'fast-check'
import { expect, test } from 'vitest'
import { prepare, solve } from '../../../src/scheduling/index.ts'
import { referenceSolve } from '../../reference-scheduler/index.ts'
import { busyCluster } from '../../bench/workloads.ts'
import { arbitraryWorld } from '../../support/arbitrary-worlds.ts'
import { referenceSummary, summaryOf } from '../../support/placement-summary.ts'
import { aSnapshot, testVocabulary } from '../../support/scheduling-world.ts'
import { testSettings } from '../../support/solving.ts'

/** Solves on one snapshot share groups, counts, rooms, outcomes and memos: none may see what another one did. */
for (const preferencePolicy of ['Respect', 'Ignore'] as const) {
  test(`under ${preferencePolicy} each of many simulations comes out as it does alone, and as the plain scheduler has it`, () => {
    fc.assert(
      fc.property(arbitraryWorld, (world) => {
        const snapshot = aSnapshot(world)
        const settings = { ...testSettings, preferencePolicy }
        const displaced = snapshot.nodes
          .filter(({ markedForDeletion }) => markedForDeletion)
          .flatMap(({ pods }) => pods)
        const shared = prepare(snapshot, settings, world.pods)
        const takeable = snapshot.nodes.filter(({ markedForDeletion }) => !markedForDeletion)
        // The first node again at the end: by then all others have been taken away once.
        for (const node of [...takeable, ...takeable.slice(0, 1)]) {
          const pods = [...world.pods, ...node.pods, ...displaced]
          const request = { pods, excludedNodes: new Set([node.key]) }
          const placement = solve(shared, request)
          expect(placement).toEqual(solve(prepare(snapshot, settings, world.pods), request))
          const without = { ...snapshot, nodes: snapshot.nodes.filter(({ key }) => key !== node.key) }
          expect(summaryOf(placement)).toEqual(
            referenceSummary(referenceSolve(without, pods, { vocabulary: testVocabulary, preferencePolicy })),
          )
        }
      }),
      { numRuns: 60 },
    )
  })
}

test('a simulation that moves the pods of many nodes comes out as the plain scheduler has it', () => {
  const { snapshot, pods: pending } = busyCluster({ nodes: 12, running: 240, pending: 10, cpu: '300m' })
  const taken = snapshot.nodes.slice(0, 6)
  const pods = [...pending, ...taken.flatMap((node) => node.pods)]
  const without = { ...snapshot, nodes: snapshot.nodes.slice(6) }
  const request = { pods, excludedNodes: new Set(taken.map(({ key }) => key)) }
  expect(summaryOf(solve(prepare(snapshot, testSettings, pending), request))).toEqual(
    referenceSummary(referenceSolve(without, pods, { vocabulary: testVocabulary })),
  )
})
