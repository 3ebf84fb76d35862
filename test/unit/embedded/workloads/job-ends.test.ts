import { expect, test } from 'vitest'
import type { Pod } from '../../../../src/api/kubernetes.ts'
import type { EmbeddedCluster } from '../../../../src/embedded/cluster.ts'
import { type Job, jobs } from '../../../../src/embedded/workloads/job-kind.ts'
import { events, nodes, pods } from '../../../../src/kube/kinds.ts'
import { keyOf } from '../../../../src/kube/resource.ts'
import { aCluster, aJob, conditionOf, launchReady, listNodes, listPods, patch } from '../world.ts'

/** Pods of a job run for half a minute. */
async function startJob(cluster: EmbeddedCluster, spec: Partial<Job['spec']>): Promise<void> {
  await launchReady(cluster)
  await cluster.client.create(jobs, aJob('work', spec))
  await cluster.clock.run({ forMs: 10_000 })
}

const getJob = ({ client }: EmbeddedCluster) => client.get(jobs, { namespace: 'default', name: 'work' })

async function reasons({ client }: EmbeddedCluster): Promise<readonly (string | undefined)[]> {
  const { items } = await client.list(events, { namespace: 'default' })
  return items.filter(({ involvedObject }) => involvedObject?.kind === 'Job').map(({ reason }) => reason)
}

async function onlyPod(cluster: EmbeddedCluster): Promise<Pod> {
  const [pod, ...others] = await listPods(cluster)
  if (pod === undefined || others.length > 0) throw new Error(`${others.length + 1} pods`)
  return pod
}

const leave: Record<string, (cluster: EmbeddedCluster, pod: Pod) => Promise<unknown>> = {
  'was evicted': ({ client }, pod) => client.evict(keyOf(pod)),
  'was deleted by force': ({ client }, pod) => client.delete(pods, keyOf(pod), { gracePeriodSeconds: 0 }),
  'lost its node': async (cluster) => {
    const [node] = await listNodes(cluster)
    cluster.aws.terminateOutOfBand(node?.spec.providerID?.split('/').at(-1) ?? '')
    await cluster.clock.run({ forMs: 120_000 })
  },
  'does not tolerate a taint': async (cluster) => {
    const [node] = await listNodes(cluster)
    const taints = [{ key: 'down', effect: 'NoExecute' as const }]
    await patch(cluster, nodes, node?.metadata.name ?? '', { spec: { taints } }, '')
  },
}

test.each(Object.entries(leave))('a pod that %s has failed', async (_name, leaves) => {
  const cluster = await aCluster({ machines: { jobMs: 600_000 } })
  await startJob(cluster, { backoffLimit: 0 })
  await leaves(cluster, await onlyPod(cluster))
  await cluster.clock.run({ forMs: 5_000 })
  const job = await getJob(cluster)
  expect(job.status).toMatchObject({ active: 0, terminating: 0, failed: 1 })
  expect(conditionOf(job, 'FailureTarget')).toMatchObject({ status: 'True', reason: 'BackoffLimitExceeded' })
  expect(conditionOf(job, 'Failed')).toMatchObject({
    status: 'True',
    reason: 'BackoffLimitExceeded',
    message: 'Job has reached the specified backoff limit',
  })
  expect(await reasons(cluster)).toContain('BackoffLimitExceeded')
})

test.each(['was evicted', 'lost its node', 'does not tolerate a taint'])(
  'a job that ignores disruptions gets another pod for one that %s',
  async (how) => {
    const cluster = await aCluster({ machines: { jobMs: 600_000 } })
    const rules = [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] }]
    await startJob(cluster, { backoffLimit: 0, podFailurePolicy: { rules } })
    const first = await onlyPod(cluster)
    await leave[how]?.(cluster, first)
    await cluster.clock.run({ forMs: 5_000 })
    expect((await onlyPod(cluster)).metadata.uid).not.toBe(first.metadata.uid)
    const job = await getJob(cluster)
    expect(job.status).toMatchObject({ active: 1, failed: 0 })
    expect(conditionOf(job, 'Failed')).toBeUndefined()
  },
)

