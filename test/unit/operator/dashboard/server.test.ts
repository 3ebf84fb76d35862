import { afterEach, expect, test } from 'vitest'
import { isLoopback, parseListenAddress } from '../../../../src/operator/dashboard/address.ts'
import { type FleetAvailability, startDashboardServer } from '../../../../src/operator/dashboard/server.ts'
import type { RunningServer } from '../../../../src/operator/servers.ts'
import { aFleetView, aNodeView, viewedAt } from '../../../support/fleet-views.ts'

const open: RunningServer[] = []

afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

const view = aFleetView([aNodeView('a')])

function ready(now = viewedAt): FleetAvailability {
  return { kind: 'ready', source: { now: () => now, view: async () => view } }
}

async function serveAt(host: string | undefined, fleet: () => FleetAvailability = ready): Promise<string> {
  const server = await startDashboardServer({ host, port: 0 }, fleet)
  open.push(server)
  return `http://127.0.0.1:${server.port}`
}

test.each([
  ['/', 'text/html', '<!doctype html>'],
  ['/page.css', 'text/css', ':root'],
  ['/page.js', 'text/javascript', 'fleet.json'],
])('%s is a file of the page, under a policy that lets in nothing else', async (path, type, beginning) => {
  const response = await fetch(`${await serveAt('127.0.0.1')}${path}`)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
  expect(await response.text()).toContain(beginning)
  const policy = response.headers.get('content-security-policy') ?? ''
  expect(policy).toContain("default-src 'none'")
  expect(policy).not.toContain('unsafe')
  expect(policy).not.toContain('http')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
})

test.each(['/page.ts', '/../server.ts', '/%2e%2e/server.ts', '/constructor', '/metrics', '/page/index.html'])(
  '%s is not found',
  async (path) => {
    expect((await fetch(`${await serveAt('127.0.0.1')}${path}`)).status).toBe(404)
  },
)

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is refused', async (method) => {
  expect((await fetch(`${await serveAt('127.0.0.1')}/fleet.json`, { method })).status).toBe(405)
})

test('the fleet is JSON, and the same fleet is not sent twice, though time goes on', async () => {
  let now = viewedAt
  const address = await serveAt('127.0.0.1', () => ready(now))
  const first = await fetch(`${address}/fleet.json`)
  expect(await first.json()).toEqual(view)
  expect(first.headers.get('joinery-now')).toBe(String(viewedAt))
  now += 5_000
  const again = await fetch(`${address}/fleet.json`, { headers: { 'if-none-match': first.headers.get('etag') ?? '' } })
  expect(again.status).toBe(304)
  expect(again.headers.get('joinery-now')).toBe(String(now))
})

test('a replica that does not lead says so', async () => {
  const address = await serveAt('127.0.0.1', () => ({ kind: 'unavailable', problem: 'This replica waits.' }))
  const response = await fetch(`${address}/fleet.json`)
  expect(response.status).toBe(503)
  expect(await response.json()).toEqual({ problem: 'This replica waits.' })
})

test('on a loopback address only names of this machine are answered, so that no other site can read it by a name of its own', async () => {
  const address = new URL(await serveAt('127.0.0.1'))
  const { request } = await import('node:http')
  const ask = (host: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      request({ port: address.port, host: '127.0.0.1', path: '/fleet.json', headers: { host } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
        .on('error', reject)
        .end()
    })
  expect(await ask('evil.example')).toBe(421)
  expect(await ask('127.0.0.1.evil.example')).toBe(421)
  expect(await ask(`localhost:${address.port}`)).toBe(200)
  expect(await ask('[::1]:1')).toBe(200)
})

test.each([
  ['127.0.0.1:8090', { host: '127.0.0.1', port: 8090 }],
  ['localhost:0', { host: 'localhost', port: 0 }],
  ['[::1]:8090', { host: '::1', port: 8090 }],
  [':8090', { host: undefined, port: 8090 }],
  ['8090', undefined],
  ['127.0.0.1', undefined],
  ['127.0.0.1:65536', undefined],
  ['::1:8090', undefined],
  ['[127.0.0.1]:8090', undefined],
  ['example.com:80', undefined],
  ['', undefined],
])('the address %j', (text, want) => {
  expect(parseListenAddress(text)).toEqual(want)
})

test.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  [undefined, false],
])('%j is loopback: %j', (host, want) => {
  expect(isLoopback(host)).toBe(want)
})
