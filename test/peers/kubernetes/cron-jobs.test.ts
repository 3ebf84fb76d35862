import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Unsaved } from '../../../src/api/kubernetes.ts'
import { createEmbeddedCluster, type EmbeddedCluster } from '../../../src/embedded/cluster.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { type CronJob, cronJobs } from '../../../src/embedded/workloads/cron-job.ts'
import { jobs } from '../../../src/embedded/workloads/job-kind.ts'
import type { HTTPClient } from '../../../src/kube/http-client.ts'
import { events, pods } from '../../../src/kube/kinds.ts'
import type { KubeClient } from '../../../src/kube/port.ts'
import { connect } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { describeWithPeers } from '../support/peers.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

const namespace = 'default'
const dayMs = 86_400_000
const startedAt = Date.now()
/** Half a day away, so that nothing is due between the two clusters' turns. */
const hour = (new Date(startedAt).getUTCHours() + 12) % 24
const patienceMs = 8_000
const controllers = [
  'cronjob-controller',
  'job-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
]

/** What is asked of a CronJob, one after the other. Each is waited for. */
type Step = Readonly<
  | { spec: Partial<CronJob['spec']> }
  /** When a Job was last due. */
  | { lastAgoMs: number }
  | { finish: 'Succeeded' | 'Failed' }
>

/** Due once a day at most. */
const cases: Readonly<Record<string, readonly Step[]>> = {
  'missed-days': [{ lastAgoMs: 3.5 * dayMs }, { spec: { suspend: false } }],
  // Of a new zone the real one looks at times to come only.
  'a-zone': [{ spec: { timeZone: 'Asia/Kolkata' } }, { lastAgoMs: 3.5 * dayMs }, { spec: { suspend: false } }],
  'many-missed': [{ lastAgoMs: 200 * dayMs }, { spec: { suspend: false } }],
  'too-late': [{ lastAgoMs: 3.5 * dayMs }, { spec: { suspend: false, startingDeadlineSeconds: 1 } }],
  succeeds: [{ lastAgoMs: 3.5 * dayMs }, { spec: { suspend: false } }, { finish: 'Succeeded' }],
  'fails-and-is-forgotten': [
    { lastAgoMs: 3.5 * dayMs },
    { spec: { suspend: false } },
    { finish: 'Failed' },
    { spec: { failedJobsHistoryLimit: 0 } },
  ],
  ...Object.fromEntries(
    (['Allow', 'Forbid', 'Replace'] as const).map((concurrencyPolicy) => [
      concurrencyPolicy.toLowerCase(),
      [
        { lastAgoMs: 3.5 * dayMs },
        { spec: { suspend: false, concurrencyPolicy } },
        { spec: { suspend: true, schedule: `1 ${hour} * * *` } },
        { lastAgoMs: 3.5 * dayMs },
        { spec: { suspend: false } },
      ],
    ]),
  ),
}

await describeWithPeers('CronJobs as by kube-controller-manager', ['kube-apiserver', 'kube-controller-manager'], () => {
  const controlPlane = useControlPlane({ controllerManager: { controllers } })
  let kube: HTTPClient
  let ours: EmbeddedCluster
  beforeAll(async () => {
    kube = connect(controlPlane().kubeconfig)
    ours = await createEmbeddedCluster({ seed: 1, systemNode: false, clock: new VirtualClock({ startMs: Date.now() }) })
  })
  afterAll(async () => {
    await kube.close()
    await ours.stop()
  })

  test.each(Object.entries(cases))('%s', async (name, steps) => {
    const settle = () => ours.clock.run({ forMs: 2_000 })
    await ours.client.create(cronJobs, aCronJob(name))
    await kube.create(cronJobs, aCronJob(name))
    for (const step of steps) {
      await take(ours.client, name, step)
      await settle()
      await take(kube, name, step)
      // The next step would meet a controller that has not heard of this one.
      await sameOutcome(name)
    }
  })

  async function sameOutcome(name: string): Promise<void> {
    const ofOurs = await outcomeOf(ours.client, name)
    const deadline = performance.now() + patienceMs
    let theirs = await outcomeOf(kube, name)
    while (!isDeepStrictEqual(ofOurs, theirs) && performance.now() < deadline) {
      await sleep(100)
      theirs = await outcomeOf(kube, name)
    }
    expect(ofOurs).toEqual(theirs)
  }
})

async function take(client: KubeClient, name: string, step: Step): Promise<void> {
  const key = { namespace, name }
  if ('spec' in step) await client.patch(cronJobs, key, { kind: 'merge', body: { spec: step.spec } })
  else if ('lastAgoMs' in step) {
    const lastScheduleTime = `${new Date(startedAt - step.lastAgoMs).toISOString().slice(0, 16)}:00Z`
    await client.patch(
      cronJobs,
      key,
      { kind: 'merge', body: { status: { lastScheduleTime } } },
      { subresource: 'status' },
    )
  } else {
    const podsOf = async () =>
      (await client.list(pods, { namespace, labelSelector: `app=${name}` })).items.filter(
        ({ status }) => status?.phase === 'Pending',
      )
    await eventually('there is a pod', async () => (await podsOf()).length > 0)
    for (const { metadata } of await podsOf()) {
      const body = { status: { phase: step.finish } }
      const pod = { namespace, name: metadata.name }
      await client.patch(pods, pod, { kind: 'merge', body }, { subresource: 'status' })
    }
  }
}

/** All that somebody sees of a CronJob, but for times that are those of the run. */
async function outcomeOf(client: KubeClient, name: string) {
  const { status = {} } = await client.get(cronJobs, { namespace, name })
  const made = (await client.list(jobs, { namespace, labelSelector: `app=${name}` })).items
  const told = (await client.list(events, { namespace })).items.filter(
    ({ involvedObject }) => involvedObject.kind === 'CronJob' && involvedObject.name === name,
  )
  return {
    active: (status.active ?? []).map(({ apiVersion, kind, name: job }) => ({ apiVersion, kind, job })),
    lastScheduleTime: status.lastScheduleTime,
    hasSucceeded: status.lastSuccessfulTime !== undefined,
    jobs: made.map(({ metadata }) => ({
      name: metadata.name,
      labels: metadata.labels,
      annotations: metadata.annotations,
      owners: metadata.ownerReferences?.map(({ uid: _uid, ...owner }) => owner),
    })),
    events: [
      ...new Set(
        told.map(({ type, reason, message, source }) => `${type} ${reason} ${message} ${source?.component ?? ''}`),
      ),
    ].toSorted(),
  }
}

function aCronJob(name: string): Unsaved<CronJob> {
  const labels = { app: name }
  const container = { name: 'main', image: 'registry.example/app:1' }
  const template = { metadata: { labels }, spec: { containers: [container], restartPolicy: 'Never' as const } }
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { namespace, name },
    spec: {
      schedule: `0 ${hour} * * *`,
      suspend: true,
      jobTemplate: { metadata: { labels, annotations: { team: 'core' } }, spec: { backoffLimit: 0, template } },
    },
  }
}
