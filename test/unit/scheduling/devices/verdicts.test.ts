import { expect, test } from 'vitest'
import { deviceCases, isPlaced, whilePublished } from '../../../support/device-cases/index.ts'

test.each(Object.entries(deviceCases))('%s', (_name, given) => {
  expect(isPlaced('n1', given)).toBe(given.refused !== true)
})

test.each(Object.entries(whilePublished))('%s: the pod waits for the devices of the node', (_name, given) => {
  expect(isPlaced('n1', given)).toBe(true)
})
