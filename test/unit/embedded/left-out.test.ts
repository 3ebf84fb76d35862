import { expect, test } from 'vitest'
import type { KubeObject, Unsaved } from '../../../src/api/kubernetes.ts'
import { jobs } from '../../../src/embedded/workloads/job-kind.ts'
import { deployments, pods } from '../../../src/kube/kinds.ts'
import type { Resource } from '../../../src/kube/resource.ts'
import { aCluster, aDeployment, aJob, aTemplate, launchReady, listPods } from './world.ts'

interface Anything extends KubeObject {
  readonly spec?: Readonly<Record<string, unknown>>
}

function kind(group: string, version: string, name: string, plural: string): Resource<Anything> {
  return { group, version, kind: name, plural, namespaced: true }
}

function anObject(apiVersion: string, name: string, spec: Readonly<Record<string, unknown>>): Unsaved<Anything> {
  return { apiVersion, kind: name, metadata: { name: 'x', namespace: 'default' }, spec }
}

// Each line of README.md's paragraph on what the embedded cluster leaves out, but for roles, of which apiserver/http.test.ts tells.

test('ReplicationControllers make no pods', async () => {
  const { client, clock, ...cluster } = await aCluster()
  const template = aTemplate({ app: 'x' })
  const replicas = anObject('v1', 'ReplicationController', { replicas: 2, selector: { app: 'x' }, template })
  await client.create(kind('', 'v1', 'ReplicationController', 'replicationcontrollers'), replicas)
  await clock.run({ forMs: 5 * 60_000 })
  expect(await listPods({ ...cluster, client, clock })).toEqual([])
})

test('HorizontalPodAutoscalers scale nothing, ResourceQuotas refuse nothing', async () => {
  const cluster = await aCluster()
  const { client, clock } = cluster
  await client.create(
    kind('', 'v1', 'ResourceQuota', 'resourcequotas'),
    anObject('v1', 'ResourceQuota', { hard: { pods: '1' } }),
  )
  await client.create(deployments, aDeployment('web', 2))
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
  await client.create(
    kind('autoscaling', 'v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers'),
    anObject('autoscaling/v2', 'HorizontalPodAutoscaler', { scaleTargetRef, minReplicas: 5, maxReplicas: 9 }),
  )
  await clock.run({ forMs: 5 * 60_000 })
  expect(await listPods(cluster)).toHaveLength(2)
})

test('Jobs know no limits per index', async () => {
  const cluster = await aCluster()
  const { client, clock } = cluster
  await launchReady(cluster)
  const indexed = { completionMode: 'Indexed', completions: 1 }
  // With a limit its one index would have failed, and the job with it.
  await client.create(jobs, aJob('limited', { ...indexed, ...{ backoffLimitPerIndex: 0 } }))
  await clock.run({ forMs: 10_000 })
  const [first] = await listPods(cluster)
  await client.delete(pods, { namespace: 'default', name: first?.metadata.name ?? '' }, { gracePeriodSeconds: 0 })
  await clock.run({ forMs: 60_000 })
  const { status } = await client.get(jobs, { namespace: 'default', name: 'limited' })
  expect(status).toMatchObject({ failed: 1, succeeded: 1 })
})

test('Jobs know no success policies', async () => {
  const cluster = await aCluster()
  const { client, clock } = cluster
  await launchReady(cluster)
  const successPolicy = { rules: [{ succeededIndexes: '0' }] }
  const indexed = { completionMode: 'Indexed', completions: 3, parallelism: 1 }
  await client.create(jobs, aJob('led', { ...indexed, ...{ successPolicy } }))
  await clock.run({ forMs: 5 * 60_000 })
  const { status } = await client.get(jobs, { namespace: 'default', name: 'led' })
  expect(status).toMatchObject({ succeeded: 3 })
})

test('Jobs make up for a failed pod at once', async () => {
  const cluster = await aCluster()
  const { client, clock } = cluster
  await launchReady(cluster)
  await client.create(jobs, aJob('tried'))
  await clock.run({ forMs: 10_000 })
  const [first] = await listPods(cluster)
  await client.delete(pods, { namespace: 'default', name: first?.metadata.name ?? '' }, { gracePeriodSeconds: 0 })
  await clock.run({ forMs: 1_000 })
  expect(await listPods(cluster)).toHaveLength(1)
})

test('nothing stands behind a Service', async () => {
  const cluster = await aCluster()
  const { client, clock } = cluster
  const services = kind('', 'v1', 'Service', 'services')
  await client.create(services, anObject('v1', 'Service', { selector: { app: 'web' }, ports: [{ port: 80 }] }))
  await client.create(deployments, aDeployment('web', 2))
  await clock.run({ forMs: 60_000 })
  const slices = await client.list(kind('discovery.k8s.io', 'v1', 'EndpointSlice', 'endpointslices'))
  expect(slices.items.map(({ metadata }) => metadata.name)).toEqual(['kubernetes'])
})
