import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { reportFailures } from '../support/failure-report.ts'
import { describeWithPeers } from '../support/peers.ts'
import { type FluxWorld, type Manifest, startFluxWorld } from './world.ts'

/** A rollout that lasts for longer than Flux takes to get at the next commit: 80 seconds here. */
const careful: Manifest = {
  apiVersion: 'joinery.dev/v1alpha1',
  kind: 'RolloutPolicy',
  metadata: { name: 'careful' },
  spec: { nodePoolSelector: {}, steps: [{ nodes: 1, soak: '40m' }] },
}

const nothingMayGo = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'fleet', namespace: 'default' },
  spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'fleet' } } },
}

await describeWithPeers('Flux, which applies the pools', ['flux', 'kubectl'], () => {
  let world: FluxWorld
  let nodeClass: Manifest
  let pool: Manifest
  beforeAll(async () => {
    world = await startFluxWorld()
    nodeClass = manifestOf(await world.get('ec2nodeclass', 'default'))
    pool = manifestOf(await world.get('nodepool', 'default'))
  })
  afterAll(() => world.stop())
  reportFailures(() => world.report())

  const classWith = (team: string): Manifest => withSpec(nodeClass, { tags: { team } })
  const poolWith = (weight: number): Manifest => withSpec(pool, { weight })
  const isApplied = (commit: string) =>
    eventually(`${commit} is applied and healthy`, async () => {
      const { revision, ready } = await world.standing()
      return revision === commit && ready === 'True'
    })
  const weight = async () => ((await world.get('nodepool', 'default')).spec as { weight?: number }).weight
  const isReconciling = async () => conditionOf(await world.get('nodepool', 'default'), 'Reconciling') === 'True'

  test('calls them ready, and finds nothing to change when it looks again', async () => {
    await world.commit('first', [nodeClass, pool])
    await isApplied('first')
    const before = [await world.get('ec2nodeclass', 'default'), await world.get('nodepool', 'default')]
    await world.commit('second', [nodeClass, pool])
    await isApplied('second')
    const after = [await world.get('ec2nodeclass', 'default'), await world.get('nodepool', 'default')]
    expect(after.map(manifestOf)).toEqual(before.map(manifestOf))
    expect(after.map(generationOf)).toEqual(before.map(generationOf))
  })

  test('is told why a spec is refused, and changes nothing', async () => {
    const before = await world.get('nodepool', 'default')
    const budgets = [{ nodes: '10%', schedule: '61 * * * *', duration: '1h' }]
    await world.commit('refused', [nodeClass, withSpec(pool, { disruption: { consolidateAfter: '1m', budgets } })])
    await eventually('the commit is refused', async () => (await world.standing()).ready === 'False')
    expect((await world.standing()).message).toMatch(/NodePool\/default .*spec\.disruption\.budgets\[0\]\.schedule/s)
    expect(generationOf(await world.get('nodepool', 'default'))).toBe(generationOf(before))
  })

  test('applies commits while nodes are replaced, and is not ready before the last one', async () => {
    // Before the edit that it is for: of one commit Flux applies classes first.
    await world.commit('careful', [nodeClass, pool, careful])
    await isApplied('careful')
    await world.commit('rollout', [classWith('a'), pool, careful])
    await eventually('the first node is replaced', async () => (await world.nodes()).upToDate > 0)
    await world.commit('weighted', [classWith('a'), poolWith(7), careful])
    await eventually('the later commit is there', async () => (await weight()) === 7)
    expect(await isReconciling()).toBe(true)
    expect(await world.standing()).not.toMatchObject({ ready: 'True' })
    const nodesAtItsEnd: unknown[] = []
    await eventually('the rollout is over', async () => {
      const { revision, ready } = await world.standing()
      const isOver = revision === 'weighted' && ready === 'True'
      if (isOver) nodesAtItsEnd.push(await world.nodes())
      return isOver
    })
    expect(nodesAtItsEnd).toEqual([{ all: 3, upToDate: 3 }])
  })

  test('says which pool is stuck, and the commit that mends it reaches the cluster', async () => {
    await world.apply(nothingMayGo)
    await world.commit('stuck', [classWith('b'), poolWith(7)])
    await eventually('the pool has failed', async () => {
      const { ready, message } = await world.standing()
      return ready === 'False' && message.includes("NodePool/default status: 'Failed'")
    })
    await world.commit('mended', [classWith('a'), poolWith(8)])
    await isApplied('mended')
    expect(await weight()).toBe(8)
    await world.delete('poddisruptionbudget', nothingMayGo.metadata.name)
  })
})

/** As it would lie in Git. */
function manifestOf({ apiVersion, kind, metadata: { name }, spec }: Manifest): Manifest {
  return { apiVersion, kind, metadata: { name }, spec }
}

function withSpec(manifest: Manifest, more: object): Manifest {
  return { ...manifest, spec: { ...(manifest.spec as object), ...more } }
}

function generationOf({ metadata }: Manifest): number | undefined {
  return (metadata as { readonly generation?: number }).generation
}

function conditionOf({ status }: Manifest, type: string): string | undefined {
  const { conditions = [] } = (status ?? {}) as { conditions?: { type: string; status: string }[] }
  return conditions.find((condition) => condition.type === type)?.status
}
