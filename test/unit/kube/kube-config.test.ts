import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { loadKubeConfig } from '../../../src/kube/kube-config.ts'

let home = ''

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'kube-config-'))
  vi.stubEnv('HOME', home)
  vi.stubEnv('KUBECONFIG', '')
})

afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(home, { recursive: true })
})

test('without any kubeconfig it is said where one was looked for, and no cluster is made up', () => {
  expect(() => loadKubeConfig()).toThrow(
    `no kubeconfig found; looked at KUBECONFIG (not set), ${home}/.kube/config and the service account of a pod`,
  )
})

test('a file that is not there is named, with the reason', () => {
  const path = join(home, 'missing')
  const reason = `ENOENT: no such file or directory, open '${path}'`
  expect(() => loadKubeConfig({ path })).toThrow(`failed to load the kubeconfig ${path}: ${reason}`)
  vi.stubEnv('KUBECONFIG', path)
  expect(() => loadKubeConfig()).toThrow(`failed to load the kubeconfig ${path} (from KUBECONFIG): ${reason}`)
})

test('a file that is no YAML is named, with the reason', () => {
  const path = join(home, 'broken')
  writeFileSync(path, 'clusters: [')
  expect(() => loadKubeConfig({ path })).toThrow(/^failed to load the kubeconfig .*\/broken: .+ at line 1, column 12$/)
})

test('what a file that is no YAML holds is told nowhere, however its error is logged', () => {
  const path = join(home, 'broken')
  writeFileSync(path, 'users:\n- name: u\n  user: {token: s3cret\nclusters: []\n')
  let found: unknown
  try {
    loadKubeConfig({ path })
  } catch (error) {
    found = error
  }
  expect(found).toBeInstanceOf(Error)
  expect(inspect(found)).not.toContain('s3cret')
})

test('a kubeconfig that names localhost itself is taken', () => {
  const path = join(home, 'local')
  writeFileSync(
    path,
    JSON.stringify({
      'current-context': 'here',
      clusters: [{ name: 'cluster', cluster: { server: 'http://localhost:8080' } }],
      contexts: [{ name: 'here', context: { cluster: 'cluster', user: 'user' } }],
      users: [{ name: 'user', user: {} }],
    }),
  )
  expect(loadKubeConfig({ path }).getCurrentCluster()?.server).toBe('http://localhost:8080')
})
