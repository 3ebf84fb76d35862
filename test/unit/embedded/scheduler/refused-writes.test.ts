import { expect, test } from 'vitest'
import { persistentVolumeClaims, pods } from '../../../../src/kube/kinds.ts'
import { denied } from '../../../support/denying-policy.ts'
import { aCluster, aPod, conditionOf, getPod, launchReady } from '../world.ts'

test('a pod whose claim may not be written holds up no other, and is placed once it may', async () => {
  const cluster = await aCluster()
  const { client, clock } = cluster
  await launchReady(cluster)
  const rule = { apiGroup: '', resource: 'persistentvolumeclaims', operation: 'UPDATE' } as const
  const admit = await denied(client, { ...rule, message: 'claims are frozen' })
  await client.create(persistentVolumeClaims, {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'data', namespace: 'default' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
  })
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }]
  await client.create(pods, aPod('first', { volumes }))
  await clock.run({ forMs: 1_000 })
  await client.create(pods, aPod('second'))
  await clock.run({ forMs: 30_000 })
  expect((await getPod(cluster, 'second')).spec.nodeName).toBeDefined()
  expect(conditionOf(await getPod(cluster, 'first'), 'PodScheduled')).toMatchObject({
    status: 'False',
    reason: 'SchedulerError',
    message: expect.stringContaining('claims are frozen') as string,
  })
  await admit()
  await clock.run({ forMs: 30_000 })
  expect((await getPod(cluster, 'first')).spec.nodeName).toBeDefined()
})