test('by its failure policy an exit code fails a job at once', async () => {
  const cluster = await aCluster()
  const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }]
  await startJob(cluster, { podFailurePolicy: { rules } })
  const pod = await onlyPod(cluster)
  const state = { terminated: { exitCode: 42 } }
  const status = { phase: 'Failed', containerStatuses: [{ name: 'main', state }] }
  await cluster.client.patch(pods, keyOf(pod), { kind: 'merge', body: { status } }, { subresource: 'status' })
  await cluster.clock.run({ forMs: 5_000 })
  expect(conditionOf(await getJob(cluster), 'Failed')).toMatchObject({
    reason: 'PodFailurePolicy',
    message: `Container main for pod default/${pod.metadata.name} failed with exit code 42 matching FailJob rule at index 0`,
  })
})

test('a job that is at work for too long fails, once its pods have ended', async () => {
  const cluster = await aCluster({ machines: { jobMs: 600_000, podStopMs: 10_000 } })
  await startJob(cluster, { activeDeadlineSeconds: 60 })
  await cluster.clock.run({ forMs: 45_000 })
  expect((await getJob(cluster)).status).toMatchObject({ active: 1 })
  await cluster.clock.run({ forMs: 10_000 })
  const ending = await getJob(cluster)
  expect(ending.status).toMatchObject({ active: 0, terminating: 1 })
  expect(conditionOf(ending, 'FailureTarget')).toMatchObject({ status: 'True', reason: 'DeadlineExceeded' })
  expect(conditionOf(ending, 'Failed')).toBeUndefined()
  await cluster.clock.run({ forMs: 10_000 })
  expect(conditionOf(await getJob(cluster), 'Failed')).toMatchObject({
    reason: 'DeadlineExceeded',
    message: 'Job was active longer than specified deadline',
  })
  expect(await listPods(cluster)).toEqual([])
})

test('a job that is suspended ends its pods, which have not failed, and begins anew when it goes on', async () => {
  const cluster = await aCluster({ machines: { jobMs: 600_000 } })
  await startJob(cluster, { backoffLimit: 0, activeDeadlineSeconds: 60 })
  await patch(cluster, jobs, 'work', { spec: { suspend: true } })
  await cluster.clock.run({ forMs: 100_000 })
  const suspended = await getJob(cluster)
  expect(suspended.status).toMatchObject({ active: 0, failed: 0 })
  expect(conditionOf(suspended, 'Suspended')).toMatchObject({ status: 'True', reason: 'JobSuspended' })
  expect(await listPods(cluster)).toEqual([])
  await patch(cluster, jobs, 'work', { spec: { suspend: false } })
  await cluster.clock.run({ forMs: 30_000 })
  const resumed = await getJob(cluster)
  expect(resumed.status).toMatchObject({ active: 1 })
  expect(conditionOf(resumed, 'Suspended')).toMatchObject({ status: 'False', reason: 'JobResumed' })
  expect(await reasons(cluster)).toEqual(expect.arrayContaining(['Suspended', 'SuccessfulDelete', 'Resumed']))
})

test('each pod of an indexed job is told its number', async () => {
  const cluster = await aCluster()
  await startJob(cluster, { completionMode: 'Indexed', completions: 4, parallelism: 3 })
  const numbered = (await listPods(cluster)).map(({ metadata, spec }) => [
    metadata.annotations?.['batch.kubernetes.io/job-completion-index'],
    metadata.labels?.['batch.kubernetes.io/job-completion-index'],
    spec['hostname'],
    metadata.generateName,
  ])
  expect(new Set(numbered)).toEqual(
    new Set([0, 1, 2].map((index) => [String(index), String(index), `work-${index}`, `work-${index}-`])),
  )
  expect((await listPods(cluster))[0]?.spec.containers[0]?.env).toMatchObject([
    {
      name: 'JOB_COMPLETION_INDEX',
      valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-completion-index']" } },
    },
  ])
  await cluster.clock.run({ forMs: 25_000 })
  expect((await getJob(cluster)).status).toMatchObject({ succeeded: 3, completedIndexes: '0-2', active: 1 })
  await cluster.clock.run({ forMs: 40_000 })
  const job = await getJob(cluster)
  expect(job.status).toMatchObject({ succeeded: 4, completedIndexes: '0-3' })
  expect(conditionOf(job, 'SuccessCriteriaMet')).toMatchObject({ status: 'True', reason: 'CompletionsReached' })
  expect(conditionOf(job, 'Complete')).toMatchObject({ status: 'True' })
  expect(await reasons(cluster)).toContain('Completed')
})
