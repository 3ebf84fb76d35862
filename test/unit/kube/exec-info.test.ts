import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { loadKubeConfig } from '../../../src/kube/kube-config.ts'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'exec-info-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true })
})

/** Answers with what it is told as the token. */
const plugin = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: process.execPath,
  args: [
    '-e',
    `console.log(JSON.stringify({ kind: 'ExecCredential', status: { token: process.env.KUBERNETES_EXEC_INFO } }))`,
  ],
}
const cluster = { server: 'https://api.example:6443', 'certificate-authority-data': 'Y2E=', 'tls-server-name': 'api' }

function kubeConfig(exec: object, more: object = {}) {
  const path = join(folder, 'config')
  writeFileSync(
    path,
    JSON.stringify({
      'current-context': 'here',
      clusters: [{ name: 'cluster', cluster: { ...cluster, ...more } }],
      contexts: [
        { name: 'here', context: { cluster: 'cluster', user: 'user' } },
        { name: 'there', context: { cluster: 'cluster', user: 'other' } },
      ],
      users: [
        { name: 'other', user: { exec: { ...plugin, apiVersion: 'client.authentication.k8s.io/v1beta1' } } },
        { name: 'user', user: { exec: { ...plugin, ...exec } } },
      ],
    }),
  )
  return path
}

/** What the plugin of the current user is told, by way of the token that it answers with. */
async function told(choice: Parameters<typeof loadKubeConfig>[0]): Promise<unknown> {
  const options: { headers?: Record<string, string> } = {}
  await loadKubeConfig(choice).applyToHTTPSOptions(options)
  return JSON.parse(options.headers?.['Authorization']?.replace('Bearer ', '') ?? 'null')
}

test('a credential plugin is told the version to answer with, and that nobody sits there', async () => {
  expect(await told({ path: kubeConfig({}) })).toEqual({
    kind: 'ExecCredential',
    apiVersion: 'client.authentication.k8s.io/v1',
    spec: { interactive: false },
  })
})

test('that of the context that is chosen', async () => {
  expect(await told({ path: kubeConfig({}), context: 'there' })).toMatchObject({
    apiVersion: 'client.authentication.k8s.io/v1beta1',
  })
})

test('one that asks which cluster it is for is told', async () => {
  expect(await told({ path: kubeConfig({ provideClusterInfo: true }) })).toMatchObject({ spec: { cluster } })
  const more = { 'insecure-skip-tls-verify': true, 'proxy-url': 'http://proxy.example:3128' }
  expect(await told({ path: kubeConfig({ provideClusterInfo: true }, more) })).toMatchObject({
    spec: { cluster: { ...cluster, ...more } },
  })
  const ca = join(folder, 'ca.crt')
  writeFileSync(ca, 'ca')
  const path = kubeConfig(
    { provideClusterInfo: true },
    { 'certificate-authority-data': undefined, 'certificate-authority': ca },
  )
  expect(await told({ path })).toMatchObject({ spec: { cluster } })
})

test('its other variables stay, and so does one of that name', async () => {
  const env = [{ name: 'AWS_PROFILE', value: 'prod' }]
  const exec: unknown = loadKubeConfig({ path: kubeConfig({ env }) }).getCurrentUser()?.exec
  expect(exec).toMatchObject({ env: [...env, { name: 'KUBERNETES_EXEC_INFO' }] })
  expect(await told({ path: kubeConfig({ env: [{ name: 'KUBERNETES_EXEC_INFO', value: '{}' }] }) })).toEqual({})
})

test('a file of the cluster that is not there is named', () => {
  const missing = join(folder, 'missing')
  const path = kubeConfig(
    { provideClusterInfo: true },
    { 'certificate-authority-data': undefined, 'certificate-authority': missing },
  )
  expect(() => loadKubeConfig({ path })).toThrow(
    `failed to load the kubeconfig ${path}: ENOENT: no such file or directory, open '${missing}'`,
  )
})
