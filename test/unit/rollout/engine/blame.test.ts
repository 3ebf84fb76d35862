import { describe, expect, test } from 'vitest'
import type { RolloutPolicySpec } from '../../../../src/api/karpenter.ts'
import type { ClassFacts } from '../../../../src/rollout/engine/input.ts'
import { aClassOf, aNode, aPoolOf, EngineWorld, newImageClass, oldNodes } from '../../../support/rollout-facts.ts'
import { hour, minute } from '../../../support/rolling-world.ts'

describe('of two classes that go to other images together', () => {
  const web = newImageClass({ name: 'web' })
  const batch = newImageClass({
    name: 'batch',
    images: [{ id: 'ami-batch-new', name: 'batch new' }],
    lastGood: [{ id: 'ami-batch-old', name: 'batch old' }],
  })

  /** Both have begun with one of their two nodes; the new one of `batch` is in service. */
  function begun(spec: Partial<RolloutPolicySpec> = {}, batchClass: ClassFacts = batch): EngineWorld {
    const gates = { nodeReadyTimeout: '5m', podReadyTimeout: '5m' }
    const world = new EngineWorld({ steps: [{ nodes: 2 }], gates, onFailure: 'Rollback', ...spec }, [
      aPoolOf({ name: 'batch', target: 'batch-2', nodeClass: batchClass, nodes: batchNodes() }),
      aPoolOf({ name: 'web', target: 'web-2', nodeClass: web, nodes: oldNodes(2) }),
    ])
    world.look()
    world.begin('batch-0', { image: 'ami-batch-new' }, 'batch')
    world.begin('old-0', {}, 'web')
    world.look(minute)
    world.finish('batch-0', 'batch')
    world.look(minute)
    return world
  }

  function batchNodes() {
    return ['batch-0', 'batch-1'].map((name) => aNode(name, { drift: 'AMIDrift', image: 'ami-batch-old' }))
  }

  function without(world: EngineWorld, name: string): void {
    world.setPool((pool) => ({ ...pool, nodes: pool.nodes.filter((node) => node.name !== name) }), 'web')
  }

  const blamed = (world: EngineWorld) => ({
    classes: world.policy.status?.failure?.nodeClasses,
    returned: world.last?.rollbacks.map(({ nodeClass }) => nodeClass),
    bad: world.last?.verdicts.map(({ nodeClass }) => nodeClass),
  })
  const webAlone = { classes: ['web'], returned: ['web'], bad: ['web'] }
  const both = { returned: ['batch', 'web'], bad: ['batch', 'web'] }

  test('the one whose nodes do not come up returns, and the other keeps its images and the nodes that have them', () => {
    const world = begun()
    world.look(6 * minute)
    expect(blamed(world)).toEqual(webAlone)
    expect(world.policy.status?.history).toMatchObject([{ outcome: 'Halted', images: ['ami-new'] }])
    const pinned = aClassOf({ name: 'web', pinnedInsteadOf: 'class-2' })
    const dud = aNode('new-of-old-0', { drift: 'AMIDrift', image: 'ami-new', initialized: false, ready: false })
    world.setPool((pool) => ({ ...pool, target: 'web-1', wanted: 'web-2', nodeClass: pinned, nodes: [dud] }), 'web')
    // It drifts by something else, and is none of those that are taken back.
    world.setPool(
      (pool) => ({
        ...pool,
        nodes: pool.nodes.map((node) => (node.name === 'batch-1' ? node : { ...node, drift: 'SubnetDrift' })),
      }),
      'batch',
    )
    world.look(minute)
    expect(world.last?.discards).toEqual(['new-of-old-0'])
    expect(world.free()).toEqual(['new-of-old-0'])
    world.setPool((pool) => ({ ...pool, nodes: [aNode('old-1')] }), 'web')
    world.look(minute)
    expect(world.transitions()).toEqual(['RolledBack'])
    expect(world.policy.status?.message).toContain('the nodes of EC2NodeClass web are back on the last good images')
    expect(world.holdOf('batch-1')).toContain('the rollout has failed')
    // Git takes the bad image back: the other goes on by itself.
    const mended = aClassOf({ name: 'web', target: 'class-1' })
    world.setPool((pool) => ({ ...pool, target: 'web-1', wanted: 'web-1', nodeClass: mended }), 'web')
    world.look(minute)
    expect(world.transitions()[0]).toBe('Started')
    expect(world.policy.status?.nodePools).toMatchObject([{ name: 'batch', startNodes: 2 }, { name: 'web' }])
  })

  test('Halt calls the images of that one bad, and no others', () => {
    const world = begun({ onFailure: 'Halt' })
    world.look(6 * minute)
    expect(blamed(world)).toEqual({ ...webAlone, returned: [] })
    world.look(minute)
    expect(blamed(world)).toEqual({ ...webAlone, returned: [] })
  })

  test('a node that is being deleted before it was up is known by its class', () => {
    const world = begun()
    const leave = (name: string) => name === 'new-of-old-0'
    world.setPool(
      (pool) => ({
        ...pool,
        nodes: pool.nodes.map((node) => (leave(node.name) ? { ...node, going: true } : node)),
      }),
      'web',
    )
    world.look(minute)
    expect(blamed(world)).toEqual(webAlone)
  })

  test('a node that is gone before it was up is known by its class', () => {
    const world = begun()
    without(world, 'new-of-old-0')
    world.look(minute)
    expect(blamed(world)).toEqual(webAlone)
  })

  test('both return where nothing remembers the class of a node that is gone, as after an upgrade', () => {
    const world = begun()
    const pending = [{ name: 'new-of-old-0', since: '2026-05-04T12:00:00Z', launched: true }]
    world.policy = { ...world.policy, status: { ...world.policy.status, pending } }
    without(world, 'new-of-old-0')
    world.look(minute)
    expect(blamed(world)).toEqual({ ...both, classes: undefined })
  })

  test('one of those that may fail is known by its class for the rest of the step', () => {
    const world = begun({ gates: { nodeReadyTimeout: '5m', maxFailedNodes: 1 } })
    without(world, 'new-of-old-0')
    world.look(minute)
    expect(world.policy.status?.failedNodes).toBe(1)
    world.begin('old-1', { createdAt: world.now }, 'web')
    world.look(minute)
    world.look(hour)
    expect(blamed(world)).toEqual(webAlone)
    expect(world.policy.status?.message).toContain(
      '2 new node(s) failed to come up, 1 allowed: new-of-old-0, new-of-old-1',
    )
  })

  test('so is one that was made just before the step began, under a target that has moved on', () => {
    const world = begun({ gates: { nodeReadyTimeout: '5m', maxFailedNodes: 1 } })
    world.setPool((pool) => ({ ...pool, restartAt: world.now }), 'batch')
    world.look(minute)
    expect(world.transitions()).toEqual(['Superseded', 'Started', 'StepStarted'])
    world.look(4 * minute)
    expect(world.policy.status?.failedNodes).toBe(1)
    without(world, 'new-of-old-0')
    world.begin('old-1', { createdAt: world.now }, 'web')
    world.look(minute)
    world.look(hour)
    expect(blamed(world)).toEqual(webAlone)
  })

  test('both return where they share the image', () => {
    const world = begun({}, { ...batch, images: [...batch.images, ...web.images] })
    world.look(6 * minute)
    expect(blamed(world)).toEqual({ ...both, classes: ['batch', 'web'] })
  })

  test('both return from what pods say, which may run on one and need what runs on the other', () => {
    const world = begun()
    world.finish('old-0', 'web')
    world.setPool(
      (pool) => ({
        ...pool,
        nodes: pool.nodes.map((node) => ({ ...node, unreadyPods: 1, unreadySince: world.now })),
      }),
      'web',
    )
    world.look(6 * minute)
    expect(world.policy.status?.failure?.reason).toBe('PodsNotReady')
    expect(blamed(world)).toEqual({ ...both, classes: undefined })
  })

  test('none returns where the nodes that failed are of a class that keeps its images', () => {
    const world = new EngineWorld({ steps: [{ nodes: 2 }], gates: { nodeReadyTimeout: '5m' }, onFailure: 'Rollback' }, [
      aPoolOf({ name: 'batch', target: 'batch-2', nodeClass: batch, nodes: batchNodes() }),
      aPoolOf({
        name: 'web',
        target: 'web-2',
        nodeClass: aClassOf({ name: 'web' }),
        nodes: ['old-0', 'old-1'].map((name) => aNode(name, { drift: 'NodePoolDrifted' })),
      }),
    ])
    world.look()
    world.begin('old-0', { image: 'ami-old' }, 'web')
    world.look(minute)
    world.look(6 * minute)
    expect(blamed(world)).toEqual({ classes: ['web'], returned: [], bad: [] })
    expect(world.policy.status).toMatchObject({ phase: 'Halted', reason: 'NodesFailed' })
    expect(world.policy.status?.message).toContain('there is nothing to return to')
  })
})
