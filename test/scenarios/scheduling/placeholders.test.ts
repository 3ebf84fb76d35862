import { expect, test } from 'vitest'
import { nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, pods, priorityClasses } from '../../../src/kube/kinds.ts'
import { containerOf, deploymentOf } from '../../support/deployments.ts'
import { aFleet, anEmbeddedOperator } from '../../support/embedded-operator.ts'

const minute = 60_000

test('placeholders give their nodes to what matters more within seconds, and get others: no node is made for both', async () => {
  const { cluster, stop } = await anEmbeddedOperator()
  const { client, clock } = cluster
  try {
    for (const [name, value] of Object.entries({ placeholder: -10, shop: 1_000 })) {
      const header = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' }
      await client.create(priorityClasses, { ...header, metadata: { name }, value })
    }
    await aFleet(cluster)
    const onPool = { nodeSelector: { 'karpenter.sh/nodepool': 'default' } }
    const shape = (priorityClassName: string) => ({
      ...onPool,
      priorityClassName,
      containers: [containerOf({ cpu: '1500m', memory: '2Gi' })],
    })
    await client.create(deployments, deploymentOf('placeholder', 2, shape('placeholder')))
    await clock.run({ forMs: 5 * minute })
    const running = async (app: string): Promise<readonly string[]> =>
      (await client.list(pods, { labelSelector: `app=${app}` })).items
        .filter(({ status }) => status?.phase === 'Running')
        .map(({ spec }) => spec.nodeName ?? '')
    const held = await running('placeholder')
    expect(held).toHaveLength(2)
    const before = (await client.list(nodeClaims)).items.map(({ metadata }) => metadata.name)

    await client.create(deployments, deploymentOf('shop', 2, shape('shop')))
    await clock.run({ forMs: 10_000 })
    expect((await running('shop')).toSorted()).toEqual(held.toSorted())

    await clock.run({ forMs: 10 * minute })
    expect(await running('placeholder')).toHaveLength(2)
    const after = (await client.list(nodeClaims)).items.map(({ metadata }) => metadata.name)
    expect(after.filter((name) => !before.includes(name))).toHaveLength(new Set(held).size)
  } finally {
    await stop()
  }
})
