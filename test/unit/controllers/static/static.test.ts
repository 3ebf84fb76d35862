import { describe, expect, test } from 'vitest'
import type { NodePool } from '../../../../src/api/karpenter.ts'
import { ClusterState } from '../../../../src/cluster/index.ts'
import type { LateReplacements } from '../../../../src/controllers/disruption/index.ts'
import { staticDeprovisioning, staticProvisioning } from '../../../../src/controllers/static/index.ts'
import type { StaticProvisioningDeps } from '../../../../src/controllers/static/provisioning.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../../src/kube/kinds.ts'
import { noResources } from '../../../../src/model/resources.ts'
import { aClaim, aNode, aPod, aPool, ownedBy, trueCondition } from '../../../support/controller-builders.ts'
import { aControllerWorld, type ControllerWorld } from '../../../support/controller-world.ts'

const ready = { conditions: [trueCondition('Ready')] }
const nodeLabels = {
  'karpenter.sh/nodepool': 'default',
  'node.kubernetes.io/instance-type': 'm5.large',
  'karpenter.sh/registered': 'true',
  'karpenter.sh/initialized': 'true',
}

async function aStaticWorld(
  arrange: (world: ControllerWorld) => Promise<void>,
  more: Partial<Pick<StaticProvisioningDeps, 'launches'>> = {},
  late: Pick<LateReplacements, 'awaited' | 'hasTakenOver'> = { awaited: () => new Map(), hasTakenOver: true },
) {
  const world = aControllerWorld()
  const cluster = new ClusterState({
    ...world,
    instanceTypes: () => Promise.resolve({ kind: 'resolved', types: [] }),
    nominationMs: 20_000,
    evictionCost: () => 1,
  })
  const planOf = (pool: NodePool) => ({
    nodePool: pool.metadata.name,
    claim: { ...aClaim(), metadata: { generateName: 'new-', labels: { 'karpenter.sh/nodepool': 'default' } } },
    instanceTypeNames: [],
    requests: noResources,
    minValuesRelaxed: false,
  })
  await arrange(world)
  const deps = { ...world, cluster, late }
  await world.start(staticProvisioning({ ...deps, ...more, planOf }), staticDeprovisioning(deps))
  const names = async () => (await world.kube.list(nodeClaims)).items.map(({ metadata }) => metadata.name)
  return { ...world, cluster, names }
}

/** A running machine of the pool. */
async function aMachine(world: Pick<ControllerWorld, 'kube'>, index: number, more: Parameters<typeof aClaim>[1] = {}) {
  const providerID = `aws:///a/i-${index}`
  await world.kube.create(nodeClaims, aClaim(`c${index}`, { ...more, status: { providerID, ...more.status } }))
  await world.kube.create(nodes, aNode(`n${index}`, { metadata: { labels: nodeLabels }, providerID }))
}

const podOn = (world: Pick<ControllerWorld, 'kube'>, index: number, more: Parameters<typeof aPod>[1] = {}) =>
  world.kube.create(pods, aPod(`p${index}`, { ...more, spec: { nodeName: `n${index}` } }))

