import { describe, expect, test } from 'vitest'
import type { DaemonSet, PodDisruptionBudget, StatefulSet, Unsaved } from '../../../../src/api/kubernetes.ts'
import { jobs } from '../../../../src/embedded/workloads/job.ts'
import { inOrderOfDeletion } from '../../../../src/embedded/workloads/replica-set.ts'
import {
  daemonSets,
  deployments,
  nodes,
  persistentVolumeClaims,
  podDisruptionBudgets,
  pods,
  replicaSets,
  statefulSets,
} from '../../../../src/kube/kinds.ts'
import { aCluster, aDeployment, aPod, aTemplate, conditionOf, launchReady, listPods, patch } from '../world.ts'

const names = (list: readonly { metadata: { name: string } }[]) => list.map(({ metadata }) => metadata.name)

describe('Deployments', () => {
  test('scaling up and down keeps the number asked for', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(deployments, aDeployment('web', 2))
    await cluster.clock.run({ forMs: 10_000 })
    expect(await listPods(cluster)).toHaveLength(2)
    await patch(cluster, deployments, 'web', { spec: { replicas: 5 } })
    await cluster.clock.run({ forMs: 10_000 })
    expect(await listPods(cluster)).toHaveLength(5)
    await patch(cluster, deployments, 'web', { spec: { replicas: 1 } })
    await cluster.clock.run({ forMs: 10_000 })
    expect(await listPods(cluster)).toHaveLength(1)
  })

  test('a finished rollout says what kubectl rollout status looks for', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(deployments, aDeployment('web', 3))
    await cluster.clock.run({ forMs: 20_000 })
    const deployment = await cluster.client.get(deployments, { namespace: 'default', name: 'web' })
    expect(deployment.status).toMatchObject({
      observedGeneration: deployment.metadata.generation,
      replicas: 3,
      updatedReplicas: 3,
      availableReplicas: 3,
    })
    expect(conditionOf(deployment, 'Progressing')).toMatchObject({ status: 'True', reason: 'NewReplicaSetAvailable' })
    expect(conditionOf(deployment, 'Available')).toMatchObject({ status: 'True', reason: 'MinimumReplicasAvailable' })
    expect(deployment.metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('1')
  })

  test('a rollout that cannot finish exceeds its deadline', async () => {
    const cluster = await aCluster()
    await cluster.client.create(deployments, aDeployment('web', 1))
    await cluster.clock.run({ forMs: 700_000 })
    const deployment = await cluster.client.get(deployments, { namespace: 'default', name: 'web' })
    expect(conditionOf(deployment, 'Progressing')).toMatchObject({
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
    })
  })

  test('going back to an old template takes its ReplicaSet up again under a new revision', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(deployments, aDeployment('web', 2))
    await cluster.clock.run({ forMs: 20_000 })
    const image = (name: string) => ({ spec: { template: { spec: { containers: [{ name: 'main', image: name }] } } } })
    await patch(cluster, deployments, 'web', image('app:2'))
    await cluster.clock.run({ forMs: 30_000 })
    await cluster.client.patch(
      deployments,
      { namespace: 'default', name: 'web' },
      { kind: 'strategic', body: image('app:3') },
    )
    await cluster.clock.run({ forMs: 30_000 })
    await patch(cluster, deployments, 'web', image('app:2'))
    await cluster.clock.run({ forMs: 30_000 })
    const sets = (await cluster.client.list(replicaSets, { namespace: 'default' })).items
    expect(sets).toHaveLength(3)
    const live = sets.filter(({ spec }) => spec.replicas === 2)
    expect(live.map(({ metadata }) => metadata.annotations?.['deployment.kubernetes.io/revision'])).toEqual(['4'])
    expect((await listPods(cluster)).map(({ spec }) => spec.containers[0]?.image)).toEqual(['app:2', 'app:2'])
  })

  test('a paused rollout says so, keeps its template and follows the number of pods', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(deployments, aDeployment('web', 2))
    await cluster.clock.run({ forMs: 20_000 })
    const containers = [{ name: 'main', image: 'app:2' }]
    await patch(cluster, deployments, 'web', { spec: { paused: true, template: { spec: { containers } } } })
    await patch(cluster, deployments, 'web', { spec: { replicas: 3 } })
    await cluster.clock.run({ forMs: 700_000 })
    const images = async () => (await listPods(cluster)).map(({ spec }) => spec.containers[0]?.image)
    expect(await images()).toEqual(['app:1', 'app:1', 'app:1'])
    const get = () => cluster.client.get(deployments, { namespace: 'default', name: 'web' })
    expect(conditionOf(await get(), 'Progressing')).toMatchObject({ status: 'Unknown', reason: 'DeploymentPaused' })
    await patch(cluster, deployments, 'web', { spec: { paused: false } })
    await cluster.clock.run({ forMs: 2_000 })
    expect(conditionOf(await get(), 'Progressing')).toMatchObject({ status: 'True', reason: 'ReplicaSetUpdated' })
    await cluster.clock.run({ forMs: 60_000 })
    expect(await images()).toEqual(['app:2', 'app:2', 'app:2'])
  })

  test('a rollout that is paused half-way is scaled by shares', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(deployments, aDeployment('web', 4))
    await cluster.clock.run({ forMs: 20_000 })
    const containers = [{ name: 'main', image: 'app:2', resources: { requests: { cpu: '900' } } }]
    await patch(cluster, deployments, 'web', { spec: { template: { spec: { containers } } } })
    await cluster.clock.run({ forMs: 20_000 })
    const sizes = async () =>
      Object.fromEntries(
        (await cluster.client.list(replicaSets, { namespace: 'default' })).items.map(({ spec }) => [
          spec.template.spec.containers[0]?.image,
          spec.replicas,
        ]),
      )
    expect(await sizes()).toEqual({ 'app:1': 3, 'app:2': 2 })
    await patch(cluster, deployments, 'web', { spec: { paused: true } })
    await cluster.clock.run({ forMs: 20_000 })
    expect(await sizes()).toEqual({ 'app:1': 3, 'app:2': 2 })
    await patch(cluster, deployments, 'web', { spec: { replicas: 10 } })
    await cluster.clock.run({ forMs: 20_000 })
    expect(await sizes()).toEqual({ 'app:1': 6, 'app:2': 4 })
  })

  test('Recreate stops all old pods before it starts a new one', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    const deployment = aDeployment('web', 2)
    await cluster.client.create(deployments, {
      ...deployment,
      spec: { ...deployment.spec, strategy: { type: 'Recreate' } },
    })
    await cluster.clock.run({ forMs: 20_000 })
    await patch(cluster, deployments, 'web', {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'app:2' }] } } },
    })
    for (let second = 0; second < 20; second += 1) {
      const images = new Set((await listPods(cluster)).map(({ spec }) => spec.containers[0]?.image))
      expect(images.size).toBeLessThanOrEqual(1)
      await cluster.clock.run({ forMs: 1_000 })
    }
    expect((await listPods(cluster)).map(({ spec }) => spec.containers[0]?.image)).toEqual(['app:2', 'app:2'])
  })

  test('deleting a deployment takes its pods along', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(deployments, aDeployment('web', 2))
    await cluster.clock.run({ forMs: 10_000 })
    await cluster.client.delete(deployments, { namespace: 'default', name: 'web' }, { propagationPolicy: 'Background' })
    await cluster.clock.run({ forMs: 10_000 })
    expect(await listPods(cluster)).toEqual([])
  })
})

