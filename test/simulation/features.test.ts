import { expect, test } from 'vitest'
import { conditionOf } from '../../src/api/conditions.ts'
import { labelCapacityType, labelNodePool } from '../../src/api/labels.ts'
import { capacityBuffers, nodeClaims, nodeOverlays } from '../../src/kube/karpenter-kinds.ts'
import { createWorld, minute } from './world.ts'

test('on a day with features each of them is in use', async () => {
  const world = await createWorld({ seed: 1, features: true })
  const { client, clock } = world.stack.cluster
  await clock.run({ forMs: 20 * minute })
  const { items } = await client.list(nodeClaims)
  const having = (label: string, value: string): number =>
    items.filter(({ metadata }) => metadata.labels?.[label] === value).length
  expect(having(labelNodePool, 'fixed')).toBe(2)
  expect(having(labelNodePool, 'brief')).toBeGreaterThan(0)
  for (const type of ['reserved', 'spot', 'on-demand']) expect(having(labelCapacityType, type)).toBeGreaterThan(0)
  const buffer = await client.get(capacityBuffers, { namespace: 'default', name: 'web' })
  expect(conditionOf(buffer, 'Provisioning')).toMatchObject({ status: 'True', reason: 'FitsExistingCapacity' })
  const overlay = await client.get(nodeOverlays, { name: 'discount' })
  expect(conditionOf(overlay, 'ValidationSucceeded')?.status).toBe('True')
  await world.stack.stop()
})
