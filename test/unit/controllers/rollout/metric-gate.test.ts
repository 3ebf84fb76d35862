import { expect, test } from 'vitest'
import type {
  RolloutGates,
  RolloutPolicy,
  RolloutPolicyStatus,
  RolloutPrometheusGate,
} from '../../../../src/api/karpenter.ts'
import { metricGate, type MetricReading } from '../../../../src/controllers/rollout/index.ts'
import { ManualClock } from '../../../support/manual-clock.ts'

const prometheus: RolloutPrometheusGate = {
  address: 'http://p',
  query: 'errors',
  operator: 'LessThan',
  threshold: '1.5',
}

function aPolicy(gates: RolloutGates | undefined, status?: RolloutPolicyStatus): RolloutPolicy {
  return {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'p', uid: 'p', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { nodePoolSelector: {}, ...(gates === undefined ? {} : { gates }) },
    ...(status === undefined ? {} : { status }),
  }
}

test.each([
  ['LessThan', 1.4, 'good'],
  ['LessThan', 1.5, 'bad'],
  ['LessThanOrEqual', 1.5, 'good'],
  ['LessThanOrEqual', 1.6, 'bad'],
  ['GreaterThan', 1.5, 'bad'],
  ['GreaterThan', 1.6, 'good'],
  ['GreaterThanOrEqual', 1.5, 'good'],
  ['GreaterThanOrEqual', 1.4, 'bad'],
] as const)('%s 1.5: %d is %s', async (operator, value, kind) => {
  const ask = metricGate(() => Promise.resolve({ kind: 'value', value }), new ManualClock(0))
  const gate = { ...prometheus, operator }
  expect(await ask(aPolicy({ prometheus: gate }))).toEqual({ gate, answer: { kind, value } })
})

test('nobody is asked without a gate, and no answer stays unknown', async () => {
  const silent: MetricReading = { kind: 'unknown', message: 'status 503' }
  const ask = metricGate(() => Promise.resolve(silent), new ManualClock(0))
  expect(await ask(aPolicy(undefined))).toBeUndefined()
  expect(await ask(aPolicy({ prometheus }))).toEqual({ gate: prometheus, answer: { ...silent, since: 0 } })
})

test('it is remembered since when there is no answer, until there is one or nobody asks any more', async () => {
  const clock = new ManualClock(0)
  let reading: MetricReading = { kind: 'unknown', message: 'status 503' }
  const ask = metricGate(() => Promise.resolve(reading), clock)
  const sinceAfter = async (ms: number) => {
    await clock.advance(ms)
    const answer = (await ask(aPolicy({ prometheus })))?.answer
    return answer?.kind === 'unknown' ? answer.since : undefined
  }
  expect(await sinceAfter(0)).toBe(0)
  expect(await sinceAfter(60_000)).toBe(0)
  reading = { kind: 'value', value: 1 }
  expect(await sinceAfter(60_000)).toBeUndefined()
  reading = { kind: 'unknown', message: 'status 503' }
  expect(await sinceAfter(60_000)).toBe(180_000)
  expect(await sinceAfter(301_000)).toBe(481_000)
})

test('a rollout under way is judged by the gate that its step began with', async () => {
  const asked: string[] = []
  const ask = metricGate((_address, query) => {
    asked.push(query)
    return Promise.resolve({ kind: 'value', value: 1 })
  }, new ManualClock(0))
  const running: RolloutPolicyStatus = {
    startTime: '2026-01-01T00:00:00Z',
    inForce: { gates: { prometheus: { ...prometheus, query: 'before' } } },
  }
  await ask(aPolicy({ prometheus }, running))
  expect(asked).toEqual(['before'])
})

test('an answer is kept for a moment: reconciles come in bursts', async () => {
  let count = 0
  const clock = new ManualClock(0)
  const ask = metricGate(() => {
    count += 1
    return Promise.resolve({ kind: 'value', value: 1 })
  }, clock)
  const policy = aPolicy({ prometheus })
  await ask(policy)
  await ask(policy)
  expect(count).toBe(1)
  await clock.advance(15_000)
  await ask(policy)
  expect(count).toBe(2)
})
