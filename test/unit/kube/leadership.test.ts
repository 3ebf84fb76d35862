import { describe, expect, test } from 'vitest'
import type { KubeObject, Lease } from '../../../src/api/kubernetes.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import { leases } from '../../../src/kube/kinds.ts'
import type { CallOptions, ListOptions, WriteOptions } from '../../../src/kube/port.ts'
import type { ObjectKey, Resource } from '../../../src/kube/resource.ts'
import { electionWorld, stoppableClock } from '../../support/election-world.ts'
import type { FakeKubeClient } from '../../support/fake-kube-client.ts'

/** Calls that no server answers until they are broken off. */
function hangingCalls(clock: ReturnType<typeof electionWorld>['clock']) {
  const state = { open: 0 }
  const hang = async (signal: AbortSignal | undefined): Promise<never> => {
    state.open += 1
    await clock.sleep(3_600_000, signal).finally(() => (state.open -= 1))
    throw new Error('an hour without an answer')
  }
  return { state, hang }
}

const leaseNamed = (namespace: string, holderIdentity: string): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'karpenter-leader-election', namespace } as Lease['metadata'],
  spec: { holderIdentity, leaseDurationSeconds: 15 },
})

const renewalsOf = ({ calls }: FakeKubeClient): number => calls.filter(({ operation }) => operation === 'update').length

describe('what is held', () => {
  test('is counted from before a renewal that is answered late: others count from when it was written', async () => {
    const { clock, client, leaders, candidate } = electionWorld()
    const { hang } = hangingCalls(clock)
    candidate('a')
    await clock.run({ forMs: 3_000 })
    const update = client.update.bind(client)
    let writtenAt: number | undefined
    client.update = async <T extends KubeObject>(resource: Resource<T>, object: T, options?: WriteOptions) => {
      if (writtenAt !== undefined) return hang(options?.signal)
      writtenAt = clock.monotonicMs()
      const written = await update(resource, object)
      await clock.sleep(4_500)
      return written
    }
    await clock.run({ forMs: 2_000 })
    expect(writtenAt).toBeDefined()
    await clock.run({ forMs: 10_000 - (clock.monotonicMs() - (writtenAt ?? 0)) - 1 })
    expect(leaders.get('a')?.holds()).toBe(true)
    await clock.run({ forMs: 1 })
    expect(leaders.get('a')?.holds()).toBe(false)
    expect(leaders.get('a')?.lost.aborted).toBe(false)
  })

  test('ends with the renew deadline, well before others may take the lease, also in a process that stands still', async () => {
    const { clock, leaders, candidate } = electionWorld()
    const stoppable = stoppableClock(clock)
    candidate('a', { clock: stoppable.clock })
    await clock.run({ forMs: 4_500 })
    stoppable.stopUntil = clock.monotonicMs() + 60_000
    // The last renewal was half a second ago.
    await clock.run({ forMs: 9_000 })
    expect(leaders.get('a')?.holds()).toBe(true)
    await clock.run({ forMs: 1_000 })
    expect(leaders.get('a')?.holds()).toBe(false)
  })

  test('ends before the lease is given back, and no renewal goes out between', async () => {
    const { clock, client, leaders, candidate } = electionWorld()
    candidate('a')
    await clock.run({ forMs: 10_500 })
    const update = client.update.bind(client)
    const held: unknown[] = []
    client.update = <T extends KubeObject>(resource: Resource<T>, object: T) => {
      held.push([(object as Lease).spec?.holderIdentity, leaders.get('a')?.holds()])
      return update(resource, object)
    }
    await leaders.get('a')?.release()
    expect(held).toEqual([['', false]])
    // Nothing keeps the process.
    expect(clock.pending).toBe(0)
  })
})

