import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ServerClock, withCluster } from '../../../src/cli/connect.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import { ManualClock } from '../../support/manual-clock.ts'

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
  const folder = mkdtempSync(join(tmpdir(), 'joinery-connect-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'kubeconfig')
  writeFileSync(path, kubeconfig)
  const work = (): Promise<never> => Promise.reject(error)
  await expect(withCluster({ kubeconfig: path, context: 'staging' }, 'test', work)).rejects.toThrow(want)
})
