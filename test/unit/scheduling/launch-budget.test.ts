import { expect, test } from 'vitest'
import {
  afterFailure,
  afterSuccess,
  indebted,
  type LaunchBudget,
  mayLaunch,
  newLaunchBudget,
} from '../../../src/scheduling/launch-budget.ts'

const settings = { size: 30, refillMs: 120_000 }
const hour = 3_600_000

function failed(times: number, now = 0, budget: LaunchBudget = newLaunchBudget): LaunchBudget {
  return Array.from({ length: times }).reduce<LaunchBudget>((left) => afterFailure(left, now, settings), budget)
}

test('a first wave of twenty goes without any proof, less what is under way', () => {
  expect(mayLaunch(newLaunchBudget, 0, 0, settings)).toBe(20)
  expect(mayLaunch(newLaunchBudget, 15, 0, settings)).toBe(5)
  expect(mayLaunch(newLaunchBudget, 25, 0, settings)).toBe(0)
})

test('each success of the last minute speaks for four more', () => {
  const proven = afterSuccess(afterSuccess(newLaunchBudget, 1_000), 2_000)
  expect(mayLaunch(proven, 0, 3_000, settings)).toBe(28)
  expect(mayLaunch(proven, 0, 61_500, settings)).toBe(24)
  expect(mayLaunch(proven, 0, 120_000, settings)).toBe(20)
})

test('failures halve what may go, and leave something for places that nobody has tried', () => {
  const waves: number[] = []
  let budget = newLaunchBudget
  for (;;) {
    const wave = mayLaunch(budget, 0, 0, settings)
    if (wave === 0) break
    waves.push(wave)
    budget = failed(wave, 0, budget)
  }
  expect(waves).toEqual([20, 5, 3, 1, 1])
})

test('a single failure is enough for that', () => {
  expect(mayLaunch(failed(1), 0, 0, settings)).toBe(15)
})

test('after failures, too, what is under way may yet fail and counts', () => {
  expect(mayLaunch(failed(20), 0, 0, settings)).toBe(5)
  expect(mayLaunch(failed(20), 4, 0, settings)).toBe(3)
  expect(mayLaunch(failed(20), 10, 0, settings)).toBe(0)
  expect(mayLaunch(failed(20), 14, 0, settings)).toBe(0)
})

test('a budget of one lets one go at a time, until it has failed', () => {
  const one = { ...settings, size: 1 }
  expect(mayLaunch(newLaunchBudget, 0, 0, one)).toBe(1)
  expect(mayLaunch(newLaunchBudget, 1, 0, one)).toBe(0)
  expect(mayLaunch(afterFailure(newLaunchBudget, 0, one), 0, 0, one)).toBe(0)
})

test('a success clears all debts', () => {
  expect(mayLaunch(afterSuccess(failed(30), 1_000), 0, 62_000, settings)).toBe(20)
})

test('after a restart into trouble one goes, and the next two minutes later', () => {
  const first = indebted(0, settings)
  expect(mayLaunch(first, 0, 0, settings)).toBe(1)
  const second = failed(1, 0, first)
  expect(mayLaunch(second, 0, 119_999, settings)).toBe(0)
  expect(mayLaunch(second, 0, 120_000, settings)).toBe(1)
})

test('a budget of zero holds nothing back', () => {
  expect(mayLaunch(failed(1_000), 500, 0, { ...settings, size: 0 })).toBe(Number.POSITIVE_INFINITY)
})

/** However often somebody asks, and whenever the trouble began. */
test.each([1_000, 10_000, 60_000, 179_000])(
  'in no hour without a success more than sixty fail (asked every %i ms)',
  (every) => {
    const failures: number[] = []
    let budget = newLaunchBudget
    for (let now = 0; now < 5 * hour; now += every) {
      const wave = mayLaunch(budget, 0, now, settings)
      for (let index = 0; index < wave; index += 1) failures.push(now)
      budget = failed(wave, now, budget)
    }
    const worst = Math.max(...failures.map((from) => failures.filter((at) => at >= from && at < from + hour).length))
    expect(worst).toBeLessThanOrEqual(60)
    expect(failures.length).toBeGreaterThan(100)
  },
)
