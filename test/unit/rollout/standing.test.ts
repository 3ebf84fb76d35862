import { expect, test } from 'vitest'
import type { NodePool } from '../../../src/api/karpenter.ts'
import type { Condition } from '../../../src/api/kubernetes.ts'
import { rolloutConditions } from '../../../src/rollout/status.ts'
import { standingOf } from '../../../src/rollout/standing.ts'

const now = Date.parse('2026-03-01T12:00:00Z')

function condition(type: string, status: Condition['status'], more: Partial<Condition> = {}): Condition {
  return { type, status, reason: type, message: '', lastTransitionTime: '2026-03-01T00:00:00Z', ...more }
}

function aPool(status: NonNullable<NodePool['status']>, metadata: Partial<NodePool['metadata']> = {}): NodePool {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: {
      name: 'general',
      uid: '1',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T00:00:00Z',
      generation: 3,
      ...metadata,
    },
    spec: {
      template: {
        spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'linux' }, requirements: [] },
      },
    },
    status,
  }
}

const ready = condition('Ready', 'True')
const settled = condition('Reconciling', 'False', { observedGeneration: 3 })
const moving = condition('Reconciling', 'True', {
  reason: 'NodesDrifted',
  message: '2 of 3 drifted',
  observedGeneration: 3,
})
const paused = { annotations: { 'joinery.dev/pause-until': '2026-03-01T13:00:00Z' } }

const outlooks: Record<string, { pool: NodePool; want: [string, string]; says?: string }> = {
  'a pool whose nodes are all new is done': {
    pool: aPool({ conditions: [ready, settled] }),
    want: ['Done', 'UpToDate'],
  },
  'a pool whose policy leaves old nodes alone is done, and does not say that they are as they are wanted': {
    pool: aPool({
      conditions: [
        ready,
        { ...settled, reason: 'NewNodesOnly', message: 'the policy leaves present nodes alone; target 12-0a0a0a0a' },
      ],
    }),
    want: ['Done', 'NewNodesOnly'],
    says: 'the policy leaves present nodes alone',
  },
  'a pool with old nodes progresses, for the reason told': {
    pool: aPool({ conditions: [ready, moving] }),
    want: ['Progressing', 'NodesDrifted'],
  },
  'a stalled pool is stalled, even while it reconciles': {
    pool: aPool({ conditions: [ready, moving, condition('Stalled', 'True', { reason: 'Halted' })] }),
    want: ['Stalled', 'Halted'],
  },
  'what is not stalled says so with False': {
    pool: aPool({ conditions: [ready, settled, condition('Stalled', 'False')] }),
    want: ['Done', 'UpToDate'],
  },
  'a change that nobody has looked at is not done': {
    pool: aPool({ conditions: [ready, settled], observedGeneration: 2 }),
    want: ['Progressing', 'NotObserved'],
  },
  'where only conditions survive, theirs is the generation that was looked at': {
    pool: aPool({ conditions: [ready, condition('Reconciling', 'False', { observedGeneration: 2 })] }),
    want: ['Progressing', 'NotObserved'],
  },
  'old nodes of a paused pool wait': {
    pool: aPool({ conditions: [ready, moving] }, paused),
    want: ['Waiting', 'Paused'],
  },
  'old nodes of a pool that another object pauses wait': {
    pool: aPool({ conditions: [ready, { ...moving, reason: 'Paused' }] }),
    want: ['Waiting', 'Paused'],
  },
  'a paused pool with nothing to do is done': {
    pool: aPool({ conditions: [ready, settled] }, paused),
    want: ['Done', 'UpToDate'],
  },
  'a rollout that needs an approval waits': {
    pool: aPool({ conditions: [ready, moving], rollout: { phase: 'AwaitingApproval' } }),
    want: ['Waiting', 'AwaitingApproval'],
  },
  'a rollout under way tells its phase': {
    pool: aPool({ conditions: [ready, moving], rollout: { phase: 'Soaking' } }),
    want: ['Progressing', 'Soaking'],
  },
  'a rollout that waits tells for what': {
    pool: aPool({ conditions: [ready, moving], rollout: { phase: 'Waiting', reason: 'WindowClosed' } }),
    want: ['Waiting', 'WindowClosed'],
  },
  'a policy that has nothing to say leaves it to the condition': {
    pool: aPool({ conditions: [ready, moving], rollout: { phase: 'Idle' } }),
    want: ['Progressing', 'NodesDrifted'],
  },
  'a pool that is not ready is not done': {
    pool: aPool({ conditions: [condition('Ready', 'False', { reason: 'NodeClassNotReady' }), settled] }),
    want: ['Progressing', 'NodeClassNotReady'],
  },
  'nothing is known where nobody has written a status': { pool: aPool({}), want: ['Unknown', 'NoStatus'] },
  'an object that is being deleted is under way': {
    pool: aPool({ conditions: [ready, settled] }, { deletionTimestamp: '2026-03-01T11:00:00Z' }),
    want: ['Progressing', 'Deleting'],
  },
}

test.each(Object.entries(outlooks))('%s', (_name, { pool, want, says }) => {
  const { outlook, reason, message } = standingOf(pool, now)
  expect([outlook, reason]).toEqual(want)
  if (says !== undefined) expect(message).toBe(says)
})

test('counts that the server pruned are unknown, not nought', () => {
  const standing = standingOf(aPool({ conditions: [ready, settled] }), now)
  expect(standing).toMatchObject({ nodes: null, driftedNodes: null, target: null, blockedBy: [] })
})

test('where the target is pruned it is read from the condition that status controllers write', () => {
  const target = '6821555240594823858-f1d44be9'
  const written = (drifted: boolean): string | null => {
    const nodes = [
      { name: 'a', outdated: drifted ? 'AMIDrift' : undefined, ready: true, going: false, blocked: undefined },
    ]
    const [reconciling] = rolloutConditions({ nodes, target, leftAlone: undefined, progress: undefined, stalled: [] })
    const message = reconciling?.message ?? ''
    return standingOf(aPool({ conditions: [ready, { ...settled, message }] }), now).target
  }
  expect([written(true), written(false)]).toEqual([target, target])
  expect(standingOf(aPool({ conditions: [ready, { ...settled, message: 'no target 12' }] }), now).target).toBeNull()
})

test('an approval counts only for the very target', () => {
  const target = '123-00000000'
  const approve = (value: string) => ({ annotations: { 'joinery.dev/approve': value } })
  expect(standingOf(aPool({ target }, approve(target)), now).approved).toBe(true)
  expect(standingOf(aPool({ target }, approve('123-00000001')), now).approved).toBe(false)
  expect(standingOf(aPool({}, approve(target)), now).approved).toBe(false)
})

test('retiring is told from when it was asked for, then by its condition', () => {
  const asked = { annotations: { 'joinery.dev/retire': 'general' } }
  expect(standingOf(aPool({}, asked), now).retiring).toBe('asked for')
  const conditions = [condition('Retiring', 'True', { message: '2 of 5 nodes left' })]
  expect(standingOf(aPool({ conditions }, asked), now).retiring).toBe('2 of 5 nodes left')
  expect(standingOf(aPool({}), now).retiring).toBeNull()
})
