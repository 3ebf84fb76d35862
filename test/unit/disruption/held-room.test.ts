import { expect, test } from 'vitest'
import { heldRoomOf } from '../../../src/disruption/held-room.ts'
import { virtualPods } from '../../../src/scheduling/capacity-buffer.ts'
import { aRunningPod, aStateNode } from '../../support/disruption-builders.ts'

test('only a node that has room for a buffer holds some, and only for that', () => {
  const standIns = virtualPods({ namespace: 'shop', name: 'spare', uid: 'u' }, { spec: { containers: [] } }, 2)
  const [first] = standIns
  if (first === undefined) throw new Error('expected stand-ins')
  const [holding, plain] = [aStateNode('holding'), aStateNode('plain')]
  const existing = [
    { node: holding, pods: [aRunningPod(), first] },
    { node: plain, pods: [aRunningPod()] },
  ]
  expect(heldRoomOf(standIns, { existing })).toEqual({ standIns, onNodes: new Map([[holding.key, [first]]]) })
})
