import { describe, expect, test } from 'vitest'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { createCaches } from '../../../src/kube/caches.ts'
import { done, requeueAfter, type SingletonController } from '../../../src/kube/controller.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import { createEventRecorder } from '../../../src/kube/event-recorder.ts'
import { fenceClient } from '../../../src/kube/fenced-client.ts'
import { leases, nodes } from '../../../src/kube/kinds.ts'
import { Lifecycle } from '../../../src/operator/lifecycle.ts'
import { createPrometheusMetrics } from '../../../src/operator/prometheus.ts'
import { WriteGate } from '../../../src/operator/write-gate.ts'
import { FakeKubeClient } from '../../support/fake-kube-client.ts'
import { fixedRandom } from '../../support/fixed-random.ts'
import { recordingLogger } from '../../support/recording-logger.ts'

interface WorldOptions {
  readonly client?: FakeKubeClient
  readonly clock?: VirtualClock
  readonly identity?: string
  readonly warmUp?: boolean
  readonly withoutLease?: boolean
  readonly readyMs?: number
  readonly prepareMs?: number
  readonly leadingMs?: number
  /** What a new leader reads first cannot be read. */
  readonly failure?: Error
  readonly beforeWorkMs?: number
  /** How long the writer takes before each write. */
  readonly workMs?: number
}

function world(more: WorldOptions = {}) {
  const { client = new FakeKubeClient(), clock = new VirtualClock(), identity = 'a', warmUp = false } = more
  const random = fixedRandom()
  const log = recordingLogger()
  const gate = new WriteGate('act')
  const kube = fenceClient(client, gate.refusal)
  const caches = createCaches({ client, clock, random, log })
  caches.of(nodes)
  const events: string[] = []
  const writer: SingletonController = {
    name: 'writer',
    async reconcile({ signal }) {
      if (more.workMs !== undefined) await clock.sleep(more.workMs, signal)
      await kube.create(nodes, { apiVersion: 'v1', kind: 'Node', metadata: { generateName: `${identity}-` }, spec: {} })
      return requeueAfter(1_000)
    },
  }
  const lifecycle = new Lifecycle({
    caches,
    clock,
    random,
    log,
    metrics: createPrometheusMetrics({ processMetrics: false }),
    recorder: createEventRecorder({ client: kube, clock, random, log }),
    gate,
    ...(more.withoutLease === true
      ? {}
      : { election: { client, clock, random, log, name: 'lease', namespace: 'kube-system', identity } }),
    warmUp,
    graceMs: 20_000,
    ready: async (signal) => {
      if (more.readyMs !== undefined) await clock.sleep(more.readyMs, signal)
      events.push('ready')
    },
    prepare: async (signal) => {
      if (more.prepareMs !== undefined) await clock.sleep(more.prepareMs, signal)
      events.push('prepared')
    },
    controllers: () => {
      caches.of(nodes)
      return [writer, { name: 'idle', reconcile: () => Promise.resolve(done) }]
    },
    leading: async () => {
      if (more.leadingMs !== undefined) await clock.sleep(more.leadingMs)
      if (more.failure !== undefined) throw more.failure
      events.push('leading')
    },
    beforeWork: async (signal) => {
      if (more.beforeWorkMs !== undefined) await clock.sleep(more.beforeWorkMs, signal)
      events.push((await written()) === 0 ? 'read' : 'too late')
    },
    stopped: () => void events.push('stopped'),
  })
  const written = async (): Promise<number> =>
    (await client.list(nodes)).items.filter((node) => node.metadata.name.startsWith(`${identity}-`)).length
  return { client, clock, log, lifecycle, events, written }
}

