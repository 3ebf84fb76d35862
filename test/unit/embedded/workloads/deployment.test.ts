import { describe, expect, test } from 'vitest'
import { deployments, replicaSets } from '../../../../src/kube/kinds.ts'
import { aCluster, aDeployment, conditionOf, launchReady, listPods, patch } from '../world.ts'

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
