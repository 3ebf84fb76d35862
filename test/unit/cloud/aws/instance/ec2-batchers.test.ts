import { expect, test } from 'vitest'
import { createBatchers, type EC2Batchers } from '../../../../../src/cloud/aws/instance/ec2-batchers.ts'
import { VirtualClock } from '../../../../../src/embedded/clock.ts'

/** What describing and ending instances at once comes to at EC2, which has those that `states` tells of. */
async function askedAtOnce(
  states: Readonly<Record<string, 'running' | 'shutting-down'>>,
  ask: (batchers: EC2Batchers) => readonly Promise<unknown>[],
) {
  const clock = new VirtualClock()
  const calls: (readonly string[])[] = []
  const instances = (ids: readonly string[]) => ids.filter((id) => Object.hasOwn(states, id))
  const batchers = createBatchers({
    clock,
    metrics: { batchSize: { observe: () => undefined }, batchTime: { observe: () => undefined } },
    ec2: {
      createFleet: async () => ({}),
      describeInstances: async ({ InstanceIds: ids = [] }) => {
        calls.push(ids)
        return { Reservations: instances(ids).map((InstanceId) => ({ Instances: [{ InstanceId }] })) }
      },
      terminateInstances: async ({ InstanceIds: ids = [] }) => {
        calls.push(ids)
        return {
          TerminatingInstances: instances(ids).map((InstanceId) => {
            const Name = states[InstanceId] ?? 'running'
            return { InstanceId, CurrentState: { Name } }
          }),
        }
      },
    },
  })
  const answers = Promise.allSettled(ask(batchers))
  await clock.run({ forMs: 10_000 })
  return { calls, answers: (await answers).map((it) => (it.status === 'fulfilled' ? it.value : it.reason)) }
}

interface Observed {
  readonly sizes: number[]
  readonly seconds: number[]
}

interface Call {
  readonly atMs: number
  /** Machines asked for, or ids that are ended. */
  readonly count: number
}

/** The calls to EC2 that come of requests made at the given milliseconds. */
async function callsOf(
  ask: (batchers: EC2Batchers) => Promise<unknown>,
  atMs: readonly number[],
  observed: Observed = { sizes: [], seconds: [] },
): Promise<Call[]> {
  const clock = new VirtualClock()
  const calls: Call[] = []
  const called = (count = 0) => calls.push({ atMs: clock.monotonicMs(), count })
  const batchers = createBatchers({
    clock,
    metrics: {
      batchSize: { observe: (_labels, size) => observed.sizes.push(size) },
      batchTime: { observe: (_labels, seconds) => observed.seconds.push(seconds) },
    },
    ec2: {
      createFleet: async ({ TargetCapacitySpecification: capacity }) => {
        called(capacity?.TotalTargetCapacity)
        return {}
      },
      describeInstances: async () => ({}),
      terminateInstances: async ({ InstanceIds: ids = [] }) => {
        called(ids.length)
        return { TerminatingInstances: ids.map((id) => ({ InstanceId: id, CurrentState: { Name: 'terminated' } })) }
      },
    },
  })
  for (const at of atMs) clock.schedule(at, () => void ask(batchers))
  await clock.run({ forMs: 10_000 })
  return calls
}

const launch = (batchers: EC2Batchers) =>
  batchers.createFleet({ LaunchTemplateConfigs: [], TargetCapacitySpecification: { TotalTargetCapacity: 1 } })
let ended = 0
const end = (batchers: EC2Batchers) => batchers.terminateInstance(`i-${(ended += 1)}`)
const times = (count: number, everyMs: number) => Array.from({ length: count }, (_, index) => index * everyMs)

test('a call waits for more until none comes for a moment, but no longer than a second', async () => {
  expect(await callsOf(launch, [0, 30, 60])).toEqual([{ atMs: 95, count: 3 }])
  expect(await callsOf(launch, [0, 36])).toEqual([
    { atMs: 35, count: 1 },
    { atMs: 71, count: 1 },
  ])
  expect(await callsOf(launch, times(35, 30))).toEqual([
    { atMs: 1_000, count: 34 },
    { atMs: 1_055, count: 1 },
  ])
})

test('the second of a call that has gone out is none of the next one', async () => {
  expect(await callsOf(launch, [0, 990, 1_015])).toEqual([
    { atMs: 35, count: 1 },
    { atMs: 1_050, count: 2 },
  ])
})

test('metrics tell how many came together, and for how many seconds they were waited for', async () => {
  const observed: Observed = { sizes: [], seconds: [] }
  await callsOf(launch, [500, 530, 560, 2_000], observed)
  expect(observed).toEqual({ sizes: [3, 1], seconds: [0.095, 0.035] })
})

test('one call launches no more than 1000 machines, and ends no more than 500', async () => {
  expect(await callsOf(launch, times(1_001, 0))).toEqual([
    { atMs: 0, count: 1_000 },
    { atMs: 35, count: 1 },
  ])
  expect(await callsOf(end, times(501, 0))).toEqual([
    { atMs: 0, count: 500 },
    { atMs: 100, count: 1 },
  ])
})

test('instances that are described together are one call, and only those that it did not show are asked for alone', async () => {
  const describe =
    (...ids: readonly string[]) =>
    (batchers: EC2Batchers) =>
      ids.map((id) => batchers.describeInstance(id))
  const states = { 'i-1': 'running', 'i-2': 'running' } as const
  expect(await askedAtOnce(states, describe('i-1', 'i-2', 'i-1'))).toEqual({
    calls: [['i-1', 'i-2']],
    answers: [{ InstanceId: 'i-1' }, { InstanceId: 'i-2' }, { InstanceId: 'i-1' }],
  })
  expect(await askedAtOnce(states, describe('i-1', 'i-gone'))).toEqual({
    calls: [['i-1', 'i-gone'], ['i-gone']],
    answers: [{ InstanceId: 'i-1' }, undefined],
  })
})

test('what is ended together and is not on its way out by the answer is ended alone', async () => {
  const states = { 'i-1': 'shutting-down', 'i-2': 'running', 'i-3': 'shutting-down' } as const
  const ended = await askedAtOnce(states, (batchers) => Object.keys(states).map((id) => batchers.terminateInstance(id)))
  expect(ended.calls).toEqual([['i-1', 'i-2', 'i-3'], ['i-2']])
})
