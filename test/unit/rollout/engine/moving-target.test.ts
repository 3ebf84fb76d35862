import { describe, expect, test } from 'vitest'
import type { NodeFacts } from '../../../../src/rollout/engine/index.ts'
import { aNode, aPoolOf, EngineWorld, newImageClass, oldNodes } from '../../../support/rollout-facts.ts'

const minute = 60_000
const hour = 60 * minute

const changed = (count: number) => aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: oldNodes(count) })

describe('a target that moves on', () => {
  test('supersedes the rollout: what is left begins again with the first step', () => {
    const world = new EngineWorld({ steps: [{ nodes: 1, soak: '1h' }] }, [changed(3)])
    world.look()
    world.replace('old-0')
    world.look(minute)
    expect(world.last?.status.phase).toBe('Soaking')
    world.setPool((pool) => ({
      ...pool,
      target: 'pool-3',
      wanted: 'pool-3',
      nodeClass: newImageClass({ images: [{ id: 'ami-3', name: 'newest' }] }),
      nodes: pool.nodes.map((node) => ({ ...node, drift: 'AMIDrift' })),
    }))
    world.look(minute)
    expect(world.transitions()).toEqual(['Superseded', 'Started', 'StepStarted'])
    expect(world.last?.status).toMatchObject({ startNodes: 3, step: 0, phase: 'Progressing' })
    expect(world.last?.status.history).toMatchObject([{ outcome: 'Superseded', updatedNodes: 1, images: ['ami-new'] }])
    expect(world.last?.gate.changes).toBe(1)
  })

  test('while the pool has no nodes ends what was left of the rollout, with what it had brought on record', () => {
    const world = new EngineWorld({ steps: [{ nodes: 1, soak: '1h' }] }, [changed(3)])
    world.look()
    world.replace('old-0')
    world.look(minute)
    world.setPool((pool) => ({ ...pool, nodes: [] }))
    world.look(minute)
    world.setPool((pool) => ({ ...pool, target: 'pool-3', wanted: 'pool-3' }))
    world.look(minute)
    expect(world.transitions()).toEqual(['Superseded'])
    expect(world.last?.status).toMatchObject({ phase: 'Idle', reason: 'UpToDate' })
    expect(world.last?.status.history).toMatchObject([
      { outcome: 'Superseded', message: 'the target moved on', totalNodes: 3, updatedNodes: 3, images: [] },
    ])
    expect(world.last?.status.revision).toBeUndefined()
  })

  test('a pool that joins begins the steps anew for all', () => {
    const other = aPoolOf({ name: 'other', nodes: [aNode('b-0')] })
    const world = new EngineWorld({ steps: [{ nodes: 1 }] }, [changed(3), other])
    world.look()
    world.replace('old-0')
    world.look(minute)
    expect(world.last?.status.step).toBe(1)
    world.setPool(
      (pool) => ({ ...pool, target: 'b-2', wanted: 'b-2', nodes: [aNode('b-0', { drift: 'NodePoolDrifted' })] }),
      'other',
    )
    world.look(minute)
    expect(world.last?.status).toMatchObject({ step: 0, startNodes: 3 })
    expect(world.last?.gate.changes).toBe(1)
  })

  describe('and a pool that leaves', () => {
    const steps = [
      { nodes: 1, soak: '1h' },
      { nodes: '50%', soak: '1h' },
    ]
    const oldOf = (name: string, count: number): readonly NodeFacts[] =>
      oldNodes(count).map((node) => ({ ...node, name: `${name}-${node.name}` }))

    /** Three nodes each, of which some were replaced. */
    function soaking(...replaced: readonly string[]): EngineWorld {
      const other = { ...changed(0), name: 'other', nodes: oldOf('other', 3) }
      const world = new EngineWorld({ steps }, [changed(3), other])
      world.look()
      for (const name of replaced) {
        world.replace(name, name.startsWith('other') ? 'other' : 'default')
        world.look(minute)
        if (name !== replaced.at(-1)) world.look(hour)
      }
      expect(world.last?.status.phase).toBe('Soaking')
      return world
    }
    const leave = (world: EngineWorld, name: string): void => {
      world.pools = world.pools.filter((pool) => pool.name !== name)
      world.look(minute)
    }

    test('takes its nodes out of the count; the others go on, and soak as they did', () => {
      const world = soaking('old-0', 'old-1', 'other-old-0')
      const { soakedUntil } = world.last?.status ?? {}
      leave(world, 'other')
      expect(world.transitions()).toEqual([])
      expect(world.last?.status).toMatchObject({ step: 1, startNodes: 3, stepGoal: 2, replacedNodes: 2, soakedUntil })
      expect(world.free()).toEqual([])
      world.look(minute)
      expect(world.transitions()).toEqual([])
      world.look(hour)
      expect(world.transitions()).toEqual(['StepPassed', 'StepStarted'])
      world.replace('old-2')
      world.look(minute)
      expect(world.last?.status).toMatchObject({
        phase: 'Completed',
        history: [{ outcome: 'Completed', totalNodes: 3, updatedNodes: 3 }],
      })
    })

    test('leaves the soak of the last nodes to those that are there', () => {
      const world = new EngineWorld({ steps: [{ nodes: '50%', soak: '1h' }] }, [
        changed(1),
        { ...changed(0), name: 'other', nodes: oldOf('other', 1) },
      ])
      world.look()
      world.replace('old-0')
      world.look(minute)
      leave(world, 'other')
      expect(world.last?.status).toMatchObject({ phase: 'Soaking', startNodes: 1 })
      expect(world.last?.verdicts).toEqual([])
      world.look(hour)
      expect(world.last?.status.phase).toBe('Completed')
    })

    test('with the canary begins the step again: what was tried is gone', () => {
      const world = soaking('other-old-0')
      leave(world, 'other')
      expect(world.last?.status).toMatchObject({ phase: 'Progressing', step: 0, startNodes: 3, replacedNodes: 0 })
      expect(world.last?.gate.changes).toBe(1)
    })

    test('leaves all that drifted one after the other in the count', () => {
      const nodes = [aNode('old-0', { drift: 'SubnetDrift' }), aNode('old-1'), aNode('old-2')]
      const world = new EngineWorld({ steps }, [
        { ...changed(0), nodes },
        { ...changed(0), name: 'other', nodes: oldOf('other', 1) },
      ])
      world.look()
      world.begin('other-old-0', {}, 'other')
      world.setPool((pool) => ({ ...pool, nodes: pool.nodes.map((node) => ({ ...node, drift: 'SubnetDrift' })) }))
      world.look()
      expect(world.last?.status).toMatchObject({ startNodes: 4, stepGoal: 1 })
      leave(world, 'other')
      expect(world.last?.status).toMatchObject({ startNodes: 3, stepGoal: 1, replacedNodes: 0 })
      expect(world.last?.gate.changes).toBe(1)
    })

    test('while another target comes is no reason to go on with the one before', () => {
      const world = soaking('old-0')
      world.setPool((pool) => ({ ...pool, target: 'pool-3', wanted: 'pool-3' }))
      leave(world, 'other')
      expect(world.transitions()).toContain('Superseded')
    })
  })

  test('two pools that are approved one after the other make one rollout, and nothing of an earlier one is kept', () => {
    const approval = { kind: 'NodePool' as const, target: 'pool-2', time: undefined, fieldManager: 'argocd' }
    const [one, two] = [changed(2), { ...changed(2), name: 'other' }]
    const world = new EngineWorld({ mode: 'Approve', steps: [{ nodes: 1 }] }, [one, two])
    world.look()
    world.setPool((pool) => ({ ...pool, approval: { ...approval, name: 'default' } }))
    world.look(1_000)
    world.setPool((pool) => ({ ...pool, approval: { ...approval, name: 'other' } }), 'other')
    world.look(1_000)
    expect(world.last?.status).toMatchObject({ phase: 'Progressing', startNodes: 4 })
    expect(world.last?.status.history).toBeUndefined()
  })

  test('reverted before any node went, it is over', () => {
    const world = new EngineWorld({}, [changed(2)])
    world.look()
    world.pools = [aPoolOf({ nodes: [aNode('old-0'), aNode('old-1')] })]
    world.look(minute)
    expect(world.last?.status.phase).toBe('Idle')
    // Nothing has happened that anybody would look up.
    expect(world.last?.status.history).toBeUndefined()
    expect(world.transitions()).toEqual([])
    expect(world.last?.status.revision).toBeUndefined()
  })
})
