import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { AWSClients } from '../../../../src/cloud/aws/clients.ts'
import { isDryRunSuccess, isServerFault } from '../../../../src/cloud/aws/errors.ts'
import { createSDKClients } from '../../../../src/cloud/aws/sdk-clients.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'
import { MetricCounts } from '../../../support/controller-world.ts'

interface Seen {
  readonly body: string
  readonly userAgent: string
}

const clock = new VirtualClock()
const seen: Seen[] = []
const counts = new MetricCounts()
let server: Server
let clients: AWSClients

/** EC2's query protocol, as far as these tests speak it. */
function answer(body: string): [status: number, xml: string] {
  const error = (code: string) =>
    `<Response><Errors><Error><Code>${code}</Code><Message>m</Message></Error></Errors></Response>`
  if (body.includes('DryRun=true')) return [412, error('DryRunOperation')]
  if (body.includes('Action=RunInstances')) return [500, error('InternalError')]
  if (body.includes('Context=told-late') && seen.filter((it) => it.body.includes('Context=told-late')).length === 1) {
    return [503, error('Unavailable')]
  }
  if (body.includes('Action=DescribeImages') && seen.filter((it) => it.body === body).length === 1) {
    return [503, error('RequestLimitExceeded')]
  }
  return [
    200,
    '<R><subnetSet><item><subnetId>subnet-1</subnetId><availableIpAddressCount>5</availableIpAddressCount></item></subnetSet></R>',
  ]
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
  server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      seen.push({ body, userAgent: request.headers['user-agent'] ?? '' })
      if (body.includes('hangs')) return
      const [status, xml] = answer(body)
      response.writeHead(status, { 'content-type': 'text/xml' }).end(xml)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  clients = await createSDKClients({
    region: 'us-east-1',
    endpoints: { ec2: `http://127.0.0.1:${port}` },
    version: '1.2.3',
    clock,
    metrics: counts,
    enableZonalShift: false,
  })
})

afterAll(() => {
  vi.unstubAllEnvs()
  server.closeAllConnections()
  server.close()
})

test('calls reach the overridden endpoint under our name, and are counted', async () => {
  const result = await clients.ec2.describeSubnets({ MaxResults: 5 })
  expect(result.Subnets).toEqual([{ SubnetId: 'subnet-1', AvailableIpAddressCount: 5 }])
  expect(seen.at(-1)?.body).toContain('Action=DescribeSubnets')
  expect(seen.at(-1)?.userAgent).toContain('karpenter.sh-1.2.3')
  expect(
    counts.sum('aws_sdk_go_request_total', { service: 'ec2', action: 'DescribeSubnets', status_code: '200' }),
  ).toBe(1)
})

test('a dry run that would have worked is seen as such', async () => {
  const error = await clients.ec2
    .createFleet(
      { DryRun: true, LaunchTemplateConfigs: [], TargetCapacitySpecification: { TotalTargetCapacity: 1 } },
      { retry: 'never' },
    )
    .catch((reason: unknown) => reason)
  expect(isDryRunSuccess(error)).toBe(true)
})

test('what must be seen at once is not tried again', async () => {
  const before = seen.length
  const error = await clients.ec2
    .runInstances({ MinCount: 1, MaxCount: 1 }, { retry: 'never' })
    .catch((reason: unknown) => reason)
  expect(isServerFault(error)).toBe(true)
  expect(seen.length).toBe(before + 1)
})

test('the attempts of a fleet carry one token, which keeps EC2 from launching it twice, and the next fleet another', async () => {
  const before = seen.length
  const fleet = {
    LaunchTemplateConfigs: [],
    TargetCapacitySpecification: { TotalTargetCapacity: 1 },
    Context: 'told-late',
  }
  await clients.ec2.createFleet(fleet)
  await clients.ec2.createFleet(fleet)
  const tokens = seen.slice(before).map(({ body }) => new URLSearchParams(body).get('ClientToken'))
  expect(tokens).toEqual([expect.stringMatching(/^.{8,64}$/), tokens[0], expect.stringMatching(/^.{8,64}$/)])
  expect(tokens[2]).not.toBe(tokens[0])
})

test('a fleet is waited for as long as a request may take, what only reads for a minute', async () => {
  const givenUp: Record<string, number> = {}
  const hanging = (name: string, call: Promise<unknown>) =>
    call.catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'CallTimeout' })
      givenUp[name] = clock.monotonicMs()
    })
  const startedAt = clock.monotonicMs()
  const target = { TotalTargetCapacity: 1 }
  const calls = [
    hanging(
      'fleet',
      clients.ec2.createFleet({ Context: 'hangs', LaunchTemplateConfigs: [], TargetCapacitySpecification: target }),
    ),
    hanging('subnets', clients.ec2.describeSubnets({ SubnetIds: ['hangs'] })),
  ]
  await clock.run({ forMs: 300_000 })
  await Promise.all(calls)
  expect(givenUp).toEqual({ fleet: startedAt + 240_000, subnets: startedAt + 60_000 })
})

