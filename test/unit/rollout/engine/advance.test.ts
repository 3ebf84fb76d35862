import { describe, expect, test } from 'vitest'
import type { NodeFacts, PoolFacts } from '../../../../src/rollout/engine/index.ts'
import {
  aClassOf,
  aNode,
  aPoolOf,
  EngineWorld,
  newImageClass,
  oldNodes,
  start,
} from '../../../support/rollout-facts.ts'

const minute = 60_000
const hour = 60 * minute

const changed = (count: number) => aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: oldNodes(count) })

describe('a rollout in steps', () => {
  test('begins with as many nodes as the first step, soaks, and goes on', () => {
    const world = new EngineWorld({ steps: [{ nodes: 1, soak: '10m' }] }, [changed(3)])
    world.look()
    expect(world.transitions()).toEqual(['Started', 'StepStarted'])
    expect(world.last?.gate).toMatchObject({ changes: 1 })
    expect(world.free()).toEqual(['old-0', 'old-1', 'old-2'])

    world.begin('old-0')
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Progressing', reason: 'NodesNotReady', replacedNodes: 1 })
    expect(world.free()).toEqual([])
    expect(world.holdOf('old-1')).toContain('step 1 of 2 waits for its nodes')

    world.finish('old-0')
    world.look(minute)
    expect(world.transitions()).toEqual(['StepReached'])
    expect(world.last?.status).toMatchObject({ phase: 'Soaking', soakedUntil: '2026-05-04T12:12:00Z' })
    expect(world.holdOf('old-1')).toContain('soaks until 2026-05-04T12:12:00Z')
    expect(world.last?.wakeAt).toBe(start + 12 * minute)

    world.look(9 * minute + 59_000)
    expect(world.last?.status.phase).toBe('Soaking')
    world.look(1_000)
    expect(world.transitions()).toEqual(['StepPassed', 'StepStarted'])
    expect(world.free()).toEqual(['old-1', 'old-2'])

    world.replace('old-1')
    world.replace('old-2')
    world.look(minute)
    expect(world.transitions()).toEqual(['Completed'])
    expect(world.last?.status).toMatchObject({
      phase: 'Completed',
      history: [{ number: 1, outcome: 'Completed', totalNodes: 3, updatedNodes: 3, images: ['ami-new'] }],
    })
    expect(world.last?.verdicts).toEqual([{ nodeClass: 'default', images: ['ami-new'], outcome: 'good' }])
    expect(world.last?.status.startTime).toBeUndefined()
  })

  test('is complete in its counts as well, whatever nodes come and go by scaling then', () => {
    const world = new EngineWorld({}, [changed(2)])
    world.look()
    world.begin('old-0')
    world.look(minute)
    // The one that goes counts until it is gone.
    expect(world.last?.status).toMatchObject({ phase: 'Progressing', totalNodes: 3, updatedNodes: 1 })
    world.finish('old-0')
    world.replace('old-1')
    world.look(minute)
    world.setPool((pool) => ({
      ...pool,
      nodes: [...pool.nodes, aNode('comes', { initialized: false, ready: false }), aNode('leaves', { going: true })],
    }))
    const counts = { totalNodes: 3, updatedNodes: 3 }
    expect(world.look(minute).status).toMatchObject({ phase: 'Completed', ...counts, nodePools: [counts] })
  })

  test('until its last node is replaced, a pool says what it was made of before', () => {
    const made = (world: EngineWorld) => {
      const [{ currentHash, targetHash } = {}] = world.look(minute).status.nodePools ?? []
      return [currentHash, targetHash]
    }
    const world = new EngineWorld({ steps: [{ nodes: 1 }] }, [aPoolOf({ nodes: [aNode('old-0'), aNode('old-1')] })])
    expect(made(world)).toEqual(['pool-1', 'pool-1'])
    world.pools = [changed(2)]
    expect(made(world)).toEqual(['pool-1', 'pool-2'])
    world.replace('old-0')
    expect(made(world)).toEqual(['pool-1', 'pool-2'])
    world.replace('old-1')
    expect(made(world)).toEqual(['pool-2', 'pool-2'])
  })

  test('does not begin for nodes that are on their way out anyway', () => {
    const nodes = [aNode('old-0', { drift: 'AMIDrift', going: true }), aNode('fine', { image: 'ami-new' })]
    const world = new EngineWorld({}, [aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes })])
    expect(world.look().status.startTime).toBeUndefined()
    world.setPool((pool) => ({ ...pool, nodes: nodes.slice(1) }))
    expect(world.look(minute).status.history).toBeUndefined()
  })

  test.each<[string, Partial<NodeFacts>]>([
    ['was made in the second of the start', { createdAt: start }],
    ['was made after it, by the clock of the API server', { createdAt: start + minute }],
    ['drifted after it, by the clock of another process', { driftedAt: start + minute }],
  ])('a node that is there at the start is none that has gone since, though it %s', (_name, facts) => {
    const old = aNode('old-0', { drift: 'SecurityGroupDrift', ...facts })
    const world = new EngineWorld({ steps: [{ nodes: 1, soak: '10m' }] }, [
      aPoolOf({ nodes: [old, aNode('old-1', { drift: 'SecurityGroupDrift' }), aNode('fine')] }),
    ])
    world.look()
    expect(world.last?.status).toMatchObject({ startNodes: 2, replacedNodes: 0 })
    world.look(1_000)
    expect(world.last?.status.soakedUntil).toBeUndefined()
    expect(world.free()).toEqual(['old-0', 'old-1'])
  })

  test('a step begins with all of its nodes at once, and takes no more while what comes of them is on its way', () => {
    const world = new EngineWorld({ steps: [{ nodes: 2, soak: '10m' }] }, [changed(5)])
    expect(world.look().gate.changes).toBe(2)
    world.begin('old-0')
    world.begin('old-1')
    world.setPool((pool) => ({ ...pool, nodes: pool.nodes.filter(({ going }) => !going) }))
    world.look(minute)
    expect(world.last?.status).toMatchObject({ replacedNodes: 2, reason: 'NodesNotReady' })
    expect(world.last?.gate.changes).toBe(0)
    expect(world.free()).toEqual([])
  })

  test('a new node that is on its way out again has tried nothing: the step takes another', () => {
    const world = new EngineWorld({ steps: [{ nodes: 1, soak: '10m' }] }, [changed(3)])
    world.look()
    world.replace('old-0')
    world.setPool((pool) => ({
      ...pool,
      nodes: pool.nodes.map((node) => (node.drift === undefined ? { ...node, going: true } : node)),
    }))
    world.look(minute)
    expect(world.last?.status.soakedUntil).toBeUndefined()
    expect(world.last?.gate.changes).toBe(1)
  })

  test('the last step soaks once nodes that came late are gone, too', () => {
    const late = aNode('late', { drift: 'AMIDrift', createdAt: start + minute })
    const world = new EngineWorld({ steps: [{ nodes: '100%', soak: '10m' }] }, [changed(1)])
    world.look()
    world.replace('old-0')
    world.setPool((pool) => ({ ...pool, nodes: [...pool.nodes, late] }))
    world.look(minute)
    expect(world.last?.status.soakedUntil).toBeUndefined()
    expect(world.free()).toEqual(['late'])
  })

  test('an old node that drains slowly keeps the step from being reached', () => {
    const world = new EngineWorld({ steps: [{ nodes: 1, soak: '10m' }] }, [changed(2)])
    world.look()
    world.begin('old-0', { initialized: true, ready: true })
    world.look(hour)
    expect(world.last?.status).toMatchObject({ phase: 'Progressing', replacedNodes: 1 })
    expect(world.free()).toEqual([])
  })

  test('a replacement that was broken off is not counted: the step still has its node', () => {
    const world = new EngineWorld({ steps: [{ nodes: 1, soak: '10m' }] }, [changed(3)])
    world.look()
    world.begin('old-0', { launched: false })
    world.look(minute)
    expect(world.last?.status.replacedNodes).toBe(1)
    world.pools = [changed(3)]
    world.look(minute)
    expect(world.last?.status).toMatchObject({ replacedNodes: 0, phase: 'Progressing' })
    expect(world.last?.status.failedNodes).toBeUndefined()
    expect(world.last?.gate.changes).toBe(1)
  })

  test('old nodes that come after the start are left for the last step, which takes them', () => {
    const world = new EngineWorld({ steps: [{ nodes: 1 }] }, [changed(2)])
    world.look()
    const late = aNode('late', { drift: 'AMIDrift', createdAt: start + minute })
    world.setPool((pool) => ({ ...pool, nodes: [...pool.nodes, late] }))
    world.replace('old-0')
    world.look(5 * minute)
    expect(world.last?.status).toMatchObject({ step: 1, stepGoal: 2, startNodes: 2 })
    world.replace('old-1')
    world.look(minute)
    expect(world.last?.status.phase).toBe('Progressing')
    expect(world.free()).toEqual(['late'])
    world.replace('late')
    world.look(minute)
    expect(world.last?.status.phase).toBe('Completed')
  })

  test('of nodes that drift one after the other all count that have drifted before the first goes; the rest goes with the last step', () => {
    const nodes = Array.from({ length: 5 }, (_, index) => aNode(`n-${index}`))
    const world = new EngineWorld({ steps: [{ nodes: 1, soak: '1h' }] }, [aPoolOf({ nodes })])
    const drifts = (...names: readonly string[]): void => {
      const driftedAt = Math.floor(world.now / 1_000) * 1_000
      world.setPool((pool) => ({
        ...pool,
        nodes: pool.nodes.map((node) =>
          names.includes(node.name) ? { ...node, drift: 'SecurityGroupDrift', driftedAt } : node,
        ),
      }))
    }
    drifts('n-0')
    world.look()
    expect(world.last?.status).toMatchObject({ startNodes: 1 })
    world.now += 2_000
    drifts('n-1', 'n-2', 'n-3')
    world.look()
    expect(world.last?.status).toMatchObject({ startNodes: 4, stepGoal: 1, steps: 2 })
    expect(world.last?.gate.changes).toBe(1)
    world.begin('n-0')
    world.now += 2_000
    drifts('n-4')
    world.look()
    expect(world.last?.status).toMatchObject({ startNodes: 4, replacedNodes: 1 })
    expect(world.last?.gate.changes).toBe(0)
    expect(world.holdOf('n-4')).toContain('it goes with the last step')
    world.finish('n-0')
    world.look(minute)
    world.look(hour)
    expect(world.free()).toEqual(['n-1', 'n-2', 'n-3', 'n-4'])
  })

  test('a soak whose end a clock that was ahead wrote lasts no longer than a soak does', () => {
    const world = new EngineWorld({ steps: [{ nodes: 1, soak: '10m' }] }, [changed(2)])
    world.look()
    world.replace('old-0')
    world.look(24 * hour)
    expect(world.last?.status.soakedUntil).toBe('2026-05-05T12:10:00Z')
    world.look(-23 * hour)
    expect(world.last?.status.soakedUntil).toBe('2026-05-04T13:10:00Z')
    world.look(10 * minute)
    expect(world.transitions()).toEqual(['StepPassed', 'StepStarted'])
  })

  test.each([
    { steps: [{ nodes: 1, soak: '1h' }], want: { steps: 2, stepGoal: 1 }, free: [] },
    { steps: [], want: { steps: 1, stepGoal: 4 }, free: ['n-1', 'n-2', 'n-3'] },
  ])(
    'nodes that drift in the second in which the first one went are counted in its steps: $want',
    ({ steps, want, free }) => {
      const drifted = (count: number) => (pool: PoolFacts) => ({
        ...pool,
        nodes: pool.nodes.map((node, index) =>
          index < count ? { ...node, drift: 'SecurityGroupDrift', driftedAt: start } : node,
        ),
      })
      const nodes = Array.from({ length: 4 }, (_, index) => aNode(`n-${index}`))
      const world = new EngineWorld({ steps }, [drifted(1)(aPoolOf({ nodes }))])
      world.look()
      world.begin('n-0')
      world.setPool(drifted(4))
      for (const afterMs of [500, 10_000]) {
        world.look(afterMs)
        expect(world.last?.status).toMatchObject({ startNodes: 4, replacedNodes: 1, step: 0, ...want })
        expect(world.free()).toEqual(free)
      }
    },
  )

  test('a node that drifts while the last step soaks goes once the soak is over, and the step soaks again', () => {
    const world = new EngineWorld({ steps: [{ nodes: '100%', soak: '10m' }] }, [changed(1)])
    world.look()
    world.replace('old-0')
    world.look(minute)
    const late = aNode('late', { image: 'ami-new', drift: 'SecurityGroupDrift', driftedAt: world.now })
    world.setPool((pool) => ({ ...pool, nodes: [...pool.nodes, late] }))
    world.look(9 * minute)
    expect(world.holdOf('late')).toContain('step 1 of 1 soaks until 2026-05-04T12:11:00Z')
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Progressing', step: 0 })
    expect(world.free()).toEqual(['late'])
    world.replace('late')
    world.look(minute)
    expect(world.transitions()).toEqual(['StepReached'])
    expect(world.last?.status).toMatchObject({ phase: 'Soaking', soakedUntil: '2026-05-04T12:22:00Z' })
    world.look(10 * minute)
    expect(world.transitions()).toEqual(['Completed'])
  })

  test('a node that leaves at the start and is kept after all goes with the last step, beside those that are counted', () => {
    const pool = changed(3)
    const leaving = pool.nodes.map((node) => (node.name === 'old-0' ? { ...node, going: true } : node))
    const world = new EngineWorld({ steps: [{ nodes: 1 }] }, [{ ...pool, nodes: leaving }])
    world.look()
    expect(world.last?.status).toMatchObject({ startNodes: 2, stepGoal: 1, leaving: ['old-0'] })
    world.setPool(() => pool)
    world.look(1_000)
    expect(world.free()).toEqual(['old-1', 'old-2'])
    expect(world.holdOf('old-0')).toContain(
      'was on its way out when the rollout began and was kept; it goes with the last',
    )
    world.replace('old-1')
    world.look(minute)
    expect(world.last?.status).toMatchObject({ replacedNodes: 1, leaving: ['old-0'] })
    expect(world.free()).toEqual(['old-0', 'old-2'])
    world.replace('old-0')
    world.look(minute)
    expect(world.last?.status.leaving).toBeUndefined()
    expect(world.free()).toEqual(['old-2'])
  })

  test('nodes that go by themselves count as replaced, so that a step never takes more than its share', () => {
    const world = new EngineWorld({ steps: [{ nodes: 2, soak: '1h' }] }, [changed(4)])
    world.look()
    world.setPool((pool) => ({ ...pool, nodes: pool.nodes.filter(({ name }) => name !== 'old-3') }))
    world.look(minute)
    expect(world.last?.gate.changes).toBe(1)
  })

  test('when more nodes go by themselves than the step asks for, its share of them is all it counts', () => {
    const world = new EngineWorld({ steps: [{ nodes: 2, soak: '1h' }] }, [changed(5)])
    world.look()
    world.replace('old-0')
    world.setPool((pool) => ({ ...pool, nodes: pool.nodes.slice(2) }))
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Soaking', replacedNodes: 3, startNodes: 5 })
    expect(world.last?.status.message).toContain('step 1 of 2: 2 of 2 node(s), soaks')
  })

  test('while nothing has come of the nodes that went, a step takes one more at a time: no soak passes what nobody has tried', () => {
    const world = new EngineWorld({ steps: [{ nodes: 1, soak: '1h' }] }, [changed(5)])
    world.look()
    const goes = (name: string): void =>
      world.setPool((pool) => ({ ...pool, nodes: pool.nodes.filter((node) => node.name !== name) }))
    goes('old-0')
    goes('old-1')
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Progressing', step: 0, replacedNodes: 2 })
    expect(world.last?.status.message).toBe(
      'step 1 of 2: 1 of 1 node(s); no node of the new revision is in service yet',
    )
    expect(world.last?.gate.changes).toBe(1)
    // Its pods found room elsewhere.
    world.begin('old-2')
    goes('new-of-old-2')
    world.look(minute)
    expect(world.last?.gate.changes).toBe(0)
    goes('old-2')
    world.look(minute)
    expect(world.last?.gate.changes).toBe(1)
    world.begin('old-3')
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Progressing', reason: 'NodesNotReady' })
    expect(world.last?.gate.changes).toBe(0)
    world.finish('old-3')
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Soaking', step: 0 })
    expect(world.free()).toEqual([])
  })

  test('nodes of another pool that were as they are wanted all along have tried nothing of this one', () => {
    const other = aPoolOf({
      name: 'other',
      target: 'other-2',
      nodeClass: aClassOf({ name: 'other', images: [{ id: 'ami-other', name: 'other' }] }),
      nodes: [aNode('b-0', { drift: 'RequirementsDrifted', image: 'ami-other' }), aNode('b-1', { image: 'ami-other' })],
    })
    const world = new EngineWorld({ steps: [{ nodes: 1, soak: '1h' }] }, [changed(3), other])
    world.look()
    // Its pods found room elsewhere.
    world.setPool((pool) => ({ ...pool, nodes: pool.nodes.slice(1) }))
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Progressing', step: 0, replacedNodes: 1 })
    expect(world.last?.gate.changes).toBe(1)
    world.setPool((pool) => ({ ...pool, nodes: pool.nodes.slice(1) }), 'other')
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Soaking', step: 0, replacedNodes: 2 })
  })

  test('a new node that drifts for a reason of its own has been tried all the same', () => {
    const world = new EngineWorld({ steps: [{ nodes: 1, soak: '1h' }] }, [changed(3)])
    world.look()
    world.begin('old-0', { drift: 'SecurityGroupDrift', driftedAt: world.now })
    world.look(minute)
    expect(world.last?.gate.changes).toBe(0)
    world.finish('old-0')
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Soaking', step: 0 })
  })

  test('nodes of a pool that is retired on the way count once they go, and no step waits for them', () => {
    const other = aPoolOf({
      name: 'other',
      target: 'other-2',
      nodes: [aNode('b-0', { drift: 'NodePoolDrifted' }), aNode('b-1', { drift: 'NodePoolDrifted' })],
    })
    const world = new EngineWorld({ steps: [{ nodes: 3 }] }, [changed(2), other])
    world.look()
    world.setPool((pool) => ({ ...pool, retiring: true }), 'other')
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Progressing', step: 0, startNodes: 4, replacedNodes: 0 })
    expect(world.last?.status.message).toBe('step 1 of 2: 0 of 3 node(s)')
    world.replace('old-0')
    world.setPool(({ nodes: [, ...nodes], ...pool }) => ({ ...pool, nodes }), 'other')
    world.look(minute)
    expect(world.last?.status).toMatchObject({ step: 0, replacedNodes: 2 })
    expect(world.last?.gate.changes).toBe(1)
    world.replace('old-1')
    world.setPool((pool) => ({ ...pool, nodes: [aNode('b-1', { drift: 'NodePoolDrifted' })] }), 'other')
    world.look(minute)
    expect(world.transitions()).toEqual(['Completed'])
    expect(world.last?.status.history).toMatchObject([{ totalNodes: 4, updatedNodes: 3 }])
  })

  test('the only pool of a rollout is retired: it is complete with as many nodes as it has replaced', () => {
    const world = new EngineWorld({ steps: [{ nodes: 2 }] }, [changed(4)])
    world.look()
    world.replace('old-0')
    world.setPool((pool) => ({
      ...pool,
      retiring: true,
      nodes: pool.nodes.map((node) => ({ ...node, drift: node.drift ?? 'Retiring' })),
    }))
    world.look(minute)
    expect(world.last?.status.history).toMatchObject([{ outcome: 'Completed', totalNodes: 4, updatedNodes: 1 }])
    expect(world.last?.verdicts).toMatchObject([{ outcome: 'good' }])
  })

  test('images that no node has been made of are not called good when the nodes to be replaced have gone', () => {
    const world = new EngineWorld({ steps: [{ nodes: 1 }] }, [changed(2)])
    world.look()
    world.setPool((pool) => ({ ...pool, retiring: true }))
    world.look(minute)
    expect(world.transitions()).toEqual(['Completed'])
    expect(world.last?.verdicts).toEqual([])
  })

  test('when nothing is left to replace the remaining steps are not waited for', () => {
    const world = new EngineWorld(
      {
        steps: [
          { nodes: 1, soak: '1h' },
          { nodes: 2, soak: '5h' },
        ],
      },
      [changed(4)],
    )
    world.look()
    world.pools = [
      aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: [aNode('other', { image: 'ami-new' })] }),
    ]
    world.look(minute)
    world.look(hour)
    expect(world.last?.status.phase).toBe('Completed')
  })
})

