import { expect, test } from 'vitest'
import type { EC2NodeClass, NodePool, RolloutPolicy } from '../../../src/api/karpenter.ts'
import type { Condition } from '../../../src/api/kubernetes.ts'
import { rolloutConditions } from '../../../src/rollout/status.ts'
import { poolStanding, standingAmong, standingOf, type Surroundings } from '../../../src/rollout/standing.ts'
import { poolTarget } from '../../../src/rollout/target.ts'

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
  'whether an edit mends what was stuck, nobody knows before it has been looked at': {
    pool: aPool(
      {
        conditions: [ready, moving, condition('Stalled', 'True', { reason: 'Halted', observedGeneration: 3 })],
        observedGeneration: 3,
      },
      { generation: 4 },
    ),
    want: ['Progressing', 'NotObserved'],
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
  'a pool whose readiness is not known is not done': {
    pool: aPool({ conditions: [condition('Ready', 'Unknown'), settled] }),
    want: ['Progressing', 'NotReady'],
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

const classTarget = '477-0a0a0a0a'

function aClass(
  generation: number,
  status: NonNullable<EC2NodeClass['status']> = { target: classTarget },
): EC2NodeClass {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { ...aPool({}).metadata, name: 'linux', generation },
    spec: { amiSelectorTerms: [], subnetSelectorTerms: [], securityGroupSelectorTerms: [] },
    status: { observedGeneration: 1, ...status },
  }
}

function aPolicy(status: RolloutPolicy['status'], reconciling: 'True' | 'False' = 'True'): RolloutPolicy {
  return {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { ...aPool({}).metadata, name: 'careful' },
    spec: { nodePoolSelector: {} },
    status: {
      nodePools: [{ name: 'general', startNodes: 3 }],
      conditions: [condition('Reconciling', reconciling)],
      ...status,
    },
  }
}

const allNew = aPool({ conditions: [ready, settled], target: poolTarget('12', aPool({}), classTarget) })
test('what a class leaves to its pools to say stands for it all the same', () => {
  const left = (type: string, status: 'True' | 'False' = 'False') =>
    condition(type, status, { reason: 'ToldByNodePools', message: 'as it is' })
  const classWith = (conditions: Condition[]) => standingOf(aClass(1, { conditions: [ready, ...conditions] }), now)
  expect(classWith([left('Reconciling'), condition('Stalled', 'False')])).toMatchObject({
    outlook: 'Progressing',
    message: 'as it is',
  })
  expect(classWith([left('Reconciling'), left('Stalled')])).toMatchObject({ outlook: 'Stalled', message: 'as it is' })
  expect(classWith([settled, condition('Stalled', 'False')])).toMatchObject({ outlook: 'Done' })
})

const stuck = [condition('Reconciling', 'False'), condition('Stalled', 'True', { reason: 'MetricUnknown' })]
const soaking = { phase: 'Soaking', reason: 'Soaking', message: 'step 2 of 2: 3 of 3 node(s), soaks' } as const

const surroundings: Record<string, { pool?: NodePool; around: Partial<Surroundings>; want: [string, string] }> = {
  'a pool alone is what its status says': { around: {}, want: ['Done', 'UpToDate'] },
  'nor is it another beside the class that it was counted by': {
    around: { nodeClass: aClass(1) },
    want: ['Done', 'UpToDate'],
  },
  'an edit of its class that nobody has looked at keeps it from being done': {
    around: { nodeClass: aClass(2) },
    want: ['Progressing', 'NotObserved'],
  },
  'a class that has been looked at, and the pool not since, does as well': {
    around: { nodeClass: aClass(1, { target: '477-0b0b0b0b' }) },
    want: ['Progressing', 'NotObserved'],
  },
  'where targets are pruned, conditions tell them': {
    pool: aPool({ conditions: [ready, { ...settled, message: `every node; target ${allNew.status?.target}` }] }),
    around: {
      nodeClass: aClass(1, { conditions: [condition('Reconciling', 'True', { message: 'x; target 477-0b0b0b0b' })] }),
    },
    want: ['Progressing', 'NotObserved'],
  },
  'a class whose target nobody has told keeps nothing back': {
    around: { nodeClass: aClass(1, {}) },
    want: ['Done', 'UpToDate'],
  },
  'a rollout whose last step soaks is not done, though all nodes are replaced': {
    around: { policy: aPolicy(soaking) },
    want: ['Progressing', 'Soaking'],
  },
  'nor is one of which other pools wait for a window': {
    around: { policy: aPolicy({ phase: 'Waiting', reason: 'WindowClosed' }) },
    want: ['Waiting', 'WindowClosed'],
  },
  'a pool that is no part of the rollout is done without it': {
    around: { policy: aPolicy({ ...soaking, nodePools: [{ name: 'general' }, { name: 'other', startNodes: 3 }] }) },
    want: ['Done', 'UpToDate'],
  },
  'a rollout that has ended keeps nothing back': {
    around: { policy: aPolicy({ phase: 'Completed' }, 'False') },
    want: ['Done', 'UpToDate'],
  },
  'one that is stuck in its last soak is not done, also before the pool says so': {
    around: { policy: aPolicy({ ...soaking, conditions: stuck }, 'False') },
    want: ['Stalled', 'MetricUnknown'],
  },
  'nor is it where the policy has pools that take no part': {
    around: {
      policy: aPolicy(
        { conditions: stuck, nodePools: [{ name: 'general', startNodes: 3 }, { name: 'other' }] },
        'False',
      ),
    },
    want: ['Stalled', 'MetricUnknown'],
  },
  'whether an edit of its policy mends that, nobody knows before it has been looked at': {
    around: { policy: aPolicy({ ...soaking, conditions: stuck, observedGeneration: 2 }, 'False') },
    want: ['Progressing', 'NotObserved'],
  },
  'a policy with an annotation that cannot be read goes on all the same': {
    around: {
      policy: aPolicy({
        ...soaking,
        conditions: [condition('Reconciling', 'True'), condition('Stalled', 'True', { reason: 'InvalidAnnotation' })],
      }),
    },
    want: ['Progressing', 'Soaking'],
  },
  'a pool whose old nodes stay on purpose is done': {
    pool: aPool({ conditions: [ready, { ...settled, reason: 'NewNodesOnly' }] }),
    around: { policy: aPolicy(soaking) },
    want: ['Done', 'NewNodesOnly'],
  },
  'what a policy has stalled may go on after an edit of it that nobody has looked at yet': {
    pool: aPool({ conditions: [ready, settled, condition('Stalled', 'True', { reason: 'Halted' })] }),
    around: { policy: aPolicy({ ...soaking, conditions: stuck, observedGeneration: 2 }, 'False') },
    want: ['Progressing', 'NotObserved'],
  },
  'what is stalled stays so': {
    pool: aPool({ conditions: [ready, settled, condition('Stalled', 'True', { reason: 'Halted' })] }),
    around: { nodeClass: aClass(2), policy: aPolicy(soaking) },
    want: ['Stalled', 'Halted'],
  },
}

test.each(Object.entries(surroundings))('%s', (_name, { pool = allNew, around, want }) => {
  const { outlook, reason } = poolStanding(pool, { nodeClass: undefined, policy: undefined, ...around }, now)
  expect([outlook, reason]).toEqual(want)
})

test('of all classes, its own is the one that a pool waits for', () => {
  const other = { ...aClass(2), metadata: { ...aClass(2).metadata, name: 'other' } }
  const among = (own: EC2NodeClass) => standingAmong(allNew, { classes: [other, own], governing: new Map() }, now)
  expect(among(aClass(1)).outlook).toBe('Done')
  expect(among(aClass(2)).outlook).toBe('Progressing')
  expect(standingOf(other, now).kind).toBe('EC2NodeClass')
})

test('there are as many nodes as are up to date, though Karpenter counts one less whose Node has lost the label of its pool', () => {
  expect(standingOf(aPool({ nodes: 6, upToDateNodes: 7 }), now)).toMatchObject({ nodes: 7, upToDateNodes: 7 })
  expect(standingOf(aPool({ nodes: 6, upToDateNodes: 2 }), now)).toMatchObject({ nodes: 6, upToDateNodes: 2 })
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
