import { describe, expect, test } from 'vitest'
import type { RolloutGates, RolloutPolicySpec } from '../../../../src/api/karpenter.ts'
import type { MetricAnswer, NodeFacts } from '../../../../src/rollout/engine/index.ts'
import { aNode, aPoolOf, EngineWorld, newImageClass, oldNodes, start } from '../../../support/rollout-facts.ts'
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

    test('count once, until they are gone and after', () => {
      const world = breaksDown({}, { maxFailedNodes: 1 })
      expect(world.last?.status).toMatchObject({ failedNodes: 1, pending: [{ name: 'new-of-old-0', failed: true }] })
      world.look(minute)
      expect(world.last?.status).toMatchObject({ failedNodes: 1 })
      world.setPool((pool) => ({ ...pool, nodes: pool.nodes.filter(({ name }) => name !== 'new-of-old-0') }))
      world.look(minute)
      expect(world.last?.status).toMatchObject({ failedNodes: 1 })
      expect(world.last?.status.pending).toBeUndefined()
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

describe('the Prometheus gate', () => {
  const gates: RolloutGates = {
    prometheus: { address: 'http://prometheus', query: 'errors', operator: 'LessThan', threshold: '0.1' },
  }
  const patient: RolloutGates = {
    prometheus: { address: 'http://prometheus', query: 'errors', operator: 'LessThan', threshold: '0.1', for: '2m' },
  }
  const good: MetricAnswer = { kind: 'good', value: 0 }
  const bad: MetricAnswer = { kind: 'bad', value: 0.5 }
  const silent: MetricAnswer = { kind: 'unknown', message: 'status 503' }

  function measured(answer: MetricAnswer, those = gates): EngineWorld {
    const world = rolling(those)
    world.metric = good
    world.look()
    world.replace('old-0')
    world.look(minute)
    world.metric = answer
    return world
  }

  test('lets the step pass while it answers well', () => {
    const world = measured(good)
    world.look(31 * minute)
    expect(world.last?.status.step).toBe(1)
  })

  test('that does not answer neither passes nor fails, and stalls when that lasts', () => {
    const world = measured(silent)
    world.look(31 * minute)
    expect(world.last?.status).toMatchObject({ phase: 'Soaking', reason: 'MetricUnknown' })
    expect(world.last?.stalled).toEqual([])
    world.look(5 * minute)
    expect(world.last?.stalled).toMatchObject([{ reason: 'MetricUnknown' }])
    expect(world.last?.status.failure).toBeUndefined()
    world.metric = good
    world.look(minute)
    expect(world.last?.status.step).toBe(1)
  })

  test('that does not answer once all nodes are replaced keeps the rollout from its end, and stalls it as well', () => {
    const world = new EngineWorld({ gates }, [
      aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: oldNodes(1) }),
    ])
    world.metric = good
    world.look()
    world.replace('old-0')
    world.metric = { ...silent, since: world.now }
    world.look(4 * minute)
    expect(world.last?.status).toMatchObject({ phase: 'Progressing', reason: 'MetricUnknown' })
    expect(world.last?.stalled).toEqual([])
    world.look(minute)
    expect(world.last?.stalled).toMatchObject([{ reason: 'MetricUnknown' }])
    world.metric = good
    world.look(minute)
    expect(world.last?.stalled).toEqual([])
    expect(world.transitions()).toEqual(['Completed'])
  })

  test('that does not answer once in a long step does not stall it, nor while nodes are on their way', () => {
    const world = rolling(gates, { steps: [{ nodes: 2 }] })
    world.metric = good
    world.look()
    world.look(20 * minute)
    world.metric = { ...silent, since: world.now }
    world.look(10_000)
    expect(world.last?.stalled).toEqual([])
    world.begin('old-0')
    world.look(5 * minute)
    expect(world.last?.stalled).toEqual([])
    world.finish('old-0')
    world.look(10_000)
    expect(world.last?.stalled).toMatchObject([{ reason: 'MetricUnknown' }])
    // Another process does not know since when.
    const { policy } = world
    const lastTransitionTime = '2026-05-04T12:00:00Z'
    const told = { type: 'Stalled', status: 'True', reason: 'MetricUnknown', message: '', lastTransitionTime } as const
    world.metric = { ...silent, since: world.now }
    world.look(10_000)
    expect(world.last?.stalled).toEqual([])
    world.policy = { ...policy, status: { ...policy.status, conditions: [told] } }
    world.look(10_000)
    expect(world.last?.stalled).toMatchObject([{ reason: 'MetricUnknown' }])
  })

  test('that does not answer is exchanged at once for that of a changed policy, the other gates with the next step', () => {
    const world = measured(silent, { ...gates, nodeReadyTimeout: '5m' })
    world.look(31 * minute)
    const mended = { address: 'http://thanos', query: 'errors', operator: 'LessThan' as const, threshold: '0.1' }
    world.change({ gates: { prometheus: mended, nodeReadyTimeout: '9m' } })
    world.look(minute)
    const { steps } = world.policy.spec
    expect(world.last?.status.inForce).toMatchObject({ steps, gates: { prometheus: mended, nodeReadyTimeout: '5m' } })
    expect(world.last?.status.step).toBe(0)
    world.metric = good
    world.look(minute)
    expect(world.last?.status.step).toBe(1)
    world.metric = silent
    world.change({ gates: {} })
    world.look(minute)
    expect(world.last?.status.inForce?.gates?.prometheus).toBeUndefined()
  })

  test('that has not answered yet lets no node begin', () => {
    const world = rolling(gates)
    world.metric = silent
    world.look()
    expect(world.free()).toEqual([])
    expect(world.holdOf('old-0')).toContain('status 503')
  })

  test.each([
    ['waits instead of failing', gates],
    ['lets none go while it may still come right', patient],
  ])('that is bad before the first node has gone %s', (_name, those) => {
    const world = rolling(those)
    world.metric = bad
    world.look()
    expect(world.free()).toEqual([])
    expect(world.holdOf('old-0')).toContain('0.5, which is not LessThan 0.1')
    expect(world.last?.status.failure).toBeUndefined()
  })

  test.each([
    ['has no answer', silent, 'status 503'],
    ['may still come right', bad, '0.5, which is not LessThan 0.1'],
  ])('that %s holds the other nodes of the step, also while pods are waited for', (_name, answer, says) => {
    const world = rolling(patient, { steps: [{ nodes: 2 }] })
    world.metric = good
    world.look()
    world.begin('old-0', { initialized: true, ready: true })
    world.metric = answer
    world.waitingSince = [world.now + 1_000]
    world.look(minute)
    expect(world.last?.status).toMatchObject({ reason: 'PodsNotReady' })
    expect(world.free()).toEqual([])
    expect(world.holdOf('old-1')).toContain(says)
  })

  test('that is bad fails the rollout and tells the value', () => {
    const world = measured(bad)
    world.look(minute)
    expect(world.last?.status.failure).toMatchObject({ reason: 'MetricBad' })
    expect(world.last?.status.failure?.message).toContain('0.5, which is not LessThan 0.1')
  })

  const lenient: RolloutGates = {
    prometheus: { address: 'http://prometheus', query: 'errors', operator: 'LessThan', threshold: '0.9' },
  }

  test('that is mended after it failed the rollout is asked anew before it is judged', () => {
    const world = measured(bad)
    world.look(minute)
    expect(world.last?.status.phase).toBe('Halted')
    world.change({ gates: lenient })
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Soaking', inForce: { gates: lenient } })
    world.metric = good
    world.look(31 * minute)
    expect(world.last?.status.step).toBe(1)
  })

  test('that was edited lets no node of the next step go by the answer to the one before', () => {
    const world = measured(good)
    world.change({ gates: lenient, steps: [{ nodes: 1, soak: '30m' }, { nodes: 2 }] })
    world.look(31 * minute)
    expect(world.last?.status).toMatchObject({ step: 1, reason: 'MetricUnknown' })
    expect(world.free()).toEqual([])
    world.look(1_000)
    expect(world.free()).toEqual(['old-1', 'old-2'])
  })

  test('may be bad for as long as it is allowed to', () => {
    const world = measured(bad, patient)
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Soaking' })
    expect(world.last?.status.badSince).toBeDefined()
    world.metric = good
    world.look(minute)
    expect(world.last?.status.badSince).toBeUndefined()
    world.metric = bad
    world.look(minute)
    world.look(minute)
    expect(world.last?.status.failure).toBeUndefined()
    world.look(minute)
    expect(world.last?.status.failure?.reason).toBe('MetricBad')
  })
})

