import { describe, expect, test } from 'vitest'
import type { PoolFacts } from '../../../../src/rollout/engine/index.ts'
import { aClassOf, aNode, aPoolOf, EngineWorld, newImageClass, oldNodes } from '../../../support/rollout-facts.ts'

const minute = 60_000
const hour = 60 * minute

/** What a class looks like while its selector finds nothing. */
const unresolved = (pool: PoolFacts): PoolFacts => ({
  ...pool,
  target: 'pool-none',
  wanted: 'pool-none',
  nodeClass: newImageClass({ target: 'class-none', images: [] }),
})
const resolved = (pool: PoolFacts): PoolFacts => ({
  ...pool,
  target: 'pool-2',
  wanted: 'pool-2',
  nodeClass: newImageClass(),
})

/** A rollout of four nodes in its second step of three: the canary is in service. */
function inSecondStep(spec: ConstructorParameters<typeof EngineWorld>[0] = {}): EngineWorld {
  const world = new EngineWorld({ steps: [{ nodes: 1 }, { nodes: 2 }], ...spec }, [
    resolved(aPoolOf({ nodes: oldNodes(4) })),
  ])
  world.look()
  world.replace('old-0')
  world.look(minute)
  expect(world.last?.status).toMatchObject({ step: 1, steps: 3, replacedNodes: 1 })
  return world
}

describe('while the selector of a class finds nothing', () => {
  test('its rollout stands still, and goes on where it was once the images are back', () => {
    const world = inSecondStep()
    const before = world.policy.status
    world.setPool(unresolved)
    // Without images to compare with, nodes do not look outdated.
    world.setPool((pool) => ({ ...pool, nodes: pool.nodes.map((node) => ({ ...node, drift: undefined })) }))
    world.look(minute)
    expect(world.transitions()).toEqual(['Waiting'])
    expect(world.last?.status).toMatchObject({
      phase: 'Waiting',
      reason: 'ImagesUnknown',
      message: 'step 2 of 3: 1 of 2 node(s); EC2NodeClass default finds no image at present',
      replacedNodes: 1,
      revision: before?.revision,
    })
    world.look(hour)
    expect(world.transitions()).toEqual([])
    world.setPool((pool) => ({
      ...resolved(pool),
      nodes: pool.nodes.map((node) => (node.image === 'ami-old' ? { ...node, drift: 'AMIDrift' } : node)),
    }))
    world.look(minute)
    expect(world.transitions()).toEqual([])
    const { revision, startTime, step, stepGoal } = before ?? {}
    expect(world.last?.status).toMatchObject({ revision, startTime, step, stepGoal, phase: 'Progressing' })
    expect(world.last?.gate.changes).toBe(1)
    expect(world.last?.status.history).toBeUndefined()
  })

  test('no node of the change goes, whatever else it drifts by, not even after the deadline', () => {
    const world = inSecondStep({ deadline: '2h' })
    world.setPool((pool) => ({
      ...unresolved(pool),
      nodes: pool.nodes.map((node) => ({ ...node, drift: 'NodeClassDrift' })),
    }))
    world.look(minute)
    expect(world.free()).toEqual([])
    expect(world.holdOf('old-1')).toContain('EC2NodeClass default finds no image at present')
    world.look(3 * hour)
    expect(world.free()).toEqual([])
    expect(world.last?.gate.changes).toBe(0)
    expect(world.last?.status.reason).toBe('ImagesUnknown')
  })

  test('it holds the other pools of the rollout too, and what failed meanwhile is judged afterwards', () => {
    const other = aPoolOf({ name: 'other', target: 'other-2', nodeClass: newImageClass({ name: 'other' }) })
    const world = new EngineWorld({ steps: [{ nodes: 1 }], gates: { nodeReadyTimeout: '5m' } }, [
      resolved(aPoolOf({ nodes: oldNodes(2) })),
      { ...other, nodes: [aNode('b-0', { drift: 'AMIDrift' })] },
    ])
    world.look()
    world.begin('old-0')
    world.look(minute)
    world.setPool((pool) => ({ ...unresolved(pool), name: 'other', nodes: pool.nodes }), 'other')
    world.look(hour)
    expect(world.free()).toEqual([])
    expect(world.holdOf('old-1')).toContain('EC2NodeClass default finds no image at present')
    expect(world.last?.status.phase).toBe('Waiting')
    world.setPool((pool) => ({ ...other, nodes: pool.nodes }), 'other')
    world.look(minute)
    expect(world.transitions()).toContain('Halted')
  })

  test('other images than before begin a rollout of their own', () => {
    const world = inSecondStep()
    world.setPool(unresolved)
    world.look(minute)
    const newer = newImageClass({ target: 'class-3', images: [{ id: 'ami-newer', name: 'newer' }] })
    world.setPool((pool) => ({ ...pool, target: 'pool-3', wanted: 'pool-3', nodeClass: newer }))
    world.look(minute)
    expect(world.transitions()).toEqual(['Superseded', 'Started', 'StepStarted'])
  })

  test.each(['NodeClassDrift', 'RestartRequested'])('no rollout begins, for %s or anything else', (drift) => {
    const nodes = [aNode('a', { drift }), aNode('b', { drift })]
    const world = new EngineWorld({ steps: [{ nodes: 1 }] }, [unresolved(aPoolOf({ nodes }))])
    world.look()
    expect(world.last?.status).toMatchObject({
      phase: 'Waiting',
      reason: 'ImagesUnknown',
      message: 'NodePool default: EC2NodeClass default finds no image at present',
    })
    expect(world.last?.status.startTime).toBeUndefined()
    expect(world.free()).toEqual([])
    world.setPool(resolved)
    world.look(minute)
    expect(world.transitions()).toEqual(['Started', 'StepStarted'])
    expect(world.last?.status.imageChanges).toEqual(['default'])
  })

  test('no approval is asked for: what is to be approved is not known either', () => {
    const nodes = [aNode('a', { drift: 'NodeClassDrift' })]
    const world = new EngineWorld({ mode: 'Approve' }, [unresolved(aPoolOf({ nodes }))])
    expect(world.look().status).toMatchObject({ phase: 'Waiting', reason: 'ImagesUnknown' })
    world.setPool((pool) => ({ ...pool, nodeClass: aClassOf() }))
    expect(world.look().status.phase).toBe('AwaitingApproval')
  })

  test('where another pool awaits an approval, that is what is told: somebody has to give it', () => {
    const world = new EngineWorld({ mode: 'Approve' }, [
      unresolved(aPoolOf({ nodes: [aNode('a', { drift: 'NodeClassDrift' })] })),
      aPoolOf({
        name: 'other',
        nodeClass: newImageClass({ name: 'other' }),
        nodes: [aNode('b', { drift: 'AMIDrift' })],
      }),
    ])
    expect(world.look().status).toMatchObject({
      phase: 'AwaitingApproval',
      message: expect.stringMatching(/^NodePool other awaits joinery\.dev\/approve/),
    })
  })

  test('a pool of another class begins all the same', () => {
    const world = new EngineWorld({}, [
      unresolved(aPoolOf({ nodes: [aNode('a', { drift: 'NodeClassDrift' })] })),
      aPoolOf({
        name: 'other',
        nodeClass: newImageClass({ name: 'other' }),
        nodes: [aNode('b', { drift: 'AMIDrift' })],
      }),
    ])
    world.look()
    expect(world.free()).toEqual(['b'])
  })
})
