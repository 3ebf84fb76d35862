import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithKubectl } from '../kubectl/kubectl.ts'

const root = join(import.meta.dirname, '../../..')

/** `joinery up` as its own process, on a port and with files of its own. */
async function startUp(folder: string, ...flags: string[]): Promise<{ process: ChildProcess; output: () => string }> {
  const child = spawn(
    process.execPath,
    [join(root, 'bin/joinery.js'), 'up', '--port', '0', '--kubeconfig', join(folder, 'kubeconfig'), ...flags],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let output = ''
  const listening = Promise.withResolvers<void>()
  const collect = (data: Buffer): void => {
    output += data.toString()
    if (output.includes('Ctrl-C stops')) listening.resolve()
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  child.on('exit', () => listening.reject(new Error(`ended early: ${output}`)))
  await listening.promise
  return { process: child, output: () => output }
}

async function interrupt(child: ChildProcess): Promise<number | null> {
  const exited = once(child, 'exit')
  child.kill('SIGINT')
  const [code] = (await exited) as [number | null]
  return code
}

describeWithKubectl('joinery up', () => {
  let folder = ''
  let running: ChildProcess | undefined

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'joinery-up-'))
  })
  afterAll(async () => {
    running?.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })

  function kubectl(...args: string[]): string {
    const { stdout, stderr, status } = spawnSync('kubectl', args, {
      encoding: 'utf8',
      cwd: root,
      env: { ...process.env, KUBECONFIG: join(folder, 'kubeconfig') },
    })
    if (status !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`)
    return stdout
  }

  test('the examples are applied, a node comes, is drained and goes with its pool; a second run goes on from the file', async () => {
    const state = join(folder, 'state.json')
    const first = await startUp(folder, '--speed', '30', '--state', state)
    running = first.process
    kubectl('apply', '-f', 'manifests/examples/')
    kubectl('rollout', 'status', 'deployment/high-mem-app', '--timeout=60s')
    kubectl('wait', 'nodepool/default', '--for=condition=Ready', '--timeout=30s')

    const [header = '', ...rows] = kubectl('get', 'nodeclaims', '-o', 'wide').trimEnd().split('\n')
    const columns = ['NAME', 'TYPE', 'CAPACITY', 'ZONE', 'NODE', 'READY', 'AGE']
    expect(header.split(/\s+/).slice(0, columns.length)).toEqual(columns)
    expect(rows.length).toBeGreaterThan(0)
    const claim = kubectl('get', 'nodeclaims', '-o', 'name').trim().split('\n')[0] ?? ''
    expect(kubectl('describe', claim)).toMatch(/Type:\s+Initialized/)
    expect(kubectl('get', 'events', '-A')).toMatch(/^default +\d+[ms]\S* +Normal +Nominated/m)

    const page = /http:\/\/127\.0\.0\.1:\d+\//.exec(first.output())?.[0] ?? ''
    expect(await (await fetch(page)).text()).toContain('<title>Joinery</title>')
    const fleet = (await (await fetch(`${page}fleet.json`)).json()) as {
      pools: { name: string }[]
      nodes: { claim: string }[]
    }
    expect(fleet.pools.map(({ name }) => name)).toEqual(['default'])
    expect(fleet.nodes.map((node) => `nodeclaim.karpenter.sh/${node.claim}`)).toContain(claim)

    expect(await interrupt(first.process)).toBe(0)
    expect(first.output()).toContain(`saved to ${state}`)
    expect(existsSync(state)).toBe(true)

    const second = await startUp(folder, '--speed', '30', '--state', state)
    running = second.process
    expect(kubectl('get', 'nodeclaims', '-o', 'name')).toContain(claim)
    const node = kubectl('get', claim, '-o', 'jsonpath={.status.nodeName}')
    expect(kubectl('drain', node, '--ignore-daemonsets', '--delete-emptydir-data', '--timeout=60s')).toContain(
      'drained',
    )
    kubectl('delete', 'nodepool', 'default', '--timeout=60s')
    // The drained pods may have asked for a node of their own before the pool went.
    for (const each of kubectl('get', 'nodeclaims', '-o', 'name').trim().split('\n')) {
      if (each !== '') kubectl('wait', '--for=delete', each, '--timeout=60s')
    }
    expect(kubectl('get', 'nodeclaims', '-o', 'name')).toBe('')
    expect(await interrupt(second.process)).toBe(0)
  }, 180_000)

  test("somebody's kubeconfig is not written over", async () => {
    const path = join(folder, 'production')
    await writeFile(path, 'clusters: []\nusers: []\ncontexts: []\n')
    await expect(startUp(folder, '--kubeconfig', path)).rejects.toThrow(`ended early: ${path} was not written by`)
    expect(await readFile(path, 'utf8')).toContain('clusters: []')
  }, 60_000)

  test('gates that are not the usual ones are told, for commands that see no Deployment of the operator', async () => {
    const { process: child, output } = await startUp(
      folder,
      '--feature-gates',
      'NodeOverlay=true,ReservedCapacity=true',
    )
    running = child
    expect(output()).toContain('decide as this operator does with --feature-gates NodeOverlay=true\n')
    expect(await interrupt(child)).toBe(0)
  }, 60_000)

  test('at the pace of real time it begins now, so that the ages kubectl works out by its own clock are right', async () => {
    const before = Date.now()
    const { process: child } = await startUp(folder)
    running = child
    const created = kubectl('get', 'namespace', 'default', '-o', 'jsonpath={.metadata.creationTimestamp}')
    expect(Date.parse(created)).toBeGreaterThanOrEqual(before - 1000)
    expect(Date.parse(created)).toBeLessThanOrEqual(Date.now())
    expect(await interrupt(child)).toBe(0)
  }, 60_000)

  test('a fleet that it begins with came before, and nothing of it lies in the future', async () => {
    const { process: child } = await startUp(folder, '--nodes', '2')
    running = child
    const told = kubectl('describe', 'nodes,nodeclaims')
    expect(told).toMatch(/\d+s +kubelet +Node \S+ status is now: NodeReady/)
    expect(told).not.toContain('<invalid>')
    expect(await interrupt(child)).toBe(0)
  }, 60_000)
})

test('a port that is taken is said, with another one to try', async () => {
  const holder = createServer()
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve))
  const address = holder.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const started = (...options: readonly string[]) =>
    spawnSync(process.execPath, [join(root, 'bin/joinery.js'), 'up', '--port', String(port), ...options], {
      encoding: 'utf8',
    })
  const [alone, second] = [started(), started('--page-port', String(port + 1))]
  holder.close()
  expect(alone.status).toBe(1)
  expect(alone.stderr).toContain(`port ${port} is taken: try --port ${port + 1},`)
  // Where the one that holds it has its page.
  expect(second.stderr).toContain(`port ${port} is taken: try --port ${port + 2},`)
}, 60_000)
