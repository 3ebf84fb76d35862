import { EC2Client as SDKEC2Client, DescribeSubnetsCommand } from '@aws-sdk/client-ec2'
import { expect, test } from 'vitest'
import { CallObserver } from '../../../../../src/cloud/aws/sdk/call-observer.ts'
import { toCall } from '../../../../../src/cloud/aws/sdk/invoke.ts'
import { RateLimits } from '../../../../../src/cloud/aws/sdk/rate-limits.ts'
import { VirtualClock } from '../../../../../src/embedded/clock.ts'
import { MetricCounts } from '../../../../support/controller-world.ts'

/** A client whose credentials never come. */
function withoutCredentials() {
  const clock = new VirtualClock()
  const counts = new MetricCounts()
  const client = new SDKEC2Client({ region: 'us-east-1', credentials: () => Promise.withResolvers<never>().promise })
  const invoker = { clock, limits: new RateLimits(), observer: new CallObserver(counts) }
  const describeSubnets = toCall(invoker, {
    service: 'ec2',
    action: 'DescribeSubnets',
    send: (input: object, { abortSignal }) => client.send(new DescribeSubnetsCommand(input), { abortSignal }),
  })
  return { clock, counts, describeSubnets }
}

test('a call that waits for credentials that do not come ends after a minute like any other, and is counted', async () => {
  const { clock, counts, describeSubnets } = withoutCredentials()
  let outcome: unknown
  describeSubnets({}).catch((error: unknown) => {
    outcome = error
  })
  await clock.run({ forMs: 59_999 })
  expect(outcome).toBeUndefined()
  await clock.run({ forMs: 1 })
  expect(outcome).toMatchObject({ code: 'CallTimeout', message: 'ec2:DescribeSubnets gave no answer in 60000 ms' })
  expect(counts.sum('aws_sdk_go_request_total', { action: 'DescribeSubnets', status_code: '0' })).toBe(1)
})

test('a call that waits for credentials ends when it is no longer wanted', async () => {
  const { clock, describeSubnets } = withoutCredentials()
  const stop = new AbortController()
  let outcome: unknown
  describeSubnets({}, { signal: stop.signal }).catch((error: unknown) => {
    outcome = error
  })
  await clock.run({ forMs: 1_000 })
  stop.abort(new Error('stopped'))
  await clock.run({ forMs: 1 })
  expect(outcome).toMatchObject({ message: 'stopped' })
})