describe('a lease that is lost', () => {
  test('is said so, is asked for no more, and leaves no call open', async () => {
    const { clock, client, log, leaders, candidate } = electionWorld()
    const { state, hang } = hangingCalls(clock)
    candidate('a')
    await clock.run({ forMs: 5_000 })
    client.update = <T extends KubeObject>(_resource: Resource<T>, _object: T, options?: WriteOptions) =>
      hang(options?.signal)
    client.get = <T extends KubeObject>(_resource: Resource<T>, _key: ObjectKey, options?: CallOptions) =>
      hang(options?.signal)
    await clock.run({ forMs: 13_000 })
    expect(leaders.get('a')?.lost.aborted).toBe(true)
    expect(log.lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      'leader election lost',
    ])
    expect(state.open).toBe(0)
    const lists = client.calls.length
    await clock.run({ forMs: 120_000 })
    expect(client.calls).toHaveLength(lists)
  })

  test('for an installation that came later is not renewed from then on', async () => {
    const { clock, client, leaders, candidate } = electionWorld()
    candidate('first')
    await clock.run({ forMs: 20_000 })
    await client.create(leases, leaseNamed('karpenter', 'careless'))
    const key = { namespace: 'karpenter', name: 'karpenter-leader-election' }
    for (let renewal = 0; renewal < 60 && leaders.get('first')?.lost.aborted === false; renewal++) {
      const held = await client.get(leases, key)
      await client.update(leases, { ...held, spec: { ...held.spec, renewTime: `2026-01-01T00:00:${renewal}.000000Z` } })
      await clock.run({ forMs: 2_000 })
    }
    expect(leaders.get('first')?.lost.aborted).toBe(true)
    const renewals = renewalsOf(client)
    await clock.run({ forMs: 60_000 })
    expect(renewalsOf(client)).toBe(renewals)
  })

  test('is given up in time by a process that has stood still before', async () => {
    const { clock, client, leaders, candidate } = electionWorld()
    const stoppable = stoppableClock(clock)
    candidate('a', { clock: stoppable.clock })
    await clock.run({ forMs: 5_000 })
    stoppable.stopUntil = clock.monotonicMs() + 60_000
    await clock.run({ forMs: 70_000 })
    expect(leaders.get('a')?.holds()).toBe(true)
    client.fault = () => {
      throw new KubeError('Network', 0, 'cut off')
    }
    await clock.run({ forMs: 13_000 })
    expect(leaders.get('a')?.lost.aborted).toBe(true)
  })
})

test('a renewal that is still without an answer when a standstill ends is tried again', async () => {
  const { clock, client, leaders, candidate } = electionWorld()
  const stoppable = stoppableClock(clock)
  candidate('a', { clock: stoppable.clock })
  await clock.run({ forMs: 5_000 })
  const update = client.update.bind(client)
  client.update = (...args) =>
    clock.monotonicMs() <= stoppable.stopUntil ? Promise.withResolvers<never>().promise : update(...args)
  stoppable.stopUntil = clock.monotonicMs() + 2_000
  await clock.run({ forMs: 1_500 })
  stoppable.stopUntil = clock.monotonicMs() + 30_000
  await clock.run({ forMs: 40_000 })
  expect(leaders.get('a')?.lost.aborted).toBe(false)
  expect(leaders.get('a')?.holds()).toBe(true)
})

describe('while others are looked for', () => {
  const hangingList = ({ clock, client }: ReturnType<typeof electionWorld>): void => {
    const { hang } = hangingCalls(clock)
    client.list = <T extends KubeObject>(_resource: Resource<T>, options?: ListOptions<T>) => hang(options?.signal)
  }

  test('who leads gives its lease back when it is told to', async () => {
    const world = electionWorld()
    const { clock, leaders, candidate, lease } = world
    candidate('a')
    await clock.run({ forMs: 10_000 })
    hangingList(world)
    await clock.run({ forMs: 6_000 })
    await leaders.get('a')?.release()
    expect((await lease()).spec?.holderIdentity).toBe('')
  })

  test('who is told to stop does not lead, and gives its lease back', async () => {
    const world = electionWorld()
    const { clock, log, leaders, candidate, lease, stop } = world
    hangingList(world)
    candidate('a')
    await clock.run({ forMs: 1_000 })
    expect((await lease()).spec?.holderIdentity).toBe('a')
    stop.abort(new Error('stopping'))
    await clock.run({ forMs: 1_000 })
    expect(leaders.has('a')).toBe(false)
    expect((await lease()).spec?.holderIdentity).toBe('')
    expect(log.lines.filter(({ level }) => level !== 'info')).toEqual([])
  })

  test('a lease that nobody holds is waited for by nobody', async () => {
    const { clock, client, leaders, candidate } = electionWorld()
    await client.create(leases, leaseNamed('karpenter', ''))
    candidate('a')
    await clock.run({ forMs: 1_000 })
    expect(leaders.get('a')?.holds()).toBe(true)
  })

  test('who may not see them leads without them, and says nothing of it', async () => {
    const { clock, client, log, leaders, candidate } = electionWorld()
    client.fault = ({ operation }) => {
      if (operation === 'list') throw new KubeError('Forbidden', 403, 'may not list')
    }
    candidate('a')
    await clock.run({ forMs: 60_000 })
    expect(leaders.get('a')?.holds()).toBe(true)
    expect(log.lines.filter(({ level }) => level !== 'info')).toEqual([])
  })

  test('one that comes while another is watched is found, too', async () => {
    const { clock, client, leaders, candidate } = electionWorld()
    await client.create(leases, leaseNamed('karpenter', 'dead'))
    candidate('a')
    await clock.run({ forMs: 20_000 })
    await client.create(leases, leaseNamed('other', 'alive'))
    await clock.run({ forMs: 15_000 })
    expect(leaders.has('a')).toBe(false)
  })
})
