import { afterEach, expect, test } from 'vitest'
import { nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, events, nodes, pods } from '../../../src/kube/kinds.ts'
import { aDeployment, aFleet, anEmbeddedOperator, type EmbeddedOperator } from '../../support/embedded-operator.ts'

let running: EmbeddedOperator | undefined

afterEach(async () => {
  await running?.stop()
})

test('case 94: a move that a pod forbids while it is validated is rejected aloud, and nothing moves', async () => {
  // One node for all the pods: several smaller ones would be consolidated in other ways.
  running = await anEmbeddedOperator({ packing: 'greedy' })
  const { cluster, operator } = running
  const { client, clock } = cluster
  const heard = async (reason: string) => (await client.list(events)).items.filter((event) => event.reason === reason)
  await aFleet(cluster)
  await clock.run({ forMs: 60_000 })
  await operator.started
  await aDeployment(cluster, 10)
  await clock.run({ forMs: 300_000 })
  const [claim] = (await client.list(nodeClaims)).items
  await client.patch(
    deployments,
    { namespace: 'default', name: 'web' },
    { kind: 'merge', body: { spec: { replicas: 4 } } },
  )
  for (let seconds = 0; seconds < 120 && (await heard('ConsolidationCandidate')).length === 0; seconds += 1) {
    await clock.run({ forMs: 1_000 })
  }
  for (const { metadata } of (await client.list(pods, { namespace: 'default' })).items) {
    const annotations = { 'karpenter.sh/do-not-disrupt': 'true' }
    const key = { namespace: 'default', name: metadata.name }
    await client.patch(pods, key, { kind: 'merge', body: { metadata: { annotations } } })
  }
  await clock.run({ forMs: 60_000 })

  const rejected = await heard('ConsolidationRejected')
  expect(new Set(rejected.map(({ involvedObject }) => involvedObject.kind))).toEqual(new Set(['Node', 'NodeClaim']))
  for (const { type, message = '' } of rejected) {
    expect(type).toBe('Normal')
    expect(message).toMatch(
      /^Consolidation rejected: replace: \[.+\] -> \[1 replacement\], reason: churn \(savings: \$0\.\d\d\)$/,
    )
  }
  const claims = (await client.list(nodeClaims)).items
  expect(claims.map(({ metadata }) => metadata.uid)).toEqual([claim?.metadata.uid])
  const [node] = (await client.list(nodes, { labelSelector: 'karpenter.sh/nodepool=default' })).items
  expect((node?.spec.taints ?? []).map(({ key }) => key)).not.toContain('karpenter.sh/disrupted')
})
