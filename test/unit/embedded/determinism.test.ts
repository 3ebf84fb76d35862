import { expect, test } from 'vitest'
import { deployments, pods } from '../../../src/kube/kinds.ts'
import { aCluster, aDeployment, launch } from './world.ts'

/** Everything that two runs may differ in: names, addresses, versions, times. */
async function aRun(seed: string): Promise<string> {
  const cluster = await aCluster({ seed })
  await cluster.client.create(deployments, aDeployment('web', 5))
  await launch(cluster, { count: 2, userData: 'plain' })
  await cluster.clock.run({ forMs: 120_000 })
  const [first] = (await cluster.client.list(pods, { namespace: 'default' })).items
  await cluster.client.evict({ namespace: 'default', name: first?.metadata.name ?? '' })
  await cluster.clock.run({ forMs: 600_000 })
  return JSON.stringify(cluster.save())
}

test('the same seed gives the same run to the byte, another seed another run', async () => {
  const run = await aRun('a')
  expect(await aRun('a')).toBe(run)
  expect(await aRun('b')).not.toBe(run)
})

test('an hour of a small busy cluster passes within a second, without blocking the event loop for long', async () => {
  const cluster = await aCluster()
  await launch(cluster, { count: 5, userData: 'plain' })
  await cluster.client.create(deployments, aDeployment('web', 40))
  await cluster.clock.run({ forMs: 300_000 })
  cluster.clock.resetLongestBlock()
  const before = performance.now()
  await cluster.clock.run({ forMs: 3_600_000 })
  // A tenth of a second is usual; machines that are busy with other tests get ten times that.
  expect(performance.now() - before).toBeLessThan(1_000)
  expect(cluster.clock.longestBlockMs).toBeLessThan(500)
})
