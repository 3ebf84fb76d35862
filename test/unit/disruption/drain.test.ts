import { describe, expect, test } from 'vitest'
import { decideDrain, forcedGracePeriodSeconds, isForceEligible } from '../../../src/disruption/drain.ts'
import { toPodInfo } from '../../../src/model/to-pod-info.ts'
import { aPod, ownedBy } from '../../support/controller-builders.ts'

const now = 1_000_000_000
const info = (...args: Parameters<typeof aPod>) => {
  const { metadata, ...pod } = aPod(...args)
  return toPodInfo({ ...pod, metadata: { ...metadata, name: metadata.name ?? '' } })
}
const names = (pods: readonly { name: string }[]) => pods.map(({ name }) => name)

describe('a drain', () => {
  const critical = { priorityClassName: 'system-node-critical' }
  const pods = [
    info('4', { metadata: ownedBy('DaemonSet'), spec: critical }),
    info('3', { spec: critical }),
    info('2', { metadata: ownedBy('DaemonSet') }),
    info('1b'),
    info('1a'),
  ]

  test('waits for all, and evicts the first tier', () => {
    const { waiting, evict } = decideDrain(pods, { now, terminationTime: undefined })
    expect(names(waiting)).toEqual(['1a', '1b', '2', '3', '4'])
    expect(names(evict)).toEqual(['1a', '1b'])
  })

  test('forces whoever would outlive the termination time, and still evicts the first tier of the rest', () => {
    const slow = info('slow', { spec: { ...critical, terminationGracePeriodSeconds: 500 } })
    const { evict } = decideDrain([...pods, slow], { now, terminationTime: now + 100_000 })
    expect(names(evict)).toEqual(['slow', '1a', '1b'])
  })

  test('asks nothing of a pod that is going already, and leaves the tiers behind it alone until it has gone', () => {
    const going = info('0', { metadata: { deletionTimestamp: new Date(now).toISOString() } })
    const rest = pods.filter(({ name }) => !name.startsWith('1'))
    const { waiting, evict } = decideDrain([...rest, going], { now, terminationTime: undefined })
    expect(names(waiting)).toEqual(['0', '2', '3', '4'])
    expect(names(evict)).toEqual([])
    expect(names(decideDrain(rest, { now, terminationTime: undefined }).evict)).toEqual(['2'])
  })

  test('waits a minute for a pod that does not end when it should, to the millisecond', () => {
    const late = info('late', { metadata: { deletionTimestamp: new Date(now).toISOString() } })
    const waiting = (lateMs: number) =>
      names(decideDrain([late], { now: now + lateMs, terminationTime: undefined }).waiting)
    expect([waiting(60_000), waiting(60_001)]).toEqual([['late'], []])
  })

  test('a priority alone does not make a pod critical, only the two class names do', () => {
    const high = info('high', { spec: { priority: 2_000_001_000, priorityClassName: 'my-critical' } })
    expect(names(decideDrain([high, ...pods], { now, terminationTime: undefined }).evict)).toEqual(['1a', '1b', 'high'])
  })
})

describe('whether a pod may be forced', () => {
  const cases: Record<string, { grace?: number; deletedInMs?: number; terminationInMs?: number; want: boolean }> = {
    'no termination time: never': { grace: 30, want: false },
    'its grace ends exactly at the time: not yet': { grace: 30, terminationInMs: 30_000, want: false },
    'its grace ends after the time': { grace: 30, terminationInMs: 29_999, want: true },
    'a pod without a grace period': { terminationInMs: -1, want: false },
    'going already, and gone in time': { grace: 30, deletedInMs: 30_000, terminationInMs: 30_000, want: false },
    'going already, and still there after the time': {
      grace: 30,
      deletedInMs: 30_001,
      terminationInMs: 30_000,
      want: true,
    },
  }
  test.each(Object.entries(cases))('%s', (_name, { grace, deletedInMs, terminationInMs, want }) => {
    const pod = {
      terminationGracePeriodSeconds: grace,
      deletedAt: deletedInMs === undefined ? undefined : now + deletedInMs,
    }
    const terminationTime = terminationInMs === undefined ? undefined : now + terminationInMs
    expect(isForceEligible(pod, { now, terminationTime })).toBe(want)
  })

  test.each([
    [10_999, 10],
    [999, 1],
    [-3_600_000, 1],
  ])('with %d ms left it gets %d s', (leftMs, seconds) => {
    expect(forcedGracePeriodSeconds(now + leftMs, now)).toBe(seconds)
  })
})