describe('in a fleet in which something always comes up', () => {
  const isUp = { initialized: true, ready: true, unreadyPods: 0, unreadySince: undefined, unreadyMadeAt: undefined }

  /** At each look a node is on its way, and pods are not ready, that were not there at the look before. */
  function busy(steps: RolloutPolicySpec['steps']): { world: EngineWorld; look(afterMs: number): void } {
    const world = new EngineWorld({ ...(steps === undefined ? {} : { steps }) }, [
      aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: oldNodes(3) }),
    ])
    let looks = 0
    const look = (afterMs: number): void => {
      world.now += afterMs
      looks += 1
      const since = world.now - 5_000
      world.setPool((pool) => ({
        ...pool,
        nodes: [
          ...pool.nodes.map((node) => (node.name.startsWith('busy-') ? aNode(node.name, { ...node, ...isUp }) : node)),
          aNode(`busy-${looks}`, { createdAt: since, image: 'ami-new', initialized: false, ready: false }),
          aNode(`busy-pods-${looks}`, {
            createdAt: since - hour,
            image: 'ami-new',
            unreadyPods: 2,
            unreadySince: since,
            unreadyMadeAt: since,
          }),
        ],
      }))
      world.waitingSince = [since]
      world.look()
    }
    return { world, look }
  }

  test('a step waits for what was on its way when it was reached, soaks, and passes', () => {
    const { world, look } = busy([{ nodes: 1, soak: '10m' }])
    look(0)
    world.replace('old-0')
    look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Progressing', reason: 'PodsNotReady' })
    look(10_000)
    expect(world.last?.status).toMatchObject({ phase: 'Soaking', step: 0 })
    for (let index = 0; index < 10; index += 1) look(minute)
    look(10_000)
    expect(world.last?.status).toMatchObject({ step: 1 })
  })

  test('the last one comes to an end, with a soak and without', () => {
    for (const steps of [undefined, [{ nodes: '100%', soak: '5m' }]]) {
      const { world, look } = busy(steps)
      look(0)
      for (const name of ['old-0', 'old-1', 'old-2']) world.replace(name)
      for (let index = 0; index < 8; index += 1) look(minute)
      expect(world.last?.status.phase).toBe('Completed')
    }
  })

  test('a pod that crashes again and again holds the step all the while, ready for a moment or not', () => {
    const { world, look } = busy([{ nodes: 1, soak: '10m' }])
    look(0)
    world.replace('old-0')
    const crashing = { image: 'ami-new', unreadyPods: 1, unreadyMadeAt: world.now }
    world.setPool((pool) => ({ ...pool, nodes: [...pool.nodes, aNode('crashing', crashing)] }))
    for (let index = 0; index < 30; index += 1) {
      const node = aNode('crashing', { ...crashing, unreadySince: world.now })
      world.setPool((pool) => ({ ...pool, nodes: pool.nodes.map((each) => (each.name === 'crashing' ? node : each)) }))
      look(minute)
    }
    expect(world.last?.status).toMatchObject({ phase: 'Soaking', reason: 'PodsNotReady', step: 0 })
  })

  test('what was on its way holds the step until it is up, and fails it when it never is', () => {
    const { world, look } = busy([{ nodes: 1, soak: '10m' }])
    look(0)
    world.replace('old-0')
    const stuck = aNode('stuck', { createdAt: world.now, image: 'ami-new', unreadyPods: 1, unreadySince: world.now })
    world.setPool((pool) => ({ ...pool, nodes: [...pool.nodes, stuck] }))
    for (let index = 0; index < 9; index += 1) look(minute)
    expect(world.last?.status.step).toBe(0)
    expect(world.last?.status.failure).toBeUndefined()
    look(minute)
    expect(world.last?.status.failure?.reason).toBe('PodsNotReady')
  })
})
