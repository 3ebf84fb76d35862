import { describe, expect, test } from 'vitest'
import type { RolloutPolicySpec } from '../../../../src/api/karpenter.ts'
import { aClassOf, aNode, aPoolOf, EngineWorld, newImageClass, oldNodes } from '../../../support/rollout-facts.ts'

const minute = 60_000

const changed = (count: number) => aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: oldNodes(count) })

describe('modes', () => {
  test('NewNodesOnly leaves present nodes alone', () => {
    const world = new EngineWorld({ mode: 'NewNodesOnly' }, [changed(2)])
    world.look()
    expect(world.free()).toEqual([])
    expect(world.last?.status).toMatchObject({ phase: 'Idle', reason: 'NewNodesOnly' })
  })

  test('NewNodesOnly in the middle of a rollout holds what is left, also where some pools are through', () => {
    const done = aPoolOf({
      name: 'done',
      nodeClass: aClassOf({ name: 'other' }),
      nodes: [aNode('x', { drift: 'AMIDrift' })],
    })
    const world = new EngineWorld({}, [changed(2), done])
    world.look()
    expect(world.last?.status).toMatchObject({ phase: 'Progressing', startNodes: 3 })
    world.setPool((pool) => ({ ...pool, nodes: [aNode('y', { createdAt: world.now + 1_000 })] }), 'done')
    world.change({ mode: 'NewNodesOnly' })
    world.look(minute)
    expect(world.free()).toEqual([])
    expect(world.last?.status).toMatchObject({ phase: 'Waiting', reason: 'NewNodesOnly' })
    // Once the rest has gone by other ways there is nothing that it waits for.
    world.setPool((pool) => ({ ...pool, nodes: [aNode('z', { createdAt: world.now + 1_000 })] }))
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Completed' })
  })

  const later: readonly { what: string; spec: Partial<RolloutPolicySpec>; reason: string }[] = [
    { what: 'mode OnTuesdays', spec: { mode: 'OnTuesdays' as 'Automatic' }, reason: 'UnknownMode' },
    { what: 'order by Rack', spec: { order: { by: 'Rack' as 'Zone' } }, reason: 'UnknownOrder' },
  ]
  test.each(
    later.flatMap((each) => [
      { ...each, when: 'begins' },
      { ...each, when: 'is under way' },
    ]),
  )(
    'the $what, which only a later version knows, lets nothing go when a rollout $when, and $reason is said',
    ({ what, spec, reason, when }) => {
      const restart = aNode('old-9', { drift: 'RestartRequested' })
      const pool = changed(2)
      const world = new EngineWorld({}, [{ ...pool, nodes: [...pool.nodes, restart] }])
      if (when === 'is under way') expect(world.look().status).toMatchObject({ phase: 'Progressing' })
      world.change(spec)
      world.look(minute)
      expect(world.free()).toEqual([])
      const message = `this version knows no ${what}; present nodes stay as they are`
      expect(world.last?.status).toMatchObject({ phase: 'Waiting', reason, message })
      expect(world.last?.stalled).toEqual([{ reason, message: `RolloutPolicy careful: ${message}` }])
    },
  )

  test('an order that nobody knows is no matter where nothing is held', () => {
    const world = new EngineWorld({ mode: 'Observe', order: { by: 'Rack' as 'Zone' } }, [changed(2)])
    world.look()
    expect(world.last?.status).toMatchObject({ phase: 'Idle', reason: 'Observing' })
    expect(world.last?.stalled).toEqual([])
  })

  test('Observe holds nothing and only counts', () => {
    const world = new EngineWorld({ mode: 'Observe', windows: [{ schedule: '0 20 * * *', duration: '1h' }] }, [
      changed(2),
    ])
    world.look()
    expect(world.last?.gate.nodes.size).toBe(0)
    expect(world.last?.status).toMatchObject({ phase: 'Idle', reason: 'Observing', totalNodes: 2, updatedNodes: 0 })
    expect(world.last?.status.message).toContain('2 node(s) differ')
  })
})
