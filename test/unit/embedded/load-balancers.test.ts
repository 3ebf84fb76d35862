import { expect, test } from 'vitest'
import type { Service, Unsaved } from '../../../src/api/kubernetes.ts'
import { services } from '../../../src/kube/kinds.ts'
import { aCluster, patch } from './world.ts'

const aService = (spec: Service['spec'] = {}): Unsaved<Service> => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'web', namespace: 'default' },
  spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports: [{ port: 80 }], ...spec },
})
const key = { namespace: 'default', name: 'web' }

test('a Service has an address at once, and its load balancer a name soon after, for which helm --wait and Argo CD wait', async () => {
  const { client, clock } = await aCluster({ region: 'us-east-1' })
  const made = await client.create(services, aService())
  expect([made.spec.clusterIP, made.status]).toEqual(['172.20.1.0', { loadBalancer: {} }])
  await clock.run({ forMs: 10_000 })
  const { status } = await client.get(services, key)
  const hostname = expect.stringMatching(/^a[0-9a-f]{32}\.elb\.us-east-1\.amazonaws\.com$/)
  expect(status).toEqual({ loadBalancer: { ingress: [{ hostname }] } })
})

test('the name goes with the type, and a class of somebody else gets none', async () => {
  const cluster = await aCluster()
  const { client, clock } = cluster
  await client.create(services, aService())
  const other = aService({ loadBalancerClass: 'service.k8s.aws/nlb' })
  await client.create(services, { ...other, metadata: { ...other.metadata, name: 'other' } })
  await clock.run({ forMs: 10_000 })
  await patch(cluster, services, 'web', { spec: { type: 'ClusterIP' } })
  await clock.run({ forMs: 10_000 })
  for (const name of ['web', 'other']) {
    expect((await client.get(services, { ...key, name })).status).toEqual({ loadBalancer: {} })
  }
})
