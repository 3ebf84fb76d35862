import { expect, test } from 'vitest'
import type { KubeObject } from '../../../../src/api/kubernetes.ts'
import type { EmbeddedCluster } from '../../../../src/embedded/cluster.ts'
import { podDisruptionBudgets, pods, priorityClasses } from '../../../../src/kube/kinds.ts'
import type { Resource } from '../../../../src/kube/resource.ts'
import { aCluster, aPod, conditionOf, getPod, launchReady } from '../world.ts'

interface Event extends KubeObject {
  readonly reason?: string
  readonly message?: string
  readonly involvedObject?: { readonly name?: string }
}

const events: Resource<Event> = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true }

/** With one node of two CPUs, of which a little is taken. */
async function aFullCluster(): Promise<EmbeddedCluster> {
  const cluster = await aCluster()
  for (const [name, value] of Object.entries({ spare: -10, urgent: 1_000 })) {
    const header = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass' }
    await cluster.client.create(priorityClasses, { ...header, metadata: { name }, value })
  }
  await launchReady(cluster)
  const placeholder = aPod('placeholder', { cpu: '1500m', priorityClassName: 'spare' })
  await cluster.client.create(pods, {
    ...placeholder,
    metadata: { ...placeholder.metadata, labels: { app: 'placeholder' } },
    spec: { ...placeholder.spec, terminationGracePeriodSeconds: 20 },
  })
  await cluster.clock.run({ forMs: 10_000 })
  expect((await getPod(cluster, 'placeholder')).status?.phase).toBe('Running')
  return cluster
}

test('a placeholder makes room for a pod that matters more, which waits for it to be gone', async () => {
  const cluster = await aFullCluster()
  const { client, clock } = cluster
  const node = (await getPod(cluster, 'placeholder')).spec.nodeName
  const { metadata } = await client.create(pods, aPod('urgent', { cpu: '1500m', priorityClassName: 'urgent' }))
  await clock.run({ forMs: 200 })
  const waiting = await getPod(cluster, 'urgent')
  expect(waiting.status?.nominatedNodeName).toBe(node)
  expect(conditionOf(waiting, 'PodScheduled')).toMatchObject({
    status: 'False',
    reason: 'Unschedulable',
    message: '0/1 nodes are available: 1 Insufficient cpu.',
  })
  const leaving = await getPod(cluster, 'placeholder')
  expect(leaving.metadata.deletionTimestamp).toBeDefined()
  expect(conditionOf(leaving, 'DisruptionTarget')).toMatchObject({ status: 'True', reason: 'PreemptionByScheduler' })
  expect(conditionOf(leaving, 'Ready')).toMatchObject({ status: 'True' })
  const told = (await client.list(events)).items.filter(({ reason }) => reason === 'Preempted')
  expect(told).toMatchObject([
    { involvedObject: { name: 'placeholder' }, message: `Preempted by pod ${metadata.uid} on node ${node}` },
  ])
  await clock.run({ forMs: 30_000 })
  const placed = await getPod(cluster, 'urgent')
  expect(placed.spec.nodeName).toBe(node)
  expect(placed.status?.phase).toBe('Running')
  expect((await client.list(pods)).items.map(({ metadata: { name } }) => name)).not.toContain('placeholder')
})

test('while its victim goes, a pod as important does not take the room, and the nomination stays', async () => {
  const cluster = await aFullCluster()
  const { client, clock } = cluster
  await client.create(pods, aPod('urgent', { cpu: '1500m', priorityClassName: 'urgent' }))
  await clock.run({ forMs: 200 })
  await client.create(pods, aPod('also', { cpu: '1500m', priorityClassName: 'urgent' }))
  await clock.run({ forMs: 100 })
  expect((await getPod(cluster, 'placeholder')).metadata.deletionTimestamp).toBeDefined()
  expect((await getPod(cluster, 'urgent')).status?.nominatedNodeName).toBeDefined()
  await clock.run({ forMs: 30_000 })
  expect((await getPod(cluster, 'urgent')).spec.nodeName).toBeDefined()
  const also = await getPod(cluster, 'also')
  expect(also.spec.nodeName).toBeUndefined()
  expect(also.status?.nominatedNodeName).toBeUndefined()
  expect(conditionOf(also, 'PodScheduled')).toHaveProperty(
    'message',
    '0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.',
  )
})

