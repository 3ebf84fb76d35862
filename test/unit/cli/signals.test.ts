import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

interface Ending {
  readonly code: number | null
  /** Which signal killed it: shells show 128 and its number, 130 and 143. */
  readonly signal: NodeJS.Signals | null
}

function start(args: readonly string[]): { readonly child: ChildProcess; readonly ended: Promise<Ending> } {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../../../bin/joinery.js'), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  child.stdout?.resume()
  child.stderr?.resume()
  // Whoever is killed does not read what is still to come.
  child.stdin?.on('error', () => undefined)
  onTestFinished(() => {
    child.kill('SIGKILL')
  })
  const ended = once(child, 'exit').then(([code, signal]): Ending => ({ code, signal }) as Ending)
  return { child, ended }
}

/** Far more than a pipe holds: once it is written, the command has begun to read. */
const pods = Array.from(
  { length: 12_000 },
  (_, index) => `---
apiVersion: v1
kind: Pod
metadata: {name: p${index}}
spec: {containers: [{name: c, image: x, resources: {requests: {cpu: "1"}}}]}
`,
).join('')

const written = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => child.stdin?.write(pods, () => resolve()))

test.each(['SIGHUP', 'SIGINT', 'SIGTERM'] as const)('%s ends the reading of a pipe that stays open', async (signal) => {
  const { child, ended } = start(['validate', '-'])
  await written(child)
  child.kill(signal)
  expect(await ended).toEqual({ code: null, signal })
})

test.each(['validate', 'hash', 'convert', 'simulate', 'plan'])(
  'SIGINT ends %s in the middle of its work',
  async (command) => {
    const { child, ended } = start([command, '-'])
    await written(child)
    child.stdin?.end()
    child.kill('SIGINT')
    expect(await ended).toEqual({ code: null, signal: 'SIGINT' })
  },
)

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s breaks the demo off, of which no step has failed', { timeout: 60_000 }, async (signal, code) => {
  const { child, ended } = start(['demo', '--quiet'])
  if (child.stdout !== null) await once(child.stdout, 'data')
  child.kill(signal)
  expect(await ended).toEqual({ code, signal: null })
})

test('a signal breaks the demo off in the middle of a step', { timeout: 60_000 }, async () => {
  const { child, ended } = start(['demo'])
  const told: string[] = []
  await new Promise<void>((resolve) => {
    child.stdout?.on('data', (data: Buffer) => {
      told.push(data.toString())
      if (told.join('').includes('2. ')) resolve()
    })
  })
  child.kill('SIGINT')
  expect(await ended).toEqual({ code: 130, signal: null })
  expect(told.join('')).toContain('Interrupted.')
  expect(told.join('')).not.toMatch(/all \d+ pods run/)
})

test('a signal does not come between the files that convert writes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-signals-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const names = Array.from({ length: 600 }, (_, index) => `${index}.yaml`)
  for (const name of names) {
    const text = `apiVersion: karpenter.sh/v1beta1\nkind: NodePool\nmetadata: {name: p}\nspec: {template: {spec: {nodeClassRef: {name: default}, requirements: []}}}\n`
    writeFileSync(join(folder, name), text)
  }
  const watcher = watch(folder)
  onTestFinished(() => watcher.close())
  const { child, ended } = start(['convert', '--in-place', folder])
  await once(watcher, 'change')
  child.kill('SIGTERM')
  await ended
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(texts.filter((text) => !text.includes('karpenter.sh/v1\n'))).toEqual([])
})

test.each([
  ['SIGHUP', 129],
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s ends a command that waits for something, which is none of the outcomes that it waits for',
  async (signal, code) => {
    const folder = mkdtempSync(join(tmpdir(), 'joinery-signals-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const asked = Promise.withResolvers<void>()
    const silent = createServer(() => asked.resolve())
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      silent.closeAllConnections()
      silent.close()
    })
    const server = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
    const named = {
      clusters: [{ name: 'c', cluster: { server } }],
      contexts: [{ name: 'c', context: { cluster: 'c' } }],
    }
    const kubeconfig = join(folder, 'config')
    writeFileSync(kubeconfig, JSON.stringify({ 'current-context': 'c', ...named }))
    const { child, ended } = start(['rollout', 'status', '--watch', '--kubeconfig', kubeconfig])
    let said = ''
    child.stderr?.on('data', (text: Buffer) => {
      said += text.toString()
    })
    await asked.promise
    child.kill(signal)
    expect(await ended).toEqual({ code, signal: null })
    expect(said).toBe('')
  },
)

/** A cluster that is saved to `state` when it stops. */
function startUp(): ReturnType<typeof start> & { readonly state: string } {
  const folder = mkdtempSync(join(tmpdir(), 'joinery-signals-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const state = join(folder, 'state.json')
  const args = ['up', '--port', '0', '--page-port', '0', '--kubeconfig', join(folder, 'config'), '--state', state]
  return { ...start(args), state }
}

test.each(['SIGHUP', 'SIGINT'] as const)(
  '%s lets a command that has something to bring to its end stop in order',
  async (signal) => {
    const { child, ended, state } = startUp()
    let said = ''
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (said.includes('Ctrl-C stops') && !child.killed) child.kill(signal)
    })
    expect(await ended).toEqual({ code: 0, signal: null })
    expect(said).toContain(`saved to ${state}`)
    expect(existsSync(state)).toBe(true)
  },
)

test('a Ctrl-C that comes twice, from the terminal and from a parent that passes it on, stops in order, too', async () => {
  const { child, ended, state } = startUp()
  let said = ''
  let signals = 0
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (!said.includes('Ctrl-C stops')) return
    // The second once the first has been seen: two at once may come as one.
    for (; signals < 2; signals++) setTimeout(() => child.kill('SIGINT'), signals * 20)
  })
  expect(await ended).toEqual({ code: 0, signal: null })
  expect(said).toContain(`saved to ${state}`)
})
