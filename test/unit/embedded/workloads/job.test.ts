import { describe, expect, test } from 'vitest'
import { jobs } from '../../../../src/embedded/workloads/job-kind.ts'
import { pods } from '../../../../src/kube/kinds.ts'
import { aCluster, aTemplate, conditionOf, launchReady, listPods } from '../world.ts'

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
