import { describe, expect, test } from 'vitest'
import type { EC2NodeClass, RolloutPolicy, RolloutPolicyStatus } from '../../../../src/api/karpenter.ts'
import type { Unsaved } from '../../../../src/api/kubernetes.ts'
import { RolloutBook } from '../../../../src/controllers/rollout/index.ts'
import { ec2NodeClasses, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { aNode, aPool } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aStateNode, aWorld, candidatesOf } from '../../../support/disruption-builders.ts'
import { aRolloutFleet } from '../../../support/rollout-fleet.ts'

const message = 'RolloutPolicy careful: 1 new node(s) failed to come up, 0 allowed'

function halted(generation: number): RolloutPolicy {
  const lastTransitionTime = '2026-01-01T00:00:00Z'
  return {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'careful', uid: 'uid', resourceVersion: '1', creationTimestamp: lastTransitionTime, generation },
    spec: { nodePoolSelector: { names: ['default'] } },
    status: {
      observedGeneration: 1,
      phase: 'Halted',
      reason: 'NodesFailed',
      message: '1 new node(s) failed to come up, 0 allowed',
      conditions: [{ type: 'Stalled', status: 'True', reason: 'Halted', message, lastTransitionTime }],
    },
  }
}

async function aBookOf(policy: RolloutPolicy | undefined, nodeClass?: Unsaved<EC2NodeClass>): Promise<RolloutBook> {
  const world = aControllerWorld()
  if (nodeClass !== undefined) await world.kube.create(ec2NodeClasses, nodeClass)
  await world.kube.create(nodePools, aPool())
  const fleet = aRolloutFleet(world, aNode() as Parameters<typeof aRolloutFleet>[1])
  world.caches.of(nodePools)
  await world.start()
  await world.run(1_000)
  const policies = policy === undefined ? [] : [policy]
  return new RolloutBook({ policies: { list: () => policies }, fleet, clock: world.clock })
}

describe('a process that has not looked at a policy yet', () => {
  test('tells what the one before it found', async () => {
    const book = await aBookOf(halted(1))
    expect(book.ofPool('default')).toEqual([{ reason: 'Halted', message }])
    expect(book.poolStatus('default')).toMatchObject({ policy: 'careful', phase: 'Halted', reason: 'NodesFailed' })
  })

  test('tells nothing of its annotation that cannot be read: that keeps no pool from anything', async () => {
    const { status, ...policy } = halted(1)
    const lastTransitionTime = '2026-01-01T00:00:00Z'
    const conditions = [
      { type: 'Stalled', status: 'True', reason: 'InvalidAnnotation', message: 'no time', lastTransitionTime } as const,
    ]
    const book = await aBookOf({ ...policy, status: { ...status, phase: 'Idle', conditions } })
    expect(book.ofPool('default')).toEqual([])
  })

  test('tells nothing of one that was edited since', async () => {
    const book = await aBookOf(halted(2))
    expect(book.ofPool('default')).toEqual([])
    expect(book.poolStatus('default')).toBeUndefined()
  })
})

test('what stalled a policy stalls its pools until it is edited: the edit may mend it', async () => {
  const cause = { reason: 'Halted', message }
  const result = { status: {}, stalled: [cause] } as unknown as Parameters<RolloutBook['record']>[1]
  const told = async (cached: number, looked: number) => {
    const { status: _status, ...policy } = halted(cached)
    const book = await aBookOf(policy)
    book.record(halted(looked), result)
    return book.ofPool('default')
  }
  expect(await told(1, 1)).toEqual([cause])
  expect(await told(2, 1)).toEqual([])
  // The cache may be behind the look.
  expect(await told(1, 2)).toEqual([cause])
})