test('each attempt of a call is counted and timed by its own answer', async () => {
  await clients.ec2.describeImages({ ImageIds: ['ami-1'] })
  const call = { service: 'ec2', action: 'DescribeImages' }
  const attempts = (status_code: string) => counts.sum('aws_sdk_go_request_attempt_total', { ...call, status_code })
  expect([attempts('503'), attempts('200')]).toEqual([1, 1])
  const timed = (status_code: string) =>
    counts.observed('aws_sdk_go_request_attempt_duration_seconds', { ...call, status_code }).length
  expect([timed('503'), timed('200')]).toEqual([1, 1])
  expect(counts.sum('aws_sdk_go_request_total', { ...call, status_code: '200' })).toBe(1)
  expect(counts.sum('aws_sdk_go_request_total', { ...call, status_code: '503' })).toBe(0)
})

test('every call of every service shows up in the metrics, under its own name', async () => {
  const names = ['ec2', 'ssm', 'iam', 'sqs', 'pricing', 'eks', 'sts', 'arc-zonal-shift'] as const
  const own = new MetricCounts()
  const { port } = server.address() as AddressInfo
  const all = await createSDKClients({
    region: 'us-east-1',
    endpoints: Object.fromEntries(names.map((name) => [name, `http://127.0.0.1:${port}`])),
    version: '1',
    clock: new VirtualClock(),
    metrics: own,
    enableZonalShift: true,
  })
  const { region: _region, zonalShift, ...rest } = all
  const services = { ...rest, 'arc-zonal-shift': zonalShift ?? {} }
  const calls = Object.entries(services).flatMap(([service, client]) =>
    Object.entries(client).map(([method, call]: [string, (input: object, options: object) => Promise<unknown>]) => ({
      service,
      action: `${method.charAt(0).toUpperCase()}${method.slice(1)}`,
      call,
    })),
  )
  expect(calls.length).toBeGreaterThan(30)
  // What the stub answers fits none of them; that a call was made is counted all the same.
  await Promise.all(calls.map(({ call }) => call({}, { retry: 'never' }).catch(() => undefined)))
  const uncounted = calls.filter(
    ({ service, action }) => own.sum('aws_sdk_go_request_total', { service, action }) !== 1,
  )
  expect(uncounted.map(({ service, action }) => `${service}:${action}`)).toEqual([])
})

test('a queue is read at the endpoint that is set, whatever host its URL names', async () => {
  const targets: unknown[] = []
  const queues = createServer((request, response) => {
    void bodyOf(request).then(() => {
      const target = request.headers['x-amz-target']
      targets.push(target)
      const answered = target === 'AmazonSQS.GetQueueUrl' ? { QueueUrl: 'http://127.0.0.1:1/1/queue' } : {}
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(answered))
    })
  })
  await new Promise<void>((resolve) => queues.listen(0, '127.0.0.1', resolve))
  const { port } = queues.address() as AddressInfo
  vi.stubEnv('AWS_ENDPOINT_URL_SQS', `http://127.0.0.1:${port}`)
  const { sqs } = await createSDKClients({
    region: 'us-east-1',
    version: '1',
    clock: new VirtualClock(),
    metrics: new MetricCounts(),
    enableZonalShift: false,
  })
  const { QueueUrl } = await sqs.getQueueUrl({ QueueName: 'queue' })
  await sqs.receiveMessage({ QueueUrl })
  await sqs.deleteMessage({ QueueUrl, ReceiptHandle: 'handle' })
  expect(targets).toEqual(['AmazonSQS.GetQueueUrl', 'AmazonSQS.ReceiveMessage', 'AmazonSQS.DeleteMessage'])
  queues.closeAllConnections()
  queues.close()
})

test('requests to AWS take the proxy of the environment, but for the hosts that are excepted; its region is ours', async () => {
  const tunnels: (string | undefined)[] = []
  const proxy = createServer()
  proxy.on('connect', ({ url }, socket) => {
    tunnels.push(url)
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  vi.stubEnv('AWS_MAX_ATTEMPTS', '1')
  const own = await createSDKClients({
    env: {
      AWS_DEFAULT_REGION: 'eu-north-1',
      HTTPS_PROXY: `http://127.0.0.1:${port}`,
      NO_PROXY: '127.0.0.1,.internal',
    },
    endpoints: { ssm: 'https://127.0.0.1:1', iam: `http://localhost:${(server.address() as AddressInfo).port}` },
    version: '1',
    clock: new VirtualClock(),
    metrics: new MetricCounts(),
    enableZonalShift: false,
  })
  expect(own.region).toBe('eu-north-1')
  const calls = [own.ec2.describeSubnets({}), own.ssm.getParameter({ Name: 'x' }), own.iam.listInstanceProfiles({})]
  await Promise.allSettled(calls)
  expect(tunnels).toEqual(['ec2.eu-north-1.amazonaws.com:443'])
  proxy.closeAllConnections()
  proxy.close()
})
