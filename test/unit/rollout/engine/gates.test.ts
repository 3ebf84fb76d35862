import { describe, expect, test } from 'vitest'
import type { RolloutGates } from '../../../../src/api/karpenter.ts'
import type { NodeFacts } from '../../../../src/rollout/engine/index.ts'
import { aPoolOf, EngineWorld, newImageClass, oldNodes, start } from '../../../support/rollout-facts.ts'
import { hour, minute, rolling, soaking } from '../../../support/rolling-world.ts'

describe('new nodes', () => {
  test('that are not ready in time fail the rollout, and no other node goes', () => {
    const world = rolling({ nodeReadyTimeout: '5m' })
    world.begin('old-0')
    world.look(minute)
    world.look(4 * minute)
    expect(world.last?.status.failure).toBeUndefined()
    world.look(minute)
    expect(world.transitions()).toEqual(['Halted'])
    expect(world.last?.status).toMatchObject({ phase: 'Halted', failure: { reason: 'NodesFailed', state: 'Halted' } })
    expect(world.last?.stalled).toMatchObject([{ reason: 'Halted' }])
    expect(world.holdOf('old-1')).toContain(
      'the rollout has failed: 1 new node(s) failed to come up, 0 allowed: new-of-old-0',
    )
    expect(world.last?.verdicts).toEqual([{ nodeClass: 'default', images: ['ami-new'], outcome: 'bad' }])
    const halted = world.last?.status
    expect(world.look(hour).status).toEqual(halted)
  })

  test('that nobody has seen ready have the time from their creation, though they were initialized meanwhile', () => {
    const world = rolling({ nodeReadyTimeout: '5m' })
    world.begin('old-0')
    world.look(minute)
    const unreadyFrom = world.now + 2 * minute
    world.setPool((pool) => ({
      ...pool,
      nodes: pool.nodes.map((node) =>
        node.name === 'new-of-old-0' ? { ...node, initialized: true, unreadyFrom } : node,
      ),
    }))
    world.look(2 * minute)
    world.look(2 * minute)
    expect(world.last?.status.failure).toBeUndefined()
    world.look(minute)
    expect(world.last?.status.failure?.reason).toBe('NodesFailed')
  })

  test('make their images bad, which is said again in case the class could not be written', () => {
    const world = rolling({ nodeReadyTimeout: '5m' })
    world.begin('old-0')
    world.look(minute)
    world.look(5 * minute)
    expect(world.transitions()).toEqual(['Halted'])
    world.look(minute)
    expect(world.transitions()).toEqual([])
    expect(world.last?.verdicts).toEqual([{ nodeClass: 'default', images: ['ami-new'], outcome: 'bad' }])
    // Another policy has brought the same images through since: two that contradict each other would write for ever.
    world.setPool((pool) => ({ ...pool, nodeClass: newImageClass({ isGood: true }) }))
    world.look(minute)
    expect(world.last?.verdicts).toEqual([])
  })

  test('that failed have failed for good: what drifts besides, while the old nodes are back, begins no rollout anew', () => {
    const world = rolling({ nodeReadyTimeout: '5m' })
    world.begin('old-0')
    world.look(minute)
    world.look(5 * minute)
    const halted = world.last?.status
    world.setPool((pool) => ({ ...pool, nodes: oldNodes(5) }))
    expect(world.look(minute).status).toMatchObject({ startTime: halted?.startTime, startNodes: 3, phase: 'Halted' })
    expect(world.transitions()).toEqual([])
    expect(world.free()).toEqual([])
  })

  test('that vanish although there was an instance fail it too', () => {
    const world = rolling()
    world.begin('old-0')
    world.look(minute)
    world.setPool((pool) => ({ ...pool, nodes: oldNodes(3) }))
    world.look(minute)
    expect(world.last?.status.failure?.reason).toBe('NodesFailed')
  })

  test('that the cloud takes back before they are up do not: the interruption is not their doing', () => {
    const world = rolling()
    world.begin('old-0')
    world.look(minute)
    world.setPool((pool) => ({
      ...pool,
      nodes: pool.nodes.map((node) =>
        node.name === 'new-of-old-0' ? { ...node, launched: true, going: true, interrupted: true } : node,
      ),
    }))
    world.look(minute)
    world.setPool((pool) => ({ ...pool, nodes: oldNodes(3) }))
    world.look(minute)
    expect(world.last?.status.failure).toBeUndefined()
    expect(world.last?.status.failedNodes).toBeUndefined()
    // The step has not had its node, and tries again.
    expect(world.free()).toContain('old-0')
  })

  test('that vanish within moments for want of capacity do not', () => {
    const world = rolling()
    world.begin('old-0', { launched: false })
    world.look(minute)
    world.setPool((pool) => ({ ...pool, nodes: oldNodes(3) }))
    world.look(minute)
    expect(world.last?.status.failure).toBeUndefined()
  })

  test('that came up and went for another reason before the next look do not', () => {
    const world = rolling()
    world.begin('old-0')
    world.look(minute)
    world.finish('old-0')
    world.setPool((pool) => ({
      ...pool,
      nodes: pool.nodes.map((node) => (node.name === 'new-of-old-0' ? { ...node, going: true } : node)),
    }))
    world.look(5 * minute)
    expect(world.last?.status.failure).toBeUndefined()
    expect(world.last?.status.pending).toBeUndefined()
  })

  test('that never launched in minutes and vanish fail it', () => {
    const world = rolling()
    world.begin('old-0', { launched: false })
    world.look(minute)
    world.setPool((pool) => ({ ...pool, nodes: oldNodes(3) }))
    world.look(5 * minute)
    expect(world.last?.status.failure?.reason).toBe('NodesFailed')
  })

  describe('that drift for a reason of their own before they are up', () => {
    const drifting = (): EngineWorld => {
      const world = rolling({ nodeReadyTimeout: '5m' })
      world.begin('old-0')
      world.look(1_000)
      expect(world.last?.status.pending).toMatchObject([{ name: 'new-of-old-0', launched: true }])
      change(world, { drift: 'SecurityGroupDrift' })
      world.look(1_000)
      return world
    }
    const change = (world: EngineWorld, facts: Partial<NodeFacts>): void =>
      world.setPool((pool) => ({
        ...pool,
        nodes: pool.nodes.map((node) => (node.name === 'new-of-old-0' ? { ...node, ...facts } : node)),
      }))

    test('have not failed: they are awaited as before, and the step goes on when they are up', () => {
      const world = drifting()
      expect(world.last?.status).toMatchObject({ phase: 'Progressing', reason: 'NodesNotReady' })
      expect(world.last?.status.failure).toBeUndefined()
      world.finish('old-0')
      world.look(minute)
      expect(world.last?.status).toMatchObject({ phase: 'Soaking', step: 0 })
      expect(world.last?.status.pending).toBeUndefined()
      expect(world.last?.status.failedNodes).toBeUndefined()
    })

    test('as do those that drift for a moment only', () => {
      const world = drifting()
      change(world, { drift: undefined })
      world.look(1_000)
      world.finish('old-0')
      world.look(minute)
      expect(world.last?.status).toMatchObject({ phase: 'Soaking', step: 0 })
    })

    test('fail when they are not up in time', () => {
      const world = drifting()
      world.look(5 * minute)
      expect(world.last?.status.failure?.message).toContain('1 new node(s) failed to come up, 0 allowed: new-of-old-0')
    })

    test('fail when they vanish', () => {
      const world = drifting()
      world.setPool((pool) => ({ ...pool, nodes: oldNodes(3) }))
      world.look(minute)
      expect(world.last?.status.failure?.reason).toBe('NodesFailed')
    })
  })

  describe('that broke down in service and are taken away for it, repaired or empty since,', () => {
    const breaksDown = (facts: Partial<NodeFacts> = {}, gates: RolloutGates = {}): EngineWorld => {
      const world = soaking(gates)
      world.setPool((pool) => ({
        ...pool,
        nodes: pool.nodes.map((node) =>
          node.name === 'new-of-old-0' ? { ...node, ready: false, going: true, brokeDown: true, ...facts } : node,
        ),
      }))
      world.look(minute)
      return world
    }

    test('fail the rollout', () => {
      const world = breaksDown()
      expect(world.last?.status.failure).toMatchObject({ reason: 'NodesFailed' })
      const message = '1 new node(s) failed to come up or broke down, 0 allowed: new-of-old-0'
      expect(world.last?.status.failure?.message).toContain(message)
    })

    test('count once, until they are gone and after, and are remembered for the rest of the step', () => {
      const world = breaksDown({}, { maxFailedNodes: 1 })
      expect(world.last?.status).toMatchObject({ failedNodes: 1, pending: [{ name: 'new-of-old-0', failed: true }] })
      world.look(minute)
      expect(world.last?.status).toMatchObject({ failedNodes: 1 })
      world.setPool((pool) => ({ ...pool, nodes: pool.nodes.filter(({ name }) => name !== 'new-of-old-0') }))
      world.look(minute)
      const pending = [{ name: 'new-of-old-0', failed: true, nodeClass: 'default' }]
      expect(world.last?.status).toMatchObject({ failedNodes: 1, pending })
      expect(world.last?.status.failure).toBeUndefined()
    })

    test.each<[string, Partial<NodeFacts>]>([
      ['the cloud takes them back', { interrupted: true }],
      ['they are older than the rollout', { createdAt: start - hour }],
      ['they are to be replaced anyway', { drift: 'AMIDrift' }],
    ])('do not where %s', (_where, facts) => {
      expect(breaksDown(facts).last?.status.failure).toBeUndefined()
    })
  })

  test('may fail as far as the policy allows, each counted once', () => {
    const world = rolling({ nodeReadyTimeout: '5m', maxFailedNodes: 1 })
    world.begin('old-0')
    for (let index = 0; index < 10; index += 1) world.look(2 * minute)
    expect(world.last?.status).toMatchObject({ failedNodes: 1, phase: 'Progressing' })
    world.begin('old-1')
    for (let index = 0; index < 4; index += 1) world.look(2 * minute)
    expect(world.last?.status.failure?.message).toContain('2 new node(s) failed to come up, 1 allowed')
  })

  test('may fail by a share of those that the step itself replaces', () => {
    const world = new EngineWorld(
      { steps: [{ nodes: '50%' }], gates: { nodeReadyTimeout: '5m', maxFailedNodes: '20%' } },
      [aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: oldNodes(10) })],
    )
    world.look()
    for (let index = 0; index < 5; index += 1) world.replace(`old-${index}`)
    world.look(minute)
    expect(world.last?.status).toMatchObject({ step: 1, stepGoal: 10 })
    for (const name of ['old-5', 'old-6']) world.begin(name)
    for (let index = 0; index < 4; index += 1) world.look(2 * minute)
    expect(world.last?.status.failure?.message).toContain('2 new node(s) failed to come up, 1 allowed')
  })

  test('that were ready and are not hold the step, and fail it when that lasts', () => {
    const world = soaking({ nodeReadyTimeout: '10m' })
    world.setPool((pool) => ({
      ...pool,
      nodes: pool.nodes.map((node) =>
        node.name === 'new-of-old-0' ? { ...node, ready: false, unreadyFrom: world.now } : node,
      ),
    }))
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Soaking' })
    world.look(8 * minute)
    expect(world.last?.status.failure).toBeUndefined()
    world.look(minute)
    expect(world.last?.status.failure?.reason).toBe('NodesFailed')
    expect(world.last?.status.failure?.message).toContain('1 new node(s) failed to come up or broke down')
  })
})