describe('static provisioning', () => {
  test('case 156: as many claims as the pool wants', async () => {
    const { names, run, logged, counts } = await aStaticWorld(async ({ kube }) => {
      await kube.create(nodePools, aPool('default', { replicas: 3 }, ready))
    })
    await run(2_000)
    expect(await names()).toHaveLength(3)
    expect(logged('provisioning nodeclaims to satisfy replica count')).toMatchObject([
      { current: 0, desired: 3, 'provision-count': 3 },
    ])
    expect(counts.sum('karpenter_nodeclaims_created_total', { reason: 'provisioned' })).toBe(3)
    await run(180_000)
    expect(await names()).toHaveLength(3)
  })

  test('a pool that is not ready waits until it is', async () => {
    const { kube, names, run } = await aStaticWorld(async ({ kube }) => {
      await kube.create(nodePools, aPool('default', { replicas: 2 }))
    })
    await run(60_000)
    expect(await names()).toEqual([])
    await kube.patch(nodePools, { name: 'default' }, { kind: 'merge', body: { status: ready } })
    await run(1_000)
    expect(await names()).toHaveLength(2)
  })

  const going = { metadata: { finalizers: ['hold'], deletionTimestamp: '2026-01-01T00:00:00Z' } }

  test('a pool that is being deleted makes and takes no nodes', async () => {
    for (const replicas of [1, 3]) {
      const { names, run } = await aStaticWorld(async (world) => {
        const pool = aPool('default', { replicas }, ready)
        await world.kube.create(nodePools, { ...pool, metadata: { ...pool.metadata, ...going.metadata } })
        for (const index of [1, 2]) await aMachine(world, index)
      })
      await run(61_000)
      expect(await names()).toEqual(['c1', 'c2'])
    }
  })

  test('before the state of the cluster is known nothing is made', async () => {
    const { kube, names, run } = await aStaticWorld(async (world) => {
      await world.kube.create(nodePools, aPool('default', { replicas: 2 }, ready))
      await world.kube.create(nodeClaims, aClaim('unlaunched'))
    })
    await run(60_000)
    expect(await names()).toEqual(['unlaunched'])
    const body = { status: { providerID: 'aws:///a/i-9' } }
    await kube.patch(nodeClaims, { name: 'unlaunched' }, { kind: 'merge', body })
    await run(2_000)
    expect(await names()).toHaveLength(2)
  })

  test('of a number that nobody wants a thousand are made at a time', async () => {
    const launches = {
      admit: <T>(planned: readonly T[]) => ({ admitted: planned }),
      written: () => undefined,
      notWritten: () => undefined,
    }
    const arrange = async ({ kube }: ControllerWorld) => {
      await kube.create(nodePools, aPool('default', { replicas: 1_001 }, ready))
    }
    const { names, run } = await aStaticWorld(arrange, { launches })
    await run(5_000)
    expect(await names()).toHaveLength(1_000)
    await run(6_000)
    expect(await names()).toHaveLength(1_001)
  })

  test('places of nodes that are held back for now stay free under the limit', async () => {
    const { cluster, names, run } = await aStaticWorld(async ({ kube }) => {
      await kube.create(nodePools, aPool('default', { replicas: 50, limits: { nodes: '50' } }, ready))
    })
    await run(1_000)
    const made = (await names()).length
    expect(made).toBeGreaterThan(0)
    expect(made).toBeLessThan(50)
    expect(cluster.counts.reserve('default', 50, 50)).toBe(50 - made)
  })

  test('case 139: claims that are still going hold their place under the limit', async () => {
    const { kube, names, run, logged } = await aStaticWorld(async (world) => {
      await world.kube.create(nodePools, aPool('default', { replicas: 4, limits: { nodes: '4' } }, ready))
      for (const index of [1, 2]) await aMachine(world, index)
      const deleting = {
        metadata: { finalizers: ['hold'], deletionTimestamp: '2026-01-01T00:00:00Z', labels: nodeLabels },
      }
      for (const index of [3, 4]) await aMachine(world, index, deleting)
    })
    await run(45_000)
    expect(await names()).toEqual(['c1', 'c2', 'c3', 'c4'])
    // At once, and half a minute later.
    expect(logged('nodepool node limit reached')).toHaveLength(2)
    for (const name of ['c3', 'c4']) {
      await kube.patch(nodeClaims, { name }, { kind: 'merge', body: { metadata: { finalizers: [] } } })
    }
    await run(31_000)
    expect(await names()).toHaveLength(4)
  })

  test('a claim that is being replaced counts as there, but not for how many are made', async () => {
    const { cluster, kube, names, run } = await aStaticWorld(async (world) => {
      await world.kube.create(nodePools, aPool('default', { replicas: 3 }, ready))
      for (const index of [1, 2, 3]) await aMachine(world, index)
    })
    const scaled = async (replicas: number) => {
      await kube.patch(nodePools, { name: 'default' }, { kind: 'merge', body: { spec: { replicas } } })
      await run(1_000)
      return (await names()).length
    }
    await run(1_000)
    cluster.counts.setPendingDisruption('default', 'c3')
    expect(await scaled(2)).toBe(3)
    expect(await scaled(3)).toBe(3)
    expect(await scaled(4)).toBe(5)
  })

  test('a claim that goes is replaced at once', async () => {
    const { kube, names, run } = await aStaticWorld(async (world) => {
      await world.kube.create(nodePools, aPool('default', { replicas: 2 }, ready))
      for (const index of [1, 2]) await aMachine(world, index)
    })
    await run(1_000)
    await kube.delete(nodeClaims, { name: 'c1' })
    await run(1_000)
    expect(await names()).toEqual(['c2', expect.stringMatching(/^new-/)])
  })

  test('a node that a command gives back when its replacement goes is no reason to make one', async () => {
    const world = await aStaticWorld(async (arranged) => {
      await arranged.kube.create(nodePools, aPool('default', { replicas: 1 }, ready))
      await aMachine(arranged, 1)
    })
    const { cluster, kube, names, run } = world
    await run(1_000)
    cluster.markForDeletion('aws:///a/i-1')
    await aMachine(world, 2)
    await run(1_000)
    await kube.delete(nodeClaims, { name: 'c2' })
    await run(1_500)
    expect(await names()).toEqual(['c1'])
    cluster.unmarkForDeletion('aws:///a/i-1')
    await run(120_000)
    expect(await names()).toEqual(['c1'])
    cluster.markForDeletion('aws:///a/i-1')
    await run(120_000)
    expect(await names()).toEqual(['c1', expect.stringMatching(/^new-/)])
  })

  test('a pool whose nodes could not be made for an hour has them within two minutes of its end', async () => {
    const { kube, names, run } = await aStaticWorld(async (world) => {
      await world.kube.create(nodePools, aPool('default', { replicas: 2 }, ready))
      world.kube.fault = ({ operation, resource }) => {
        if (operation === 'create' && resource === 'nodeclaims') throw new KubeError('InternalError', 500, 'webhook')
      }
    })
    await run(3_600_000)
    expect(await names()).toEqual([])
    kube.fault = () => undefined
    await run(120_000)
    expect(await names()).toHaveLength(2)
  })

  test('a creation that fails gives its place back', async () => {
    let failures = 2
    const { cluster, names, run } = await aStaticWorld(async ({ kube }) => {
      kube.fault = ({ operation, resource }) => {
        if (operation === 'create' && resource === 'nodeclaims' && failures-- > 0) throw new Error('down')
      }
      await kube.create(nodePools, aPool('default', { replicas: 2, limits: { nodes: '2' } }, ready))
    })
    await run(60_000)
    expect(await names()).toHaveLength(2)
    expect(cluster.counts.reserve('default', 3, 5)).toBe(1)
  })
})

