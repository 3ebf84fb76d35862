import { describe, expect, test } from 'vitest'
import { customResourceDefinitions } from '../../../../src/api/karpenter.ts'
import { admit, compileCustomResource } from '../../../../src/api/validation/index.ts'
import { policyConditions } from '../../../../src/controllers/rollout/conditions.ts'
import { aNode, aPoolOf, EngineWorld, newImageClass, oldNodes } from '../../../support/rollout-facts.ts'

const definition = customResourceDefinitions.find(({ spec }) => spec.names.kind === 'RolloutPolicy')
const schema = definition?.spec.versions[0]?.schema?.openAPIV3Schema
if (schema === undefined) throw new Error('RolloutPolicy has no schema')
const rolloutPolicy = compileCustomResource(schema)

/** What the API server would refuse the policy for, once what the look found is written. */
function refusalsOf(world: EngineWorld): readonly string[] {
  if (world.last === undefined) throw new Error('nothing has been looked at')
  const conditions = policyConditions(world.policy, world.last, world.now)
  const status = { ...world.last.status, conditions }
  return admit(rolloutPolicy, JSON.parse(JSON.stringify({ ...world.policy, status }))).errors.map(
    ({ path, message }) => `${path}: ${message}`,
  )
}

function poolName(index: number): string {
  return `${'p'.repeat(120)}-${String(index).padStart(4, '0')}`
}

/** As many pools of one node each, whose image has changed. */
function changedPools(count: number) {
  return Array.from({ length: count }, (_, index) =>
    aPoolOf({
      name: poolName(index),
      target: 'pool-2',
      nodeClass: newImageClass({ name: `class-${index}` }),
      nodes: [aNode(`old-${index}`, { drift: 'AMIDrift' })],
    }),
  )
}

describe('a status stays within what the API server takes', () => {
  test('however many pools await approval', () => {
    const world = new EngineWorld({ mode: 'Approve' }, changedPools(230))
    const { message = '' } = world.look().status
    expect(refusalsOf(world)).toEqual([])
    expect(message.split('; ')).toHaveLength(11)
    expect(message).toContain(`NodePool ${poolName(9)} awaits joinery.dev/approve: pool-2`)
    expect(message).toMatch(/; and 220 more$/)
  })

  test('however many pools it selects, and remembers those that it covers', () => {
    const covered = changedPools(1_005).slice(995)
    const idle = Array.from({ length: 995 }, (_, index) => aPoolOf({ name: poolName(index), nodes: [] }))
    const world = new EngineWorld({}, [...idle, ...covered])
    world.yielded = Array.from({ length: 700 }, (_, index) => ({ pool: `a-${index}`, to: 'z'.repeat(63) }))
    const { nodePools = [], revision, startTime } = world.look().status
    expect(refusalsOf(world)).toEqual([])
    expect(nodePools).toHaveLength(1_000)
    expect(nodePools.filter(({ startNodes }) => startNodes !== undefined)).toHaveLength(10)
    expect(nodePools.map(({ name }) => name)).toEqual(nodePools.map(({ name }) => name).toSorted())
    expect(world.look(60_000).status).toMatchObject({ revision, startTime })
  })

  test('however many pools an older policy governs', () => {
    const world = new EngineWorld({})
    world.yielded = Array.from({ length: 700 }, (_, index) => ({ pool: poolName(index), to: 'older' }))
    world.look()
    expect(refusalsOf(world)).toEqual([])
    const conflicting = policyConditions(world.policy, world.last ?? world.look(), world.now)
    expect(conflicting.find(({ type }) => type === 'Conflicting')?.message).toMatch(/; and 690 more$/)
  })

  test('however many approvals and classes there are', () => {
    const approval = {
      kind: 'NodePool' as const,
      target: 'pool-2',
      time: undefined,
      fieldManager: undefined,
      user: undefined,
    }
    const pools = changedPools(1_010).map((pool) => ({ ...pool, approval: { ...approval, name: pool.name } }))
    const world = new EngineWorld({ mode: 'Approve' }, pools)
    const { approvals, imageChanges } = world.look().status
    expect(refusalsOf(world)).toEqual([])
    expect([approvals?.length, imageChanges?.length]).toEqual([1_000, 1_000])
  })

  test('whatever lies beyond the years that it knows', () => {
    const pool = aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: oldNodes(3) })
    const world = new EngineWorld({ blackoutDates: [{ from: '2026-01-01', to: '9999-12-31' }] }, [pool])
    expect(world.look().status).toMatchObject({ reason: 'WindowClosed', nextWindowTime: '9999-12-31T23:59:59Z' })
    expect(refusalsOf(world)).toEqual([])
  })
})

describe('a negative count', () => {
  const gates = { maxFailedNodes: -1, maxUnhealthyNodes: -2 }

  test('is refused', () => {
    const world = new EngineWorld({ gates })
    const spec = { ...world.policy.spec, gates }
    expect(admit(rolloutPolicy, { ...world.policy, spec }).errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('maxFailedNodes must be at least 0'),
      expect.stringContaining('maxUnhealthyNodes must be at least 0'),
    ])
    const none = { maxFailedNodes: 0, maxUnhealthyNodes: 0 }
    expect(admit(rolloutPolicy, { ...world.policy, spec: { ...spec, gates: none } }).errors).toEqual([])
  })

  test('of a policy that was stored before counts as 0, and stands in no status', () => {
    const pool = aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: oldNodes(3) })
    const world = new EngineWorld({ gates }, [pool])
    world.look()
    expect(world.last?.status.inForce?.gates).toEqual({ maxFailedNodes: 0, maxUnhealthyNodes: 0 })
    world.begin('old-0')
    world.look(60_000)
    expect(world.last?.status).toMatchObject({ phase: 'Progressing', reason: 'NodesNotReady' })
  })
})
