import { describe, expect, test } from 'vitest'
import type { RolloutGates } from '../../../../src/api/karpenter.ts'
import type { MetricAnswer } from '../../../../src/rollout/engine/index.ts'
import { aPoolOf, EngineWorld, newImageClass, oldNodes } from '../../../support/rollout-facts.ts'
import { minute, rolling } from '../../../support/rolling-world.ts'

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
