import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createEmbeddedCluster, writeEmbeddedState } from '../../../src/embedded/index.ts'

const root = join(import.meta.dirname, '../../..')
let folder = ''
let state = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'joinery-state-'))
  state = join(folder, 'state.json')
  const cluster = await createEmbeddedCluster({ seed: 1, region: 'eu-west-1', clusterName: 'demo' })
  await writeEmbeddedState(state, cluster.save())
  await cluster.stop()
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const up = (...flags: string[]) => upUntil(() => undefined, ...flags)

/** Runs `joinery up` until it ends by itself, or is there and told to stop; `whenThere` comes in between. */
async function upUntil(whenThere: () => void, ...flags: string[]): Promise<{ status: unknown; output: string }> {
  const places = ['--port', '0', '--page-port', '0', '--quiet', '--kubeconfig', join(folder, 'kubeconfig')]
  const child = spawn(process.execPath, [join(root, 'bin/joinery.js'), 'up', ...places, ...flags])
  let output = ''
  const collect = (data: Buffer): void => {
    const wasThere = output.includes('Ctrl-C stops')
    output += data.toString()
    if (wasThere || !output.includes('Ctrl-C stops')) return
    whenThere()
    child.kill('SIGINT')
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const [status] = await once(child, 'close')
  return { status, output }
}

test('a cluster that continues stays in its region, and only another one that is asked for is refused', async () => {
  const other = await up('--state', state, '--region', 'us-east-1')
  expect(other.status).not.toBe(0)
  expect(other.output).toContain(`${state} was saved in eu-west-1: leave out --region us-east-1, or take another file`)
  const continued = await up('--state', state, '--nodes', '3')
  expect(continued.output).toContain('(eu-west-1, seed 1)')
  expect(continued.output).toContain('--nodes has no effect on a cluster that continues')
  expect(existsSync(`${state}.lock`)).toBe(false)
}, 60_000)

test('a damaged file is named', async () => {
  const damaged = join(folder, 'damaged.json')
  const saved = JSON.parse(await readFile(state, 'utf8')) as object
  await writeFile(damaged, JSON.stringify({ ...saved, apiServer: {} }))
  const { status, output } = await up('--state', damaged)
  expect(status).not.toBe(0)
  expect(output).toContain(`${damaged} is not a usable saved state: `)
  expect(existsSync(`${damaged}.lock`)).toBe(false)
}, 60_000)

test('a file that another process uses is refused, a lock that a killed one left is taken over', async () => {
  const fresh = join(folder, 'fresh.json')
  await writeFile(`${fresh}.lock`, String(process.pid))
  const { status, output } = await up('--state', fresh)
  expect(status).not.toBe(0)
  expect(output).toContain(`${fresh} is in use by process ${process.pid}: end that one, or take another file`)
  const { pid: gone } = spawnSync(process.execPath, ['--version'])
  await writeFile(`${fresh}.lock`, String(gone))
  expect((await up('--state', fresh)).output).toContain(`saved to ${fresh}`)
}, 60_000)

test('the folder of the file may go meanwhile, and what keeps the cluster from being saved is told', async () => {
  const place = join(folder, 'place')
  const file = join(place, 'state.json')
  mkdirSync(place)
  const saved = await upUntil(() => rmSync(place, { recursive: true }), '--state', file)
  expect(saved.output).toContain(`saved to ${file}`)
  expect(existsSync(file)).toBe(true)
  const inTheWay = (): void => {
    rmSync(place, { recursive: true })
    writeFileSync(place, '')
  }
  const lost = await upUntil(inTheWay, '--state', file)
  expect(lost.status).toBe(1)
  expect(lost.output).toContain(`the cluster could not be saved to ${file}: `)
}, 60_000)
