import { expect, test } from 'vitest'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { daemonSets, deployments, events, pods, statefulSets } from '../../../src/kube/kinds.ts'
import type { Resource } from '../../../src/kube/resource.ts'
import { aCluster, aDeployment, aPod, launchReady, listPods } from './world.ts'

// What the API server answers is compared with a real one's in test/contracts/api-server; this is what comes of it in the cluster.

interface LimitRange extends KubeObject {
  readonly spec: { readonly limits: readonly object[] }
}

const limitRanges: Resource<LimitRange> = {
  group: '',
  version: 'v1',
  kind: 'LimitRange',
  plural: 'limitranges',
  namespaced: true,
}

function aLimitRange(...limits: readonly object[]) {
  const metadata = { name: 'limits', namespace: 'default' }
  return { apiVersion: 'v1', kind: 'LimitRange', metadata, spec: { limits } } as const
}

test('pods of a Deployment get the requests and limits that they lack, and the class of service that follows from them', async () => {
  const { client, clock, ...cluster } = await aCluster()
  const amounts = { cpu: '250m', memory: '1Gi' }
  await client.create(limitRanges, aLimitRange({ type: 'Container', default: amounts }))
  await client.create(deployments, aDeployment('web', 1, { containers: [{ name: 'main', image: 'app:1' }] }))
  await clock.run({ forMs: 10_000 })
  const [pod] = await listPods({ ...cluster, client, clock })
  expect(pod?.spec.containers[0]?.resources).toEqual({ requests: amounts, limits: amounts })
  expect(pod?.status).toMatchObject({ qosClass: 'Guaranteed' })
  expect(pod?.metadata.annotations).toEqual({
    'kubernetes.io/limit-ranger':
      'LimitRanger plugin set: cpu, memory request for container main; cpu, memory limit for container main',
  })
})

test.each([
  [
    { min: { cpu: '1' } },
    /^Error creating: pods "web-\S+" is forbidden: minimum cpu usage per Container is 1, but request is 100m$/,
  ],
  [
    { max: { cpu: '50m' } },
    /^Error creating: Pod "web-\S+" is invalid: .*: must be less than or equal to cpu limit of 50m$/,
  ],
])('a ReplicaSet whose pods are refused for %o says so, and makes them once it may', async (limit, message) => {
  const { client, clock, ...cluster } = await aCluster()
  await client.create(limitRanges, aLimitRange({ type: 'Container', ...limit }))
  await client.create(deployments, aDeployment('web', 2))
  await clock.run({ forMs: 60_000 })
  expect(await listPods({ ...cluster, client, clock })).toEqual([])
  const told = (await client.list(events, { namespace: 'default' })).items.filter(
    ({ reason }) => reason === 'FailedCreate',
  )
  expect(told[0]).toMatchObject({
    involvedObject: { kind: 'ReplicaSet' },
    message: expect.stringMatching(message),
    source: { component: 'replicaset-controller' },
  })
  expect(told.length).toBeLessThan(20)
  await client.delete(limitRanges, { namespace: 'default', name: 'limits' })
  await clock.run({ forMs: 120_000 })
  expect(await listPods({ ...cluster, client, clock })).toHaveLength(2)
})

test('ranges of other namespaces do not count, and a pod that is there is left alone', async () => {
  const { client } = await aCluster()
  await client.create(pods, aPod('early', { cpu: '2' }))
  const range = aLimitRange({ type: 'Container', min: { cpu: '3' } })
  const elsewhere = { ...range, metadata: { name: 'limits', namespace: 'kube-system' } }
  await client.create(limitRanges, elsewhere)
  await client.create(pods, aPod('late', { cpu: '2' }))
  await client.create(limitRanges, range)
  const body = { metadata: { labels: { a: 'b' } } }
  await client.patch(pods, { namespace: 'default', name: 'early' }, { kind: 'merge', body })
  await expect(client.create(pods, aPod('refused', { cpu: '2' }))).rejects.toThrow(
    /minimum cpu usage per Container is 3/,
  )
})

test.each([
  ['DaemonSet', daemonSets, /^Error creating: pods "web-\S+" is forbidden: minimum cpu usage per Container is 1/],
  [
    'StatefulSet',
    statefulSets,
    /^create Pod web-0 in StatefulSet web failed error: pods "web-0" is forbidden: minimum cpu usage per Container is 1/,
  ],
] as const)('so does a %s, which counts what it has all the same', async (kind, sets, message) => {
  const cluster = await aCluster()
  const { client, clock } = cluster
  await launchReady(cluster)
  await client.create(limitRanges, aLimitRange({ type: 'Container', min: { cpu: '1' } }))
  const { spec, ...rest } = aDeployment('web', 1)
  await client.create(sets as Resource<KubeObject>, { ...rest, kind, spec } as never)
  await clock.run({ forMs: 60_000 })
  const told = (await client.list(events, { namespace: 'default' })).items.filter(
    ({ reason }) => reason === 'FailedCreate',
  )
  expect(told).not.toEqual([])
  for (const event of told) expect(event.message).toMatch(message)
  const key = { namespace: 'default', name: 'web' }
  const set = (await client.get(sets as Resource<KubeObject>, key)) as { status?: { observedGeneration?: number } }
  expect(set.status?.observedGeneration).toBe(1)
  await client.delete(limitRanges, { namespace: 'default', name: 'limits' })
  await clock.run({ forMs: 30 * 60_000 })
  expect(await listPods(cluster)).toHaveLength(1)
})