describe('from start to end', () => {
  test('checks, lease, controllers, and the same backwards', async () => {
    const { clock, client, lifecycle, events, written } = world()
    await clock.run({ forMs: 5_500 })
    await lifecycle.started
    expect(lifecycle.state).toBe('running')
    expect(await written()).toBe(6)
    const stopping = lifecycle.stop()
    await clock.run({ forMs: 30_000 })
    await stopping
    expect(await lifecycle.finished).toBe('stopped')
    expect(events).toEqual(['ready', 'prepared', 'leading', 'read', 'stopped'])
    expect(await written()).toBe(6)
    expect((await client.get(leases, { namespace: 'kube-system', name: 'lease' })).spec?.holderIdentity).toBe('')
    expect(client.watching).toEqual([])
    expect(clock.pending).toBe(0)
  })

  test('what is in progress is finished within the grace period, and only then goes the lease', async () => {
    const { clock, client, lifecycle, written } = world({ workMs: 15_000 })
    const holder = async () =>
      (await client.get(leases, { namespace: 'kube-system', name: 'lease' })).spec?.holderIdentity
    await clock.run({ forMs: 2_000 })
    expect(lifecycle.active).toBe(1)
    void lifecycle.stop()
    await clock.run({ forMs: 12_000 })
    expect([lifecycle.state, await holder()]).toEqual(['stopping', 'a'])
    await clock.run({ forMs: 30_000 })
    expect(await written()).toBe(1)
    expect(await holder()).toBe('')
    expect(await lifecycle.finished).toBe('stopped')
  })

  test.each([
    { title: 'with warm-up', options: { warmUp: true }, watching: ['nodes'] },
    { title: 'where no lease is asked for', options: { withoutLease: true }, watching: ['nodes'] },
    { title: 'not by who may have to wait for the lease', options: {}, watching: [] },
  ])('the first lists are read while the rest is prepared: $title', async ({ options, watching }) => {
    const { clock, client, lifecycle } = world({ ...options, prepareMs: 60_000 })
    await clock.run({ forMs: 30_000 })
    expect(lifecycle.state).toBe('starting')
    expect(client.watching).toEqual(watching)
    await clock.run({ forMs: 60_000 })
    expect(lifecycle.state).toBe('running')
    expect(client.watching).toEqual(['nodes'])
    void lifecycle.stop()
    await clock.run({ forMs: 30_000 })
  })

  test.each([
    ['the checks', { readyMs: 60_000 }, []],
    ['the preparation', { prepareMs: 60_000 }, ['ready']],
    ['what a new leader reads first', { leadingMs: 60_000 }, ['ready', 'prepared']],
    ['what is read before the work', { beforeWorkMs: 60_000 }, ['ready', 'prepared', 'leading']],
  ])('whoever is told to stop during %s stops at once, and holds no lease', async (_phase, options, before) => {
    const { clock, client, lifecycle, events, written } = world(options)
    await clock.run({ forMs: 30_000 })
    void lifecycle.stop()
    await clock.run({ forMs: 1_000 })
    expect(lifecycle.state).toBe('stopped')
    expect(await lifecycle.finished).toBe('stopped')
    expect(events).toEqual([...before, 'stopped'])
    const held = (await client.list(leases)).items.filter(({ spec }) => spec?.holderIdentity !== '')
    expect([held, client.watching, await written()]).toEqual([[], [], 0])
    await clock.run({ forMs: 60_000 })
    expect(await written()).toBe(0)
  })

  test('a start that fails says so, and gives back what it has', async () => {
    const { clock, client, lifecycle, events, written } = world({ warmUp: true, failure: new Error('broken') })
    await clock.run({ forMs: 5_500 })
    await expect(lifecycle.finished).rejects.toThrow('broken')
    await expect(lifecycle.started).rejects.toThrow('ended before it had started')
    expect([lifecycle.state, events.at(-1), client.watching, await written()]).toEqual(['stopped', 'stopped', [], 0])
    expect((await client.get(leases, { namespace: 'kube-system', name: 'lease' })).spec?.holderIdentity).toBe('')
    await lifecycle.stop()
  })

  test('a lease that is lost before the work has begun is no reason to begin it', async () => {
    const { clock, client, lifecycle, written } = world({ leadingMs: 60_000 })
    await clock.run({ forMs: 5_500 })
    client.fault = ({ resource }) => {
      if (resource === 'leases') throw new KubeError('Timeout', 504, 'slow')
    }
    await clock.run({ forMs: 15_000 })
    expect(lifecycle.state).toBe('stopped')
    await clock.run({ forMs: 60_000 })
    expect(await lifecycle.finished).toBe('lost')
    expect(await written()).toBe(0)
  })

  test('a second one waits without writing, and takes over when the first one stops', async () => {
    const first = world()
    await first.clock.run({ forMs: 5_000 })
    const second = world({ client: first.client, clock: first.clock, identity: 'b' })
    await first.clock.run({ forMs: 60_000 })
    expect(second.lifecycle.state).toBe('waiting for the lease')
    expect(await second.written()).toBe(0)
    expect(second.client.watching).toEqual(['nodes'])
    void first.lifecycle.stop()
    await first.clock.run({ forMs: 10_000 })
    expect(second.lifecycle.state).toBe('running')
    expect(await second.written()).toBeGreaterThan(0)
  })

  test('with warm-up the second one watches while it waits', async () => {
    const first = world()
    await first.clock.run({ forMs: 5_000 })
    const second = world({ client: first.client, clock: first.clock, identity: 'b', warmUp: true })
    await first.clock.run({ forMs: 10_000 })
    expect(second.lifecycle.cachesSynced).toBe(true)
    expect(second.client.watching).toEqual(['nodes', 'nodes'])
  })

  test('whoever loses the lease stops writing before anybody else may begin', async () => {
    const { clock, client, lifecycle, written } = world()
    await clock.run({ forMs: 5_500 })
    client.fault = ({ resource }) => {
      if (resource === 'leases') throw new KubeError('Timeout', 504, 'slow')
    }
    await clock.run({ forMs: 10_000 })
    const atTheDeadline = await written()
    await clock.run({ forMs: 60_000 })
    expect(await lifecycle.finished).toBe('lost')
    expect(await written()).toBe(atTheDeadline)
    expect(atTheDeadline).toBeLessThanOrEqual(15)
  })

  test.each([
    { title: 'with a lease', options: {} },
    { title: 'without', options: { withoutLease: true } },
  ])('who leads has not started while the cluster cannot be read: $title', async ({ options }) => {
    const client = new FakeKubeClient()
    client.fault = ({ resource }) => {
      if (resource === 'nodes') throw new KubeError('Forbidden', 403, 'nodes may not be listed')
    }
    const { clock, lifecycle, log } = world({ client, ...options })
    await clock.run({ forMs: 60_000 })
    expect(lifecycle.state).toBe('starting')
    void lifecycle.stop()
    await clock.run({ forMs: 30_000 })
    expect(await lifecycle.finished).toBe('stopped')
    await expect(lifecycle.started).rejects.toThrow('ended before it had started')
    expect(log.lines.filter(({ message }) => message === 'controllers started')).toEqual([])
  })

  test('stopping while waiting for the lease ends at once', async () => {
    const first = world()
    await first.clock.run({ forMs: 5_000 })
    const second = world({ client: first.client, clock: first.clock, identity: 'b' })
    await first.clock.run({ forMs: 5_000 })
    void second.lifecycle.stop()
    await first.clock.settle()
    expect(await second.lifecycle.finished).toBe('stopped')
    await expect(second.lifecycle.started).rejects.toThrow('ended before it had started')
  })
})
