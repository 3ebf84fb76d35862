import { describe, expect, test } from 'vitest'
import type { PodDisruptionBudget, Unsaved } from '../../../../src/api/kubernetes.ts'
import { jobs } from '../../../../src/embedded/workloads/job-kind.ts'
import { daemonSets, deployments, podDisruptionBudgets, pods } from '../../../../src/kube/kinds.ts'
import { aCluster, aDeployment, aPod, aTemplate, launchReady, listPods, names } from '../world.ts'

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

  test('pods of a controller of somebody else count as its scale says', async () => {
    const group = 'example.com'
    const names = { kind: 'Rollout', listKind: 'RolloutList', plural: 'rollouts', singular: 'rollout' }
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
    const subresources = {
      status: {},
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
    }
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `rollouts.${group}` },
      spec: {
        group,
        names,
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema, subresources }],
      },
    }
    const cluster = await aCluster({ crds: [crd as never] })
    const { client, clock } = cluster
    const rollouts = { group, version: 'v1', kind: 'Rollout', plural: 'rollouts', namespaced: true }
    const apiVersion = `${group}/v1`
    const owner = await client.create(rollouts, {
      apiVersion,
      kind: 'Rollout',
      metadata: { name: 'web', namespace: 'default' },
      spec: { replicas: 4 },
    } as never)
    const ownerReferences = [{ apiVersion, kind: 'Rollout', name: 'web', uid: owner.metadata.uid, controller: true }]
    for (const name of ['web-1', 'web-2']) await client.create(pods, aPod(name, {}, { labels, ownerReferences }))
    await client.create(podDisruptionBudgets, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace: 'default' },
      spec: { selector: { matchLabels: labels }, minAvailable: '50%' },
    })
    await clock.run({ forMs: 1_000 })
    const { status } = await client.get(podDisruptionBudgets, { namespace: 'default', name: 'web' })
    expect(status).toMatchObject({ expectedPods: 4, desiredHealthy: 2, disruptionsAllowed: 0 })
  })
})
