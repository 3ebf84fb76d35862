import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { KubeError } from '../../../src/kube/errors.ts'
import { heapFlags } from '../../../src/operator/heap-limit.ts'
import type { Operator } from '../../../src/operator/operator.ts'
import { runController } from '../../../src/operator/run-controller.ts'
import { readinessChecks, type ReadinessSources } from '../../../src/operator/run-operator.ts'
import { FakeKubeClient } from '../../support/fake-kube-client.ts'

function aProcess(args: readonly string[], env: Record<string, string> = {}) {
  const out: string[] = []
  const err: string[] = []
  return {
    out,
    err,
    process: {
      args,
      env,
      nodeFlags: [],
      build: { version: '1', commit: 'c', goversion: '', goarch: '' },
      stop: new AbortController().signal,
      print: (text: string) => void out.push(text),
      printError: (text: string) => void err.push(text),
    },
  }
}

test('--help prints the settings and ends well', async () => {
  const { process, out } = aProcess(['--help'])
  expect(await runController(process)).toBe(0)
  expect(out.join('')).toContain('--cluster-name')
})

test('wrong settings are all told, and the process ends with 2', async () => {
  const { process, err } = aProcess(['--log-level=warn'])
  expect(await runController(process)).toBe(2)
  expect(err.join('')).toContain('invalid LOG_LEVEL "warn"')
  expect(err.join('')).toContain('missing field, cluster-name')
})

test('a port that is taken ends the process with 1, named, and no probe is answered any more', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-'))
  const taken = createServer()
  const portOf = async (): Promise<number> => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    return port
  }
  try {
    await new Promise<void>((resolve) => taken.listen(0, resolve))
    const { port } = taken.address() as AddressInfo
    const probes = await portOf()
    const [kubeconfig, log] = [join(folder, 'kubeconfig'), join(folder, 'log')]
    const cluster = { name: 'c', cluster: { server: 'https://127.0.0.1:1' } }
    const context = { name: 'c', context: { cluster: 'c', user: 'u' } }
    const config = {
      'current-context': 'c',
      clusters: [cluster],
      contexts: [context],
      users: [{ name: 'u', user: {} }],
    }
    writeFileSync(kubeconfig, JSON.stringify({ apiVersion: 'v1', kind: 'Config', ...config }))
    const { process } = aProcess([
      '--cluster-name=demo',
      `--kubeconfig=${kubeconfig}`,
      `--metrics-port=${port}`,
      `--health-probe-port=${probes}`,
      `--log-output-paths=${log}`,
    ])
    expect(await runController(process)).toBe(1)
    await expect
      .poll(() => readFileSync(log, 'utf8'))
      .toContain(`cannot serve at ${port} (--metrics-port): listen EADDRINUSE`)
    await expect(fetch(`http://127.0.0.1:${probes}/healthz`)).rejects.toThrow('fetch failed')
  } finally {
    taken.close()
    rmSync(folder, { recursive: true })
  }
})

test('a log output that cannot be opened is a wrong setting', async () => {
  const { process, err } = aProcess(['--cluster-name=demo', '--log-output-paths=stdout,/nonexistent/log'])
  expect(await runController(process)).toBe(2)
  expect(err.join('')).toBe(
    "--log-output-paths: cannot write to /nonexistent/log: ENOENT: no such file or directory, open '/nonexistent/log'\n",
  )
})

describe('a memory limit', () => {
  const limit = ['--cluster-name=demo', `--memory-limit=${2 ** 30}`]

  test('becomes the limit of the heap, which Node fixes when it starts: the program is started once more', async () => {
    const restart = (flags: readonly string[]): never => {
      throw new Error(`restarted with ${flags.join(' ')}`)
    }
    const started = runController({ ...aProcess(limit).process, restart })
    await expect(started).rejects.toThrow('restarted with --max-old-space-size=768 --max-semi-space-size=16')
  })

  test.each([
    ['when there is none', -1, []],
    ['when Node was told already', 2 ** 30, ['--enable-source-maps', '--max-old-space-size=500']],
    ['when whoever runs it says it in percent', 2 ** 30, ['--max-old-space-size-percentage=60']],
  ])('is left alone %s', (_name, bytes, flags) => {
    expect(heapFlags(bytes, flags)).toBeUndefined()
  })
})

describe('readiness', () => {
  const checksOf = (sources: Partial<ReadinessSources>) =>
    readinessChecks({
      kube: new FakeKubeClient(),
      clock: new VirtualClock(),
      operatorOf: () => undefined,
      missing: () => undefined,
      ...sources,
    })
  const at = (state: string, cachesSynced: boolean) => ({ lifecycle: { state, cachesSynced } }) as unknown as Operator
  const noRegion = 'the instance metadata service does not tell one; set AWS_REGION'
  const cases: Record<string, { operator: Operator | undefined; missing?: string; want: string | undefined }> = {
    'not before there is an operator': { operator: undefined, want: 'failed to sync caches' },
    'not while something is missing, which it names': {
      operator: undefined,
      missing: noRegion,
      want: `cannot start yet: ${noRegion}`,
    },
    'not while something is missing that the operator waits for': {
      operator: at('starting', true),
      missing: 'no EC2',
      want: 'cannot start yet: no EC2',
    },
    'not while caches are being read': { operator: at('starting', false), want: 'failed to sync caches' },
    'when the controllers run': { operator: at('running', true), want: undefined },
    'while another replica leads': { operator: at('waiting for the lease', false), want: undefined },
    'not while stopping': { operator: at('stopping', true), want: 'failed to sync caches' },
  }
  test.each(Object.entries(cases))('%s', async (_name, { operator, missing, want }) => {
    const checks = checksOf({ operatorOf: () => operator, missing: () => missing })
    expect(await checks['manager']?.()).toBe(want)
  })

  test('needs the two kinds to be served, and does not ask for every probe', async () => {
    const client = new FakeKubeClient()
    const clock = new VirtualClock()
    client.fault = ({ resource }) => {
      if (resource === 'nodeclaims') throw new KubeError('NotFound', 404, 'no such kind')
    }
    const checks = checksOf({ kube: client, clock })
    expect(await checks['crd']?.()).toBe('nodeclaims: no such kind')
    client.fault = () => undefined
    expect(await checks['crd']?.()).toBe('nodeclaims: no such kind')
    expect(client.calls).toHaveLength(2)
    await clock.run({ forMs: 10_000 })
    expect(await checks['crd']?.()).toBeUndefined()
  })

  test('probes share one question while the API server takes long to answer', async () => {
    const client = new FakeKubeClient()
    const clock = new VirtualClock()
    const list = client.list.bind(client)
    client.list = async (resource, options) => {
      await clock.sleep(30_000)
      return list(resource, options)
    }
    const checks = checksOf({ kube: client, clock })
    const answers: unknown[] = []
    for (let probe = 0; probe < 5; probe += 1) {
      void Promise.resolve(checks['crd']?.()).then((answer) => answers.push(answer))
      await clock.run({ forMs: 10_000 })
    }
    await clock.run({ forMs: 30_000 })
    expect(answers).toEqual([undefined, undefined, undefined, undefined, undefined])
    expect(client.calls).toHaveLength(2)
  })
})
