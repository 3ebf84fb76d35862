import { request } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { createPrometheusMetrics } from '../../../src/operator/prometheus.ts'
import { type RunningServer, startHealthServer, startMetricsServer } from '../../../src/operator/servers.ts'

const open: RunningServer[] = []

afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function fetchFrom(
  server: Promise<RunningServer>,
  path: string,
  init?: RequestInit,
): Promise<{ status: number; text: string }> {
  const running = await server
  open.push(running)
  const response = await fetch(`http://127.0.0.1:${running.port}${path}`, init)
  return { status: response.status, text: await response.text() }
}

test('the process is alive as soon as it answers', async () => {
  expect(await fetchFrom(startHealthServer(0, { manager: () => 'failed to sync caches' }), '/healthz')).toEqual({
    status: 200,
    text: 'ok',
  })
})

test('it is ready when every check holds', async () => {
  expect(await fetchFrom(startHealthServer(0, { ping: () => undefined }), '/readyz')).toEqual({
    status: 200,
    text: 'ok',
  })
})

test('a check that fails or throws is named', async () => {
  const checks = {
    ping: () => undefined,
    manager: () => 'failed to sync caches',
    crd: () => Promise.reject(new Error('no such kind')),
  }
  const { status, text } = await fetchFrom(startHealthServer(0, checks), '/readyz')
  expect(status).toBe(500)
  expect(text).toBe('[+]ping ok\n[-]manager failed: failed to sync caches\n[-]crd failed: no such kind\n')
})

test('metrics are served as text', async () => {
  const metrics = createPrometheusMetrics({ processMetrics: true })
  const { status, text } = await fetchFrom(startMetricsServer(0, metrics, { profiling: false }), '/metrics')
  expect(status).toBe(200)
  expect(text).toContain('process_resident_memory_bytes')
})

test.each([
  ['profile', 'samples'],
  ['allocs', 'head'],
])('profiles are there only when asked for: %s', async (name, field) => {
  const metrics = createPrometheusMetrics({ processMetrics: false })
  const path = `/debug/pprof/${name}?seconds=0.05`
  expect((await fetchFrom(startMetricsServer(0, metrics, { profiling: false }), path)).status).toBe(404)
  const { status, text } = await fetchFrom(startMetricsServer(0, metrics, { profiling: true }), path)
  expect(status).toBe(200)
  expect(JSON.parse(text)).toHaveProperty(field)
  const tooLong = `/debug/pprof/${name}?seconds=121`
  expect((await fetchFrom(startMetricsServer(0, metrics, { profiling: true }), tooLong)).status).toBe(400)
})

test('only reads are served', async () => {
  expect((await fetchFrom(startHealthServer(0, {}), '/healthz', { method: 'POST' })).status).toBe(405)
})

test.each(['//', 'http://[', 'http://a:b'])(
  'a path that is none is answered, and the process goes on: %s',
  async (path) => {
    const server = await startHealthServer(0, {})
    open.push(server)
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const asked = request({ port: server.port, path, timeout: 1_000 }, (response) => {
        response.resume()
        resolve(response.statusCode)
      })
      asked.on('timeout', () => asked.destroy(new Error('no answer')))
      asked.on('error', reject)
      asked.end()
    })
    expect(status).toBe(400)
  },
)

test('the last verdicts on nodes are told with profiling switched on', async () => {
  const metrics = createPrometheusMetrics({ processMetrics: false })
  const verdicts = () => [{ node: 'n1', method: 'drift', code: 'PDBBlocked', message: 'm', at: 0 }]
  const path = '/debug/verdicts'
  expect((await fetchFrom(startMetricsServer(0, metrics, { profiling: false, verdicts }), path)).status).toBe(404)
  const { status, text } = await fetchFrom(startMetricsServer(0, metrics, { profiling: true, verdicts }), path)
  expect({ status, verdicts: JSON.parse(text) as unknown }).toEqual({ status: 200, verdicts: verdicts() })
})
