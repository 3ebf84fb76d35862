import { expect, test } from 'vitest'
import { createBatchers, type EC2Batchers } from '../../../../../src/cloud/aws/instance/ec2-batchers.ts'
import { VirtualClock } from '../../../../../src/embedded/clock.ts'

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