test('a pool tells when its last rollout was complete, as long as no other has begun', async () => {
  const ended = { outcome: 'Completed' as const, revision: '0a0a0a0a', completionTime: '2026-01-01T02:00:00Z' }
  const told = async (status: RolloutPolicy['status']) => {
    const policy = halted(1)
    const book = await aBookOf({ ...policy, status: { ...status, observedGeneration: 1, history: [ended] } })
    return book.poolStatus('default')?.completionTime
  }
  expect(await told({ phase: 'Completed' })).toBe('2026-01-01T02:00:00Z')
  expect(await told({ phase: 'Progressing', startTime: '2026-01-02T02:00:00Z' })).toBeUndefined()
})

test('nodes that a policy left alone are unfinished work as soon as its mode is another', async () => {
  const policy = { ...halted(1), spec: { ...halted(1).spec, mode: 'NewNodesOnly' as const } }
  const book = await aBookOf(policy)
  const status = { observedGeneration: 1, phase: 'Idle' as const, reason: 'NewNodesOnly', message: 'left alone' }
  const result = { status, stalled: [] } as unknown as Parameters<typeof book.record>[1]
  book.record(policy, result)
  expect(book.poolStatus('default')).toMatchObject({ phase: 'Idle', reason: 'NewNodesOnly' })
  const edited = await aBookOf({ ...policy, spec: { ...policy.spec, mode: 'Automatic' } })
  edited.record(policy, result)
  expect(edited.poolStatus('default')).toBeUndefined()
})

describe('images that a rollback has pinned', () => {
  const pinnedClass: Unsaved<EC2NodeClass> = {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: { amiSelectorTerms: [], subnetSelectorTerms: [], securityGroupSelectorTerms: [] },
    status: { pinnedImages: { images: [{ id: 'ami-a' }], insteadOf: 'x', reason: 'the rollout of ami-b failed' } },
  }
  const inPhase = (status: RolloutPolicyStatus): RolloutPolicy => ({
    ...halted(1),
    status: { observedGeneration: 1, ...status },
  })
  const failure = { reason: 'NodesFailed', message: 'it failed', time: '2026-01-01T00:00:00Z' }
  const returning = inPhase({ failure: { ...failure, state: 'RollingBack' }, imageChanges: ['default'] })

  test.each<[string, RolloutPolicy | undefined, readonly string[]]>([
    ['are told where no policy is left', undefined, ['RolledBack']],
    ['are told whatever the policy is at', inPhase({ phase: 'Completed' }), ['RolledBack']],
    ['are not told while nodes return to them', returning, []],
    [
      'are told while those of another class return',
      inPhase({ ...returning.status, imageChanges: ['other'] }),
      ['RolledBack'],
    ],
    [
      'are told while those of another class return, which alone has failed',
      inPhase({ ...returning.status, failure: { ...failure, state: 'RollingBack', nodeClasses: ['other'] } }),
      ['RolledBack'],
    ],
  ])('%s', async (_name, policy, want) => {
    const book = await aBookOf(policy, pinnedClass)
    expect(book.ofPool('default').map(({ reason }) => reason)).toEqual(want)
    expect(book.ofClass('default')).toEqual(book.ofPool('default'))
  })
})

test('a pool tells where the rollout stands that it takes part in', async () => {
  const rollout = {
    phase: 'Soaking' as const,
    reason: 'Soaking',
    message: 'step 1 of 2: 1 of 1 node(s), soaks',
    revision: '0a0a0a0a',
    step: 0,
    steps: 2,
    startTime: '2026-01-02T02:00:00Z',
    stepStartTime: '2026-01-02T02:10:00Z',
  }
  const counts = { totalNodes: 4, updatedNodes: 1 }
  const nodePools = [
    { name: 'default', ...counts },
    { name: 'other', totalNodes: 9, updatedNodes: 9 },
  ]
  const book = await aBookOf({ ...halted(1), status: { observedGeneration: 1, ...rollout, nodePools } })
  expect(book.poolStatus('default')).toEqual({ policy: 'careful', ...rollout, ...counts })
  expect(book.poolStatus('other')).toBeUndefined()
})

