import { describe, expect, test, vi } from 'vitest'
import type { Event, Pod } from '../../../src/api/kubernetes.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import { createEventRecorder } from '../../../src/kube/event-recorder.ts'
import { events } from '../../../src/kube/kinds.ts'
import type { EventToPublish } from '../../../src/kube/recorder.ts'
import { compareText } from '../../../src/model/order.ts'
import { FakeKubeClient } from '../../support/fake-kube-client.ts'
import { fixedRandom } from '../../support/fixed-random.ts'
import { recordingLogger } from '../../support/recording-logger.ts'

const pod: Pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns', uid: 'u', resourceVersion: '1', creationTimestamp: '' },
  spec: { containers: [] },
}

function anEvent(more: Partial<EventToPublish> = {}): EventToPublish {
  return { object: pod, type: 'Normal', reason: 'Nominated', message: 'there', dedupeValues: ['u'], ...more }
}

function world() {
  const clock = new VirtualClock()
  const client = new FakeKubeClient()
  const recorder = createEventRecorder({ client, clock, random: fixedRandom(), log: recordingLogger() })
  const published = async (): Promise<readonly Event[]> => {
    await recorder.flush()
    return (await client.list(events)).items
  }
  return { clock, client, recorder, published }
}

test('an event names its object, its source and when', async () => {
  const { recorder, published } = world()
  recorder.publish(anEvent())
  expect(await published()).toMatchObject([
    {
      metadata: { namespace: 'ns' },
      involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: 'ns', name: 'p', uid: 'u' },
      reason: 'Nominated',
      message: 'there',
      type: 'Normal',
      source: { component: 'karpenter' },
      firstTimestamp: '2026-01-01T00:00:00Z',
      count: 1,
    },
  ])
})

test('within two minutes a reason and its values pass once, whatever the message and the object', async () => {
  const { clock, recorder, published } = world()
  recorder.publish(anEvent(), anEvent({ message: 'elsewhere' }), anEvent({ dedupeValues: ['other'], message: 'third' }))
  await clock.run({ forMs: 119_999 })
  recorder.publish(anEvent())
  expect(await published()).toHaveLength(2)
  await clock.run({ forMs: 1 })
  recorder.publish(anEvent({ message: 'again' }))
  expect((await published()).map((event) => event.message)).toContain('again')
})

/** Two events for each node, as every pass of disruption has them for nodes that may not go. */
function aPass(nodes: number): readonly EventToPublish[] {
  return Array.from({ length: nodes }, (_, index) => {
    const object = { ...pod, metadata: { ...pod.metadata, name: `n${index}` } }
    return ['Node', 'NodeClaim'].map((kind) =>
      anEvent({ object: { ...object, kind }, reason: 'DisruptionBlocked', dedupeValues: [kind, String(index)] }),
    )
  }).flat()
}

test('on a large fleet nothing is forgotten before its time', async () => {
  const { clock, recorder, published } = world()
  for (const pass of [1, 2, 3]) {
    recorder.publish(...aPass(4_500))
    expect(await published(), `pass ${pass}`).toHaveLength(9_000)
    await clock.run({ forMs: 10_000 })
  }
})

test('what finds no room in the queue comes with the next pass', async () => {
  const { clock, recorder, published } = world()
  recorder.publish(...aPass(6_000))
  expect(await published()).toHaveLength(10_000)
  await clock.run({ forMs: 10_000 })
  recorder.publish(...aPass(6_000))
  const all = await published()
  expect(all).toHaveLength(12_000)
  expect(new Set(all.map(({ count }) => count))).toEqual(new Set([1]))
})

test('the window can be another', async () => {
  const { clock, recorder, published } = world()
  recorder.publish(anEvent({ dedupeMs: 900_000 }))
  await clock.run({ forMs: 899_999 })
  recorder.publish(anEvent({ dedupeMs: 900_000, message: 'too soon' }))
  expect(await published()).toHaveLength(1)
})

test('without dedupe values repeats raise the count of one event', async () => {
  const { clock, recorder, published } = world()
  const { dedupeValues: _none, ...raw } = anEvent()
  recorder.publish(raw)
  await clock.run({ forMs: 5_000 })
  recorder.publish(raw, raw)
  expect(await published()).toMatchObject([{ count: 3, lastTimestamp: '2026-01-01T00:00:05Z' }])
})

