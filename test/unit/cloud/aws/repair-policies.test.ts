import { expect, test } from 'vitest'
import { repairPolicies } from '../../../../src/cloud/aws/repair-policies.ts'

test('conditions of which machines do not recover, and for how long that is waited for', () => {
  const rows = repairPolicies.map(
    ({ conditionType, conditionStatus, tolerationMs }) =>
      `${conditionType}=${conditionStatus} ${tolerationMs / 60_000}m`,
  )
  expect(rows.toSorted()).toEqual([
    'AcceleratedHardwareReady=False 10m',
    'ContainerRuntimeReady=False 30m',
    'KernelReady=False 30m',
    'NetworkingReady=False 30m',
    'Ready=False 30m',
    'Ready=Unknown 30m',
    'StorageReady=False 30m',
  ])
})