test.each([
  ['none when the limit is reached', 5, 0],
  ['two at a time with room for two', 7, 2],
])('case 137: of five that have drifted %s', async (_name, limit, granted) => {
  const { cluster, names, run } = await aStaticWorld(async ({ kube }) => {
    await kube.create(nodePools, aPool('default', { replicas: 5, limits: { nodes: String(limit) } }, ready))
  })
  await run(10_000)
  expect(await names()).toHaveLength(5)
  expect(cluster.counts.reserve('default', limit, 5)).toBe(granted)
})

describe('static deprovisioning', () => {
  test('nothing goes by a number of replicas that was raised without the watch telling of it', async () => {
    const { names, run, kube, logged } = await aStaticWorld(async (world) => {
      await world.kube.create(nodePools, aPool('default', { replicas: 1 }, ready))
      await aMachine(world, 1)
    })
    kube.delivers = (event) => event.type === 'BOOKMARK' || event.object.kind !== 'NodePool'
    await kube.patch(nodePools, { name: 'default' }, { kind: 'merge', body: { spec: { replicas: 2 } } })
    await kube.create(nodeClaims, aClaim('c2', { status: { providerID: 'aws:///a/i-2' } }))
    await run(120_000)
    expect(await names()).toEqual(['c1', 'c2'])
    expect(logged('deprovisioning nodeclaims to satisfy replica count')).toEqual([])
  })

  const scaledTo = async (replicas: number, arrange: (world: ControllerWorld) => Promise<void>) => {
    const world = await aStaticWorld(async (inner) => {
      await inner.kube.create(nodePools, aPool('default', { replicas }, ready))
      await arrange(inner)
    })
    await world.run(2_000)
    return world
  }

  test('case 138: what was not launched and what runs only daemons goes first', async () => {
    const { names, logged, cluster } = await scaledTo(1, async (world) => {
      await aMachine(world, 1)
      await podOn(world, 1)
      await aMachine(world, 2)
      await podOn(world, 2, { metadata: ownedBy('DaemonSet') })
      await world.kube.create(nodeClaims, aClaim('unlaunched'))
    })
    expect(await names()).toEqual(['c1'])
    expect(logged('deprovisioning nodeclaims to satisfy replica count')).toMatchObject([
      { current: 3, desired: 1, 'deprovision-count': 2 },
    ])
    expect(cluster.counts.counts('default').active).toBe(1)
  })

  test('what goes before it is up says so, whoever refuses that; what was up says nothing', async () => {
    const held = (name: string) => ({ metadata: { ...aClaim(name).metadata, finalizers: ['hold'] } })
    for (const isRefused of [false, true]) {
      const { read } = await scaledTo(0, async (world) => {
        await aMachine(world, 1, held('c1'))
        await aMachine(world, 2, { ...held('c2'), status: { conditions: [trueCondition('Initialized')] } })
        world.kube.fault = ({ operation, resource }) => {
          if (isRefused && operation === 'patch' && resource === 'nodeclaims')
            throw new KubeError('Forbidden', 403, 'no')
        }
      })
      const claims = await Promise.all(['c1', 'c2'].map((name) => read(nodeClaims, { name })))
      expect(claims.map(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([true, true])
      const notes = claims.map(({ metadata }) => metadata.annotations?.['joinery.dev/interrupted'])
      expect(notes).toEqual([isRefused ? undefined : 'scaled_down', undefined])
    }
  })

  test.each<['Forbidden' | 'InternalError', status: number, tries: number]>([
    ['Forbidden', 403, 1],
    ['InternalError', 500, 4],
  ])(
    'a deletion that is answered with %s %d is asked for %d times before it has failed',
    async (code, status, tries) => {
      let asked = 0
      const { logged } = await scaledTo(1, async (world) => {
        for (const index of [1, 2]) await aMachine(world, index)
        world.kube.fault = ({ operation, resource }) => {
          if (operation !== 'delete' || resource !== 'nodeclaims') return
          asked += 1
          throw new KubeError(code, status, 'no')
        }
      })
      const failed = logged('Reconciler error').length
      expect(failed).toBeGreaterThan(0)
      expect(asked).toBeGreaterThanOrEqual(tries * failed)
      expect(asked).toBeLessThan(tries * (failed + 1))
    },
  )

  test('nothing goes before it is known what came for a node that the process before had marked', async () => {
    const late = { awaited: () => new Map(), hasTakenOver: false }
    const arrange = async (world: ControllerWorld): Promise<void> => {
      await world.kube.create(nodePools, aPool('default', { replicas: 1 }, ready))
      for (const index of [1, 2]) await aMachine(world, index)
      const body = { spec: { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] } }
      await world.kube.patch(nodes, { name: 'n1' }, { kind: 'merge', body })
    }
    const { names, run } = await aStaticWorld(arrange, {}, late)
    await run(60_000)
    expect(await names()).toEqual(['c1', 'c2'])
    late.hasTakenOver = true
    await run(2_000)
    expect(await names()).toHaveLength(1)
  })

  test('what goes counts as going before any watch tells of it', async () => {
    const { cluster, names } = await scaledTo(1, async (world) => {
      const held = { metadata: { finalizers: ['hold'], labels: nodeLabels } }
      for (const index of [1, 2]) await aMachine(world, index, held)
      world.kube.delivers = (event) => event.type !== 'MODIFIED'
    })
    expect(await names()).toEqual(['c1', 'c2'])
    expect(cluster.counts.counts('default')).toEqual({ active: 1, pendingDisruption: 0, deleting: 1 })
    const marked = cluster.nodes().filter(({ markedForDeletion }) => markedForDeletion)
    expect(marked).toHaveLength(1)
    cluster.unmarkForDeletion(...marked.map(({ key }) => key))
    expect(cluster.counts.counts('default').active).toBe(1)
  })

  test('a claim that comes beyond the number goes at once', async () => {
    const { kube, names, run } = await scaledTo(1, async (world) => aMachine(world, 1))
    await kube.create(nodeClaims, aClaim('one-too-many'))
    await run(1_000)
    expect(await names()).toEqual(['c1'])
  })

  test('a smaller number is seen at once', async () => {
    const { kube, names, run } = await scaledTo(2, async (world) => {
      for (const index of [1, 2]) await aMachine(world, index)
    })
    await kube.patch(nodePools, { name: 'default' }, { kind: 'merge', body: { spec: { replicas: 1 } } })
    await run(1_000)
    expect(await names()).toHaveLength(1)
  })

  test('a pool whose class is of another provider is left alone', async () => {
    const { kube, names, run } = await scaledTo(2, async (world) => {
      for (const index of [1, 2]) await aMachine(world, index)
    })
    const nodeClassRef = { group: 'example.com', kind: 'NodeClass', name: 'default' }
    const spec = { replicas: 1, template: { spec: { nodeClassRef } } }
    await kube.patch(nodePools, { name: 'default' }, { kind: 'merge', body: { spec } })
    await run(120_000)
    expect(await names()).toHaveLength(2)
  })

  test('of two without pods that which is drifted goes', async () => {
    const drifted = { providerID: 'aws:///a/i-2', conditions: [trueCondition('Drifted')] }
    const { names } = await scaledTo(1, async (world) => {
      await aMachine(world, 1)
      await aMachine(world, 2, { status: drifted })
    })
    expect(await names()).toEqual(['c1'])
  })

  test('then the cheapest to lose, those with a do-not-disrupt pod last', async () => {
    const { names } = await scaledTo(2, async (world) => {
      await aMachine(world, 1)
      await podOn(world, 1, { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } })
      await aMachine(world, 2)
      await podOn(world, 2, {
        metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '2147483647' } },
      })
      await aMachine(world, 3)
      await podOn(world, 3)
    })
    expect(await names()).toEqual(['c1', 'c2'])
  })

  test('a daemon that must not be disrupted keeps its node from counting as empty', async () => {
    const { names } = await scaledTo(1, async (world) => {
      await aMachine(world, 1)
      const annotations = { 'karpenter.sh/do-not-disrupt': 'true' }
      await podOn(world, 1, { metadata: { ...ownedBy('DaemonSet'), annotations } })
      await aMachine(world, 2)
      await podOn(world, 2)
    })
    expect(await names()).toEqual(['c1'])
  })

  test('no more than the excess goes, and claims already going are not counted', async () => {
    const { names } = await scaledTo(1, async (world) => {
      await aMachine(world, 1)
      await aMachine(world, 2)
      await aMachine(world, 3, {
        metadata: { finalizers: ['hold'], deletionTimestamp: '2026-01-01T00:00:00Z', labels: nodeLabels },
      })
    })
    expect(await names()).toHaveLength(2)
    expect(await names()).toContain('c3')
  })
})
