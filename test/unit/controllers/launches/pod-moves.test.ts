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

function aLeavingClaim(name: string, deletionTimestamp = creationTimestamp): NodeClaim {
  const { metadata, ...claim } = aClaim(name, {
    status: { nodeName: `node-${name}`, conditions: [condition('DisruptionReason', 'Drifted')] },
  })
  return {
    ...claim,
    metadata: { ...metadata, name, uid: name, resourceVersion: '1', creationTimestamp, deletionTimestamp },
  }
}

function aPodOf(
  owner: string,
  name: string,
  ready: 'True' | 'False',
  { deletionTimestamp, createdAt = creationTimestamp }: { deletionTimestamp?: string; createdAt?: string } = {},
): Pod {
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: owner, controller: true }]
  const { metadata, ...pod } = aPod(name, { status: { conditions: [{ type: 'Ready', status: ready }] } })
  const deleting = deletionTimestamp === undefined ? {} : { deletionTimestamp }
  return {
    ...pod,
    metadata: {
      ...metadata,
      name,
      uid: name,
      resourceVersion: '1',
      creationTimestamp: createdAt,
      ownerReferences,
      ...deleting,
    },
  }
}

/** Nodes that went at time 0, by the owners of what they ran. */
function movedFrom(nodes: Readonly<Record<string, readonly string[]>>, { isHeld = false } = {}): PodMoves {
  const moved = new PodMoves(() => isHeld)
  for (const [name, owners] of Object.entries(nodes)) {
    moved.leaving(
      aLeavingClaim(name),
      owners.map((owner) => aPodOf(owner, `${owner}-old-${name}`, 'True')),
      0,
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
    aPodOf('web', 'web-0', 'False', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    aPodOf('db', 'db-1', 'True'),
    aPodOf('batch', 'a-batch', 'False'),
    aPodOf('other', 'a-other', 'False'),
  ]
  expect(moved.due(10 * minute - 1, () => pods)).toEqual([])
  expect(moved.due(10 * minute, () => pods)).toEqual([
    { uid: 'a', ok: false, message: '2 pods of node node-a are not ready again, e.g. default/web-1' },
    { uid: 'b', ok: true, message: '' },
    { uid: 'c', ok: false, message: '1 pods of node node-c are not ready again, e.g. default/a-batch' },
  ])
  expect(moved.due(20 * minute, () => pods)).toEqual([])
})

test('nodes that somebody deleted or that were empty move nothing, nor do pods of DaemonSets, which go with their node', () => {
  const ofDaemon = (name: string, ready: 'True' | 'False') => {
    const pod = aPodOf('agent', name, ready)
    const ownerReferences = (pod.metadata.ownerReferences ?? []).map((owner) => ({ ...owner, kind: 'DaemonSet' }))
    return { ...pod, metadata: { ...pod.metadata, ownerReferences } }
  }
  const disrupted = aLeavingClaim('c')
  const because = (conditions: readonly ReturnType<typeof condition>[]) => ({
    ...disrupted,
    status: { ...disrupted.status, conditions: [...conditions] },
  })
  const left: Record<string, [claim: NodeClaim, pod: Pod]> = {
    'by somebody': [because([]), aPodOf('web', 'web-0', 'True')],
    empty: [because([condition('DisruptionReason', 'Empty')]), aPodOf('web', 'web-0', 'True')],
    'with a daemon': [disrupted, ofDaemon('agent-0', 'True')],
  }
  for (const [claim, pod] of Object.values(left)) {
    const moved = new PodMoves(() => false)
    moved.leaving(claim, [pod], 0)
    moved.left('c', 0)
    expect(moved.nextDueAt('')).toBeUndefined()
    expect(moved.due(10 * minute, () => [aPodOf('web', 'web-1', 'False'), ofDaemon('agent-1', 'False')])).toEqual([])
  }
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

test('failed moves that hold up others are over once all their pods have been ready, or given up, for five minutes', () => {
  const moved = movedFrom({ a: ['web'], b: ['db'] }, { isHeld: true })
  const look = (at: number, ...pods: readonly Pod[]) => moved.haveRecovered('default', at * minute, () => pods)
  const [web, db] = [aPodOf('web', 'web-1', 'False'), aPodOf('db', 'db-1', 'False')]
  expect(look(9, web, db)).toBeUndefined()
  moved.due(10 * minute, () => [web, db])
  // However long it takes.
  moved.due(600 * minute, () => [])
  expect(look(600, web, db)).toBe(false)
  expect(look(601, aPodOf('web', 'web-1', 'True'))).toBe(false)
  // One that crashes is ready now and then.
  expect(look(605, web)).toBe(false)
  expect(look(606)).toBe(false)
  expect(look(610)).toBe(false)
  expect(look(611)).toBe(true)
})

test('failed moves that hold up nobody are not looked at, and forgotten after an hour', () => {
  const moved = movedFrom({ a: ['web'] })
  const pods = [aPodOf('web', 'web-1', 'False')]
  moved.due(10 * minute, () => pods)
  expect(moved.haveRecovered('default', 20 * minute, () => pods)).toBeUndefined()
})

/** Whether the move of a node with these pods counts as one that left pods not ready, ten minutes after it was gone. */
function isHeldAgainst(before: readonly Pod[], after: readonly Pod[], { goneAfterMs = 0 } = {}): boolean {
  const moved = new PodMoves(() => false)
  const seenAt = 60 * minute
  moved.leaving(aLeavingClaim('a'), before, seenAt)
  moved.left('a', seenAt + goneAfterMs)
  return moved.due(seenAt + goneAfterMs + 10 * minute, () => after).some(({ ok }) => !ok)
}

test('a pod that crashed before the move, here or elsewhere, is not held against it', () => {
  const ready = aPodOf('web', 'web-0', 'True')
  const crashing = aPodOf('web', 'web-1', 'False')
  const long = { createdAt: '2025-12-31T00:00:00Z' }
  expect(isHeldAgainst([ready], [aPodOf('web', 'web-2', 'False')])).toBe(true)
  expect(isHeldAgainst([ready], [aPodOf('web', 'web-2', 'True'), aPodOf('web', 'web-9', 'False', long)])).toBe(false)
  expect(isHeldAgainst([ready, crashing], [aPodOf('web', 'web-2', 'False')])).toBe(false)
  const two = [aPodOf('web', 'web-2', 'False'), aPodOf('web', 'web-3', 'False')]
  expect(isHeldAgainst([ready, crashing], two)).toBe(true)
})

test('a pod by which a workload has grown since is not held against it, however long the drain took', () => {
  const ready = aPodOf('web', 'web-0', 'True')
  const at = (createdAt: string): Pod => aPodOf('web', 'web-2', 'False', { createdAt })
  expect(isHeldAgainst([ready], [at('2026-01-01T00:09:00Z')])).toBe(false)
  expect(isHeldAgainst([ready], [at('2026-01-01T00:09:00Z')], { goneAfterMs: 30 * minute })).toBe(true)
  expect(isHeldAgainst([ready], [at('2026-01-01T00:39:00Z')], { goneAfterMs: 30 * minute })).toBe(false)
})

test('nor are those that other nodes lost meanwhile and that had crashed there', () => {
  const moved = new PodMoves(() => false)
  const after = ['web-2', 'web-3'].map((name) => aPodOf('web', name, 'False'))
  moved.leaving(aLeavingClaim('a'), [aPodOf('web', 'web-0', 'False')], 0)
  moved.leaving(aLeavingClaim('b'), [aPodOf('web', 'web-1', 'False')], 0)
  moved.left('a', 0)
  expect(moved.due(10 * minute, () => after)).toMatchObject([{ ok: true }])
  moved.left('b', 10 * minute)
  expect(moved.due(20 * minute, () => after)).toMatchObject([{ ok: true }])
})
