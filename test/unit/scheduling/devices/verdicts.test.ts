import { expect, test } from 'vitest'
import { deviceCases, differingCases, isPlaced } from '../../../support/device-cases/index.ts'

test.each(Object.entries(deviceCases))('%s', (_name, given) => {
  expect(isPlaced('n1', given)).toBe(given.refused !== true)
})

test.each(Object.entries(differingCases))('%s: by our verdict alone', (_name, given) => {
  expect(isPlaced('n1', given)).toBe(true)
})
