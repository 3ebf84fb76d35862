import { describe, expect, test } from 'vitest'
import { nodeRepair } from '../../../../src/controllers/health/index.ts'
import { DisruptionBrake } from '../../../../src/controllers/disruption-brake.ts'
import type { BrakeLimit } from '../../../../src/disruption/brake.ts'
import { conditionsMoved, decideRepair, type RepairRule } from '../../../../src/disruption/repair.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { toTimestamp } from '../../../../src/model/clock.ts'
import { aClaim, aNode, aPool } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'

const minute = 60_000
const rules: readonly RepairRule[] = [
  { conditionType: 'Ready', conditionStatus: 'False', tolerationMs: 30 * minute },
  { conditionType: 'Ready', conditionStatus: 'Unknown', tolerationMs: 30 * minute },
  { conditionType: 'AcceleratedHardwareReady', conditionStatus: 'False', tolerationMs: 10 * minute },
]
const now = Date.parse('2026-01-01T12:00:00Z')
const condition = (type: string, status: 'True' | 'False' | 'Unknown', minutesAgo: number) => ({
  type,
  status,
  lastTransitionTime: toTimestamp(now - minutesAgo * minute),
})
const health = (...conditions: ReturnType<typeof condition>[]) => ({ status: { conditions } })
const sick = health(condition('Ready', 'False', 31))
const fine = health(condition('Ready', 'True', 31))

describe('the decision', () => {
  const allowed: Record<string, [nodes: number, unhealthy: number, want: string]> = {
    'case 134: 2 of 10': [10, 2, 'repair'],
    'case 134: 3 of 10': [10, 3, 'blocked'],
    'case 134: 1 of 3': [3, 1, 'repair'],
    '2 of 3': [3, 2, 'blocked'],
    '1 of 5': [5, 1, 'repair'],
    '2 of 6': [6, 2, 'repair'],
    '3 of 11': [11, 3, 'repair'],
    '4 of 11': [11, 4, 'blocked'],
    // A fifth is exact: 35 × 0.2 in floating point is a little more than 7.
    '8 of 35': [35, 8, 'blocked'],
  }
  test.each(Object.entries(allowed))('%s unhealthy', (_name, [count, unhealthy, want]) => {
    const peers = Array.from({ length: count }, (_, i) => (i < unhealthy ? sick : fine))
    expect(decideRepair(sick, rules, { now, peers: () => peers }).kind).toBe(want)
  })

  test('case 136: the rule that falls due first counts', () => {
    const node = health(condition('Ready', 'Unknown', 25), condition('AcceleratedHardwareReady', 'False', 9))
    expect(decideRepair(node, rules, { now, peers: () => [node] })).toEqual({ kind: 'tolerated', remainingMs: minute })
  })

  test('at the instant itself it acts', () => {
    const node = health(condition('Ready', 'False', 30))
    expect(decideRepair(node, rules, { now, peers: () => [node] })).toEqual({ kind: 'repair', conditionType: 'Ready' })
  })

  const unsaid: Record<string, object> = {
    'does not say since when': {},
    'says so with null, as Go writes a time that was never set': { lastTransitionTime: null },
    'says that it is to come': { lastTransitionTime: toTimestamp(now + minute) },
  }
  test.each(Object.entries(unsaid))('a condition that %s has begun now', (_name, since) => {
    const node = { status: { conditions: [{ type: 'Ready', status: 'False' as const, ...since }] } }
    expect(decideRepair(node, rules, { now, peers: () => [node] })).toEqual({
      kind: 'tolerated',
      remainingMs: 30 * minute,
    })
  })

  test('a condition that is not there, or says something else, is fine', () => {
    expect(decideRepair(health(), rules, { now, peers: () => [] })).toEqual({ kind: 'healthy' })
    const unknown = health(condition('AcceleratedHardwareReady', 'Unknown', 60))
    expect(decideRepair(unknown, rules, { now, peers: () => [] })).toEqual({ kind: 'healthy' })
  })

  test('nodes within their toleration count as unhealthy, too', () => {
    const fresh = health(condition('Ready', 'False', 1))
    expect(decideRepair(sick, rules, { now, peers: () => [sick, fresh, fresh, ...Array(5).fill(fine)] }).kind).toBe(
      'blocked',
    )
  })

  test('only changes of conditions matter', () => {
    const moved = health(condition('Ready', 'False', 30))
    expect(conditionsMoved(sick, sick)).toBe(false)
    expect(conditionsMoved(sick, moved)).toBe(true)
    expect(conditionsMoved(sick, health())).toBe(true)
    expect(conditionsMoved(health(), sick)).toBe(true)
    expect(conditionsMoved(sick, fine)).toBe(true)
  })
})

