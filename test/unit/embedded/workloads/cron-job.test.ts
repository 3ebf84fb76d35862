import { describe, expect, test } from 'vitest'
import type { Unsaved } from '../../../../src/api/kubernetes.ts'
import type { EmbeddedCluster } from '../../../../src/embedded/cluster.ts'
import { type CronJob, cronJobs } from '../../../../src/embedded/workloads/cron-job.ts'
import { jobs } from '../../../../src/embedded/workloads/job-kind.ts'
import { events } from '../../../../src/kube/kinds.ts'
import { aCluster, aTemplate, launchReady, names } from '../world.ts'

const minuteMs = 60_000
const key = { namespace: 'default', name: 'work' }

function aCronJob(spec: Partial<CronJob['spec']> = {}): Unsaved<CronJob> {
  const template = { spec: { ...aTemplate({}).spec, restartPolicy: 'Never' } } as const
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: key,
    spec: { schedule: '* * * * *', jobTemplate: { spec: { template } }, ...spec },
  }
}

async function listJobs({ client }: EmbeddedCluster) {
  return (await client.list(jobs, { namespace: 'default' })).items
}

async function reasonsOf({ client }: EmbeddedCluster) {
  const { items } = await client.list(events, { namespace: 'default' })
  return new Set(items.filter(({ involvedObject }) => involvedObject.kind === 'CronJob').map(({ reason }) => reason))
}

describe('CronJobs', () => {
  test('Jobs are made on the minute, and their status told', async () => {
    const cluster = await aCluster()
    const { client, clock } = cluster
    await client.create(cronJobs, aCronJob({ timeZone: 'Asia/Kolkata' }))
    await clock.run({ forMs: minuteMs + 1_000 })
    const [job] = await listJobs(cluster)
    const due = Math.floor(clock.now() / minuteMs)
    expect(job?.metadata).toMatchObject({
      name: `work-${due}`,
      annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': expect.stringMatching(/:00\+05:30$/) },
      ownerReferences: [{ kind: 'CronJob', name: 'work', controller: true }],
    })
    const { status } = await client.get(cronJobs, key)
    expect(status).toMatchObject({
      active: [{ kind: 'Job', name: job?.metadata.name, uid: job?.metadata.uid }],
      lastScheduleTime: new Date(due * minuteMs).toISOString().replace('.000', ''),
    })
    expect(await reasonsOf(cluster)).toEqual(new Set(['SuccessfulCreate']))
  })

  test('hours leave the last few Jobs behind that succeeded, and a time of the last success', async () => {
    const cluster = await aCluster()
    const { client, clock } = cluster
    await launchReady(cluster)
    await client.create(cronJobs, aCronJob({ schedule: '*/15 * * * *', successfulJobsHistoryLimit: 2 }))
    await clock.run({ forMs: 6 * 60 * minuteMs + 5 * minuteMs })
    expect(await listJobs(cluster)).toHaveLength(2)
    const { status } = await client.get(cronJobs, key)
    expect(status?.active ?? []).toEqual([])
    expect(Date.parse(status?.lastSuccessfulTime ?? '')).toBeGreaterThan(Date.parse(status?.lastScheduleTime ?? ''))
    expect(await reasonsOf(cluster)).toEqual(new Set(['SuccessfulCreate', 'SawCompletedJob', 'SuccessfulDelete']))
  })

  test.each([
    ['Allow', 3],
    ['Forbid', 1],
    ['Replace', 1],
  ] as const)('%s: of Jobs that never end there are %i after three minutes', async (concurrencyPolicy, count) => {
    const cluster = await aCluster()
    await cluster.client.create(cronJobs, aCronJob({ concurrencyPolicy }))
    await cluster.clock.run({ forMs: 3 * minuteMs + 1_000 })
    const made = await listJobs(cluster)
    expect(made).toHaveLength(count)
    const { status } = await cluster.client.get(cronJobs, key)
    expect(status?.active?.map(({ name }) => name).toSorted()).toEqual(names(made).toSorted())
    expect((await reasonsOf(cluster)).has('JobAlreadyActive')).toBe(concurrencyPolicy === 'Forbid')
  })

  test.each([
    ['what was missed is made up for by one Job', {}, 1],
    ['what was missed for longer than the deadline is not', { startingDeadlineSeconds: 10 }, 0],
  ])('while suspended nothing runs; %s', async (_title, spec, count) => {
    const cluster = await aCluster()
    const { client, clock } = cluster
    await client.create(cronJobs, aCronJob({ ...spec, schedule: '0 * * * *', suspend: true }))
    await clock.run({ forMs: 5.5 * 60 * minuteMs })
    expect(await listJobs(cluster)).toEqual([])
    await client.patch(cronJobs, key, { kind: 'merge', body: { spec: { suspend: false } } })
    await clock.run({ forMs: minuteMs })
    expect(await listJobs(cluster)).toHaveLength(count)
  })

  test('a Job that somebody deleted is missed, and what runs goes with its CronJob', async () => {
    const cluster = await aCluster()
    const { client, clock } = cluster
    await client.create(cronJobs, aCronJob({ schedule: '@hourly' }))
    await clock.run({ forMs: 61 * minuteMs })
    const [job] = await listJobs(cluster)
    await client.delete(
      jobs,
      { namespace: 'default', name: job?.metadata.name ?? '' },
      { propagationPolicy: 'Background' },
    )
    await clock.run({ forMs: minuteMs })
    expect((await client.get(cronJobs, key)).status?.active ?? []).toEqual([])
    expect(await reasonsOf(cluster)).toEqual(new Set(['SuccessfulCreate', 'MissingJob']))
    await clock.run({ forMs: 60 * minuteMs })
    expect(await listJobs(cluster)).toHaveLength(1)
    await client.delete(cronJobs, key, { propagationPolicy: 'Background' })
    await clock.run({ forMs: minuteMs })
    expect(await listJobs(cluster)).toEqual([])
  })
})
