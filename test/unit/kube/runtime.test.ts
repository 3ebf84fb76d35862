import { describe, expect, test } from 'vitest'
import type { Node } from '../../../src/api/kubernetes.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { createCaches } from '../../../src/kube/caches.ts'
import {
  backOff,
  type Controller,
  done,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  singleton as singletonKey,
  type SingletonController,
  source,
  TerminalError,
} from '../../../src/kube/controller.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import { ObservingError } from '../../../src/kube/fenced-client.ts'
import { nodes } from '../../../src/kube/kinds.ts'
import { keyOf } from '../../../src/kube/resource.ts'
import { startControllers } from '../../../src/kube/runtime.ts'
import { createPrometheusMetrics } from '../../../src/operator/prometheus.ts'
import { FakeKubeClient } from '../../support/fake-kube-client.ts'
import { fixedRandom } from '../../support/fixed-random.ts'
import { recordingLogger } from '../../support/recording-logger.ts'

function aNode(name: string): Node {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name } as unknown as Node['metadata'], spec: {} }
}

function world() {
  const clock = new VirtualClock()
  const client = new FakeKubeClient()
  const log = recordingLogger()
  const random = fixedRandom()
  const metrics = createPrometheusMetrics({ processMetrics: false })
  const caches = createCaches({ client, clock, random, log })
  const watching = new AbortController()
  caches.start(watching.signal)
  return { clock, client, log, random, metrics, caches, watching }
}

/** Reconciles nodes with the given function and counts its calls by name. */
function nodeController(
  reconcile: (name: string, context: ReconcileContext) => Promise<ReconcileResult>,
  more: Partial<Controller> = {},
): Controller & { readonly calls: string[] } {
  const calls: string[] = []
  return {
    calls,
    name: 'node.test',
    kind: { group: '', kind: 'Node' },
    sources: [source(nodes, (change) => [keyOf(change.after ?? change.before)])],
    concurrency: 2,
    reconcile: (key, context) => {
      calls.push(key.name)
      return reconcile(key.name, context)
    },
    ...more,
  }
}