test('a ReplicaSet gives up cheap, unready and unassigned pods first', () => {
  const pod = (name: string, more: { nodeName?: string; ready?: boolean; cost?: string } = {}) => {
    const { metadata, ...rest } = aPod(name)
    const status = more.ready === false ? 'False' : 'True'
    const annotations = more.cost === undefined ? {} : { 'controller.kubernetes.io/pod-deletion-cost': more.cost }
    return {
      ...rest,
      metadata: {
        ...metadata,
        name,
        uid: name,
        resourceVersion: '1',
        creationTimestamp: '2026-01-01T00:00:00Z',
        annotations,
      },
      spec: { ...rest.spec, ...(more.nodeName === undefined ? {} : { nodeName: more.nodeName }) },
      status: { phase: 'Running' as const, conditions: [{ type: 'Ready', status: status as 'True' | 'False' }] },
    }
  }
  const order = inOrderOfDeletion([
    pod('dear', { nodeName: 'c', cost: '100' }),
    pod('normal', { nodeName: 'd' }),
    pod('crowded-1', { nodeName: 'a' }),
    pod('crowded-2', { nodeName: 'a' }),
    pod('cheap', { nodeName: 'b', cost: '-1' }),
    pod('unready', { nodeName: 'b', ready: false }),
    pod('unassigned'),
  ])
  expect(names(order)).toEqual(['unassigned', 'unready', 'cheap', 'crowded-1', 'crowded-2', 'normal', 'dear'])
})