describe('what is remembered', () => {
  test('a look that finds nothing new changes nothing', () => {
    const world = new EngineWorld({ steps: [{ nodes: 1, soak: '1h' }], rate: { nodes: 3, per: '100h' } }, [changed(3)])
    world.look()
    world.begin('old-0')
    world.look(minute)
    world.finish('old-0')
    const soaking = world.look(minute).status
    for (let index = 0; index < 50; index += 1) expect(world.look(minute).status).toEqual(soaking)
  })

  test('a changed policy takes effect with the next step', () => {
    const world = new EngineWorld({ steps: [{ nodes: 1, soak: '1h' }], gates: { nodeReadyTimeout: '15m' } }, [
      changed(4),
    ])
    world.look()
    world.change({ steps: [{ nodes: 3, soak: '2h' }], gates: { nodeReadyTimeout: '1m' } })
    world.look(minute)
    expect(world.last?.gate.changes).toBe(1)
    world.begin('old-0')
    world.look(5 * minute)
    expect(world.last?.status.failure).toBeUndefined()
    world.finish('old-0')
    const soaking = world.look(minute)
    expect(soaking.status.soakedUntil).toBe('2026-05-04T13:07:00Z')
    world.look(hour)
    expect(world.last?.status).toMatchObject({ step: 0, stepGoal: 3, inForce: { generation: 2 } })
    expect(world.last?.gate.changes).toBe(2)
    world.begin('old-1')
    world.look(2 * minute)
    expect(world.last?.status.failure).toMatchObject({ reason: 'NodesFailed' })
  })

  test('a pause and windows of a changed policy act at once', () => {
    const world = new EngineWorld({}, [changed(2)])
    world.look()
    expect(world.free()).toHaveLength(2)
    world.change({ windows: [{ schedule: '0 20 * * *', duration: '1h' }] })
    world.look(minute)
    expect(world.free()).toEqual([])
    expect(world.last?.status).toMatchObject({ phase: 'Waiting', nextWindowTime: '2026-05-04T20:00:00Z' })
  })
})