describe('controllers', () => {
  test('are given every object that is there at the start, and every later change', async () => {
    const { clock, client, ...deps } = world()
    await client.create(nodes, aNode('a'))
    const controller = nodeController(() => Promise.resolve(done))
    startControllers({ clock, ...deps }, [controller])
    await clock.settle()
    expect(controller.calls).toEqual(['a'])
    await client.create(nodes, aNode('b'))
    await client.delete(nodes, { name: 'a' })
    await clock.settle()
    expect(controller.calls).toEqual(['a', 'b', 'a'])
  })

  test('many keys at once leave everything else its turn', async () => {
    const { clock, client, ...deps } = world()
    for (let i = 0; i < 200; i += 1) await client.create(nodes, aNode(`n${i}`))
    const controller = nodeController(() => Promise.resolve(done))
    startControllers({ clock, ...deps }, [controller])
    // What another timer due at the same instant sees of it.
    const seen: number[] = []
    const look = (): void => {
      seen.push(controller.calls.length)
      if (controller.calls.length < 200) clock.schedule(0, look)
    }
    clock.schedule(0, look)
    await clock.settle()
    expect(controller.calls).toHaveLength(200)
    const steps = seen.map((count, index) => count - (seen[index - 1] ?? 0))
    expect(Math.max(...steps)).toBeLessThanOrEqual(33)
  })

  test('a singleton that is done sleeps, without a timer, until it is woken', async () => {
    const { clock, ...deps } = world()
    let wake: () => void = () => undefined
    let calls = 0
    const runtime = startControllers({ clock, ...deps }, [
      {
        name: 'test.sleeper',
        triggers: [
          (enqueue) => {
            wake = () => enqueue(singletonKey)
            return () => {
              wake = () => undefined
            }
          },
        ],
        reconcile: () => {
          calls += 1
          return Promise.resolve(done)
        },
      },
    ])
    await clock.run({ forMs: 60_000 })
    expect([calls, clock.pending]).toEqual([1, 0])
    wake()
    await clock.settle()
    expect(calls).toBe(2)
    await runtime.stop(0)
    wake()
    await clock.settle()
    expect(calls).toBe(2)
  })

  test('reconcile nothing before the caches have been read', async () => {
    const { clock, client, ...deps } = world()
    let blocked = true
    client.fault = (call) => {
      if (blocked && call.operation === 'list') throw new Error('not yet')
    }
    const singleton: SingletonController & { calls: number } = {
      name: 'loop',
      calls: 0,
      reconcile() {
        singleton.calls++
        return Promise.resolve(done)
      },
    }
    const runtime = startControllers({ clock, ...deps }, [nodeController(() => Promise.resolve(done)), singleton])
    await clock.run({ forMs: 5_000 })
    expect(singleton.calls).toBe(0)
    blocked = false
    await clock.run({ forMs: 60_000 })
    await runtime.started
    expect(singleton.calls).toBe(1)
  })

  test('never work on one key twice at once, and on no more keys than allowed', async () => {
    const { clock, client, ...deps } = world()
    const running: string[] = []
    let most = 0
    const twice: string[] = []
    const controller = nodeController(async (name) => {
      if (running.includes(name)) twice.push(name)
      running.push(name)
      most = Math.max(most, running.length)
      await clock.sleep(1_000)
      running.splice(running.indexOf(name), 1)
      return done
    })
    startControllers({ clock, ...deps }, [controller])
    for (const name of ['a', 'b', 'c']) await client.create(nodes, aNode(name))
    await clock.run({ forMs: 100 })
    for (const name of ['a', 'b', 'c']) {
      await client.patch(nodes, { name }, { kind: 'merge', body: { metadata: { labels: { x: 'y' } } } })
    }
    await clock.run({ forMs: 10_000 })
    expect(twice).toEqual([])
    expect(most).toBe(2)
    expect(controller.calls.toSorted()).toEqual(['a', 'a', 'b', 'b', 'c'])
  })

  test('come back when they asked to', async () => {
    const { clock, client, ...deps } = world()
    await client.create(nodes, aNode('a'))
    const controller = nodeController(() => Promise.resolve(requeueAfter(10_000)))
    startControllers({ clock, ...deps }, [controller])
    await clock.run({ forMs: 35_000 })
    expect(controller.calls).toHaveLength(4)
  })

  test('an error is logged once per attempt with what was worked on, and tried again with growing waits', async () => {
    const { clock, client, log, ...deps } = world()
    await client.create(nodes, aNode('a'))
    const controller = nodeController(() => Promise.reject(new Error('boom')), {
      rateLimit: { baseMs: 1_000, maxMs: 8_000 },
    })
    startControllers({ clock, log, ...deps }, [controller])
    await clock.run({ forMs: 7_500 })
    expect(controller.calls).toHaveLength(4)
    expect(log.lines).toHaveLength(4)
    expect(log.lines[0]).toMatchObject({
      level: 'error',
      message: 'Reconciler error',
      fields: {
        controller: 'node.test',
        controllerGroup: '',
        controllerKind: 'Node',
        Node: { name: 'a' },
        namespace: '',
        name: 'a',
        err: new Error('boom'),
      },
    })
    expect(new Set(log.lines.map((line) => line.fields['reconcileID'])).size).toBe(4)
  })

  const overload = new KubeError('TooManyRequests', 429, 'too many requests', { retryAfterMs: 32_000 })
  test.each([
    ['itself', overload],
    ['as a cause', new Error('patching node', { cause: overload })],
    ['among others', new AggregateError([new Error('boom'), overload])],
  ])('what a server that has too much to do refuses is not tried sooner than it says: %s', async (_how, error) => {
    const { clock, client, log, ...deps } = world()
    await client.create(nodes, aNode('a'))
    const controller = nodeController(() => Promise.reject(error))
    startControllers({ clock, log, ...deps }, [controller])
    await clock.run({ forMs: 31_999 })
    expect(controller.calls).toHaveLength(1)
    await clock.run({ forMs: 16_001 })
    expect(controller.calls).toHaveLength(2)
  })

  test('a back-off without an error is silent', async () => {
    const { clock, client, log, ...deps } = world()
    await client.create(nodes, aNode('a'))
    const controller = nodeController(() => Promise.resolve(backOff))
    startControllers({ clock, log, ...deps }, [controller])
    await clock.run({ forMs: 1_000 })
    expect(controller.calls.length).toBeGreaterThan(3)
    expect(log.lines).toEqual([])
  })

  test.each([
    ['a minute and a half, as waits have jitter', undefined, 90_000],
    ['what it asks for itself', { baseMs: 5, maxMs: 10_000 }, 15_000],
  ])('after an outage of an hour a singleton runs again within %s', async (_bound, rateLimit, withinMs) => {
    const { clock, ...deps } = world()
    const healedAt = 3_600_000
    let firstGoodAt: number | undefined
    startControllers({ clock, ...deps }, [
      {
        name: 'test.loop',
        ...(rateLimit === undefined ? {} : { rateLimit }),
        reconcile: () => {
          if (clock.monotonicMs() < healedAt) return Promise.reject(new Error('no route to host'))
          firstGoodAt ??= clock.monotonicMs()
          return Promise.resolve(requeueAfter(60_000))
        },
      },
    ])
    await clock.run({ forMs: 2 * healedAt })
    expect((firstGoodAt ?? Number.POSITIVE_INFINITY) - healedAt).toBeLessThanOrEqual(withinMs)
  })

  test('a terminal error is not tried again until the object changes', async () => {
    const { clock, client, ...deps } = world()
    await client.create(nodes, aNode('a'))
    const controller = nodeController(() => Promise.reject(new TerminalError('never')))
    startControllers({ clock, ...deps }, [controller])
    await clock.run({ forMs: 3_600_000 })
    expect(controller.calls).toHaveLength(1)
    await client.patch(nodes, { name: 'a' }, { kind: 'merge', body: { metadata: { labels: { x: 'y' } } } })
    await clock.settle()
    expect(controller.calls).toHaveLength(2)
  })

  const held = new ObservingError('patch nodes')
  const marking = new Error('marking disrupted, patch nodes held back', { cause: held })
  test.each([
    ['a write held back by observe mode', held],
    ['a step that failed for it', marking],
    ['several of them', new AggregateError([held, marking])],
  ])('%s is not an error', async (_, error) => {
    const { clock, client, log, ...deps } = world()
    await client.create(nodes, aNode('a'))
    const controller = nodeController(() => Promise.reject(error))
    startControllers({ clock, log, ...deps }, [controller])
    await clock.run({ forMs: 61_000 })
    expect(controller.calls).toHaveLength(2)
    expect(log.lines.map((line) => line.level)).toEqual(['info', 'info'])
  })

  test('a write held back does not hide another failure', async () => {
    const { clock, client, log, ...deps } = world()
    await client.create(nodes, aNode('a'))
    const error = new AggregateError([held, new Error('no')])
    startControllers({ clock, log, ...deps }, [nodeController(() => Promise.reject(error))])
    await clock.run({ forMs: 1_000 })
    expect(log.lines.map(({ level }) => level)).toContain('error')
  })

  test('publish the metrics of controller-runtime', async () => {
    const { clock, client, metrics, ...deps } = world()
    await client.create(nodes, aNode('a'))
    await client.create(nodes, aNode('b'))
    const controller = nodeController((name) =>
      name === 'a' ? Promise.resolve(done) : Promise.reject(new TerminalError('never')),
    )
    startControllers({ clock, metrics, ...deps }, [controller])
    await clock.run({ forMs: 1_000 })
    const { text } = await metrics.render()
    expect(text).toContain('controller_runtime_reconcile_total{controller="node.test",result="success"} 1')
    expect(text).toContain('controller_runtime_reconcile_total{controller="node.test",result="error"} 1')
    expect(text).toContain('controller_runtime_terminal_reconcile_errors_total{controller="node.test"} 1')
    expect(text).toContain('controller_runtime_max_concurrent_reconciles{controller="node.test"} 2')
    expect(text).toContain('workqueue_adds_total{controller="node.test",name="node.test"} 2')
  })
})