describe('StatefulSets', () => {
  const aSet = (replicas: number, more: Partial<StatefulSet['spec']> = {}): Unsaved<StatefulSet> => ({
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db', namespace: 'default' },
    spec: {
      replicas,
      serviceName: 'db',
      selector: { matchLabels: { app: 'db' } },
      template: aTemplate({ app: 'db' }),
      ...more,
    },
  })

  test('pods start one after the other and stop from the last', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(statefulSets, aSet(3))
    await cluster.clock.run({ forMs: 1_000 })
    expect(names(await listPods(cluster))).toEqual(['db-0'])
    await cluster.clock.run({ forMs: 30_000 })
    expect(names(await listPods(cluster))).toEqual(['db-0', 'db-1', 'db-2'])
    const set = await cluster.client.get(statefulSets, { namespace: 'default', name: 'db' })
    expect(set.status).toMatchObject({ replicas: 3, readyReplicas: 3, updatedReplicas: 3 })
    expect(set.status?.['currentRevision']).toBe(set.status?.['updateRevision'])
    await patch(cluster, statefulSets, 'db', { spec: { replicas: 1 } })
    await cluster.clock.run({ forMs: 30_000 })
    expect(names(await listPods(cluster))).toEqual(['db-0'])
  })

  test('they are numbered from the first ordinal on, and each has its name under that of the service', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(statefulSets, aSet(2, { ordinals: { start: 5 } }))
    await cluster.clock.run({ forMs: 30_000 })
    const all = await listPods(cluster)
    expect(all.map(({ spec }) => [spec.hostname, spec.subdomain])).toEqual([
      ['db-5', 'db'],
      ['db-6', 'db'],
    ])
    await patch(cluster, statefulSets, 'db', { spec: { ordinals: { start: 6 } } })
    await cluster.clock.run({ forMs: 60_000 })
    expect(names(await listPods(cluster))).toEqual(['db-6', 'db-7'])
  })

  test('in parallel they start at once', async () => {
    const cluster = await aCluster()
    await cluster.client.create(statefulSets, aSet(3, { podManagementPolicy: 'Parallel' }))
    await cluster.clock.run({ forMs: 1_000 })
    expect(await listPods(cluster)).toHaveLength(3)
  })

  test('a new template replaces pods from the last to the first', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(statefulSets, aSet(3))
    await cluster.clock.run({ forMs: 30_000 })
    await patch(cluster, statefulSets, 'db', {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'app:2' }] } } },
    })
    await cluster.clock.run({ forMs: 3_000 })
    const images = async () =>
      Object.fromEntries(
        (await listPods(cluster)).map(({ metadata, spec }) => [metadata.name, spec.containers[0]?.image]),
      )
    expect(await images()).toMatchObject({ 'db-0': 'app:1', 'db-1': 'app:1' })
    await cluster.clock.run({ forMs: 60_000 })
    expect(await images()).toEqual({ 'db-0': 'app:2', 'db-1': 'app:2', 'db-2': 'app:2' })
  })

  test('claims are made from templates and survive their pods', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
    }
    await cluster.client.create(statefulSets, aSet(1, { volumeClaimTemplates: [claim] }))
    await cluster.clock.run({ forMs: 30_000 })
    await patch(cluster, statefulSets, 'db', { spec: { replicas: 0 } })
    await cluster.clock.run({ forMs: 30_000 })
    expect(await listPods(cluster)).toEqual([])
    const claims = (await cluster.client.list(persistentVolumeClaims, { namespace: 'default' })).items
    expect(claims.map(({ metadata, status }) => [metadata.name, status?.phase])).toEqual([['data-db-0', 'Bound']])
  })

  test('a claim that is deleted with its pod is made anew for the next one', async () => {
    const cluster = await aCluster()
    const { client, clock } = cluster
    await launchReady(cluster)
    const claim = {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10Gi' } } },
    }
    await client.create(statefulSets, aSet(2, { volumeClaimTemplates: [claim] }))
    await clock.run({ forMs: 60_000 })
    const key = { namespace: 'default', name: 'data-db-1' }
    const before = await client.get(persistentVolumeClaims, key)
    await client.delete(persistentVolumeClaims, key)
    await client.delete(pods, { namespace: 'default', name: 'db-1' })
    await clock.run({ forMs: 4 * 60_000 })
    expect((await listPods(cluster)).map(({ status }) => status?.phase)).toEqual(['Running', 'Running'])
    expect((await client.get(persistentVolumeClaims, key)).metadata.uid).not.toBe(before.metadata.uid)
  })
})