test('a rate limit is shared by name, and what it refuses has used up its dedupe slot', async () => {
  const { clock, recorder, published } = world()
  const rateLimit = { name: 'nominations', perSecond: 5, burst: 2 }
  for (const uid of ['1', '2', '3']) recorder.publish(anEvent({ dedupeValues: [uid], message: uid, rateLimit }))
  expect((await published()).map((event) => event.message)).toEqual(['1', '2'])
  await clock.run({ forMs: 1_000 })
  recorder.publish(anEvent({ dedupeValues: ['3'], message: '3', rateLimit }))
  expect(await published()).toHaveLength(2)
})

test('events of cluster-scoped objects are in the default namespace', async () => {
  const { recorder, published } = world()
  const { namespace: _none, ...metadata } = pod.metadata
  recorder.publish(anEvent({ object: { ...pod, kind: 'Node', metadata } }))
  expect((await published())[0]?.metadata.namespace).toBe('default')
})

test.each([
  ['of a pod with a short name', 'web-1', /^web-1\.[0-9a-f]+$/],
  ['whose object has the longest name there is', 'a'.repeat(253), /^a{236}\.[0-9a-f]+$/],
  ["whose object's name would be cut behind a hyphen", `${'a'.repeat(235)}-${'b'.repeat(17)}`, /^a{235}\.[0-9a-f]+$/],
])('the name of an event %s is one that the API server takes', async (_what, name, want) => {
  const { recorder, published } = world()
  recorder.publish(anEvent({ object: { ...pod, metadata: { ...pod.metadata, name } } }))
  const [event] = await published()
  expect(event?.metadata.name).toMatch(want)
  expect(event?.metadata.name.length).toBeLessThanOrEqual(253)
})

test('a server that refuses events disturbs nobody', async () => {
  const { client, recorder, published } = world()
  client.fault = (call) => {
    if (call.operation === 'create') throw new KubeError('Forbidden', 403, 'no')
  }
  recorder.publish(anEvent())
  await recorder.flush()
  client.fault = () => undefined
  recorder.publish(anEvent({ dedupeValues: ['next'] }))
  expect(await published()).toHaveLength(1)
})

test('while the API server is away events wait, in their order, and tell when they were published', async () => {
  const { clock, client, recorder } = world()
  client.fault = (call) => {
    if (call.operation === 'create') throw new KubeError('Network', 0, 'connection refused')
  }
  recorder.publish(anEvent())
  await clock.run({ forMs: 60_000 })
  recorder.publish(anEvent({ dedupeValues: ['next'], message: 'a minute later' }))
  await clock.run({ forMs: 30_000 })
  client.fault = () => undefined
  await clock.run({ forMs: 10_000 })
  expect((await client.list(events)).items).toMatchObject([
    { message: 'there', firstTimestamp: '2026-01-01T00:00:00Z' },
    { message: 'a minute later', firstTimestamp: '2026-01-01T00:01:00Z' },
  ])
})

test('an event is tried twelve times, so that the ones behind it get their turn', async () => {
  const { clock, client, recorder } = world()
  let tries = 0
  client.fault = (call) => {
    if (call.operation !== 'create' || call.name?.startsWith('poor.') !== true) return
    tries += 1
    throw new KubeError('ServiceUnavailable', 503, 'not now')
  }
  recorder.publish(anEvent({ object: { ...pod, metadata: { ...pod.metadata, name: 'poor' } } }))
  recorder.publish(anEvent({ dedupeValues: ['next'], message: 'behind it' }))
  await clock.run({ forMs: 121_000 })
  expect(tries).toBe(12)
  expect((await client.list(events)).items).toMatchObject([{ message: 'behind it' }])
})

