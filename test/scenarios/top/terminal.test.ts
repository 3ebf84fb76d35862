import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../src/kube/kinds.ts'
import { aNode, aPool } from '../../support/controller-builders.ts'
import { servedAPIServer, type ServedAPIServer } from '../../support/served-api-server.ts'

const root = join(import.meta.dirname, '../../..')
/** util-linux's, which can give a child a terminal; BSD's takes other flags. */
const missing = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux')
  ? undefined
  : "util-linux's script is not installed"

if (missing !== undefined) process.stderr.write(`not run: joinery top on a terminal: ${missing}\n`)

describe.skipIf(missing !== undefined)('joinery top on a terminal', () => {
  let world: ServedAPIServer

  beforeAll(async () => {
    world = await servedAPIServer()
    await world.client.create(nodePools, aPool('general'))
    await world.client.create(nodes, aNode('node-one'))
  })

  afterAll(async () => {
    await world.stop()
  })

  test('draws the fleet, follows keys, and leaves the terminal as it found it', async () => {
    const command = `stty rows 20 cols 90; '${process.execPath}' bin/joinery.js top --kubeconfig '${world.kubeconfig}' --interval 100ms; stty -a | grep -o -- '-\\?icanon'; echo ended $?`
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
