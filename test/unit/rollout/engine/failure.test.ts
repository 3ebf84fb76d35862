import { describe, expect, test } from 'vitest'
import type { RolloutPolicySpec } from '../../../../src/api/karpenter.ts'
import type { NodeFacts } from '../../../../src/rollout/engine/index.ts'
import {
  EngineWorld,
  aClassOf,
  aNode,
  aPoolOf,
  newImageClass,
  oldNodes,
  start,
} from '../../../support/rollout-facts.ts'
import { hour, minute, rolling, soaking } from '../../../support/rolling-world.ts'

describe('after a failure', () => {
  const failed = (onFailure: 'Halt' | 'Rollback', spec: Partial<RolloutPolicySpec> = {}): EngineWorld => {
    const world = rolling({ nodeReadyTimeout: '5m' }, { onFailure, ...spec })
    world.begin('old-0')
    world.look(minute)
    world.look(6 * minute)
    return world
  }
  const old = [{ id: 'ami-old', name: 'old' }]

  /**
   * The class has followed the pin: old nodes are up to date again, new ones are not. It has an image for another kind of machines, too, and
   * one that was good before these.
   */
  function follow(world: EngineWorld, nodes: readonly NodeFacts[]): void {
    const images = [...old, { id: 'ami-old-arm', name: 'old for arm' }]
    const lastGood = [{ id: 'ami-older', name: 'older' }]
    const nodeClass = aClassOf({ target: 'class-1', pinnedInsteadOf: 'class-2', images, lastGood })
    world.pools = [aPoolOf({ target: 'pool-1', wanted: 'pool-2', nodeClass, nodes })]
  }

  test('Rollback asks for the last good images until the class has them, and again after a crash', () => {
    const world = failed('Rollback')
    expect(world.transitions()).toEqual(['Halted', 'RollingBack'])
    const wanted = [
      {
        nodeClass: 'default',
        images: old,
        insteadOf: 'class-2',
        reason: expect.stringContaining('new (ami-new) failed'),
      },
    ]
    expect(world.last?.rollbacks).toEqual(wanted)
    world.look(10_000)
    expect(world.last?.rollbacks).toEqual(wanted)
    expect(world.last?.discards).toEqual([])
    expect(world.last?.status.phase).toBe('RollingBack')
  })

  test('a reason that is longer than the class may hold ends in a sign that it was cut', () => {
    const images = [{ id: 'ami-new', name: 'n'.repeat(2_000) }]
    const pool = aPoolOf({ target: 'pool-2', nodeClass: newImageClass({ images }), nodes: oldNodes(3) })
    const world = new EngineWorld({ steps: [{ nodes: 1 }], gates: { nodeReadyTimeout: '5m' }, onFailure: 'Rollback' }, [
      pool,
    ])
    world.look()
    world.begin('old-0')
    world.look(minute)
    world.look(6 * minute)
    const reason = world.last?.rollbacks[0]?.reason
    expect(reason).toMatch(/^the rollout of n+…$/)
    expect(reason).toHaveLength(1_024)
  })

  test('Rollback replaces what the rollout brought, in no steps and at once, and nothing else', () => {
    const world = failed('Rollback')
    const canary = aNode('new-of-old-0', { drift: 'AMIDrift', image: 'ami-new', createdAt: world.now })
    const early = aNode('early', { drift: 'AMIDrift', image: 'ami-new' })
    const untouched = aNode('odd', { drift: 'NodePoolDrifted' })
    follow(world, [aNode('old-1'), canary, early, untouched])
    world.look(minute)
    expect(world.free()).toEqual(['new-of-old-0', 'early'])
    expect(world.last?.gate.changes).toBe(Number.POSITIVE_INFINITY)
    follow(world, [aNode('old-1'), untouched, aNode('again', { createdAt: world.now })])
    world.look(minute)
    expect(world.transitions()).toEqual(['RolledBack'])
    expect(world.last?.status).toMatchObject({
      phase: 'Halted',
      reason: 'RolledBack',
      history: [{ outcome: 'RolledBack', updatedNodes: 1 }],
    })
    expect(world.last?.stalled).toMatchObject([{ reason: 'RolledBack' }])
    expect(world.free()).toEqual([])
  })

  test('Rollback knows its nodes also where no history is kept, and leaves none behind', () => {
    const world = failed('Rollback', { historyLimit: 0 })
    const early = aNode('early', { drift: 'AMIDrift', image: 'ami-new' })
    follow(world, [aNode('old-1'), early])
    world.look(minute)
    expect(world.free()).toEqual(['early'])
    follow(world, [aNode('old-1')])
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Halted', reason: 'RolledBack' })
    expect(world.last?.status.history).toBeUndefined()
  })

  test('Halt keeps no history where none is wanted', () => {
    expect(failed('Halt', { historyLimit: 0 }).last?.status.history).toBeUndefined()
  })

  test.each(['Halt', 'Rollback'] as const)('%s leaves the rate in force for nodes whose time has come', (onFailure) => {
    const world = rolling({ nodeReadyTimeout: '5m' }, { onFailure, rate: { nodes: 1, per: '1h' } })
    world.begin('old-0')
    world.look(minute)
    world.look(59 * minute)
    const aged = ['aged-0', 'aged-1'].map((name) => aNode(name, { drift: 'SoftExpired' }))
    const canary = aNode('new-of-old-0', { drift: 'AMIDrift', image: 'ami-new', createdAt: world.now })
    if (onFailure === 'Rollback') follow(world, [aNode('old-1'), canary, ...aged])
    else world.setPool((pool) => ({ ...pool, nodes: [...oldNodes(3), ...aged] }))
    world.look(hour)
    expect(world.last?.gate.replacements).toBe(1)
    expect(world.free()).toEqual(onFailure === 'Rollback' ? ['new-of-old-0', 'aged-0', 'aged-1'] : ['aged-0', 'aged-1'])
    // Only the node whose time has come pays.
    for (const name of onFailure === 'Rollback' ? ['aged-0', 'new-of-old-0'] : ['aged-0']) {
      world.setPool((pool) => ({
        ...pool,
        nodes: pool.nodes.map((node) => (node.name === name ? { ...node, going: true, goingForDrift: true } : node)),
      }))
    }
    world.look(1_000)
    expect(world.last?.gate.replacements).toBe(0)
    expect(world.last?.status.rate?.paid).toEqual(['aged-0'])
    expect(world.free()).toEqual([])
  })

  test('Rollback takes nodes away that never came up', () => {
    const world = failed('Rollback')
    follow(world, [
      aNode('old-0'),
      aNode('dud', { drift: 'AMIDrift', image: 'ami-new', initialized: false, ready: false }),
      aNode('kept', { drift: 'AMIDrift', image: 'ami-new', initialized: false, ready: false, isKept: true }),
    ])
    world.look(minute)
    expect(world.last?.discards).toEqual(['dud'])
  })

  test('Rollback takes nodes away that came up, are not ready for nodeReadyTimeout and run nothing, unless their pool is paused', () => {
    const world = failed('Rollback')
    const fresh = { drift: 'AMIDrift', image: 'ami-new', createdAt: world.now }
    const broken = { ...fresh, ready: false, unreadyFrom: world.now + minute, hostsPods: false }
    follow(world, [
      aNode('old-0', { ...broken, createdAt: 0, image: 'ami-older' }),
      aNode('dead', broken),
      aNode('leaving', { ...broken, going: true }),
      aNode('at-work', { ...broken, hostsPods: true }),
      aNode('kept', { ...broken, isKept: true }),
      aNode('sound', { ...fresh, hostsPods: false }),
    ])
    world.look(minute)
    expect(world.last?.discards).toEqual([])
    expect(world.last?.wakeAt).toBe(world.now + 5 * minute)
    const pause = { until: world.now + hour, message: 'Paused' }
    world.setPool((pool) => ({ ...pool, pause }))
    world.look(5 * minute)
    expect(world.last?.discards).toEqual([])
    world.setPool((pool) => ({ ...pool, pause: undefined }))
    world.look(1_000)
    expect(world.last?.discards).toEqual(['dead'])
  })

  test('Rollback is over when the last of its classes has the images again', () => {
    const images = newImageClass({ name: 'slow' })
    const slow = aPoolOf({
      name: 'slow',
      target: 'slow-2',
      nodeClass: images,
      nodes: [aNode('s', { drift: 'AMIDrift' })],
    })
    const quick = aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: oldNodes(3) })
    const gates = { nodeReadyTimeout: '5m' }
    const world = new EngineWorld({ steps: [{ nodes: 1 }], gates, onFailure: 'Rollback' }, [quick, slow])
    world.look()
    world.begin('old-0')
    world.look(minute)
    world.look(6 * minute)
    const wanted = () => world.last?.rollbacks.map(({ nodeClass }) => nodeClass)
    expect(wanted()).toEqual(['default', 'slow'])
    follow(world, [aNode('old-1')])
    const [followed = quick] = world.pools
    world.pools = [followed, slow]
    world.look(minute)
    expect(wanted()).toEqual(['slow'])
    expect(world.last?.status.phase).toBe('RollingBack')
    const nodeClass = aClassOf({ name: 'slow', pinnedInsteadOf: 'class-2' })
    world.pools = [followed, { ...slow, target: 'slow-1', wanted: 'slow-2', nodeClass, nodes: [aNode('s')] }]
    world.look(minute)
    expect(wanted()).toEqual([])
    expect(world.transitions()).toEqual(['RolledBack'])
  })

  describe.each([
    ['another image', [{ id: 'ami-other', name: 'other' }]],
    // A fleet in which one class follows the newest image and another one stays behind.
    ['the image that the failed class had before', old],
    ['the image that failed', [{ id: 'ami-new', name: 'new' }]],
  ])('Rollback of one class, beside a pool whose spec has changed and whose class has %s', (_name, images) => {
    const [image] = images
    const edited = aPoolOf({
      name: 'edited',
      target: 'edited-2',
      nodeClass: aClassOf({ name: 'other', images }),
      nodes: ['e-0', 'e-1'].map((name) => aNode(name, { drift: 'NodePoolDrifted', image: image?.id })),
    })
    const world = new EngineWorld({ steps: [{ nodes: 1 }], gates: { nodeReadyTimeout: '5m' }, onFailure: 'Rollback' }, [
      aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: oldNodes(3) }),
      edited,
    ])
    world.look()
    world.begin('old-0')
    world.look(minute)
    world.look(6 * minute)

    test('lets nothing go before the class has its images again', () => {
      expect(world.last?.status.phase).toBe('RollingBack')
      expect(world.free()).toEqual([])
    })

    test('then takes back what the rollout brought, and leaves the other pool as it is', () => {
      const canary = aNode('new-of-old-0', { drift: 'AMIDrift', image: 'ami-new', createdAt: world.now })
      follow(world, [aNode('old-1'), canary])
      world.pools.push(edited)
      world.look(minute)
      expect(world.free()).toEqual(['new-of-old-0'])
      expect(world.holdOf('e-0')).toContain('the rollout has failed')
    })
  })

  test('a node that Rollback brought is left alone when it drifts for another reason before it is up', () => {
    const world = failed('Rollback')
    const dud = aNode('dud', { drift: 'AMIDrift', image: 'ami-new', initialized: false, ready: false })
    const back = aNode('back', { createdAt: world.now, initialized: false, ready: false })
    follow(world, [aNode('old-1'), dud, back])
    world.look(1_000)
    const drifted = { ...back, drift: 'SubnetDrift' }
    follow(world, [aNode('old-1'), dud, drifted])
    world.look(1_000)
    expect(world.last?.discards).toEqual(['dud'])
    expect(world.free()).toEqual(['dud'])
    follow(world, [aNode('old-1'), { ...drifted, initialized: true, ready: true }])
    world.look(minute)
    expect(world.transitions()).toEqual(['RolledBack'])
    expect(world.free()).toEqual([])
  })

  test('a rollback whose nodes fail too halts and goes no further back', () => {
    const world = failed('Rollback')
    const dud = aNode('dud', { createdAt: world.now, initialized: false, ready: false })
    const canary = aNode('canary', { drift: 'AMIDrift', image: 'ami-new' })
    follow(world, [canary, dud])
    world.look(minute)
    world.look(6 * minute)
    expect(world.last?.status.failure).toMatchObject({ reason: 'RollbackFailed', state: 'Halted' })
    expect(world.last?.rollbacks).toEqual([])
    expect(world.free()).toEqual([])
  })

  test('another target ends the matter', () => {
    const world = failed('Rollback')
    const nodeClass = newImageClass({ target: 'class-3' })
    world.pools = [aPoolOf({ target: 'pool-3', nodeClass, nodes: oldNodes(3) })]
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Progressing', step: 0 })
    expect(world.last?.status.failure).toBeUndefined()
    expect(world.last?.status.history).toMatchObject([{ outcome: 'Halted' }])
  })

  test('an image that was good once and fails now gives way to the last good one before it', () => {
    const nodeClass = newImageClass({ isGood: true })
    const world = new EngineWorld({ steps: [{ nodes: 1 }], gates: { nodeReadyTimeout: '5m' }, onFailure: 'Rollback' }, [
      aPoolOf({ target: 'pool-2', nodeClass, nodes: oldNodes(3) }),
    ])
    world.look()
    world.begin('old-0')
    world.look(minute)
    world.look(6 * minute)
    expect(world.last?.rollbacks).toMatchObject([{ nodeClass: 'default', images: old, insteadOf: 'class-2' }])
    expect(world.last?.verdicts).toEqual([{ nodeClass: 'default', images: ['ami-new'], outcome: 'bad' }])
  })

  test('the way back is known after the last node of the earlier image is gone', () => {
    const world = rolling({ podReadyTimeout: '5m' }, { steps: [{ nodes: '100%', soak: '1h' }], onFailure: 'Rollback' })
    for (const name of ['old-0', 'old-1', 'old-2']) world.replace(name)
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Soaking', imageChanges: ['default'] })
    world.setPool((pool) => ({
      ...pool,
      nodes: pool.nodes.map((node) => ({ ...node, unreadyPods: 1, unreadySince: world.now })),
    }))
    world.look(6 * minute)
    expect(world.last?.status.failure).toMatchObject({ reason: 'PodsNotReady', state: 'RollingBack' })
    expect(world.last?.rollbacks).toMatchObject([{ images: old }])
  })

  const [changedNode = aNode('old-0')] = oldNodes(1)
  test.each<[string, readonly NodeFacts[], string[] | undefined]>([
    [
      'one of whose nodes has the new image already is changed',
      [changedNode, aNode('a', { image: 'ami-new' })],
      ['default'],
    ],
    ['whose new image all nodes have is not', [aNode('a', { image: 'ami-new', drift: 'NodePoolDrifted' })], undefined],
    [
      'one of whose nodes has none yet is not by that',
      [aNode('a', { image: 'ami-new', drift: 'NodePoolDrifted' }), aNode('b', { image: '', initialized: false })],
      undefined,
    ],
  ])('of images, a class %s', (_name, nodes, want) => {
    const world = new EngineWorld({ onFailure: 'Rollback' }, [
      aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes }),
    ])
    expect(world.look().status.imageChanges).toEqual(want)
  })

  test('a pool whose node class is not there has no images to return to', () => {
    const nodes = [aNode('old-0', { drift: 'NodePoolDrifted' }), aNode('old-1', { drift: 'NodePoolDrifted' })]
    const world = new EngineWorld({ steps: [{ nodes: 1 }], gates: { nodeReadyTimeout: '5m' }, onFailure: 'Rollback' }, [
      aPoolOf({ target: 'pool-2', nodeClass: undefined, nodes }),
    ])
    world.look()
    world.begin('old-0')
    world.look(6 * minute)
    expect(world.last?.status).toMatchObject({ phase: 'Halted', reason: 'NodesFailed' })
    expect(world.last?.status.message).toContain('there is nothing to return to')
  })

  test('there is no way back when the images did not change, whichever were good before, and the message says so', () => {
    const nodes = oldNodes(3).map((node) => ({ ...node, drift: 'NodePoolDrifted', image: 'ami-new' }))
    const world = new EngineWorld({ steps: [{ nodes: 1 }], gates: { nodeReadyTimeout: '5m' }, onFailure: 'Rollback' }, [
      aPoolOf({ target: 'pool-2', nodeClass: newImageClass({ isGood: true }), nodes }),
    ])
    world.look()
    world.begin('old-0')
    world.look(minute)
    world.look(6 * minute)
    expect(world.last?.status.failure).toMatchObject({ state: 'Halted' })
    expect(world.last?.status.failure?.message).toContain('there is nothing to return to')
    expect(world.last?.rollbacks).toEqual([])
    expect(world.last?.verdicts).toEqual([])
  })

  test.each(['Halt', 'Rollback'] as const)(
    '%s: another pool that begins to change tries nothing again, and waits',
    (onFailure) => {
      const other = aPoolOf({ name: 'other', target: 'other-1', nodeClass: aClassOf({ name: 'other' }) })
      const world = failed(onFailure)
      world.pools = [...world.pools, { ...other, nodes: [aNode('b')] }]
      world.look(10_000)
      const { status } = world.policy
      const nodes = [aNode('b', { drift: 'AMIDrift' }), aNode('late', { drift: 'AMIDrift', createdAt: world.now })]
      world.setPool((pool) => ({ ...pool, target: 'other-2', wanted: 'other-2', nodes }), 'other')
      world.look(10_000)
      expect(world.transitions()).toEqual([])
      expect(world.policy.status).toMatchObject({ revision: status?.revision, phase: status?.phase })
      expect(world.last?.rollbacks.length).toBe(onFailure === 'Halt' ? 0 : 1)
      expect(world.free()).toEqual([])
      expect(world.holdOf('late')).toContain('the rollout has failed')
      // What failed is mended: both begin.
      world.setPool((pool) => ({ ...pool, target: 'pool-3', wanted: 'pool-3' }))
      world.look(10_000)
      expect(world.transitions()[0]).toBe('Started')
      expect(world.policy.status?.startNodes).toBe(4)
    },
  )

  test.each(['Halt', 'Rollback'] as const)(
    '%s: a selector that finds nothing for a while is no other target',
    (onFailure) => {
      const world = failed(onFailure)
      const { status } = world.policy
      const [before] = world.pools
      world.setPool((pool) => ({
        ...pool,
        target: 'pool-none',
        wanted: 'pool-none',
        nodeClass: newImageClass({ target: 'class-none', images: [] }),
      }))
      world.look(10_000)
      expect(world.policy.status).toMatchObject({ phase: status?.phase, failure: status?.failure })
      // Nothing is to be used in the place of images that were not found.
      expect(world.last).toMatchObject({ rollbacks: [], verdicts: [], transitions: [] })
      expect(world.free()).toEqual([])
      world.pools = before === undefined ? [] : [before]
      world.look(10_000)
      expect(world.transitions()).toEqual([])
      expect(world.policy.status).toMatchObject({ phase: status?.phase, startTime: status?.startTime })
    },
  )

  describe('what failed is not tried again', () => {
    type Change = (world: EngineWorld) => void
    const other = aPoolOf({
      name: 'other',
      target: 'other-2',
      nodeClass: newImageClass(),
      nodes: [aNode('b', { drift: 'AMIDrift' })],
    })
    const leave: Change = (world) => void (world.pools = world.pools.filter(({ name }) => name !== 'other'))
    const withdraw: Change = (world) => world.setPool((pool) => ({ ...pool, restartAt: undefined }))
    const cases: Record<string, Change> = {
      'by a pool that leaves': leave,
      'by a restart that is taken back': withdraw,
      'by both, and a pool that comes': (world) => {
        leave(world)
        withdraw(world)
        world.pools = [...world.pools, { ...other, name: 'third' }]
      },
    }
    const failedInTwo = (onFailure: 'Halt' | 'Rollback'): EngineWorld => {
      const pool = aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: oldNodes(3), restartAt: 1 })
      const terms = { steps: [{ nodes: 1 }], gates: { nodeReadyTimeout: '5m' }, onFailure }
      const world = new EngineWorld(terms, [pool, other])
      world.look()
      world.begin('old-0')
      world.look(minute)
      world.look(6 * minute)
      return world
    }

    for (const onFailure of ['Halt', 'Rollback'] as const) {
      test.each(Object.entries(cases))(`%s (${onFailure})`, (_name, change) => {
        const world = failedInTwo(onFailure)
        const { status } = world.policy
        change(world)
        for (let look = 0; look < 3; look += 1) {
          world.look(minute)
          expect(world.transitions()).toEqual([])
          expect(world.policy.status).toMatchObject({ phase: status?.phase, revision: status?.revision })
          expect(world.free()).toEqual([])
        }
        // What a person changes is another matter.
        world.setPool((pool) => ({ ...pool, target: 'pool-3', wanted: 'pool-3' }))
        world.look(minute)
        expect(world.transitions()[0]).toBe('Started')
      })
    }

    test('but by a restart that is asked for since', () => {
      const world = failedInTwo('Halt')
      world.setPool((pool) => ({ ...pool, restartAt: world.now + 1_000 }))
      world.look(2_000)
      expect(world.transitions()[0]).toBe('Started')
    })

    test('but by a changed policy, from the first step on where the pools are others', () => {
      const world = failedInTwo('Halt')
      leave(world)
      world.look(minute)
      world.change({ gates: { nodeReadyTimeout: '1h' } })
      world.look(minute)
      expect(world.transitions()[0]).toBe('Started')
      expect(world.policy.status).toMatchObject({ phase: 'Progressing', step: 0, startNodes: 2 })
    })
  })

  test('is over for a policy that all its pools have left', () => {
    const world = failed('Halt')
    world.pools = []
    world.look(minute)
    expect(world.last?.status).toMatchObject({ phase: 'Idle', reason: 'NoNodePools' })
    expect(world.last?.stalled).toEqual([])
  })

  test('a rollback whose pools have left the policy halts: what is left has nothing to return', () => {
    const elsewhere = aClassOf({ name: 'elsewhere' })
    const nodes = [aNode('b', { drift: 'NodePoolDrifted' })]
    const other = aPoolOf({ name: 'other', target: 'other-2', nodeClass: elsewhere, nodes })
    const pool = aPoolOf({ target: 'pool-2', nodeClass: newImageClass(), nodes: oldNodes(3) })
    const world = new EngineWorld({ steps: [{ nodes: 1 }], gates: { nodeReadyTimeout: '5m' }, onFailure: 'Rollback' }, [
      pool,
      other,
    ])
    world.look()
    world.begin('old-0')
    world.look(minute)
    world.look(6 * minute)
    expect(world.policy.status?.phase).toBe('RollingBack')
    world.pools = [other]
    world.look(minute)
    expect(world.policy.status?.failure).toMatchObject({ state: 'Halted', reason: 'NodesFailed' })
    expect(world.last?.stalled[0]?.message).toContain('have left the policy')
    expect(world.free()).toEqual([])
  })

  test('pods that are not ready on the nodes that are back do not stop a rollback', () => {
    const world = failed('Rollback')
    const dud = aNode('dud', { drift: 'AMIDrift', image: 'ami-new', initialized: false, ready: false })
    follow(world, [aNode('back', { unreadyPods: 1, unreadySince: start, unreadyMadeAt: start }), dud])
    world.look(hour)
    expect(world.last?.status.phase).toBe('RollingBack')
    expect(world.last?.discards).toEqual(['dud'])
  })

  test('a changed policy tries the step again, and none of those before it', () => {
    const steps = [{ nodes: 1, soak: '10m' }, { nodes: 4 }]
    const world = rolling({ nodeReadyTimeout: '5m' }, { steps }, 6)
    world.replace('old-0')
    world.look(minute)
    world.look(10 * minute)
    const { nodes } = world.pools[0] ?? aPoolOf()
    world.begin('old-1')
    world.look(minute)
    world.look(6 * minute)
    expect(world.last?.status).toMatchObject({ phase: 'Halted', step: 1 })
    // The replacement did not come; its node stays in service.
    world.setPool((pool) => ({ ...pool, nodes }))
    world.change({ gates: { nodeReadyTimeout: '1h' } })
    world.look(minute)
    expect(world.last?.status).toMatchObject({ step: 1, stepGoal: 4, replacedNodes: 1 })
    expect(world.last?.gate.changes).toBe(3)
  })

  test('a changed policy tries the first step again', () => {
    const world = failed('Halt')
    expect(world.last?.status.phase).toBe('Halted')
    world.finish('old-0')
    world.change({ gates: { nodeReadyTimeout: '1h' } })
    world.look(minute)
    expect(world.last?.status.failure).toBeUndefined()
    expect(world.last?.status).toMatchObject({ step: 0, stepGoal: 1, phase: 'Soaking' })
  })

  test('a step that fails again names what failed this time, and not what failed it before', () => {
    const world = failed('Halt')
    world.change({ gates: { nodeReadyTimeout: '4m' } })
    world.look(minute)
    expect(world.last?.discards).toEqual(['new-of-old-0'])
    world.setPool((pool) => ({ ...pool, nodes: oldNodes(3) }))
    world.begin('old-1')
    world.look(minute)
    world.look(5 * minute)
    expect(world.last?.status.failure?.message).toBe('1 new node(s) failed to come up, 0 allowed: new-of-old-1')
  })

  test('one that is complete once it was tried again says so in the history with all that it replaced, in one entry', () => {
    const world = failed('Halt')
    expect(world.last?.status.history).toMatchObject([{ outcome: 'Halted', totalNodes: 3, updatedNodes: 1 }])
    world.finish('old-0')
    world.change({ gates: { nodeReadyTimeout: '1h' } })
    world.look(minute)
    world.look(30 * minute)
    for (const name of ['old-1', 'old-2']) world.replace(name)
    world.look(minute)
    expect(world.last?.status.history).toMatchObject([
      { number: 1, outcome: 'Completed', totalNodes: 3, updatedNodes: 3 },
    ])
  })
})

