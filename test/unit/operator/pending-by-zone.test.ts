import { expect, test } from 'vitest'
import { aDeployment, aFleet, anEmbeddedOperator } from '../../support/embedded-operator.ts'

test('pods that wait are counted by the zone that they can run in, and none once they run', async () => {
  const { cluster, operator, metrics, stop } = await anEmbeddedOperator()
  await aFleet(cluster)
  await cluster.clock.run({ forMs: 60_000 })
  await operator.started
  await aDeployment(cluster, 10)
  const counted = async (): Promise<readonly string[]> =>
    (await metrics.render()).text.split('\n').filter((line) => line.startsWith(`${family}{`))
  await cluster.clock.run({ forMs: 5_000 })
  // One has found room on the node of the cluster itself.
  expect(await counted()).toEqual([`${family}{controller="provisioner",zone="flexible"} 9`])
  await cluster.clock.run({ forMs: 300_000 })
  expect(await counted()).toEqual([`${family}{controller="provisioner",zone="flexible"} 0`])
  await stop()
})

const family = 'karpenter_scheduler_pending_pods_by_effective_zone_count'
