import { expect, test } from 'vitest'
import { conditionOf } from '../../../src/api/conditions.ts'
import { nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments } from '../../../src/kube/kinds.ts'
import { containerOf, deploymentOf } from '../../support/deployments.ts'
import { aFleet, anEmbeddedOperator } from '../../support/embedded-operator.ts'

const minute = 60_000
const key = { name: 'default' }

/** Their pods come up and crash, so nobody finds out before they have been moved. */
test('once moves have left pods that are not ready the next node waits for what becomes of the pods of the one before', async () => {
  const { cluster, log, stop } = await anEmbeddedOperator({ circuitBreakerBackOffMax: minute })
  const { client, clock, behaviours } = cluster
  const starts: number[] = []
  let isOpen = false
  try {
    await aFleet(cluster)
    const disruption = { consolidateAfter: 'Never', budgets: [{ nodes: '1' }] }
    await client.patch(nodePools, key, { kind: 'merge', body: { spec: { disruption } } })
    const apart = [{ topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } }]
    const spec = {
      nodeSelector: { 'karpenter.sh/nodepool': 'default' },
      affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: apart } },
      containers: [containerOf({ cpu: '1', memory: '1Gi' })],
    }
    await client.create(deployments, deploymentOf('web', 18, spec))
    await clock.run({ forMs: 5 * minute })
    const changedAt = clock.now()
    behaviours.chooser = ({ launchedAt }) => ({ podsCrash: launchedAt >= changedAt })
    const template = { metadata: { labels: { changed: 'yes' } } }
    await client.patch(nodePools, key, { kind: 'merge', body: { spec: { template } } })
    const started = () => log.lines.filter(({ message }) => message === 'disrupting node(s)').length
    for (let passed = 0; passed < 39 * minute; passed += 30_000) {
      const before = started()
      await clock.run({ forMs: 30_000 })
      if (isOpen) for (let more = started() - before; more > 0; more -= 1) starts.push(clock.now())
      isOpen ||= conditionOf(await client.get(nodePools, key), 'CircuitOpen')?.reason === 'PodsNotReady'
    }
  } finally {
    await stop()
  }
  expect(isOpen).toBe(true)
  expect(starts.length).toBeGreaterThanOrEqual(2)
  for (const [index, at] of starts.entries()) expect((starts[index + 1] ?? Infinity) - at).toBeGreaterThan(10 * minute)
})