describe('DaemonSets', () => {
  const aSet = (spec = {}): Unsaved<DaemonSet> => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: 'default' },
    spec: { selector: { matchLabels: { app: 'agent' } }, template: aTemplate({ app: 'agent' }, spec) },
  })

  test('each node that may run the daemon gets one, nodes that come later too', async () => {
    const cluster = await aCluster()
    await launchReady(cluster, { count: 2 })
    await cluster.client.create(daemonSets, aSet())
    await cluster.clock.run({ forMs: 10_000 })
    expect(new Set((await listPods(cluster)).map(({ spec }) => spec.nodeName)).size).toBe(2)
    await launchReady(cluster)
    expect(new Set((await listPods(cluster)).map(({ spec }) => spec.nodeName)).size).toBe(3)
    const set = await cluster.client.get(daemonSets, { namespace: 'default', name: 'agent' })
    expect(set.status).toMatchObject({ desiredNumberScheduled: 3, numberReady: 3, updatedNumberScheduled: 3 })
  })

  test('selectors and taints keep daemons away', async () => {
    const cluster = await aCluster()
    const [first, second] = await launchReady(cluster, { count: 2 })
    await patch(cluster, nodes, first?.metadata.name ?? '', { metadata: { labels: { disk: 'ssd' } } }, '')
    await cluster.client.create(daemonSets, aSet({ nodeSelector: { disk: 'ssd' } }))
    await cluster.clock.run({ forMs: 10_000 })
    expect((await listPods(cluster)).map(({ spec }) => spec.nodeName)).toEqual([first?.metadata.name])
    await patch(
      cluster,
      nodes,
      first?.metadata.name ?? '',
      { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } },
      '',
    )
    await patch(
      cluster,
      nodes,
      second?.metadata.name ?? '',
      { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] }, metadata: { labels: { disk: 'ssd' } } },
      '',
    )
    await cluster.clock.run({ forMs: 10_000 })
    // NoSchedule does not drive out the daemon that is there, and lets none in elsewhere.
    expect((await listPods(cluster)).map(({ spec }) => spec.nodeName)).toEqual([first?.metadata.name])
  })

  test('a new template is rolled out one node at a time', async () => {
    const cluster = await aCluster()
    await launchReady(cluster, { count: 3 })
    await cluster.client.create(daemonSets, aSet())
    await cluster.clock.run({ forMs: 10_000 })
    await patch(cluster, daemonSets, 'agent', {
      spec: { template: { spec: { containers: [{ name: 'main', image: 'app:2' }] } } },
    })
    let fewest = 3
    for (let second = 0; second < 40; second += 1) {
      await cluster.clock.run({ forMs: 1_000 })
      const ready = (await listPods(cluster)).filter(
        (pod) => pod.metadata.deletionTimestamp === undefined && pod.status?.phase === 'Running',
      )
      fewest = Math.min(fewest, ready.length)
    }
    expect(fewest).toBe(2)
    expect((await listPods(cluster)).map(({ spec }) => spec.containers[0]?.image)).toEqual(['app:2', 'app:2', 'app:2'])
  })
})

