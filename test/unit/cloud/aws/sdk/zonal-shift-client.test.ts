import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { ZonalShiftClient } from '../../../../../src/cloud/aws/clients.ts'
import { createSDKClients } from '../../../../../src/cloud/aws/sdk-clients.ts'
import { VirtualClock } from '../../../../../src/embedded/clock.ts'
import { MetricCounts } from '../../../../support/controller-world.ts'

const cluster = 'arn:aws:eks:eu-central-1:111122223333:cluster/demo'
const expiresAt = '2026-03-04T05:06:07.000Z'

let server: Server
let endpoint: string
let counts: MetricCounts
/** What is answered, call by call; the last one again and again. */
let answers: (readonly [status: number, body: unknown])[] = []
const seen: { readonly line: string; readonly authorization: string; readonly userAgent: string }[] = []

beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDTEST')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test')
  server = createServer(({ method, url, headers }, response) => {
    const { authorization = '', 'user-agent': userAgent = '' } = headers
    seen.push({ line: `${method} ${url}`, authorization, userAgent })
    const [status, body] = (answers.length > 1 ? answers.shift() : answers[0]) ?? [500, {}]
    const type = status === 200 ? 'application/json' : 'application/x-amz-json-1.1'
    response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  vi.unstubAllEnvs()
  server.closeAllConnections()
  server.close()
})

beforeEach(() => {
  seen.length = 0
  answers = []
  counts = new MetricCounts()
})

async function aClient(
  endpoints: { 'arc-zonal-shift'?: string } = { 'arc-zonal-shift': endpoint },
): Promise<ZonalShiftClient> {
  const { zonalShift } = await createSDKClients({
    region: 'eu-central-1',
    endpoints,
    version: '1.2.3',
    clock: new VirtualClock(),
    metrics: counts,
    enableZonalShift: true,
  })
  if (zonalShift === undefined) throw new Error('zonal shift is enabled')
  return zonalShift
}

const action = { service: 'arc-zonal-shift', action: 'GetManagedResource' }

test('the shifts of a cluster are asked for by its ARN, signed for the service, under our name', async () => {
  answers = [
    [
      200,
      {
        arn: cluster,
        appliedWeights: { 'euc1-az1': 0 },
        zonalShifts: [
          { awayFrom: 'euc1-az1', expiryTime: Date.parse(expiresAt) / 1_000, appliedStatus: 'APPLIED', comment: 'x' },
          { awayFrom: 'euc1-az2' },
        ],
      },
    ],
  ]
  const client = await aClient()
  expect(await client.getManagedResource({ resourceIdentifier: cluster })).toEqual({
    zonalShifts: [{ awayFrom: 'euc1-az1', expiryTime: new Date(expiresAt), appliedStatus: 'APPLIED' }],
  })
  const [call, ...more] = seen
  expect(more).toEqual([])
  expect(call?.line).toBe(`GET /managedresources/${encodeURIComponent(cluster)}`)
  expect(call?.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDTEST\/\d{8}\/eu-central-1\/arc-zonal-shift\/aws4_request, /,
  )
  expect(call?.userAgent).toContain('karpenter.sh-1.2.3')
  expect(counts.sum('aws_sdk_go_request_total', { ...action, status_code: '200' })).toBe(1)
})

test('shifts that AWS has begun by itself are told beside those that somebody asked for', async () => {
  const startTime = Date.parse(expiresAt) / 1_000
  answers = [
    [
      200,
      { zonalShifts: [], autoshifts: [{ awayFrom: 'euc1-az3', startTime, appliedStatus: 'APPLIED' }, { startTime }] },
    ],
  ]
  const client = await aClient()
  expect(await client.getManagedResource({ resourceIdentifier: cluster })).toEqual({
    zonalShifts: [],
    autoshifts: [{ awayFrom: 'euc1-az3', appliedStatus: 'APPLIED' }],
  })
})

test('throttling and faults of the server are tried again, and each attempt is counted', async () => {
  answers = [
    [429, { __type: 'ThrottlingException', message: 'slow down' }],
    [500, { __type: 'InternalServerException', message: 'no luck' }],
    [200, { zonalShifts: [] }],
  ]
  const client = await aClient()
  expect(await client.getManagedResource({ resourceIdentifier: cluster })).toEqual({ zonalShifts: [] })
  const attempts = (status_code: string) => counts.sum('aws_sdk_go_request_attempt_total', { ...action, status_code })
  expect([attempts('429'), attempts('500'), attempts('200')]).toEqual([1, 1, 1])
})

test('a cluster that ARC does not manage is not found', async () => {
  answers = [[404, { __type: 'ResourceNotFoundException', message: 'no managed resource' }]]
  const client = await aClient()
  await expect(client.getManagedResource({ resourceIdentifier: cluster })).rejects.toMatchObject({
    name: 'ResourceNotFoundException',
    message: 'no managed resource',
    $fault: 'client',
    $metadata: { httpStatusCode: 404 },
  })
  expect(seen).toHaveLength(1)
})

test('the environment may name another endpoint', async () => {
  vi.stubEnv('AWS_ENDPOINT_URL_ARC_ZONAL_SHIFT', endpoint)
  answers = [[200, { zonalShifts: [] }]]
  const client = await aClient({})
  await client.getManagedResource({ resourceIdentifier: cluster })
  expect(seen).toHaveLength(1)
})
