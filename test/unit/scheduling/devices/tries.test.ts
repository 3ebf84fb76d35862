import { expect, test } from 'vitest'
import { Tries } from '../../../../src/scheduling/devices/tries.ts'

test('a pod has so many tries at each target until those of the whole solve are used up; others have their own', () => {
  const tries = new Tries({ perTarget: 10, perPod: 25 })
  const given = (pod: string, uses: number): number =>
    tries.search(pod, (budget) => {
      const { left } = budget
      budget.left -= uses
      return left
    })
  expect(given('a', 4)).toBe(10)
  // A search notices that nothing is left by going one below it.
  expect([given('a', 11), given('a', 11)]).toEqual([10, 10])
  expect(given('a', 2)).toBe(1)
  expect(given('a', 0)).toBe(0)
  expect(given('b', 0)).toBe(10)
})
