import { expect, test } from 'vitest'
import { PoolStatusWriter } from '../../../../src/controllers/nodepool/status-patch.ts'
import { nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { aPool } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'

test('what one operator was refused does not keep another one in the process from asking', async () => {
  const { kube, clock } = aControllerWorld()
  const before = await kube.create(nodePools, aPool())
  await kube.patch(nodePools, { name: 'default' }, { kind: 'merge', body: { metadata: { labels: { a: 'b' } } } })
  let asked = 0
  kube.fault = ({ operation }) => {
    if (operation === 'patch') asked += 1
  }
  const after = { ...before, status: { nodes: 1 } }
  const one = new PoolStatusWriter({ kube, clock })
  await expect(one.patch(before, after)).rejects.toThrow('modified')
  await expect(one.patch(before, after)).rejects.toThrow('which is still shown')
  expect(asked).toBe(1)
  await expect(new PoolStatusWriter({ kube, clock }).patch(before, after)).rejects.toThrow('modified')
  expect(asked).toBe(2)
})
