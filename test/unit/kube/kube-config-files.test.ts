import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createHTTPClient } from '../../../src/kube/http-client.ts'
import { loadKubeConfig } from '../../../src/kube/kube-config.ts'
import { systemClock } from '../../../src/kube/system-clock.ts'
import { fixedRandom } from '../../support/fixed-random.ts'

/* What kubectl makes of several files in KUBECONFIG, and of what client-node knows nothing of. */

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kube-config-files-'))
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

interface Parts {
  readonly server?: string
  readonly user?: object
  readonly more?: object
}

/** A kubeconfig with one cluster, whose context and user have its name, and what it has beside. */
function file(path: string, name: string, { server = `https://${name}.example`, user = {}, more = {} }: Parts = {}) {
  const full = join(folder, path)
  mkdirSync(dirname(full), { recursive: true })
  writeFileSync(
    full,
    JSON.stringify({
      'current-context': name,
      clusters: [{ name, cluster: { server } }],
      contexts: [{ name, context: { cluster: name, user: name } }],
      users: [{ name, user }],
      ...more,
    }),
  )
  return full
}

function serverOf(...paths: readonly string[]): string | undefined {
  vi.stubEnv('KUBECONFIG', paths.join(delimiter))
  return loadKubeConfig().getCurrentCluster()?.server
}

async function headersOf(path: string): Promise<Readonly<Record<string, string>>> {
  const options: { headers?: Record<string, string> } = {}
  await loadKubeConfig({ path }).applyToHTTPSOptions(options)
  return options.headers ?? {}
}

test('of several files the first that names a current context is the one that counts', () => {
  const [first, second] = [file('first', 'production'), file('second', 'laptop')]
  expect(serverOf(first, second)).toBe('https://production.example')
  expect(serverOf(second, first)).toBe('https://laptop.example')
  expect(serverOf(file('none', 'other', { more: { 'current-context': '' } }), second)).toBe('https://laptop.example')
  expect(loadKubeConfig({ context: 'other' }).getCurrentCluster()?.server).toBe('https://other.example')
})

test('of entries of one name the first counts', () => {
  const [first, second] = [file('first', 'one'), file('second', 'one', { server: 'https://elsewhere.example' })]
  expect(serverOf(first, second)).toBe('https://one.example')
})

test('a file that is not there, or empty, is passed over', () => {
  const blank = join(folder, 'blank')
  writeFileSync(blank, '')
  expect(serverOf(join(folder, 'missing'), blank, file('there', 'one'))).toBe('https://one.example')
})

test('of a file that is no kubeconfig it is told which one', () => {
  const broken = join(folder, 'broken')
  const paths = [file('there', 'one'), broken]
  writeFileSync(broken, 'users: [')
  expect(() => serverOf(...paths)).toThrow(`failed to load the kubeconfig ${broken} (from KUBECONFIG): Flow sequence`)
  writeFileSync(broken, 'users')
  expect(() => serverOf(...paths)).toThrow(`failed to load the kubeconfig ${broken} (from KUBECONFIG): it is no`)
})

test('entries that nobody could use keep nobody from using the others', () => {
  const more = {
    clusters: [
      { name: 'one', cluster: { server: 'https://one.example' } },
      { name: 'nowhere', cluster: {} },
    ],
    contexts: [
      { name: 'half', context: { namespace: 'shop' } },
      { name: 'one', context: { cluster: 'one', user: 'one' } },
    ],
  }
  expect(serverOf(file('config', 'one', { more }))).toBe('https://one.example')
})

test('files are found from the folder of the kubeconfig that names them, and so are programs but for those on the PATH', () => {
  const user = { 'client-certificate': 'me.crt', 'client-key': '/keys/me.key', exec: { command: './bin/login' } }
  const more = {
    clusters: [{ name: 'a', cluster: { server: 'https://a.example', 'certificate-authority': 'ca.crt' } }],
  }
  expect(serverOf(file('a/config', 'a', { user, more }), file('b/config', 'b'))).toBe('https://a.example')
  const config = loadKubeConfig()
  expect(config.getCurrentCluster()?.caFile).toBe(join(folder, 'a/ca.crt'))
  expect(config.getCurrentUser()).toMatchObject({ certFile: join(folder, 'a/me.crt'), keyFile: '/keys/me.key' })
  expect(config.getCurrentUser()?.exec).toMatchObject({ command: join(folder, 'a/bin/login') })
  const path = file('c/config', 'c', { user: { exec: { command: 'aws' } } })
  expect(loadKubeConfig({ path }).getCurrentUser()?.exec).toMatchObject({ command: 'aws' })
})

test('a token in a file goes before one in the kubeconfig', async () => {
  writeFileSync(join(folder, 'token'), 'from the file')
  const path = file('config', 'one', { user: { token: 'stale', tokenFile: 'token' } })
  expect(await headersOf(path)).toEqual({ Authorization: 'Bearer from the file' })
})

test('groups, uid and extra of whom a user acts as are sent, each group in a line of its own', async () => {
  const asked = Promise.withResolvers<NodeJS.Dict<string[]>>()
  const server = createServer(({ headersDistinct }, response) => {
    asked.resolve(headersDistinct)
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const user = {
    as: 'viewer',
    'as-uid': '7',
    'as-groups': ['readers', 'shop'],
    'as-user-extra': { 'example.org/team': ['web', 'api'], scopes: [] },
  }
  const config = loadKubeConfig({ path: file('config', 'one', { server: `http://127.0.0.1:${port}`, user }) })
  const client = createHTTPClient({
    config,
    clock: systemClock(),
    random: fixedRandom(),
    qps: 1,
    burst: 1,
    userAgent: 'test',
  })
  await client.getRaw('/version')
  expect(await asked.promise).toMatchObject({
    'impersonate-user': ['viewer'],
    'impersonate-uid': ['7'],
    'impersonate-group': ['readers', 'shop'],
    'impersonate-extra-example.org%2fteam': ['web', 'api'],
  })
  await client.close()
  server.close()
})

test('groups without a user to act as are refused, as by kubectl', () => {
  const path = file('config', 'one', { user: { token: 'mighty', 'as-groups': ['readers'] } })
  expect(() => loadKubeConfig({ path })).toThrow(
    `failed to load the kubeconfig ${path}: requesting uid, groups or user-extra for one without impersonating a user`,
  )
})
