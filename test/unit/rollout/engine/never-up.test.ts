import { expect, test } from 'vitest'
import type { RolloutPolicySpec } from '../../../../src/api/karpenter.ts'
import type { NodeFacts, PoolFacts } from '../../../../src/rollout/engine/index.ts'
import { EngineWorld, aNode, aPoolOf, newImageClass, oldNodes, start } from '../../../support/rollout-facts.ts'
import { minute } from '../../../support/rolling-world.ts'

interface Case {
  /** Of the node of an earlier rollout, ten minutes old and to be replaced. */
  readonly node?: Partial<NodeFacts>
  readonly pool?: Partial<PoolFacts>
  readonly spec?: Partial<RolloutPolicySpec>
  readonly want: 'deleted' | 'left'
}

const pause = { until: start + 60 * minute, message: 'Paused' }

const cases: Readonly<Record<string, Case>> = {
  'one that had its time is deleted': { want: 'deleted' },
  'one may take as long as the gates say': { spec: { gates: { nodeReadyTimeout: '11m' } }, want: 'left' },
  'its time is over when it is, inclusive': { spec: { gates: { nodeReadyTimeout: '10m' } }, want: 'deleted' },
  'one that is what is wanted stays to be looked at': { node: { drift: undefined }, want: 'left' },
  'one that came up is left to the disruption loop': { node: { initialized: true }, want: 'left' },
  'one on which pods run all the same is left': { node: { ready: true, hostsPods: true }, want: 'left' },
  'one without an instance ends by itself': { node: { launched: false }, want: 'left' },
  'one that is on its way out is left': { node: { going: true }, want: 'left' },
  'one that somebody wants to look at is left': { node: { isKept: true }, want: 'left' },
  'a pause holds it': { pool: { pause }, want: 'left' },
  'an approval that lacks holds it': { spec: { mode: 'Approve' }, want: 'left' },
  'a window that is closed holds it': {
    spec: { windows: [{ schedule: '0 0 * * *', duration: '1h' }] },
    want: 'left',
  },
  'a policy that reports holds nothing, and takes nothing': { spec: { mode: 'Observe' }, want: 'left' },
}

test.each(Object.entries(cases))('of nodes that never came up, %s', (_name, { node, pool, spec, want }) => {
  const dud = aNode('dud', {
    drift: 'AMIDrift',
    image: 'ami-bad',
    createdAt: start - 10 * minute,
    initialized: false,
    ready: false,
    ...node,
  })
  const nodes = [...oldNodes(3), dud]
  const world = new EngineWorld({ steps: [{ nodes: 1 }], gates: { nodeReadyTimeout: '5m' }, ...spec }, [
    aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes, ...pool }),
  ])
  world.look()
  expect(world.last?.discards).toEqual(want === 'deleted' ? ['dud'] : [])
})

const died: Partial<NodeFacts> = { initialized: true, unreadyFrom: start - 10 * minute }

const deadCases: Readonly<Record<string, Case>> = {
  'one of a bad image is deleted, since it uses up the budget of its pool': { want: 'deleted' },
  'one that died just now may come back': { node: { unreadyFrom: start - 4 * minute }, want: 'left' },
  'one that is ready is left to the disruption loop': { node: { unreadyFrom: undefined, ready: true }, want: 'left' },
  'one that still holds pods is left': { node: { hostsPods: true }, want: 'left' },
  'one of another image is left': { node: { image: 'ami-old' }, want: 'left' },
  'one that is what is wanted stays to be looked at': { node: { drift: undefined }, want: 'left' },
  'one that is on its way out is left': { node: { going: true }, want: 'left' },
  'one that somebody wants to look at is left': { node: { isKept: true }, want: 'left' },
  'a pause holds it': { pool: { pause }, want: 'left' },
  'an approval that lacks holds it': { spec: { mode: 'Approve' }, want: 'left' },
}

test.each(Object.entries(deadCases))('of nodes that came up and died, %s', (_name, { node, pool, spec, want }) => {
  const dead = aNode('dead', { drift: 'AMIDrift', image: 'ami-bad', ready: false, ...died, ...node })
  const nodeClass = newImageClass({ badImages: new Set(['ami-bad']) })
  const world = new EngineWorld({ steps: [{ nodes: 1 }], gates: { nodeReadyTimeout: '5m' }, ...spec }, [
    aPoolOf({ target: 'pool-2', nodeClass, nodes: [...oldNodes(3), dead], ...pool }),
  ])
  world.look()
  expect(world.last?.discards).toEqual(want === 'deleted' ? ['dead'] : [])
})

test('a look is due when a node that may still come up has had its time', () => {
  const coming = aNode('coming', { drift: 'AMIDrift', createdAt: start - 2 * minute, initialized: false, ready: false })
  const world = new EngineWorld({ gates: { nodeReadyTimeout: '5m' } }, [
    aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: [...oldNodes(1), coming] }),
  ])
  world.look()
  expect(world.last?.discards).toEqual([])
  expect(world.last?.wakeAt).toBe(start + 3 * minute)
  world.look(3 * minute)
  expect(world.last?.discards).toEqual(['coming'])
})

test('a new node that has failed and is tolerated is deleted, for the next try would find its room', () => {
  const world = new EngineWorld({ steps: [{ nodes: 1 }], gates: { nodeReadyTimeout: '5m', maxFailedNodes: 1 } }, [
    aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: oldNodes(3) }),
  ])
  world.look()
  world.begin('old-0')
  world.look(minute)
  expect(world.last?.discards).toEqual([])
  world.setPool((pool) => ({ ...pool, pause }))
  world.look(6 * minute)
  expect(world.last?.status).toMatchObject({ failedNodes: 1 })
  expect(world.last?.discards).toEqual([])
  world.setPool((pool) => ({ ...pool, pause: undefined }))
  world.look(minute)
  expect(world.last?.discards).toEqual(['new-of-old-0'])
  const { nodes } = aPoolOf({ nodes: oldNodes(3) })
  world.setPool((pool) => ({ ...pool, nodes }))
  world.look(minute)
  expect(world.last?.status).toMatchObject({ phase: 'Progressing', failedNodes: 1, replacedNodes: 0 })
  expect(world.last?.discards).toEqual([])
})

test.each([
  ['another machine', '5m', ['new-of-old-0']],
  ['the same one where it is given more time', '1h', []],
])('where the policy changes, the step is tried again with %s', (_what, nodeReadyTimeout, discards) => {
  const world = halted()
  world.change({ gates: { nodeReadyTimeout } })
  world.look(minute)
  expect(world.last?.status.phase).toBe('Progressing')
  expect(world.last?.status.failedNodes).toBeUndefined()
  expect(world.last?.discards).toEqual(discards)
})

test('as long as a rollout stands halted, what it brought stays', () => {
  const world = halted()
  const drifts = (node: NodeFacts): NodeFacts => ({ ...node, drift: node.drift ?? 'SecurityGroupDrift' })
  world.setPool((pool) => ({ ...pool, nodes: pool.nodes.map(drifts) }))
  world.look(minute)
  expect(world.last?.discards).toEqual([])
})

/** A rollout of three nodes whose canary has not come up in time. */
function halted(): EngineWorld {
  const world = new EngineWorld({ steps: [{ nodes: 1 }], gates: { nodeReadyTimeout: '5m' } }, [
    aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: oldNodes(3) }),
  ])
  world.look()
  world.begin('old-0')
  world.look(minute)
  world.look(6 * minute)
  expect(world.last?.status.phase).toBe('Halted')
  return world
}