describe('a namespace that the API server takes no more events of for now', () => {
  const inNamespace = (namespace: string, name: string, more: Partial<EventToPublish> = {}): EventToPublish =>
    anEvent({
      object: { ...pod, metadata: { ...pod.metadata, namespace, name } },
      dedupeValues: [namespace, name],
      message: name,
      ...more,
    })

  /** A world whose server refuses events of the namespaces that are named, and that says which it has. */
  function throttling(...namespaces: readonly string[]) {
    const made = world()
    const { client, recorder } = made
    const refused = new Set(namespaces)
    let tries = 0
    const create = client.create.bind(client)
    vi.spyOn(client, 'create').mockImplementation((resource, object) => {
      if (!refused.has(object.metadata.namespace ?? '')) return create(resource, object)
      tries += 1
      return Promise.reject(new KubeError('TooManyRequests', 429, 'limit reached on type Namespace'))
    })
    const messages = async () =>
      (await client.list(events)).items.map(({ message = '' }) => message).toSorted(compareText)
    return { ...made, recorder, refused, messages, tries: () => tries }
  }

  test('holds up no other one', async () => {
    const { clock, recorder, messages } = throttling('noisy')
    recorder.publish(...['p1', 'p2', 'p3'].map((name) => inNamespace('noisy', name)), inNamespace('quiet', 'p4'))
    await clock.settle()
    expect(await messages()).toEqual(['p4'])
  })

  test('gets its events in their order once it may', async () => {
    const { clock, client, recorder, refused, messages } = throttling('noisy')
    recorder.publish(...['p1', 'p2', 'p3'].map((name) => inNamespace('noisy', name)))
    await clock.run({ forMs: 30_000 })
    refused.clear()
    await clock.run({ forMs: 10_000 })
    expect(await messages()).toEqual(['p1', 'p2', 'p3'])
    recorder.publish(inNamespace('noisy', 'p5'))
    await clock.settle()
    expect((await client.list(events)).items.at(-1)?.message).toBe('p5')
  })

  test('ends nothing where nothing but its events is published meanwhile', async () => {
    const { clock, recorder, refused, messages } = throttling('noisy')
    recorder.publish(inNamespace('noisy', 'p1'))
    await clock.settle()
    recorder.publish(inNamespace('noisy', 'p2'))
    await clock.settle()
    recorder.publish(inNamespace('quiet', 'p3'))
    await clock.settle()
    expect(await messages()).toEqual(['p3'])
    refused.clear()
    await clock.run({ forMs: 10_000 })
    await recorder.flush()
    expect(await messages()).toEqual(['p1', 'p2', 'p3'])
  })

  test('is asked twelve times for each event, not without end', async () => {
    const { clock, recorder, tries } = throttling('noisy')
    recorder.publish(...['p1', 'p2', 'p3'].map((name) => inNamespace('noisy', name)))
    await clock.run({ forMs: 3_600_000 })
    expect(tries()).toBe(3 * 12)
  })

  test('keeps no more than five hundred waiting, so that there is room for the others', async () => {
    const { clock, recorder, refused, messages } = throttling('noisy')
    recorder.publish(...Array.from({ length: 9_999 }, (_, index) => inNamespace('noisy', `p${index}`)))
    await clock.settle()
    recorder.publish(...aPass(4_000))
    await clock.settle()
    expect(await messages()).toHaveLength(8_000)
    refused.clear()
    await clock.run({ forMs: 10_000 })
    expect(await messages()).toHaveLength(8_500)
  })

  test('waits with all others when many are refused: it is the server that has too much to do', async () => {
    const namespaces = Array.from({ length: 17 }, (_, index) => `ns${index}`)
    const { clock, recorder, refused, messages } = throttling(...namespaces)
    recorder.publish(...namespaces.map((namespace) => inNamespace(namespace, 'p')), inNamespace('behind', 'p'))
    await clock.run({ forMs: 5_000 })
    expect(await messages()).toEqual([])
    refused.clear()
    await clock.run({ forMs: 10_000 })
    expect(await messages()).toHaveLength(18)
  })

  test('keeps nobody who waits for the end', async () => {
    const { clock, recorder, tries } = throttling('noisy')
    recorder.publish(...['p1', 'p2', 'p3'].map((name) => inNamespace('noisy', name)))
    await clock.run({ forMs: 5_000 })
    const before = tries()
    await recorder.flush()
    expect(tries() - before).toBe(2)
  })
})

test('an answer that got lost makes no second event', async () => {
  const { clock, client, recorder } = world()
  const create = client.create.bind(client)
  vi.spyOn(client, 'create').mockImplementationOnce(async (...call) => {
    await create(...call)
    throw new KubeError('Network', 0, 'connection reset')
  })
  recorder.publish(anEvent())
  await clock.run({ forMs: 10_000 })
  expect((await client.list(events)).items).toHaveLength(1)
  recorder.publish(anEvent({ dedupeValues: ['next'], message: 'behind it' }))
  await recorder.flush()
  expect((await client.list(events)).items).toHaveLength(2)
})

test('whoever waits for the end waits for no further try', async () => {
  const { client, recorder } = world()
  let tries = 0
  client.fault = (call) => {
    if (call.operation !== 'create') return
    tries += 1
    throw new KubeError('Network', 0, 'connection refused')
  }
  recorder.publish(anEvent(), anEvent({ dedupeValues: ['next'] }))
  await recorder.flush()
  expect(tries).toBe(2)
})