describe('stopping', () => {
  test('waits for what runs and starts nothing new', async () => {
    const { clock, client, ...deps } = world()
    await client.create(nodes, aNode('a'))
    let finished = false
    const controller = nodeController(async () => {
      await clock.sleep(5_000)
      finished = true
      return requeueAfter(1)
    })
    const runtime = startControllers({ clock, ...deps }, [controller])
    await clock.run({ forMs: 1_000 })
    const stopping = runtime.stop(20_000)
    await client.create(nodes, aNode('b'))
    await clock.run({ forMs: 10_000 })
    await stopping
    expect(finished).toBe(true)
    expect(controller.calls).toEqual(['a'])
  })

  test('aborts what is still running after the grace period', async () => {
    const { clock, client, ...deps } = world()
    await client.create(nodes, aNode('a'))
    const controller = nodeController(async (_name, { signal }) => {
      await clock.sleep(3_600_000, signal)
      return done
    })
    const runtime = startControllers({ clock, ...deps }, [controller])
    await clock.run({ forMs: 1_000 })
    const startedAt = clock.monotonicMs()
    let stoppedAt = 0
    void runtime.stop(20_000).then(() => {
      stoppedAt = clock.monotonicMs()
    })
    await clock.run({ forMs: 60_000 })
    expect(stoppedAt - startedAt).toBe(20_000)
  })

  test('ends at once what only waits for work to begin, and takes it for no failure', async () => {
    const { clock, client, log, ...deps } = world()
    await client.create(nodes, aNode('a'))
    const controller = nodeController(async (_name, { stopping }) => {
      await clock.sleep(3_600_000, stopping)
      return done
    })
    const runtime = startControllers({ clock, log, ...deps }, [controller])
    await clock.run({ forMs: 1_000 })
    let isStopped = false
    void runtime.stop(20_000).then(() => (isStopped = true))
    await clock.settle()
    expect(isStopped).toBe(true)
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('losing the lease aborts at once', async () => {
    const { clock, client, ...deps } = world()
    await client.create(nodes, aNode('a'))
    const lost = new AbortController()
    const controller = nodeController(async (_name, { signal }) => {
      await clock.sleep(3_600_000, signal)
      return done
    })
    const runtime = startControllers({ clock, ...deps }, [controller], lost.signal)
    await clock.run({ forMs: 1_000 })
    expect(runtime.active).toBe(1)
    lost.abort(new Error('lost'))
    await clock.settle()
    expect(runtime.active).toBe(0)
    expect(runtime.idle).toBe(true)
  })
})
