import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { queryPrometheus, readPrometheusAnswer } from '../../../src/operator/metric-query.ts'

afterEach(() => vi.unstubAllGlobals())

const success = (resultType: string, result: unknown) => ({ status: 'success', data: { resultType, result } })

test.each([
  ['a scalar', success('scalar', [1, '0.25']), 0.25],
  ['a vector of one', success('vector', [{ metric: {}, value: [1, '3'] }]), 3],
  ['infinity', success('scalar', [1, '+Inf']), Number.POSITIVE_INFINITY],
])('%s is a number', (_name, answer, value) => {
  expect(readPrometheusAnswer(answer)).toEqual({ kind: 'value', value })
})

test.each([
  ['an error', { status: 'error', error: 'parse error' }, 'parse error'],
  ['an empty vector', success('vector', []), '0 elements'],
  ['several series', success('vector', [{}, {}]), '2 elements'],
  ['not a number', success('scalar', [1, 'NaN']), 'NaN'],
  ['a matrix', success('matrix', []), 'matrix'],
  ['something else', 'hello', 'no success'],
])('%s is unknown, not good', (_name, answer, message) => {
  const reading = readPrometheusAnswer(answer)
  expect(reading).toMatchObject({ kind: 'unknown' })
  expect(reading.kind === 'unknown' ? reading.message : '').toContain(message)
})

test('the query is asked of the server, and whatever goes wrong is unknown', async () => {
  let asked = ''
  let status = 200
  const server = createServer((request, response) => {
    asked = request.url ?? ''
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(success('scalar', [1, '7'])))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prometheus`
  expect(await queryPrometheus(address, 'sum(rate(errors[5m]))')).toEqual({ kind: 'value', value: 7 })
  expect(asked).toBe('/prometheus/api/v1/query?query=sum%28rate%28errors%5B5m%5D%29%29')
  status = 503
  expect(await queryPrometheus(address, 'up')).toEqual({ kind: 'unknown', message: 'status 503' })
  await new Promise((resolve) => server.close(resolve))
  expect(await queryPrometheus(address, 'up')).toMatchObject({
    kind: 'unknown',
    message: expect.stringMatching(/^fetch failed: .*(closed|ECONNREFUSED)/),
  })
  expect(await queryPrometheus('no url', 'up')).toMatchObject({ kind: 'unknown' })
})

test('of a server that answers at none of its addresses it is told what became of each', async () => {
  const refused = ['10.0.0.1', 'fd00::1'].map((address) => new Error(`connect ECONNREFUSED ${address}`))
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('fetch failed', { cause: new AggregateError(refused) })))
  expect(await queryPrometheus('http://prometheus.example', 'up')).toEqual({
    kind: 'unknown',
    message: 'fetch failed: connect ECONNREFUSED 10.0.0.1; connect ECONNREFUSED fd00::1',
  })
})

test('an answer without end is given up, and a long complaint is cut', async () => {
  let sent = 0
  const piece = Buffer.alloc(2 ** 16, ' ')
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    if (request.url?.includes('endless') !== true) {
      response.end(JSON.stringify({ status: 'error', error: 'e'.repeat(100_000) }))
      return
    }
    const send = (): void => {
      while (!response.destroyed && sent < 2 ** 26) {
        sent += piece.length
        if (!response.write(piece)) return
      }
      response.end()
    }
    response.on('drain', send)
    send()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  expect(await queryPrometheus(address, 'endless')).toEqual({
    kind: 'unknown',
    message: 'the answer has more than 1048576 bytes',
  })
  expect(sent).toBeLessThan(2 ** 24)
  const complaint = await queryPrometheus(address, 'up')
  expect(complaint).toEqual({ kind: 'unknown', message: `${'e'.repeat(300)}...` })
  await new Promise((resolve) => server.close(resolve))
})
