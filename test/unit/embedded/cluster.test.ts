import { afterEach, expect, test } from 'vitest'
import type { Deployment, KubeObject, Unsaved } from '../../../src/api/kubernetes.ts'
import {
  createEmbeddedCluster,
  type EmbeddedCluster,
  type EmbeddedClusterOptions,
} from '../../../src/embedded/cluster.ts'
import { deployments, nodes, pods, services } from '../../../src/kube/kinds.ts'
import type { Resource } from '../../../src/kube/resource.ts'
import { containerOf, deploymentOf } from '../../support/deployments.ts'

const endpointSlices: Resource<KubeObject> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
}

const running: EmbeddedCluster[] = []

afterEach(async () => {
  for (const cluster of running.splice(0)) await cluster.stop()
})

async function aCluster(options: Partial<EmbeddedClusterOptions> = {}): Promise<EmbeddedCluster> {
  const cluster = await createEmbeddedCluster({ seed: 'test', ...options })
  running.push(cluster)
  return cluster
}

function aDeployment(name: string, replicas: number, cpu = '100m'): Unsaved<Deployment> {
  return deploymentOf(name, replicas, { containers: [containerOf({ cpu, memory: '64Mi' })] })
}

test('the system node joins, becomes ready and runs a deployment', async () => {
  const { client, clock } = await aCluster()
  await client.create(deployments, aDeployment('web', 3))
  await clock.run({ forMs: 120_000 })
  const [node] = (await client.list(nodes)).items
  expect(node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True')
  expect(node?.spec.taints ?? []).toEqual([])
  const found = (await client.list(pods, { namespace: 'default' })).items
  expect(found.map(({ status }) => status?.phase)).toEqual(['Running', 'Running', 'Running'])
  const deployment = await client.get(deployments, { namespace: 'default', name: 'web' })
  expect(deployment.status).toMatchObject({ readyReplicas: 3, availableReplicas: 3, updatedReplicas: 3 })
})

test('pods that do not fit say so in the words of the scheduler', async () => {
  const { client, clock } = await aCluster()
  await client.create(deployments, aDeployment('big', 1, '4'))
  await clock.run({ forMs: 120_000 })
  const [pod] = (await client.list(pods, { namespace: 'default' })).items
  expect(pod?.status?.conditions?.find(({ type }) => type === 'PodScheduled')).toMatchObject({
    status: 'False',
    reason: 'Unschedulable',
    message:
      '0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.',
  })
})

test('a new image rolls out without dropping below the allowed number', async () => {
  const { client, clock } = await aCluster()
  await client.create(deployments, aDeployment('web', 4))
  await clock.run({ forMs: 120_000 })
  await client.patch(
    deployments,
    { namespace: 'default', name: 'web' },
    {
      kind: 'merge',
      body: { spec: { template: { spec: { containers: [{ name: 'web', image: 'web:2' }] } } } },
    },
  )
  let fewest = 4
  for (let second = 0; second < 60; second += 1) {
    await clock.run({ forMs: 1_000 })
    const ready =
      (await client.get(deployments, { namespace: 'default', name: 'web' })).status?.['availableReplicas'] ?? 0
    fewest = Math.min(fewest, Number(ready))
  }
  expect(fewest).toBeGreaterThanOrEqual(3)
  const found = (await client.list(pods, { namespace: 'default' })).items
  expect(found.map(({ spec }) => spec.containers[0]?.image)).toEqual(['web:2', 'web:2', 'web:2', 'web:2'])
})

test('an hour of a quiet cluster passes within a second', async () => {
  const { clock } = await aCluster()
  await clock.run({ forMs: 300_000 })
  const before = performance.now()
  await clock.run({ forMs: 3_600_000 })
  expect(performance.now() - before).toBeLessThan(1_000)
})

test('pods find the API server under the service kubernetes, which has endpoints, also after a restart', async () => {
  const first = await aCluster()
  const at = { namespace: 'default', name: 'kubernetes' }
  const service = await first.client.get(services, at)
  expect(service.spec).toMatchObject({ clusterIP: '172.20.0.1', ports: [{ name: 'https', port: 443 }] })
  expect(service.metadata.labels).toEqual({ component: 'apiserver', provider: 'kubernetes' })
  const slices = await first.client.list(endpointSlices, { labelSelector: 'kubernetes.io/service-name=kubernetes' })
  expect(slices.items).toHaveLength(1)
  const second = await aCluster({ state: first.save() })
  expect((await second.client.get(services, at)).metadata.uid).toBe(service.metadata.uid)
})
