import { describe, expect, test } from 'vitest'
import {
  clearCondition,
  type Conditioned,
  ConditionSet,
  conditionOf,
  ec2NodeClassConditions,
  initConditions,
  isConditionUnknown,
  nodeClaimConditions,
  nodeClaimDependents,
  nodePoolConditions,
  setCondition,
  setConditionFalse,
  setConditionTrue,
  setConditionUnknown,
} from '../../../src/api/conditions.ts'
import type { NodePool } from '../../../src/api/karpenter.ts'
import { joinRuntimeErrors, nodePoolErrors } from '../../../src/api/runtime-validation/index.ts'
import { compiledResourceOf } from '../../../src/api/validation/index.ts'

const created = '2026-01-01T00:00:00Z'
const at = (text: string): number => Date.parse(text)
const noon = at('2026-01-01T12:00:00Z')

function claim(generation = 1, deletionTimestamp?: string): Conditioned {
  return {
    metadata: {
      creationTimestamp: created,
      generation,
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
  }
}

const allTrue = (object: Conditioned, now = noon): Conditioned =>
  nodeClaimConditions.dependents.reduce(
    (current, type) => setConditionTrue(current, nodeClaimConditions, type, now),
    object,
  )

const typesOf = (object: Conditioned): string[] => (object.status?.conditions ?? []).map(({ type }) => type)

describe('opening a set', () => {
  test('adds the root and the dependents as unknown, dated to the creation', () => {
    const opened = initConditions(claim(), nodeClaimConditions, noon)
    expect(new Set(typesOf(opened))).toEqual(new Set(['Ready', 'Launched', 'Registered', 'Initialized']))
    for (const condition of opened.status?.conditions ?? []) {
      expect(condition).toMatchObject({
        status: 'Unknown',
        reason: 'AwaitingReconciliation',
        message: 'object is awaiting reconciliation',
        lastTransitionTime: created,
        observedGeneration: 1,
      })
    }
  })

  test('changes nothing once all are there', () => {
    const opened = initConditions(claim(), nodeClaimConditions, noon)
    expect(initConditions(opened, nodeClaimConditions, noon + 1000)).toBe(opened)
  })
})

describe('setting a condition', () => {
  test('to true takes its type as reason and no message', () => {
    expect(conditionOf(setConditionTrue(claim(), nodeClaimConditions, 'Launched', noon), 'Launched')).toMatchObject({
      status: 'True',
      reason: 'Launched',
      message: '',
      lastTransitionTime: '2026-01-01T12:00:00Z',
    })
  })

  test('keeps the transition time while the status stays', () => {
    const first = setConditionUnknown(
      claim(),
      nodeClaimConditions,
      { type: 'Launched', reason: 'LaunchFailed', message: 'a' },
      noon,
    )
    const second = setConditionUnknown(
      first,
      nodeClaimConditions,
      { type: 'Launched', reason: 'LaunchFailed', message: 'b' },
      noon + 60_000,
    )
    expect(conditionOf(second, 'Launched')).toMatchObject({ message: 'b', lastTransitionTime: created })
  })

  test('to what it is says so by returning the same object', () => {
    const set = setConditionTrue(claim(), nodeClaimConditions, 'Launched', noon)
    expect(setConditionTrue(set, nodeClaimConditions, 'Launched', noon + 60_000)).toBe(set)
  })

  test('dates a new independent condition to now', () => {
    expect(
      conditionOf(setConditionTrue(claim(), nodeClaimConditions, 'Drifted', noon), 'Drifted')?.lastTransitionTime,
    ).toBe('2026-01-01T12:00:00Z')
  })

  test('tells a time beyond the years that an API server takes as their last second', () => {
    const never = Date.parse('+010000-01-01T00:00:00Z')
    const set = setConditionTrue(claim(), nodeClaimConditions, 'Drifted', never)
    expect(conditionOf(set, 'Drifted')?.lastTransitionTime).toBe('9999-12-31T23:59:59Z')
  })

  test('cuts a message for which an API server would refuse the whole status', () => {
    const values = Array.from({ length: 120 }, (_, size) => `m5.${size}xlarge,`)
    const requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'In' as const, values }]
    const spec = { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }, requirements }
    const pool: NodePool = {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'p', uid: '', resourceVersion: '', creationTimestamp: created },
      spec: { template: { spec } },
    }
    const message = joinRuntimeErrors(nodePoolErrors(pool))
    const change = { type: 'ValidationSucceeded', reason: 'NodePoolValidationFailed', message }
    const set = setConditionFalse(pool, nodePoolConditions, change, noon)
    const said = conditionOf(set, 'ValidationSucceeded')?.message ?? ''
    expect(compiledResourceOf(pool)?.admit(set).errors).toEqual([])
    expect(message.startsWith(said.slice(0, -3))).toBe(true)
    expect(said).toHaveLength(32_768)
    expect(setConditionFalse(set, nodePoolConditions, change, noon)).toBe(set)
  })

  test('cuts no character in two', () => {
    const change = { type: 'Launched', reason: 'No', message: `${'a'.repeat(32_764)}${'😀'.repeat(9)}` }
    const said = conditionOf(setConditionFalse(claim(), nodeClaimConditions, change, noon), 'Launched')?.message
    expect(said?.slice(32_760)).toBe('aaaa\ufffd...')
  })

  test('on an object under deletion brings the others to its generation', () => {
    const ready = allTrue(claim(1))
    const deleting = { ...ready, metadata: { ...claim(2, created).metadata } }
    const set = setConditionTrue(deleting, nodeClaimConditions, 'Drained', noon)
    expect((set.status?.conditions ?? []).map(({ observedGeneration }) => observedGeneration)).toEqual([2, 2, 2, 2, 2])
  })
})