describe('the controller', () => {
  const labels = { 'karpenter.sh/nodepool': 'default', 'karpenter.sh/capacity-type': 'spot' }
  const annotation = 'karpenter.sh/nodeclaim-termination-timestamp'

  async function aFleet(options: {
    unhealthy: number
    count: number
    labels?: Readonly<Record<string, string>>
    annotation?: (now: number) => string
    brake?: BrakeLimit
  }) {
    const world = aControllerWorld()
    world.cloud.repairPolicies.push(...rules)
    await world.kube.create(nodePools, aPool())
    const nodeLabels = options.labels ?? labels
    for (let i = 0; i < options.count; i++) {
      const providerID = `aws:///a/i-${i}`
      const annotations =
        options.annotation === undefined ? {} : { [annotation]: options.annotation(world.clock.now()) }
      await world.kube.create(
        nodeClaims,
        aClaim(`c${i}`, {
          metadata: { labels: nodeLabels, annotations, finalizers: ['hold'] },
          status: { providerID, imageID: 'ami-1' },
        }),
      )
      const broken = i < options.unhealthy
      const conditions = [
        {
          type: 'Ready',
          status: broken ? ('False' as const) : ('True' as const),
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ]
      await world.kube.create(
        nodes,
        aNode(`n${i}`, { metadata: { labels: nodeLabels }, providerID, status: { conditions } }),
      )
    }
    const brake = options.brake === undefined ? world.brake : new DisruptionBrake(world.clock, options.brake)
    await world.start(nodeRepair({ ...world, brake }))
    const deleting = async () =>
      (await world.kube.list(nodeClaims)).items
        .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
        .map(({ metadata }) => metadata.name)
    return { world, deleting }
  }

  test('a node is replaced at the end of its toleration, without patience for its pods', async () => {
    const { world, deleting } = await aFleet({ unhealthy: 1, count: 5 })
    await world.run(30 * minute - 1_000)
    expect(await deleting()).toEqual([])
    await world.run(1_000)
    expect(await deleting()).toEqual(['c0'])
    const claim = await world.read(nodeClaims, { name: 'c0' })
    expect(claim.metadata.annotations?.[annotation]).toBe('2026-01-01T00:30:00Z')
    expect(world.logged('deleting unhealthy node')).toHaveLength(1)
    expect(
      world.counts.sum('karpenter_nodeclaims_unhealthy_disrupted_total', {
        condition: 'ready',
        nodepool: 'default',
        capacity_type: 'spot',
        image_id: 'ami-1',
      }),
    ).toBe(1)
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total', { reason: 'unhealthy' })).toBe(1)
  })

  test('of nodes that are all to be repaired at once, as many go as the brake allows', async () => {
    const { world, deleting } = await aFleet({ unhealthy: 4, count: 20, brake: { nodes: 2, windowMs: 60 * minute } })
    await world.run(30 * minute - 1_000)
    expect(await deleting()).toEqual([])
    // Of the time before the first repair nothing is known.
    await world.run(60 * minute)
    expect(await deleting()).toEqual([])
    await world.run(6 * minute)
    expect(await deleting()).toHaveLength(2)
    await world.run(53 * minute)
    expect(await deleting()).toHaveLength(2)
    await world.run(12 * minute)
    expect(await deleting()).toHaveLength(4)
    expect(world.events('NodeRepairBlocked')[0]).toBe(
      'no more than 2 node(s) within 1h0m0s are repaired (--disruption-brake); the next may go at 2026-01-01T01:30:00Z',
    )
  })

  test('the brake does not count a node twice whose claim was changed by others in between, nor one that goes already', async () => {
    const { world, deleting } = await aFleet({ unhealthy: 1, count: 20, brake: { nodes: 2, windowMs: 60 * minute } })
    await world.run(3 * 60 * minute - 1)
    expect(await deleting()).toEqual(['c0'])
    const sick = { type: 'Ready', status: 'False' as const, lastTransitionTime: '2026-01-01T03:00:00Z' }
    let conflicts = 0
    world.kube.fault = ({ operation, name }) => {
      if (operation !== 'patch' || name !== 'c1' || conflicts === 3) return
      conflicts += 1
      throw new KubeError('Conflict', 409, 'changed')
    }
    for (const name of ['n1', 'n2'])
      await world.kube.patch(nodes, { name }, { kind: 'merge', body: { status: { conditions: [sick] } } })
    await world.run(31 * minute)
    expect(conflicts).toBe(3)
    expect(await deleting()).toEqual(['c0', 'c1', 'c2'])
  })

  test('a node that turns unready again, at the very time that a clock set back shows once more, has its patience anew', async () => {
    const { world, deleting } = await aFleet({ unhealthy: 1, count: 5 })
    const tell = (status: 'True' | 'False', lastTransitionTime: string): Promise<unknown> => {
      const body = { status: { conditions: [{ type: 'Ready', status, lastTransitionTime }] } }
      return world.kube.patch(nodes, { name: 'n0' }, { kind: 'merge', body })
    }
    await world.run(minute)
    await tell('True', '2026-01-01T00:01:00Z')
    await world.run(40 * minute)
    world.clock.jump(-41 * minute)
    await tell('False', '2026-01-01T00:00:00Z')
    await world.run(29 * minute)
    expect(await deleting()).toEqual([])
    await world.run(minute)
    expect(await deleting()).toEqual(['c0'])
  })

  const unseen: Record<string, (tell: (status: 'True' | 'False') => Promise<unknown>) => Promise<unknown>> = {
    'has recovered': (tell) => tell('True'),
    'has recovered and turned unready anew': (tell) => tell('False'),
  }
  test.each(Object.entries(unseen))(
    'a node that %s, of which no watch has told, is not repaired',
    async (_how, happen) => {
      const { world, deleting } = await aFleet({ unhealthy: 1, count: 5 })
      await world.run(29 * minute)
      world.kube.delivers = (event) => event.type === 'BOOKMARK' || event.object.kind !== 'Node'
      await happen((status) => {
        const conditions = [{ type: 'Ready', status, lastTransitionTime: '2026-01-01T00:29:30Z' }]
        return world.kube.patch(nodes, { name: 'n0' }, { kind: 'merge', body: { status: { conditions } } })
      })
      await world.run(5 * minute)
      expect(await deleting()).toEqual([])
      expect((await world.read(nodeClaims, { name: 'c0' })).metadata.annotations?.[annotation]).toBeUndefined()
      expect(world.logged('Reconciler error')).toEqual([])
    },
  )

  test('a condition that does not say since when counts from when it was first seen, each time that it comes', async () => {
    const { world, deleting } = await aFleet({ unhealthy: 0, count: 5 })
    const tell = (status: 'True' | 'False'): Promise<unknown> => {
      const body = { status: { conditions: [{ type: 'Ready', status }] } }
      return world.kube.patch(nodes, { name: 'n0' }, { kind: 'merge', body })
    }
    await tell('False')
    await world.run(20 * minute)
    await tell('True')
    await world.run(minute)
    await tell('False')
    await world.run(30 * minute - 1_000)
    expect(await deleting()).toEqual([])
    await world.run(2_000)
    expect(await deleting()).toEqual(['c0'])
  })

  test('case 135: a termination time in the future is brought forward, one in the past is kept', async () => {
    const future = await aFleet({ unhealthy: 1, count: 5, annotation: (at) => toTimestamp(at + 24 * 60 * minute) })
    await future.world.run(31 * minute)
    expect((await future.world.read(nodeClaims, { name: 'c0' })).metadata.annotations?.[annotation]).toBe(
      '2026-01-01T00:30:00Z',
    )
    const past = await aFleet({ unhealthy: 1, count: 5, annotation: (at) => toTimestamp(at) })
    await past.world.run(31 * minute)
    expect((await past.world.read(nodeClaims, { name: 'c0' })).metadata.annotations?.[annotation]).toBe(
      '2026-01-01T00:00:00Z',
    )
    expect(await past.deleting()).toEqual(['c0'])
  })

  test.each(['10', '2025-01-01'])('a termination time of %j says nothing and is overwritten', async (text) => {
    const { world, deleting } = await aFleet({ unhealthy: 1, count: 5, annotation: () => text })
    await world.run(31 * minute)
    expect((await world.read(nodeClaims, { name: 'c0' })).metadata.annotations?.[annotation]).toBe(
      '2026-01-01T00:30:00Z',
    )
    expect(await deleting()).toEqual(['c0'])
  })

  test('too many at once are left alone, and said to be', async () => {
    const { world, deleting } = await aFleet({ unhealthy: 3, count: 10 })
    await world.run(34 * minute)
    expect(await deleting()).toEqual([])
    const first = world.recorder.published.filter(({ object }) => object.metadata.name === 'n0')
    expect(first).toHaveLength(3)
    expect(new Set(first.map(({ message }) => message))).toEqual(
      new Set(['more than 20% nodes are unhealthy in the nodepool']),
    )
    expect(new Set(first.map(({ dedupeValues = [] }) => dedupeValues.join())).size).toBe(3)
    expect(first.every(({ reason, dedupeMs }) => reason === 'NodeRepairBlocked' && dedupeMs === 15 * minute)).toBe(true)
  })

  test('they are looked at again within five minutes', async () => {
    const { world, deleting } = await aFleet({ unhealthy: 3, count: 10 })
    await world.run(30 * minute)
    for (const name of ['n1', 'n2']) {
      const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:30:00Z' }]
      await world.kube.patch(nodes, { name }, { kind: 'merge', body: { status: { conditions } } })
    }
    await world.run(minute)
    expect(await deleting()).toEqual([])
    await world.run(5 * minute)
    expect(await deleting()).toEqual(['c0'])
  })

  test('broken nodes whose claim is of another provider, or that have none, are none of ours', async () => {
    const { world, deleting } = await aFleet({ unhealthy: 0, count: 20 })
    const foreign = { group: 'example.com', kind: 'NodeClass', name: 'default' }
    const status = { providerID: 'aws:///a/i-foreign' }
    await world.kube.create(nodeClaims, aClaim('foreign', { spec: { nodeClassRef: foreign }, status }))
    for (const name of ['foreign', 'alone']) {
      await world.kube.create(
        nodes,
        aNode(name, { metadata: { labels }, providerID: `aws:///a/i-${name}`, ready: 'False' }),
      )
    }
    await world.run(31 * minute)
    expect(await deleting()).toEqual([])
    expect(await world.exists(nodeClaims, { name: 'foreign' })).toBe(true)
    expect((await world.read(nodeClaims, { name: 'foreign' })).metadata.annotations).toBeUndefined()
    expect(world.logged('Reconciler error')).toEqual([])
  })

  test('nodes of other pools are not held against it', async () => {
    const { world, deleting } = await aFleet({ unhealthy: 1, count: 5 })
    for (let i = 0; i < 10; i++) {
      const metadata = { labels: { 'karpenter.sh/nodepool': 'other' } }
      await world.kube.create(nodes, aNode(`o${i}`, { metadata, providerID: `aws:///a/i-o${i}`, ready: 'False' }))
    }
    await world.run(31 * minute)
    expect(await deleting()).toEqual(['c0'])
  })

  test('another claim that bears the name of an unhealthy one by now is left alone', async () => {
    const { world, deleting } = await aFleet({ unhealthy: 1, count: 5 })
    world.kube.delivers = (event) => event.type !== 'BOOKMARK' && event.object.kind !== 'NodeClaim'
    await world.kube.patch(nodeClaims, { name: 'c0' }, { kind: 'merge', body: { metadata: { finalizers: [] } } })
    await world.kube.delete(nodeClaims, { name: 'c0' })
    await world.kube.create(nodeClaims, aClaim('c0', { status: { providerID: 'aws:///a/i-new' } }))
    await world.run(31 * minute)
    expect(await deleting()).toEqual([])
    expect((await world.read(nodeClaims, { name: 'c0' })).metadata.annotations).toBeUndefined()
  })

  test('a node whose pool is gone is held back without a word', async () => {
    const { world, deleting } = await aFleet({ unhealthy: 3, count: 10 })
    await world.kube.delete(nodePools, { name: 'default' })
    await world.run(34 * minute)
    expect(await deleting()).toEqual([])
    expect(world.events('NodeRepairBlocked')).toEqual([])
  })

  test('a claim that is going already is hurried, and not counted as deleted for this', async () => {
    const { world } = await aFleet({ unhealthy: 1, count: 5 })
    await world.kube.delete(nodeClaims, { name: 'c0' })
    await world.run(31 * minute)
    const { annotations } = (await world.read(nodeClaims, { name: 'c0' })).metadata
    expect(annotations?.[annotation]).toBe('2026-01-01T00:30:00Z')
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total')).toBe(0)
  })

  test('on a claim that may not be deleted no time is left that would force out the pods of a later drain', async () => {
    const { world } = await aFleet({ unhealthy: 1, count: 5 })
    world.kube.fault = ({ operation, resource }) => {
      if (operation === 'delete' && resource === 'nodeclaims') throw new KubeError('Forbidden', 403, 'denied by policy')
    }
    await world.run(31 * minute)
    expect((await world.read(nodeClaims, { name: 'c0' })).metadata.annotations?.[annotation]).toBeUndefined()
    expect(world.logged('Reconciler error')[0]).toMatchObject({ err: { message: 'denied by policy' } })
  })

  test('nor on one that is said to be gone and is still shown, which is not counted as deleted either', async () => {
    const { world } = await aFleet({ unhealthy: 1, count: 5 })
    let asked = 0
    world.kube.fault = ({ operation, resource }) => {
      if (operation !== 'delete' || resource !== 'nodeclaims') return
      asked += 1
      throw new KubeError('NotFound', 404, 'gone')
    }
    await world.run(31 * minute)
    expect(asked).toBe(1)
    expect((await world.read(nodeClaims, { name: 'c0' })).metadata.annotations?.[annotation]).toBeUndefined()
    expect(world.logged('deleting unhealthy node')).toEqual([])
    expect(world.counts.sum('karpenter_nodeclaims_disrupted_total')).toBe(0)
  })

  test.each([
    ['without the label', {}],
    ['with an empty one, as AWS gives it', { 'karpenter.sh/nodepool': '' }],
  ])('claims of no pool, %s, are held against the whole cluster', async (_name, own) => {
    const { world, deleting } = await aFleet({ unhealthy: 1, count: 1, labels: own })
    // A pool's nodes, of which two of nine are broken as well.
    for (let i = 1; i < 10; i++) {
      const ready = i < 3 ? 'False' : 'True'
      await world.kube.create(nodes, aNode(`p${i}`, { metadata: { labels }, providerID: `aws:///a/i-p${i}`, ready }))
    }
    await world.run(34 * minute)
    expect(await deleting()).toEqual([])
    expect(new Set(world.events('NodeRepairBlocked'))).toEqual(
      new Set(['more then 20% nodes are unhealthy in the cluster']),
    )
  })
})