describe('Jobs', () => {
  test('a job runs its pods to completion, so many at a time', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(jobs, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'work', namespace: 'default' },
      spec: { completions: 3, parallelism: 2, template: { spec: { ...aTemplate({}).spec, restartPolicy: 'Never' } } },
    })
    await cluster.clock.run({ forMs: 20_000 })
    const get = () => cluster.client.get(jobs, { namespace: 'default', name: 'work' })
    expect((await get()).status).toMatchObject({ active: 2, succeeded: 0 })
    await cluster.clock.run({ forMs: 100_000 })
    const finished = await get()
    expect(finished.status).toMatchObject({ active: 0, succeeded: 3 })
    expect(conditionOf(finished, 'Complete')).toMatchObject({ status: 'True' })
  })

  test.each([
    ['Succeeded', { succeeded: 3 }, 'Complete'],
    ['Failed', { failed: 3 }, 'Failed'],
  ])('a pod that has %s counts once, also after it was deleted', async (phase, counts, outcome) => {
    const cluster = await aCluster()
    await cluster.client.create(jobs, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'work', namespace: 'default' },
      spec: {
        completions: 3,
        backoffLimit: 2,
        template: { spec: { ...aTemplate({}).spec, restartPolicy: 'Never' } },
      },
    })
    for (let pass = 0; pass < 3; pass += 1) {
      await cluster.clock.run({ forMs: 1_000 })
      const [pod] = await listPods(cluster)
      const key = { namespace: 'default', name: pod?.metadata.name ?? '' }
      await cluster.client.patch(pods, key, { kind: 'merge', body: { status: { phase } } }, { subresource: 'status' })
      await cluster.clock.run({ forMs: 1_000 })
      await cluster.client.delete(pods, key)
    }
    await cluster.clock.run({ forMs: 10_000 })
    const job = await cluster.client.get(jobs, { namespace: 'default', name: 'work' })
    expect(job.status).toMatchObject({ active: 0, ...counts })
    expect(conditionOf(job, outcome)).toMatchObject({ status: 'True' })
  })

  test('too many failures end a job', async () => {
    const cluster = await aCluster()
    await cluster.client.create(jobs, {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'work', namespace: 'default' },
      spec: { backoffLimit: 0, template: { spec: { ...aTemplate({}).spec, restartPolicy: 'Never' } } },
    })
    await cluster.clock.run({ forMs: 1_000 })
    const [pod] = await listPods(cluster)
    const body = { status: { phase: 'Failed' } }
    await cluster.client.patch(
      pods,
      { namespace: 'default', name: pod?.metadata.name ?? '' },
      { kind: 'merge', body },
      { subresource: 'status' },
    )
    await cluster.clock.run({ forMs: 10_000 })
    expect(conditionOf(await cluster.client.get(jobs, { namespace: 'default', name: 'work' }), 'Failed')).toMatchObject(
      { status: 'True' },
    )
  })
})