describe('the root', () => {
  test('is true when every dependent is', () => {
    expect(conditionOf(allTrue(claim()), 'Ready')).toMatchObject({ status: 'True', reason: 'Ready', message: '' })
  })

  test('is false when a dependent is false, and names the unhealthy ones, the latest first', () => {
    const launched = setConditionTrue(claim(), nodeClaimConditions, 'Launched', noon)
    const set = setConditionFalse(
      launched,
      nodeClaimConditions,
      { type: 'Initialized', reason: 'X', message: '' },
      noon + 1000,
    )
    expect(conditionOf(set, 'Ready')).toMatchObject({
      status: 'False',
      reason: 'UnhealthyDependents',
      message: 'Initialized=False, Registered=Unknown',
    })
  })

  test('names those that failed in the same second the last one first, and what was never set in the order it is stored in', () => {
    const failed = { reason: 'X', message: '' }
    const first = setConditionFalse(claim(), nodeClaimConditions, { type: 'Launched', ...failed }, noon)
    const both = setConditionFalse(first, nodeClaimConditions, { type: 'Registered', ...failed }, noon + 400)
    expect(conditionOf(both, 'Ready')?.message).toBe('Registered=False, Launched=False, Initialized=Unknown')

    const launched = setConditionTrue(claim(), nodeClaimConditions, 'Launched', noon)
    const looked = setCondition(
      launched,
      nodeClaimConditions,
      { type: 'Registered', status: 'Unknown', reason: 'NodeNotFound', message: 'Node not registered with cluster' },
      noon,
    )
    expect(conditionOf(looked, 'Ready')?.message).toBe('Initialized=Unknown, Registered=Unknown')
  })

  test('is unknown while a dependent is unknown', () => {
    const set = setConditionTrue(claim(), nodeClaimConditions, 'Launched', noon)
    expect(conditionOf(set, 'Ready')).toMatchObject({
      status: 'Unknown',
      reason: 'ReconcilingDependents',
      message: 'Registered=Unknown, Initialized=Unknown',
    })
  })

  test('is unknown when a dependent speaks of an older generation, even if it was false', () => {
    const failed = setConditionFalse(
      allTrue(claim(1)),
      nodeClaimConditions,
      { type: 'Launched', reason: 'X', message: '' },
      noon,
    )
    const changed = { ...failed, metadata: { ...claim(2).metadata } }
    const set = setConditionTrue(
      setConditionTrue(changed, nodeClaimConditions, 'Registered', noon),
      nodeClaimConditions,
      'Initialized',
      noon,
    )
    expect(conditionOf(set, 'Ready')).toMatchObject({
      status: 'Unknown',
      reason: 'ReconcilingDependents',
      message: 'Launched=False',
    })
  })
})

test('conditions are stored by transition time, the root last', () => {
  const later = setConditionTrue(claim(), nodeClaimConditions, 'Registered', noon + 60_000)
  const set = setCondition(later, nodeClaimConditions, { type: 'Launched', status: 'True' }, noon + 30_000)
  expect(typesOf(set)).toEqual(['Initialized', 'Launched', 'Registered', 'Ready'])
})

test('clearing removes an independent condition and sorts by type; dependents stay', () => {
  const drifted = setConditionTrue(claim(), nodeClaimConditions, 'Drifted', noon)
  expect(typesOf(clearCondition(drifted, nodeClaimConditions, 'Drifted', noon))).toEqual([
    'Initialized',
    'Launched',
    'Ready',
    'Registered',
  ])
  expect(() => clearCondition(drifted, nodeClaimConditions, 'Launched', noon)).toThrow('cannot be cleared')
})

test('a missing condition counts as unknown', () => {
  expect(isConditionUnknown(claim(), 'Drifted')).toBe(true)
})

test('capacity reservations belong to a ready class only with their gate', () => {
  expect(ec2NodeClassConditions().dependents).toContain('CapacityReservationsReady')
  expect(ec2NodeClassConditions({ reservedCapacity: false }).dependents).not.toContain('CapacityReservationsReady')
})

test('a set that is changed step by step ends where single changes do', () => {
  const set = new ConditionSet(claim(), nodeClaimConditions, noon)
  for (const type of nodeClaimDependents) set.setTrue(type)
  expect(set.list).toEqual(allTrue(claim()).status?.conditions)
})
