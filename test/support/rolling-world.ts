import type { RolloutGates } from '../../src/api/karpenter.ts'
import type { NodeFacts } from '../../src/rollout/engine/index.ts'
import { EngineWorld, aPoolOf, newImageClass, oldNodes } from './rollout-facts.ts'

export const minute = 60_000
export const hour = 60 * minute

export function rolling(gates: RolloutGates = {}, more: object = {}, count = 3): EngineWorld {
  const pool = aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: oldNodes(count) })
  const world = new EngineWorld({ steps: [{ nodes: 1, soak: '30m' }], gates, ...more }, [pool])
  world.look()
  return world
}

/** The canary's new node is in service, with these facts. */
export function soaking(gates: RolloutGates = {}, facts: Partial<NodeFacts> = {}, more: object = {}): EngineWorld {
  const world = rolling(gates, more)
  world.begin('old-0')
  world.look(minute)
  world.finish('old-0')
  world.setPool((pool) => ({
    ...pool,
    nodes: pool.nodes.map((node) => (node.name === 'new-of-old-0' ? { ...node, ...facts } : node)),
  }))
  world.look(minute)
  return world
}
