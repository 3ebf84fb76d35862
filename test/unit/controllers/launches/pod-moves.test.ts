import { expect, test } from 'vitest'
import type { NodeClaim } from '../../../../src/api/karpenter.ts'
import type { Pod } from '../../../../src/api/kubernetes.ts'
import { PodMoves } from '../../../../src/controllers/launches/pod-moves.ts'
import { aClaim, aPod } from '../../../support/controller-builders.ts'

const minute = 60_000
const creationTimestamp = '2026-01-01T00:00:00Z'

const condition = (type: string, reason: string) => ({
  type,
  reason,
  status: 'True' as const,
  lastTransitionTime: '2026-01-01T00:00:00Z',
})

function aLeavingClaim(name: string): NodeClaim {
  const { metadata, ...claim } = aClaim(name, {
    status: { nodeName: `node-${name}`, conditions: [condition('DisruptionReason', 'Drifted')] },
  })
  return {
    ...claim,
    metadata: { ...metadata, name, uid: name, resourceVersion: '1', creationTimestamp, deletionTimestamp: 'then' },
  }
}

function aPodOf(owner: string, name: string, ready: 'True' | 'False', deletionTimestamp?: string): Pod {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }]
  const { metadata, ...pod } = aPod(name, { status: { conditions: [{ type: 'Ready', status: ready }] } })
  const deleting = deletionTimestamp === undefined ? {} : { deletionTimestamp }
  return {
    ...pod,
    metadata: { ...metadata, name, uid: name, resourceVersion: '1', creationTimestamp, ownerReferences, ...deleting },
  }
}

/** Nodes that went at time 0, by the owners of what they ran. */
function movedFrom(nodes: Readonly<Record<string, readonly string[]>>): PodMoves {
  const moved = new PodMoves()
  for (const [name, owners] of Object.entries(nodes)) {
    moved.leaving(
      aLeavingClaim(name),
      owners.map((owner) => aPodOf(owner, `${owner}-old-${name}`, 'True')),
    )
    moved.left(name, 0)
  }
  return moved
}

test('each node that went is answered for by the pods of the workloads that ran on it', () => {
  const moved = movedFrom({ a: ['web', 'db'], b: ['db'], c: ['batch'] })
  const pods = [
    aPodOf('web', 'web-2', 'False'),
    aPodOf('web', 'web-1', 'False'),
    aPodOf('web', 'web-0', 'False', '2026-01-01T00:00:00Z'),
    aPodOf('db', 'db-1', 'True'),
    aPodOf('batch', 'a-batch', 'False'),
    aPodOf('other', 'a-other', 'False'),
  ]
  expect(moved.due(10 * minute - 1, () => pods)).toEqual([])
  expect(moved.due(10 * minute, () => pods)).toEqual([
    { pool: 'default', ok: false, message: '2 pods of node node-a are not ready again, e.g. default/web-1' },
    { pool: 'default', ok: true, message: '' },
    { pool: 'default', ok: false, message: '1 pods of node node-c are not ready again, e.g. default/a-batch' },
  ])
  expect(moved.due(20 * minute, () => pods)).toEqual([])
})

test('however many nodes went together, the pods are looked at once; not at all where none is due', () => {
  const moved = movedFrom(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`n${index}`, ['web']])))
  let looked = 0
  const pods = [aPodOf('web', 'web-1', 'True')]
  const list = (): readonly Pod[] => {
    looked += 1
    return pods
  }
  expect(moved.due(minute, list)).toEqual([])
  expect(looked).toBe(0)
  expect(moved.due(10 * minute, list)).toHaveLength(50)
  expect(looked).toBe(1)
})
