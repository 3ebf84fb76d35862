import { expect, test } from 'vitest'
import type { Pod } from '../../../src/api/kubernetes.ts'
import { nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import { events, pods } from '../../../src/kube/kinds.ts'
import { containerOf } from '../../support/deployments.ts'
import { aFleet, anEmbeddedOperator } from '../../support/embedded-operator.ts'

const minute = 60_000

test('a ready node that the scheduler never takes for its pod goes after an hour, and the pod is told why', async () => {
  const { cluster, stop } = await anEmbeddedOperator()
  const { client, clock } = cluster
  const claims = async (): Promise<readonly string[]> =>
    (await client.list(nodeClaims)).items.map(({ metadata }) => metadata.name)
  try {
    await aFleet(cluster)
    await client.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'odd', namespace: 'default' },
      spec: {
        schedulerName: 'own-scheduler',
        nodeSelector: { 'karpenter.sh/nodepool': 'default' },
        containers: [containerOf({ cpu: '300m', memory: '300Mi' })],
      },
    } as unknown as Pod)
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'it is no Tuesday' }
    const key = { namespace: 'default', name: 'odd' }
    const body = { status: { conditions: [condition] } }
    await client.patch(pods, key, { kind: 'merge', body }, { subresource: 'status' })

    await clock.run({ forMs: 10 * minute })
    const first = await claims()
    expect(first).toHaveLength(1)
    const told = (await client.list(events)).items.filter(({ reason }) => reason === 'PlannedNodeRefused')
    expect(told.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Node \S+ is ready and was planned for the pod, .*: it is no Tuesday$/),
    ])
    await clock.run({ forMs: 48 * minute })
    expect(await claims()).toEqual(first)
    await clock.run({ forMs: 12 * minute })
    expect(await claims()).not.toContain(first[0])
  } finally {
    await stop()
  }
})