test('equals are left alone, and a pod that no room would help pushes nobody aside', async () => {
  const cluster = await aFullCluster()
  const { client, clock } = cluster
  await client.create(pods, aPod('equal', { cpu: '1500m', priorityClassName: 'spare' }))
  await client.create(pods, aPod('huge', { cpu: '64', priorityClassName: 'urgent' }))
  await clock.run({ forMs: 30_000 })
  expect((await getPod(cluster, 'placeholder')).metadata.deletionTimestamp).toBeUndefined()
})

test('a pod that a budget protects goes only when there is no other way', async () => {
  const cluster = await aFullCluster()
  const { client, clock } = cluster
  await client.create(podDisruptionBudgets, {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'all', namespace: 'default' },
    spec: { selector: { matchLabels: { app: 'placeholder' } }, maxUnavailable: 0 },
  })
  await launchReady(cluster)
  await client.create(pods, aPod('free', { cpu: '1500m', priorityClassName: 'spare' }))
  await clock.run({ forMs: 10_000 })
  await client.create(pods, aPod('first', { cpu: '1500m', priorityClassName: 'urgent' }))
  await clock.run({ forMs: 60_000 })
  const names = async () => (await client.list(pods)).items.map(({ metadata: { name } }) => name).toSorted()
  expect(await names()).toEqual(['first', 'placeholder'])
  await client.create(pods, aPod('second', { cpu: '1500m', priorityClassName: 'urgent' }))
  await clock.run({ forMs: 60_000 })
  expect(await names()).toEqual(['first', 'second'])
})

test('a victim that may not be deleted keeps its place, and others have their turn', async () => {
  const cluster = await aFullCluster()
  const { client, clock } = cluster
  const policy = (kind: string, plural: string): Resource<KubeObject & { readonly spec: object }> => {
    return { group: 'admissionregistration.k8s.io', version: 'v1', kind, plural, namespaced: false }
  }
  const header = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: 'frozen' } }
  await client.create(policy('ValidatingAdmissionPolicy', 'validatingadmissionpolicies'), {
    ...header,
    kind: 'ValidatingAdmissionPolicy',
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['pods'] }],
      },
      validations: [{ expression: 'false', message: 'pods are frozen' }],
    },
  })
  await client.create(policy('ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicybindings'), {
    ...header,
    kind: 'ValidatingAdmissionPolicyBinding',
    spec: { policyName: 'frozen', validationActions: ['Deny'] },
  })
  await client.create(pods, aPod('urgent', { cpu: '1500m', priorityClassName: 'urgent' }))
  await client.create(pods, aPod('small', { cpu: '10m' }))
  await clock.run({ forMs: 30_000 })
  expect((await getPod(cluster, 'placeholder')).metadata.deletionTimestamp).toBeUndefined()
  expect((await getPod(cluster, 'small')).spec.nodeName).toBeDefined()
  expect(conditionOf(await getPod(cluster, 'urgent'), 'PodScheduled')).toMatchObject({
    reason: 'SchedulerError',
    message: expect.stringContaining('pods are frozen') as string,
  })
})

test.each([
  [{ priority: 7 }, /the integer value of priority \(7\) must not be provided in pod spec; .* computed 0 from/],
  [{ preemptionPolicy: 'Never' }, /the string value of PreemptionPolicy \(Never\) must not be provided in pod spec/],
  [{ priorityClassName: 'nope' }, /no PriorityClass with name nope was found/],
])('the API server takes priority from the class alone: %j', async (spec, message) => {
  const { client } = await aCluster()
  const pod = aPod('odd')
  await expect(client.create(pods, { ...pod, spec: { ...pod.spec, ...spec } })).rejects.toThrow(message)
})
