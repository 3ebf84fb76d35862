import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { run } from '../../../src/cli/main.ts'
import { clientFor, createApiServer, serve } from '../../../src/embedded/apiserver/index.ts'
import { systemClock } from '../../../src/kube/system-clock.ts'
import { systemRandom } from '../../../src/kube/system-random.ts'
import { nodePoolReview } from '../../support/admission-review.ts'
import { bringWebhookSecret } from '../../support/webhook-secret.ts'
import { nodePool } from '../kubectl/objects.ts'

const root = join(import.meta.dirname, '../../..')

test('a webhook that is asked to stop says that it is not ready, and answers for as long as it may still be asked', async () => {
  const { kubeconfig, folder } = await startAPIServer()
  const stop = new AbortController()
  const port = await freePort()
  const ended = webhook([`--port=${port}`, `--kubeconfig=${kubeconfig}`, '--shutdown-delay=1s'], folder, stop.signal)
  const ready = (): Promise<number | undefined> => ask(port, 'GET', '/readyz')
  await expect.poll(ready, { timeout: 30_000 }).toBe(200)

  stop.abort()
  expect(await ready()).toBe(503)
  expect(await ask(port, 'POST', '/validate', nodePoolReview(nodePool('late')))).toBe(200)

  expect(await ended).toBe(0)
  expect(await ready()).toBeUndefined()
})

test('a webhook that cannot serve ends and says why: a rule that there is not', async () => {
  expect(await end(['--severity=JN-999=deny'])).toMatchObject({ code: 2 })
})

test('a webhook that cannot serve ends and says why: a port that is taken', async () => {
  expect(await end([`--port=${await takenPort()}`])).toMatchObject({ code: 1 })
})

test('a region whose instance types are not built in is told at the start, with the rules that lack them', async () => {
  const { stdout } = await end([`--port=${await takenPort()}`, '--region=eu-north-1'])
  const line = stdout.split('\n').find((text) => text.includes('no instance types are built in'))
  expect(line).toContain('"region":"eu-north-1"')
  expect(line).toContain('JN-202')
})

async function takenPort(): Promise<number> {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, resolve))
  onTestFinished(() => void taken.close())
  return (taken.address() as AddressInfo).port
}

/** As a process of its own, which what is left running would keep. */
async function end(args: readonly string[]): Promise<{ readonly code: unknown; readonly stdout: string }> {
  const { kubeconfig, folder } = await startAPIServer()
  const command = [join(root, 'bin/joinery.js'), 'webhook', ...args, `--kubeconfig=${kubeconfig}`]
  return new Promise((resolve) => {
    execFile(process.execPath, command, { cwd: folder, timeout: 30_000 }, (error, stdout) =>
      resolve({ code: error?.code ?? error?.signal, stdout }),
    )
  })
}

async function startAPIServer(): Promise<{ readonly kubeconfig: string; readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-webhook-'))
  const apiServer = createApiServer({ clock: systemClock(), random: systemRandom() })
  await bringWebhookSecret(clientFor(apiServer, { fieldManager: 'test' }))
  const kubeconfig = join(folder, 'kubeconfig')
  const served = await serve({ server: apiServer, kubeconfigPath: kubeconfig })
  onTestFinished(async () => {
    await served.close()
    apiServer.stop()
    rmSync(folder, { recursive: true })
  })
  return { kubeconfig, folder }
}

function webhook(args: readonly string[], cwd: string, signal: AbortSignal): Promise<number> {
  return run(['webhook', ...args], {
    stdin: Readable.from([]),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: { LOG_LEVEL: 'error' },
    cwd,
    isInteractive: false,
    signal,
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** The status of the answer; undefined when there is none. */
function ask(port: number, method: string, path: string, body?: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const asked = request(
      { host: '127.0.0.1', port, path, method, headers, agent: false, rejectUnauthorized: false },
      (response) => {
        response.resume()
        resolve(response.statusCode)
      },
    )
    asked.on('error', () => resolve(undefined))
    asked.end(body)
  })
}
