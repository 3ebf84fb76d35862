import { describe, expect, test } from 'vitest'
import type { RolloutPolicySpec } from '../../../../src/api/karpenter.ts'
import { aNode, aPoolOf, EngineWorld, newImageClass, oldNodes } from '../../../support/rollout-facts.ts'
import { hour, minute } from '../../../support/rolling-world.ts'

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
