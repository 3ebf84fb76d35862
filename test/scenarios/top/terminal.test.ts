import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { customResourceDefinitions } from '../../../src/api/generated/crds.gen.ts'
import { clientFor, createApiServer, serve, writeRequest } from '../../../src/embedded/apiserver/index.ts'
import { nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../src/kube/kinds.ts'
import { systemClock } from '../../../src/kube/system-clock.ts'
import { systemRandom } from '../../../src/kube/system-random.ts'
import { aNode, aPool } from '../../support/controller-builders.ts'

const root = join(import.meta.dirname, '../../..')
/** util-linux's, which can give a child a terminal; BSD's takes other flags. */
const missing = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux')
  ? undefined
  : "util-linux's script is not installed"

if (missing !== undefined) process.stderr.write(`not run: joinery top on a terminal: ${missing}\n`)

describe.skipIf(missing !== undefined)('joinery top on a terminal', () => {
  let folder = ''
  let stop: () => Promise<void>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'joinery-top-'))
    const server = createApiServer({ clock: systemClock(), random: systemRandom() })
    const crds = server.definition('apiextensions.k8s.io', 'v1', 'customresourcedefinitions')
    for (const crd of customResourceDefinitions) await server.create(crds, undefined, crd, writeRequest())
    const running = await serve({ server, kubeconfigPath: join(folder, 'kubeconfig') })
    const client = clientFor(server, { fieldManager: 'test' })
    await client.create(nodePools, aPool('general'))
    await client.create(nodes, aNode('node-one'))
    stop = async () => {
      await running.close()
      server.stop()
    }
  })

  afterAll(async () => {
    await stop()
    await rm(folder, { recursive: true, force: true })
  })

  test('draws the fleet, follows keys, and leaves the terminal as it found it', async () => {
    const command = `stty rows 20 cols 90; '${process.execPath}' bin/joinery.js top --kubeconfig '${join(folder, 'kubeconfig')}' --interval 100ms; stty -a | grep -o -- '-\\?icanon'; echo ended $?`
    const child = spawn('script', ['-qfec', command, '/dev/null'], { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] })
    let text = ''
    const seen = (wanted: string): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!text.includes(wanted)) return
          child.stdout.off('data', look)
          resolve()
        }
        child.stdout.on('data', look)
        look()
      })
    child.stdout.on('data', (data: Buffer) => {
      text += data.toString()
    })
    await seen('node-one')
    expect(text).toContain('\u001b[?1049h')
    expect(text).toContain('sort (pool)')
    child.stdin.write('s')
    await seen('sort (cpu)')
    child.stdin.write('q')
    await seen('ended 0')
    expect(text).toContain('\u001b[?1049l')
    // Not raw any more: what is typed next is a line again.
    expect(text.slice(text.lastIndexOf('\u001b[?1049l'))).toMatch(/[^-]icanon\s/)
    child.stdin.end()
    await once(child, 'exit')
  })
})