describe('what an owner leaves behind', () => {
  const orphaning = { propagationPolicy: 'Orphan' } as const
  const identities = (list: readonly { metadata: { uid: string } }[]) => list.map(({ metadata }) => metadata.uid)
  const owners = (list: readonly { metadata: { ownerReferences?: readonly { name: string }[] } }[]) =>
    list.flatMap(({ metadata }) => (metadata.ownerReferences ?? []).map(({ name }) => name))

  test('a Deployment that is created again takes its ReplicaSet and pods back', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(deployments, aDeployment('web', 2))
    await cluster.clock.run({ forMs: 10_000 })
    const before = identities(await listPods(cluster))
    const key = { namespace: 'default', name: 'web' }
    await cluster.client.delete(deployments, key, orphaning)
    await cluster.clock.run({ forMs: 10_000 })
    expect(owners((await cluster.client.list(replicaSets, { namespace: 'default' })).items)).toEqual([])
    await cluster.client.create(deployments, aDeployment('web', 2))
    await cluster.clock.run({ forMs: 10_000 })
    expect(owners((await cluster.client.list(replicaSets, { namespace: 'default' })).items)).toEqual(['web'])
    expect(identities(await listPods(cluster))).toEqual(before)
    await patch(cluster, deployments, 'web', { spec: { replicas: 3 } })
    await cluster.clock.run({ forMs: 10_000 })
    expect((await cluster.client.get(deployments, key)).status).toMatchObject({ availableReplicas: 3 })
  })

  const aReplicaSet = (replicas: number) => {
    const { metadata, spec } = aDeployment('web', replicas)
    return {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata,
      spec: { replicas, selector: spec.selector, template: spec.template },
    }
  }

  test('a ReplicaSet takes its pods back', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(replicaSets, aReplicaSet(2))
    await cluster.clock.run({ forMs: 10_000 })
    const before = identities(await listPods(cluster))
    await cluster.client.delete(replicaSets, { namespace: 'default', name: 'web' }, orphaning)
    await cluster.clock.run({ forMs: 10_000 })
    expect(identities(await listPods(cluster))).toEqual(before)
    await cluster.client.create(replicaSets, aReplicaSet(2))
    await cluster.clock.run({ forMs: 10_000 })
    expect(identities(await listPods(cluster))).toEqual(before)
    expect(owners(await listPods(cluster))).toEqual(['web', 'web'])
  })

  test('a pod that came before its ReplicaSet counts, one whose label is taken away is replaced', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(replicaSets, aReplicaSet(1))
    await cluster.clock.run({ forMs: 10_000 })
    const [pod] = names(await listPods(cluster))
    await patch(cluster, pods, pod ?? '', { metadata: { labels: { app: 'debug' } } })
    await cluster.clock.run({ forMs: 10_000 })
    const all = await listPods(cluster)
    expect(all).toHaveLength(2)
    expect(owners(all.filter(({ metadata }) => metadata.name === pod))).toEqual([])
    // Back under the label there is one too many.
    await patch(cluster, pods, pod ?? '', { metadata: { labels: { app: 'web' } } })
    await cluster.clock.run({ forMs: 60_000 })
    expect(owners(await listPods(cluster))).toEqual(['web'])
  })

  test('a StatefulSet takes its pods back', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    const set: Unsaved<StatefulSet> = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db', namespace: 'default' },
      spec: { replicas: 2, selector: { matchLabels: { app: 'db' } }, template: aTemplate({ app: 'db' }) },
    }
    await cluster.client.create(statefulSets, set)
    await cluster.clock.run({ forMs: 30_000 })
    const before = identities(await listPods(cluster))
    await cluster.client.delete(statefulSets, { namespace: 'default', name: 'db' }, orphaning)
    await cluster.clock.run({ forMs: 10_000 })
    await cluster.client.create(statefulSets, set)
    await cluster.clock.run({ forMs: 10_000 })
    expect(identities(await listPods(cluster))).toEqual(before)
    expect(owners(await listPods(cluster))).toEqual(['db', 'db'])
  })
})