describe('where another policy takes the images of a shared class back', () => {
  /** As the pools of a policy that has not failed look once the class is pinned. */
  function pinnedUnder(world: EngineWorld): void {
    world.setPool((pool) => ({
      ...pool,
      target: 'pool-pinned',
      wanted: 'pool-2',
      nodeClass: aClassOf({ target: 'class-pinned', pinnedInsteadOf: 'class-2' }),
      nodes: pool.nodes.map((node) => ({ ...node, drift: node.image === 'ami-old' ? undefined : 'AMIDrift' })),
    }))
  }

  test('a rollout that has replaced no node yet is over, and was not completed', () => {
    const world = rolling()
    pinnedUnder(world)
    world.look(minute)
    expect(world.transitions()).toEqual([])
    expect(world.last?.status).toMatchObject({ phase: 'Idle', reason: 'UpToDate' })
    expect(world.last?.status.history).toBeUndefined()
  })

  test('a rollout on its way is superseded, and what it brought goes back in steps', () => {
    const world = soaking()
    pinnedUnder(world)
    world.look(minute)
    expect(world.transitions()).toEqual(['Superseded', 'Started', 'StepStarted'])
    expect(world.last?.status).toMatchObject({ startNodes: 1, history: [{ outcome: 'Superseded', updatedNodes: 1 }] })
    expect(world.free()).toEqual(['new-of-old-0'])
    world.look(minute)
    expect(world.transitions()).toEqual([])
    world.setPool((pool) => ({
      ...pool,
      nodes: [...pool.nodes.filter(({ image }) => image === 'ami-old'), aNode('back', { createdAt: world.now })],
    }))
    world.look(minute)
    world.look(30 * minute)
    expect(world.transitions()).toEqual(['Completed'])
    expect(world.last?.verdicts).toEqual([])
  })
})

test('images are not good before the last soak is over, though every node of the class is in order', () => {
  const world = rolling({}, { steps: [{ nodes: '100%', soak: '1h' }] })
  for (const name of ['old-0', 'old-1', 'old-2']) world.replace(name)
  world.look(minute)
  expect(world.last?.status.phase).toBe('Soaking')
  expect(world.last?.verdicts).toEqual([])
  world.look(hour)
  expect(world.last?.verdicts).toEqual([{ nodeClass: 'default', images: ['ami-new'], outcome: 'good' }])
})

test('images are good once every node of the class is in order, and nothing is rolled out', () => {
  const nodeClass = newImageClass({ lastGood: undefined })
  const world = new EngineWorld({}, [aPoolOf({ nodeClass, nodes: [aNode('a', { image: 'ami-new' })] })])
  expect(world.look().verdicts).toEqual([{ nodeClass: 'default', images: ['ami-new'], outcome: 'good' }])
  world.setPool((pool) => ({ ...pool, nodes: [aNode('a', { ready: false })] }))
  expect(world.look().verdicts).toEqual([])
  world.setPool((pool) => ({ ...pool, nodes: [] }))
  expect(world.look().verdicts).toEqual([])
})
