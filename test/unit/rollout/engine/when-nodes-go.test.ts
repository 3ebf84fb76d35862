import { describe, expect, test } from 'vitest'
import type { RolloutGates, RolloutPolicySpec } from '../../../../src/api/karpenter.ts'
import type { NodeFacts } from '../../../../src/rollout/engine/index.ts'
import { aNode, aPoolOf, EngineWorld, newImageClass, oldNodes, start } from '../../../support/rollout-facts.ts'

const minute = 60_000
const hour = 60 * minute

const changed = (count: number) => aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: oldNodes(count) })

describe('when nodes may go', () => {
  const evening = [{ schedule: '0 20 * * *', duration: '1h' }]

  test('outside windows nothing begins, and what has begun goes on', () => {
    const world = new EngineWorld({ windows: evening, steps: [{ nodes: 1 }] }, [changed(2)])
    world.look()
    expect(world.holdOf('old-0')).toContain('no window is open before 2026-05-04T20:00:00Z')
    world.look(8 * hour + minute)
    expect(world.free()).toHaveLength(2)
    expect(world.last?.gate.validUntil).toBe(Date.parse('2026-05-04T21:00:00Z'))
    world.begin('old-0', { initialized: true, ready: true })
    world.look(hour)
    expect(world.last?.status).toMatchObject({ phase: 'Progressing', replacedNodes: 1 })
    world.finish('old-0')
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Waiting', step: 1 })
  })

  test('a window that has closed is waited for only where nodes are left for it', () => {
    const world = new EngineWorld({ windows: evening, steps: [{ nodes: 1 }] }, [changed(2)])
    world.look(8 * hour + 55 * minute)
    world.begin('old-0')
    world.look(10 * minute)
    expect(world.last?.status).toMatchObject({ phase: 'Progressing', reason: 'NodesNotReady' })
    expect(world.last?.status.nextWindowTime).toBeUndefined()
    world.finish('old-0')
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Waiting', reason: 'WindowClosed' })
    world.look(23 * hour + 30 * minute)
    expect(world.free()).toEqual(['old-1'])
    world.begin('old-1', { initialized: true, ready: true })
    world.look(hour)
    expect(world.last?.status).toMatchObject({ phase: 'Progressing', message: 'step 2 of 2: 2 of 2 node(s)' })
  })

  test('where all that is left is paused, that is what the rollout waits for, though other pools are through', () => {
    const pause = { until: start + 24 * hour, message: 'Paused until tomorrow by NodePool/back' }
    const nodes = [aNode('back-0', { drift: 'AMIDrift' })]
    const back = aPoolOf({ name: 'back', target: 'pool-2', nodeClass: newImageClass(), nodes, pause })
    const world = new EngineWorld({ steps: [{ nodes: 1 }] }, [changed(2), back])
    world.look()
    world.begin('old-0', { initialized: true, ready: true })
    world.begin('old-1', { initialized: true, ready: true })
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Progressing' })
    world.finish('old-0')
    world.finish('old-1')
    world.look(minute)
    world.look(minute)
    expect(world.last?.status).toMatchObject({
      phase: 'Paused',
      reason: 'Paused',
      message: 'step 2 of 2: 2 of 3 node(s); Paused until tomorrow by NodePool/back',
    })
    world.look(minute)
    expect(world.transitions()).toEqual([])
  })

  test('windows that do not cover drift do not hold it', () => {
    const world = new EngineWorld({ windows: evening, covers: ['Consolidation'] }, [changed(2)])
    world.look()
    expect(world.free()).toHaveLength(2)
    expect(world.last?.status.phase).toBe('Progressing')
    expect(world.last?.gate.consolidation?.message).toContain('no window is open')
  })

  test('windows hold consolidation where they cover it and are closed', () => {
    const held = (covers: RolloutPolicySpec['covers'], afterMs: number) =>
      new EngineWorld({ windows: evening, ...(covers === undefined ? {} : { covers }) }, [changed(2)]).look(afterMs)
        .gate.consolidation
    expect(held(['Drift', 'Consolidation'], 0)).toBeDefined()
    expect(held(['Drift', 'Consolidation'], 8 * hour + minute)).toBeUndefined()
    expect(held(undefined, 0)).toBeUndefined()
  })

  test('past the deadline, the end of a window holds no node for a moment either', () => {
    const world = new EngineWorld({ windows: evening, deadline: '2h' }, [changed(2)])
    world.look()
    expect(world.look(8 * hour + minute).gate.validUntil).toBeUndefined()
  })

  test('windows that never open are told as the reason why it stalls', () => {
    const world = new EngineWorld({ windows: [{ schedule: '0 0 31 2 *', duration: '1h' }] }, [changed(2)])
    world.look()
    expect(world.last?.stalled).toMatchObject([{ reason: 'WindowsNeverOpen' }])
  })

  test.each([{ windows: [{ schedule: '0 0 31 2 *', duration: '1h' }] }, { sharedBudget: '0' }])(
    'what holds other disruption alone stalls no rollout: %j',
    (spec) => {
      const world = new EngineWorld({ ...spec, covers: ['Consolidation'] }, [changed(2)])
      world.look()
      expect(world.free()).toHaveLength(2)
      expect(world.last?.stalled).toEqual([])
    },
  )

  test('past the deadline windows, steps and soaks hold no more', () => {
    const world = new EngineWorld({ windows: evening, steps: [{ nodes: 1, soak: '100h' }], deadline: '2h' }, [
      changed(3),
    ])
    world.look()
    expect(world.last?.status.deadlineTime).toBe('2026-05-04T14:00:00Z')
    world.look(2 * hour - 1_000)
    expect(world.free()).toEqual([])
    world.look(1_000)
    expect(world.transitions()).toEqual(['DeadlineExceeded'])
    expect(world.free()).toHaveLength(3)
    for (const name of ['old-0', 'old-1', 'old-2']) world.replace(name)
    world.look(minute)
    expect(world.last?.status.phase).toBe('Completed')
  })

  test('where a deadline that has passed is moved on, steps hold again, from the one that the nodes have come to', () => {
    const steps = [{ nodes: 1, soak: '10h' }, { nodes: 4, soak: '10h' }, { nodes: 6 }]
    const world = new EngineWorld({ steps, deadline: '1h' }, [changed(10)])
    world.look()
    world.replace('old-0')
    world.look(hour)
    expect(world.last?.gate.changes).toBe(Number.POSITIVE_INFINITY)
    world.replace('old-1')
    world.change({ deadline: '100h' })
    world.look(minute)
    expect(world.last?.status).toMatchObject({ step: 1, stepGoal: 4, replacedNodes: 2 })
    expect(world.last?.gate.changes).toBe(2)
    for (const name of ['old-2', 'old-3']) world.replace(name)
    world.look(minute)
    expect(world.last?.status.phase).toBe('Soaking')
    expect(world.free()).toEqual([])
  })

  test('past the deadline neither windows that never open nor a query without an answer stall it: it goes on', () => {
    const gates: RolloutGates = {
      prometheus: { address: 'http://prometheus', query: 'errors', operator: 'LessThan', threshold: '0.1' },
    }
    const windows = [{ schedule: '0 0 31 2 *', duration: '1h' }]
    const world = new EngineWorld({ windows, gates, deadline: '2h' }, [changed(2)])
    world.metric = { kind: 'unknown', message: 'status 503', since: start }
    world.look()
    world.look(hour)
    expect(world.last?.stalled).toMatchObject([{ reason: 'WindowsNeverOpen' }, { reason: 'MetricUnknown' }])
    world.look(hour)
    expect(world.last?.stalled).toEqual([])
    expect(world.free()).toEqual(['old-0', 'old-1'])
  })

  test('past the deadline a pause, the rate and a failure still hold', () => {
    const world = new EngineWorld({ deadline: '1h', rate: { nodes: 1, per: '10h' } }, [changed(3)])
    world.look()
    world.begin('old-0', { initialized: true, ready: true })
    world.look(2 * hour)
    expect(world.free()).toEqual([])
    expect(world.holdOf('old-1')).toContain('the rate')
    world.setPool((pool) => ({ ...pool, pause: { until: start + 30 * hour, message: 'Paused until tomorrow' } }))
    world.look(9 * hour)
    expect(world.holdOf('old-1')).toBe('Paused until tomorrow')
  })

  test('a rate that is used up is told only where a node waits for it', () => {
    const told = (world: EngineWorld) => world.look(minute).status.reason
    const busy = { initialized: true, ready: true }
    const world = new EngineWorld({ steps: [{ nodes: 2 }], rate: { nodes: 1, per: '1h' } }, [changed(3)])
    world.look()
    world.begin('old-0', busy)
    expect(told(world)).toBe('RateLimited')
    world.look(hour)
    world.begin('old-1', busy)
    // The step has its nodes; what it waits for is that they go.
    expect(told(world)).toBe('Progressing')
    world.finish('old-0')
    world.finish('old-1')
    world.look(hour)
    world.begin('old-2', busy)
    expect(told(world)).toBe('Progressing')
  })

  test('the rate bounds how many begin, maintenance included', () => {
    const world = new EngineWorld({ rate: { nodes: 1, per: '1h' } }, [
      aPoolOf({ ...changed(2), nodes: [...oldNodes(2), aNode('aged', { drift: 'SoftExpired' })] }),
    ])
    world.look()
    expect(world.last?.gate.replacements).toBe(1)
    world.begin('old-0')
    world.look(minute)
    expect(world.free()).toEqual([])
    world.finish('old-0')
    world.look(59 * minute)
    expect(world.free()).toEqual([])
    world.look(minute)
    expect(world.free()).toEqual(['old-1', 'aged'])
  })

  test('one that goes before its claim says why is taken off the rate until it does', () => {
    const world = new EngineWorld({ rate: { nodes: 1, per: '1h' } }, [changed(3)])
    const goes = (facts: Partial<NodeFacts>): void =>
      world.setPool((pool) => ({
        ...pool,
        nodes: pool.nodes.map((node) => (node.name === 'old-0' ? { ...node, going: true, ...facts } : node)),
      }))
    goes({ goingUntold: true })
    world.look()
    expect(world.last?.gate.replacements).toBe(0)
    expect(world.last?.status.rate).toBeUndefined()
    goes({ goingUntold: false })
    world.look(minute)
    expect(world.last?.gate.replacements).toBe(1)
    goes({ goingForDrift: true })
    world.look(minute)
    expect(world.last?.gate.replacements).toBe(0)
    expect(world.last?.status.rate?.paid).toEqual(['old-0'])
  })

  test('one that was broken off is free to begin again until the bucket is full, which is a time to wake at', () => {
    const world = new EngineWorld({ rate: { nodes: 2, per: '1h' } }, [changed(3)])
    const goes = (isGoing: boolean): void =>
      world.setPool((pool) => ({
        ...pool,
        nodes: pool.nodes.map((node) =>
          node.name === 'old-0' ? { ...node, going: isGoing, goingForDrift: isGoing } : node,
        ),
      }))
    world.look()
    goes(true)
    world.look(minute)
    goes(false)
    world.look(minute)
    expect(world.last?.status.rate?.paid).toEqual(['old-0'])
    const full = start + 31 * minute
    expect(world.last?.wakeAt).toBe(full)
    world.look(full - world.now)
    expect(world.last?.status.rate).toBeUndefined()
    expect(world.last?.gate.replacements).toBe(2)
  })

  test('a young image waits until it is old enough', () => {
    const nodeClass = newImageClass({ youngestImageAt: start - hour })
    const world = new EngineWorld({ minImageAge: '3h' }, [aPoolOf({ ...changed(2), nodeClass })])
    world.look()
    expect(world.last?.status).toMatchObject({ phase: 'Waiting', reason: 'ImageTooYoung' })
    expect(world.last?.wakeAt).toBe(start + 2 * hour)
    world.look(2 * hour)
    expect(world.free()).toHaveLength(2)
  })

  test.each([
    { minImageAge: '3h', youngestImageAt: undefined },
    { minImageAge: undefined, youngestImageAt: start },
  ])('nothing waits for an age that nobody knows or asks for: %j', ({ minImageAge, youngestImageAt }) => {
    const nodeClass = newImageClass({ youngestImageAt })
    const spec = minImageAge === undefined ? {} : { minImageAge }
    const world = new EngineWorld(spec, [aPoolOf({ ...changed(2), nodeClass })])
    world.look()
    expect(world.free()).toHaveLength(2)
  })

  test('nodes whose time has come go outside steps and approvals', () => {
    const nodes = [aNode('aged', { drift: 'SoftExpired' })]
    const world = new EngineWorld({ mode: 'Approve', steps: [{ nodes: 1, soak: '10h' }] }, [aPoolOf({ nodes })])
    world.look()
    expect(world.free()).toEqual(['aged'])
    expect(world.last?.status.startTime).toBeUndefined()
  })

  test('a shared budget of nothing is told as the reason why it stalls', () => {
    const world = new EngineWorld({ sharedBudget: '0%' }, [changed(2)])
    world.look()
    expect(world.last?.stalled).toMatchObject([{ reason: 'SharedBudgetIsZero' }])
  })
})

test('what keeps nodes is counted by pool and told by reason, most nodes first', () => {
  const blocked = (reason: string) => ({ drift: 'AMIDrift', blocked: { reason, message: `${reason} says so` } })
  const nodeClass = newImageClass()
  const world = new EngineWorld({}, [
    aPoolOf({ name: 'a', target: 'a-2', nodeClass, nodes: [aNode('a-1', blocked('PodDoNotDisrupt')), ...oldNodes(1)] }),
    aPoolOf({
      name: 'b',
      target: 'b-2',
      nodeClass,
      nodes: [aNode('b-2', blocked('PDBBlocked')), aNode('b-1', blocked('PDBBlocked'))],
    }),
  ])
  expect(world.look().status).toMatchObject({
    blockedNodes: 3,
    blockedBy: [
      { reason: 'PDBBlocked', nodes: 2, message: 'b-1: PDBBlocked says so' },
      { reason: 'PodDoNotDisrupt', nodes: 1, message: 'a-1: PodDoNotDisrupt says so' },
    ],
    nodePools: [
      { name: 'a', blockedNodes: 1 },
      { name: 'b', blockedNodes: 2 },
    ],
  })
})
