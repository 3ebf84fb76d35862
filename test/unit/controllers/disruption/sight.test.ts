import { expect, test } from 'vitest'
import type { NodePoolBudget } from '../../../../src/api/karpenter.ts'
import { snapshotFacts } from '../../../../src/controllers/disruption/remembered-search.ts'
import { Sight } from '../../../../src/controllers/disruption/sight.ts'
import { haveSchedules } from '../../../../src/disruption/budgets.ts'
import { surveyCandidates } from '../../../../src/disruption/candidates.ts'
import type { Snapshot } from '../../../../src/model/snapshot.ts'
import { aPool, aRunningPod, aStateNode, aType, aWorld, minute, noon } from '../../../support/disruption-builders.ts'

const hour = 60 * minute
const calm: Snapshot = aWorld({
  nodes: [aStateNode('a', { pods: [aRunningPod()] })],
  types: [aType('m5.large', { price: 0.1 })],
  now: noon,
})

function sightOf(snapshot: Snapshot, lasts = true): Sight {
  const sight = new Sight(snapshotFacts(snapshot), snapshot.now, lasts)
  sight.keep('graceful', snapshot.now, surveyCandidates(snapshot, { disruptionClass: 'graceful', queued: new Set() }))
  return sight
}

const isStill = (sight: Sight, later: Snapshot): boolean => sight.isStill(snapshotFacts(later), later.now)

test('what was seen of a cluster in which nothing comes and goes with time holds until it changes', () => {
  expect(isStill(sightOf(calm), { ...calm, now: noon + 1_000 * hour })).toBe(true)
  expect(isStill(sightOf(calm), { ...calm, nodes: [...calm.nodes] })).toBe(false)
  expect(isStill(sightOf(calm), { ...calm, podDisruptionBudgets: [] })).toBe(false)
})

test('where budgets, pauses or breakers come and go it serves one pass', () => {
  expect(isStill(sightOf(calm, false), calm)).toBe(false)
})

test('it holds until the first protection of a pod or the first nomination ends, and not before it was made', () => {
  const guarded = aRunningPod({ annotations: { 'karpenter.sh/do-not-disrupt': '2h' }, startedAt: noon - hour })
  const nodes = [aStateNode('a', { pods: [guarded] }), { ...aStateNode('b'), nominatedUntil: noon + 20 * minute }]
  const snapshot = { ...calm, nodes }
  const sight = sightOf(snapshot)
  const backwards = { ...snapshot, nodes: nodes.toReversed() }
  expect(isStill(sightOf(backwards), { ...backwards, now: noon + 20 * minute })).toBe(false)
  expect(isStill(sight, { ...snapshot, now: noon + 20 * minute - 1 })).toBe(true)
  expect(isStill(sight, { ...snapshot, now: noon + 20 * minute })).toBe(false)
  expect(isStill(sight, { ...snapshot, now: noon - 1 })).toBe(false)
  const guardedOnly = { ...calm, nodes: nodes.slice(0, 1) }
  expect(isStill(sightOf(guardedOnly), { ...guardedOnly, now: noon + hour - 1 })).toBe(true)
  expect(isStill(sightOf(guardedOnly), { ...guardedOnly, now: noon + hour })).toBe(false)
})

test('of two surveys the one that ends first counts, whichever was made first', () => {
  const survey = surveyCandidates(calm, { disruptionClass: 'graceful', queued: new Set() })
  const sight = new Sight(snapshotFacts(calm), noon, true)
  sight.keep('graceful', noon, { ...survey, until: noon + minute })
  sight.keep('eventual', noon, { ...survey, until: noon + hour })
  expect(isStill(sight, { ...calm, now: noon + minute - 1 })).toBe(true)
  expect(isStill(sight, { ...calm, now: noon + minute })).toBe(false)
})

test('a survey that was made later holds for no earlier moment', () => {
  const sight = new Sight(snapshotFacts(calm), noon, true)
  expect(sight.survey('eventual')).toBeUndefined()
  const survey = surveyCandidates(calm, { disruptionClass: 'eventual', queued: new Set() })
  expect(sight.keep('eventual', noon + minute, survey)).toBe(survey)
  expect(sight.survey('eventual')).toBe(survey)
  expect(isStill(sight, { ...calm, now: noon })).toBe(false)
  expect(isStill(sight, { ...calm, now: noon + minute })).toBe(true)
})

test('a budget with a schedule or a duration comes and goes', () => {
  const withBudget = (budget: NodePoolBudget) => [aPool({ disruption: { consolidateAfter: '0s', budgets: [budget] } })]
  expect(haveSchedules(withBudget({ nodes: '10%' }))).toBe(false)
  expect(haveSchedules([aPool()])).toBe(false)
  expect(haveSchedules(withBudget({ nodes: '0', schedule: '@daily', duration: '1h' }))).toBe(true)
  expect(haveSchedules(withBudget({ nodes: '0', duration: '1h' }))).toBe(true)
})