test.each<[string, RolloutGates, string]>([
  ['holds the step', {}, 'Soaking'],
  ['holds none where one may be', { maxUnhealthyNodes: 1 }, 'Progressing'],
])('a new node that is not ready for a moment %s', (_name, gates, phase) => {
  const world = soaking(gates)
  world.look(29 * minute)
  world.setPool((pool) => ({
    ...pool,
    nodes: pool.nodes.map((node) =>
      node.name === 'new-of-old-0' ? { ...node, ready: false, unreadyFrom: world.now } : node,
    ),
  }))
  world.look(2 * minute)
  expect(world.last?.status).toMatchObject({ phase })
  expect(world.last?.status.failure).toBeUndefined()
  if (phase === 'Soaking') expect(world.last?.status.message).toContain('new nodes are not ready: new-of-old-0')
})

describe('pods', () => {
  test('that are not ready keep the step from passing, and fail it when they do not come back', () => {
    const world = soaking({ podReadyTimeout: '45m' })
    const since = world.now
    world.setPool((pool) => ({
      ...pool,
      nodes: pool.nodes.map((node) =>
        node.name === 'new-of-old-0' ? { ...node, unreadyPods: 2, unreadySince: since } : node,
      ),
    }))
    world.look(31 * minute)
    expect(world.last?.status).toMatchObject({ phase: 'Soaking', reason: 'PodsNotReady' })
    world.look(14 * minute)
    expect(world.last?.status.failure).toMatchObject({
      reason: 'PodsNotReady',
      message: '2 pod(s) did not come back in 45m',
    })
  })

  test('that wait for a node since the step began keep it from passing, and fail it when they find none', () => {
    const world = soaking({ podReadyTimeout: '45m' })
    world.waitingSince = [world.now, world.now]
    world.look(31 * minute)
    expect(world.last?.status).toMatchObject({ phase: 'Soaking', reason: 'PodsNotReady' })
    world.look(14 * minute)
    expect(world.last?.status.failure?.message).toBe('2 pod(s) did not come back in 45m')
  })

  test('that waited before the step began are none of its doing', () => {
    const world = rolling()
    world.waitingSince = [world.now - minute]
    world.begin('old-0')
    world.look(minute)
    world.finish('old-0')
    world.look(20 * minute)
    world.look(40 * minute)
    expect(world.last?.status).toMatchObject({ step: 1 })
  })

  test('are not looked at where the policy says so', () => {
    const world = soaking({ podsHealthy: false }, { unreadyPods: 5, unreadySince: 0 })
    world.look(31 * minute)
    expect(world.last?.status.step).toBe(1)
  })
})

describe('why a node of the next step may not begin is told by what the step waits for', () => {
  test.each([
    ['30m', 31 * minute, 'step 1 of 2 has soaked: 1 pod(s) are not ready again yet'],
    ['0s', 0, 'step 1 of 2 has its nodes: 1 pod(s) are not ready again yet'],
  ])('after a soak of %s', (soak, afterMs, want) => {
    const world = rolling({ podReadyTimeout: '2h' }, { steps: [{ nodes: 1, soak }] })
    world.replace('old-0')
    world.setPool((pool) => ({
      ...pool,
      nodes: pool.nodes.map((node) =>
        node.name === 'new-of-old-0'
          ? { ...node, unreadyPods: 1, unreadySince: world.now, unreadyMadeAt: start }
          : node,
      ),
    }))
    world.look(minute)
    world.look(afterMs)
    expect(world.holdOf('old-1')).toBe(`RolloutPolicy careful: ${want}`)
    // Nothing that is over is a time to look again.
    expect(world.last?.wakeAt).toBeGreaterThan(world.now)
  })
})
