import { expect, test } from 'vitest'
import { fixedText } from '../../../src/model/fixed-text.ts'

test.each([
  [0.125, 2, '0.12'],
  [0.375, 2, '0.38'],
  [0.625, 2, '0.62'],
  [-0.125, 2, '-0.12'],
  [0.1251, 2, '0.13'],
  [0.13, 2, '0.13'],
  [2, 2, '2.00'],
  [81.25, 1, '81.2'],
  [81.75, 1, '81.8'],
  [81.26, 1, '81.3'],
  [0, 1, '0.0'],
] as const)('%d with %i decimals is %s, as Go prints it', (value, decimals, want) => {
  expect(fixedText(value, decimals)).toBe(want)
})