test('a pool that comes is governed at once', async () => {
  const world = aControllerWorld()
  const fleet = aRolloutFleet(world, undefined)
  const [policies, names] = [[halted(1)], ['default', 'second']]
  world.caches.of(nodePools)
  await world.start()
  const book = new RolloutBook({ policies: { list: () => policies }, fleet, clock: world.clock })
  for (const name of names) {
    expect(book.governance().governing.has(name)).toBe(false)
    await world.kube.create(nodePools, aPool(name))
    await world.run(1_000)
    expect(book.governance().selecting.has(name)).toBe(true)
  }
  expect([...book.governance().governing.keys()]).toEqual(['default'])
})

describe('a pause without any policy', () => {
  const pause = { annotations: { 'joinery.dev/pause-until': '2099-01-01T00:00:00Z' } }
  const plainClass: Unsaved<EC2NodeClass> = {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default', ...pause },
    spec: { amiSelectorTerms: [], subnetSelectorTerms: [], securityGroupSelectorTerms: [] },
  }

  test('of a class holds the nodes of its pools, which tell so', async () => {
    const book = await aBookOf(undefined, plainClass)
    const snapshot = aWorld({ nodes: [aStateNode('a')] })
    const holds = candidatesOf(snapshot).map((candidate) => book.gateFor(snapshot).hold(candidate, 'Empty')?.code)
    expect(holds).toEqual(['Paused'])
    expect(book.pauseOf('default')?.by).toBe('EC2NodeClass/default')
    expect(book.pauseOf('other')).toBeUndefined()
  })

  test('is none where nobody asks for one', async () => {
    const book = await aBookOf(undefined, { ...plainClass, metadata: { name: 'default' } })
    const snapshot = aWorld({ nodes: [aStateNode('a')] })
    const holds = candidatesOf(snapshot).map((candidate) => book.gateFor(snapshot).hold(candidate, 'Empty'))
    expect(holds).toEqual([undefined])
    expect(book.pauseOf('default')).toBeUndefined()
  })
})

test('a revision of images that the class does not know stalls its pools', async () => {
  const book = await aBookOf(undefined, {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default', annotations: { 'joinery.dev/undo-to': '7' } },
    spec: { amiSelectorTerms: [], subnetSelectorTerms: [], securityGroupSelectorTerms: [] },
  })
  expect(book.ofPool('default')).toMatchObject([{ reason: 'UndoRevisionUnknown' }])
})

describe('the gate of a look', () => {
  const policyOf = (generation: number): RolloutPolicy => {
    const { metadata } = halted(generation)
    return { ...halted(generation), metadata, spec: { nodePoolSelector: {}, covers: ['Drift', 'Consolidation'] } }
  }
  const gate = { targets: new Map(), nodes: new Map(), covers: new Set(['Empty']), changes: 0, replacements: 0 }
  const result = { status: {}, stalled: [], gate } as unknown as Parameters<RolloutBook['record']>[1]

  const cases: Record<string, { looked: RolloutPolicy; there: RolloutPolicy; want: string | undefined }> = {
    'counts for the policy that was looked at': { looked: policyOf(1), there: policyOf(1), want: undefined },
    'does not count any more once the policy is edited': {
      looked: policyOf(1),
      there: policyOf(2),
      want: 'RolloutPolicy careful: it has just been edited',
    },
    'counts while the cache does not show the edit yet': { looked: policyOf(2), there: policyOf(1), want: undefined },
  }
  test.each(Object.entries(cases))('%s', async (_name, { looked, there, want }) => {
    const book = await aBookOf(there)
    book.record(looked, result)
    const snapshot = aWorld({ nodes: [aStateNode('a')] })
    const holds = candidatesOf(snapshot).map((candidate) => book.gateFor(snapshot).hold(candidate, 'Empty')?.message)
    expect(holds).toEqual([want])
  })
})
