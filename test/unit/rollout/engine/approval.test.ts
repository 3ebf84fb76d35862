import { describe, expect, test } from 'vitest'
import type { PoolFacts } from '../../../../src/rollout/engine/index.ts'
import { aNode, aPoolOf, EngineWorld, newImageClass, oldNodes, start } from '../../../support/rollout-facts.ts'

const minute = 60_000

const changed = (count: number) => aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: oldNodes(count) })

describe('approval', () => {
  const approval = {
    kind: 'NodePool',
    name: 'default',
    target: 'pool-2',
    time: '2026-05-04T12:01:00Z',
    fieldManager: 'argocd',
  } as const

  test('nothing begins without it, and the message names what to approve', () => {
    const world = new EngineWorld({ mode: 'Approve' }, [changed(2)])
    world.look()
    expect(world.last?.status).toMatchObject({ phase: 'AwaitingApproval', nodePools: [{ approved: false }] })
    expect(world.last?.status.message).toContain('joinery.dev/approve: pool-2, or class-2 on its node class')
    expect(world.free()).toEqual([])
    expect(world.last?.stalled).toEqual([])
  })

  test.each<[string, Partial<PoolFacts>]>([
    ['where the pool is changed as well', { nodes: [...oldNodes(1), aNode('old-1', { drift: 'NodePoolDrifted' })] }],
    ['where there is no class', { nodeClass: undefined }],
  ])('of the class is not asked for %s', (_name, facts) => {
    const world = new EngineWorld({ mode: 'Approve' }, [{ ...changed(2), ...facts }])
    expect(world.look().status.message).toMatch(/joinery.dev\/approve: pool-2$/)
  })

  test('is awaited of pools with something to replace alone', () => {
    const world = new EngineWorld({ mode: 'Approve' }, [changed(2), aPoolOf({ name: 'same', nodes: [aNode('fine')] })])
    const { message } = world.look().status
    expect(message).toContain('NodePool default awaits')
    expect(message).not.toContain('NodePool same')
  })

  test('once given, it is recorded with its time and writer, and the rollout begins', () => {
    const world = new EngineWorld({ mode: 'Approve' }, [changed(2)])
    world.look()
    world.setPool((pool) => ({ ...pool, approval }))
    world.look(minute)
    expect(world.transitions()).toEqual(['Started', 'StepStarted', 'Approved'])
    expect(world.last?.status.approvals).toEqual([approval])
    expect(world.free()).toHaveLength(2)
  })

  test('is told of each pool, whatever else goes on', () => {
    const world = new EngineWorld({ mode: 'Approve' }, [changed(2), { ...changed(2), name: 'other' }])
    world.look()
    world.setPool((pool) => ({ ...pool, approval }))
    world.look(minute)
    expect(world.transitions()).toContain('Approved')
    world.look(minute)
    expect(world.transitions()).toEqual([])
    world.setPool((pool) => ({ ...pool, approval: { ...approval, name: 'other' } }), 'other')
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Progressing', startNodes: 4 })
    expect(world.last?.transitions).toContainEqual({
      kind: 'Approved',
      type: 'Normal',
      message: 'NodePool other: pool-2 approved by argocd',
    })
  })

  test('is asked for by another name when the target moves on meanwhile', () => {
    const world = new EngineWorld({ mode: 'Approve' }, [changed(2)])
    world.look()
    expect(world.transitions()).toEqual(['Waiting'])
    world.look(minute)
    expect(world.transitions()).toEqual([])
    world.setPool((pool) => ({ ...pool, target: 'pool-3', wanted: 'pool-3' }))
    world.look(minute)
    expect(world.last?.transitions).toMatchObject([
      { kind: 'Waiting', message: expect.stringContaining('joinery.dev/approve: pool-3') as string },
    ])
  })

  test('taken back on the way, what has not begun stays', () => {
    const world = new EngineWorld({ mode: 'Approve' }, [aPoolOf({ ...changed(2), approval })])
    world.look()
    world.setPool((pool) => ({ ...pool, approval: undefined }))
    world.look(minute)
    expect(world.last?.status.phase).toBe('AwaitingApproval')
    expect(world.free()).toEqual([])
  })

  test('a restart that was asked for needs none', () => {
    const nodes = [aNode('a', { drift: 'RestartRequested' }), aNode('b', { drift: 'AMIDrift' })]
    const world = new EngineWorld({ mode: 'Approve' }, [aPoolOf({ restartAt: start - 1, nodes })])
    world.look()
    expect(world.free()).toEqual(['a'])
    expect(world.last?.status.startNodes).toBe(1)
  })
})
