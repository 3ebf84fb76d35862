import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { ServerClock, withCluster } from '../../../src/cli/connect.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import { runCommand } from '../../support/command-run.ts'
import { ManualClock } from '../../support/manual-clock.ts'
import { plainAPIServer } from '../../support/plain-api-server.ts'

const here = Date.parse('2026-03-01T12:00:00Z')

test.each([
  ['a server that is years behind', 'Thu, 01 Jan 2026 00:00:00 GMT', Date.parse('2026-01-01T00:00:00.500Z')],
  ['a server that is a minute ahead', 'Sun, 01 Mar 2026 12:01:00 GMT', here + 60_500],
  ['a server with the same time, but for what an answer takes', 'Sun, 01 Mar 2026 11:59:59 GMT', here],
  ['a server that does not tell', undefined, here],
  ['a server that tells nonsense', 'yesterday', here],
])('the time is that of the server: %s', (_name, date, want) => {
  const clock = new ServerClock(new ManualClock(here))
  clock.observe(date)
  expect(clock.now()).toBe(want)
})

test('the last answer counts, and time goes on between answers', async () => {
  const own = new ManualClock(here)
  const clock = new ServerClock(own)
  clock.observe('Thu, 01 Jan 2026 00:00:00 GMT')
  await own.advance(10_000)
  expect(clock.now()).toBe(Date.parse('2026-01-01T00:00:10.500Z'))
  clock.observe('Sun, 01 Mar 2026 12:00:10 GMT')
  expect(clock.now()).toBe(here + 10_000)
})

const kubeconfig = `
apiVersion: v1
kind: Config
current-context: production
clusters: [{ name: a, cluster: { server: "https://prod.example:443" } }]
users: [{ name: u, user: { token: t } }]
contexts:
  - { name: production, context: { cluster: a, user: u } }
  - { name: staging, context: { cluster: a, user: u } }
`

function aKubeconfig(): string {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-connect-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'kubeconfig')
  writeFileSync(path, kubeconfig)
  return path
}

test.each([
  [
    'one that does not answer',
    new KubeError('Network', 0, 'connect ECONNREFUSED 10.0.0.1:443'),
    'the API server https://prod.example:443 of context staging does not answer: connect ECONNREFUSED 10.0.0.1:443',
  ],
  [
    'one that knows nobody of that name',
    new KubeError('Unauthorized', 401, 'Unauthorized'),
    'the API server https://prod.example:443 of context staging does not take these credentials: Unauthorized',
  ],
  [
    'one that refuses, which says by itself what',
    new KubeError('Forbidden', 403, 'nodepools is forbidden'),
    'nodepools is forbidden',
  ],
])('a cluster that cannot be worked with is named: %s', async (_name, error, want) => {
  const path = aKubeconfig()
  const work = (): Promise<never> => Promise.reject(error)
  await expect(
    withCluster({ kubeconfig: path, context: 'staging' }, { userAgent: 'test', say: () => undefined }, work),
  ).rejects.toThrow(want)
})

test.each([['explain', 'node', 'n1'], ['snapshot'], ['rollout', 'status']])(
  'a server that is silent is given up when the time for a call is over: %s',
  async (...command) => {
    const { kubeconfig: path, address } = await plainAPIServer([], () => 'silence')
    const began = performance.now()
    const { code, stderr } = await runCommand([...command, '--kubeconfig', path, '--request-timeout', '300ms'])
    expect(code).toBe(1)
    expect(stderr).toBe(
      `error: the API server ${address} of context staging does not answer: no answer within 300ms; --request-timeout gives it longer\n`,
    )
    expect(performance.now() - began).toBeLessThan(5_000)
  },
)

test('a server that answers only with failures until the time is over is told of by these', async () => {
  const { kubeconfig: path } = await plainAPIServer([], () => 503)
  const args = ['rollout', 'status', 'general', '--kubeconfig', path, '--request-timeout', '300ms']
  expect(await runCommand(args)).toEqual({ code: 1, stdout: '', stderr: 'error: general is refused\n' })
})

test.each([
  ['1', /^error: .+\nError: .+\n {4}at withCluster /],
  ['', /^error: .+\n$/],
])('where it failed is told to whoever asks for it: JOINERY_DEBUG=%s', async (value, want) => {
  const { kubeconfig: path } = await plainAPIServer([], () => 'silence')
  const args = ['rollout', 'status', '--kubeconfig', path, '--request-timeout', '300ms']
  expect((await runCommand(args, { env: { JOINERY_DEBUG: value } })).stderr).toMatch(want)
})

test('a cluster is reached through the proxy of the environment, as by kubectl', async () => {
  const asked: string[] = []
  const proxy = createServer().on('connect', ({ url = '' }, socket) => {
    asked.push(url)
    socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void proxy.close())
  vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const path = aKubeconfig()
  await runCommand([
    'explain',
    'node',
    'n1',
    '--kubeconfig',
    path,
    '--context',
    'staging',
    '--request-timeout',
    '300ms',
  ])
  expect(new Set(asked)).toEqual(new Set(['prod.example:443']))
})

test('an address of a proxy that cannot be one is told as that, without the password in it', async () => {
  vi.stubEnv('HTTPS_PROXY', 'socks4://joe:secret@proxy.example')
  onTestFinished(() => void vi.unstubAllEnvs())
  const { code, stderr } = await runCommand(['rollout', 'status', '--kubeconfig', aKubeconfig()])
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "error: the address of the API server's proxy must be http://, https:// or socks5://\n",
  })
})

test('whoever waits for a silent server is told so', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { kubeconfig: path, address, asked } = await plainAPIServer([], () => 'silence')
  const done = runCommand(['explain', 'node', 'n1', '--kubeconfig', path])
  while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
  await vi.advanceTimersByTimeAsync(31_000)
  expect((await done).stderr).toBe(
    `waiting for the API server ${address} of context staging …\n` +
      `error: the API server ${address} of context staging does not answer: no answer within 30s; --request-timeout gives it longer\n`,
  )
})

test('--request-timeout is a duration, and 0 is none', async () => {
  const { kubeconfig: path } = await plainAPIServer([])
  const status = (timeout: string) =>
    runCommand(['rollout', 'status', '--kubeconfig', path, '--request-timeout', timeout])
  expect(await status('0')).toMatchObject({ code: 0, stderr: '' })
  expect((await status('x')).code).toBe(2)
  expect((await status('-1s')).code).toBe(2)
})

test('the shortest --request-timeout is not none', async () => {
  const { kubeconfig: path } = await plainAPIServer([], () => 'silence')
  const { code, stderr } = await runCommand(['rollout', 'status', '--kubeconfig', path, '--request-timeout', '1ns'])
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('no answer within 1ms') as string })
})
