import { expect, test } from 'vitest'
import type { CSINode } from '../../../src/api/kubernetes.ts'
import { toStateNode } from '../../../src/cluster/state-node.ts'
import { metadata } from '../../support/scheduling-objects.ts'
import { aNode } from '../../support/scheduling-world.ts'

const csiNode: CSINode = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: metadata('n'),
  spec: {
    drivers: [
      { name: 'ebs.csi.aws.com', nodeID: 'i-1', allocatable: { count: 25 } },
      { name: 'none.example.com', nodeID: 'i-1', allocatable: { count: 0 } },
      { name: 'efs.csi.aws.com', nodeID: 'i-1' },
      { name: 'fsx.csi.aws.com', nodeID: 'i-1', allocatable: {} },
    ],
  },
}

test('volumes are limited for the drivers that say how many a node takes', () => {
  const { node, nodeClaim } = aNode({ name: 'n', pool: 'np' })
  const stateOf = (csi: CSINode | undefined) =>
    toStateNode({ key: 'k', node, nodeClaim, csiNode: csi, pods: [], nominatedUntil: 0, marked: false })
  expect([...stateOf(csiNode).volumeLimits]).toEqual([
    ['ebs.csi.aws.com', 25],
    ['none.example.com', 0],
  ])
  expect(stateOf(undefined).volumeLimits.size).toBe(0)
})
