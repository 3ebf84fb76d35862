import { describe, expect, test } from 'vitest'
import {
  evictionCost,
  hasUnreadableDeletionCost,
  isWorthKeeping,
  lifetimeRemaining,
  rescheduleDisruptionCost,
} from '../../../src/disruption/disruption-cost.ts'
import { aRunningPod, daemonSetOwner, minute, noon } from '../../support/disruption-builders.ts'

const costing = (deletionCost: string, priority?: number) =>
  aRunningPod({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': deletionCost }, priority })

describe('what moving a pod costs', () => {
  const cases: Record<string, [deletionCost: string, priority: number | undefined, want: number]> = {
    'nothing is said': ['0', undefined, 1],
    'its deletion cost': ['134217728', undefined, 2],
    'its priority': ['0', 33_554_432, 2],
    'both together': ['134217728', 33_554_432, 3],
    'below zero': ['-268435456', undefined, -1],
    'ten at most': ['2147483647', 2_000_000_000, 10],
    'and no less than minus ten': ['-2147483648', -2_000_000_000, -10],
    'a fraction': ['67108864.0', undefined, 1.5],
    'what is no number counts as nothing': ['dear', undefined, 1],
    'nor is nothing at all': ['', undefined, 1],
  }
  test.each(Object.entries(cases))('%s', (_name, [deletionCost, priority, want]) => {
    expect(evictionCost(costing(deletionCost, priority))).toBe(want)
  })

  test.each([
    ['dear', true],
    ['', true],
    [' ', true],
    ['-5', false],
    ['1e3', false],
  ])('a cost of %j is unreadable: %s', (text, want) => {
    expect(hasUnreadableDeletionCost(costing(text))).toBe(want)
  })
})

test('what moving the pods of a node costs is 1 and theirs; one that is glad to go makes no other cheaper', () => {
  expect(rescheduleDisruptionCost([])).toBe(1)
  expect(rescheduleDisruptionCost([aRunningPod(), costing('134217728')])).toBe(4)
  expect(rescheduleDisruptionCost([aRunningPod(), costing('-2147483648')])).toBe(2)
  expect(rescheduleDisruptionCost([aRunningPod({ ownerReferences: daemonSetOwner })])).toBe(1)
  expect(isWorthKeeping(aRunningPod())).toBe(true)
  expect(isWorthKeeping(costing('-134217728'))).toBe(false)
})

test.each([
  ['all of it when it never expires', 'Never', 60, 1],
  ['all of it when nothing is said', undefined, 60, 1],
  ['half of it', '2h', 60, 0.5],
  ['none when its time is over', '30m', 60, 0],
  ['none when it has none', '0s', 0, 0],
  ['all of it when its birth lies ahead, by a clock that was set back', '2h', -60, 1],
])('of its life a claim still has %s', (_what, expireAfter, ageMinutes, want) => {
  expect(lifetimeRemaining(expireAfter, noon - ageMinutes * minute, noon)).toBe(want)
})
