import { expect, test } from 'vitest'
import { deviceCases, isPlaced, refusedCases, whilePublished } from '../../../support/device-cases.ts'

/** That kube-scheduler says the same, test/peers/kubernetes/devices.test.ts proves. */

test.each(Object.entries(deviceCases))('%s', (name, given) => {
  expect(isPlaced('n1', given)).toBe(!refusedCases.has(name))
})

test.each(Object.entries(whilePublished))('%s: the pod waits for the devices of the node', (_name, given) => {
  expect(isPlaced('n1', given)).toBe(true)
})