describe('PodDisruptionBudgets', () => {
  const aBudget = (spec: PodDisruptionBudget['spec']): Unsaved<PodDisruptionBudget> => ({
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: { matchLabels: { app: 'web' } }, ...spec },
  })
  const cases: Record<string, [PodDisruptionBudget['spec'], object]> = {
    'minAvailable as a number': [{ minAvailable: 3 }, { expectedPods: 4, desiredHealthy: 3, disruptionsAllowed: 1 }],
    'minAvailable as a share, rounded up': [
      { minAvailable: '60%' },
      { expectedPods: 4, desiredHealthy: 3, disruptionsAllowed: 1 },
    ],
    'maxUnavailable as a number': [
      { maxUnavailable: 2 },
      { expectedPods: 4, desiredHealthy: 2, disruptionsAllowed: 2 },
    ],
    'maxUnavailable as a share, rounded up': [
      { maxUnavailable: '30%' },
      { expectedPods: 4, desiredHealthy: 2, disruptionsAllowed: 2 },
    ],
    'nothing allowed': [{ maxUnavailable: 0 }, { expectedPods: 4, desiredHealthy: 4, disruptionsAllowed: 0 }],
  }
  test.each(Object.entries(cases))('%s', async (_name, [spec, want]) => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(deployments, aDeployment('web', 4))
    await cluster.client.create(podDisruptionBudgets, aBudget(spec))
    await cluster.clock.run({ forMs: 10_000 })
    const budget = await cluster.client.get(podDisruptionBudgets, { namespace: 'default', name: 'web' })
    expect(budget.status).toMatchObject({ currentHealthy: 4, observedGeneration: 1, ...want })
  })

  const labels = { app: 'web' }
  const bare = { expectedPods: 0, desiredHealthy: 0, disruptionsAllowed: 0, currentHealthy: 1 }
  const refusedFor = (resource: string) => ({
    disruptionsAllowed: 0,
    conditions: [
      {
        type: 'DisruptionAllowed',
        status: 'False',
        reason: 'SyncFailed',
        message: `${resource} does not implement the scale subresource`,
      },
    ],
  })
  const aJob = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'web', namespace: 'default' },
    spec: { template: { metadata: { labels }, spec: { ...aTemplate({}).spec, restartPolicy: 'Never' as const } } },
  }
  const aDaemonSet = {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'web', namespace: 'default' },
    spec: { selector: { matchLabels: labels }, template: aTemplate(labels) },
  }
  type Create = (cluster: Awaited<ReturnType<typeof aCluster>>) => Promise<unknown>
  const aBarePod: Create = ({ client }) => client.create(pods, aPod('web', {}, { labels }))
  const aDaemon: Create = ({ client }) => client.create(daemonSets, aDaemonSet)
  const unscaled: Record<string, [Create, PodDisruptionBudget['spec'], object]> = {
    'a pod of its own under a number of pods to keep': [
      aBarePod,
      { minAvailable: 0 },
      { expectedPods: 1, disruptionsAllowed: 1 },
    ],
    'a pod of its own under a share to keep': [aBarePod, { minAvailable: '10%' }, bare],
    'a pod of its own under a number that may be missing': [aBarePod, { maxUnavailable: 1 }, bare],
    'a daemon under a number that may be missing': [aDaemon, { maxUnavailable: 1 }, refusedFor('daemonsets.apps')],
    'a daemon under a share to keep': [aDaemon, { minAvailable: '50%' }, refusedFor('daemonsets.apps')],
    'a daemon under a number to keep': [aDaemon, { minAvailable: 0 }, { expectedPods: 1, disruptionsAllowed: 1 }],
    "a job's pod under a number that may be missing": [
      ({ client }) => client.create(jobs, aJob),
      { maxUnavailable: 1 },
      refusedFor('jobs.batch'),
    ],
  }
  test.each(Object.entries(unscaled))('%s', async (_name, [create, spec, want]) => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await create(cluster)
    await cluster.client.create(podDisruptionBudgets, aBudget(spec))
    await cluster.clock.run({ forMs: 10_000 })
    const budget = await cluster.client.get(podDisruptionBudgets, { namespace: 'default', name: 'web' })
    expect(budget.status).toMatchObject(want)
  })

  test('evictions go through one by one as replacements become healthy', async () => {
    const cluster = await aCluster()
    await launchReady(cluster)
    await cluster.client.create(deployments, aDeployment('web', 2))
    await cluster.client.create(podDisruptionBudgets, aBudget({ minAvailable: 1 }))
    await cluster.clock.run({ forMs: 10_000 })
    const [first, second] = names(await listPods(cluster))
    await cluster.client.evict({ namespace: 'default', name: first ?? '' })
    await expect(cluster.client.evict({ namespace: 'default', name: second ?? '' })).rejects.toMatchObject({
      code: 'TooManyRequests',
    })
    await cluster.clock.run({ forMs: 30_000 })
    await cluster.client.evict({ namespace: 'default', name: second ?? '' })
  })
})
