import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { ApiServer } from '../../../src/embedded/apiserver/index.ts'
import { notTheFirstBash } from '../../support/bash-level.ts'
import { servedAPIServer } from '../../support/served-api-server.ts'

interface KubectlResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface KubectlWorld {
  readonly server: ApiServer
  /** Runs kubectl to its end; `input` goes to its standard input. */
  readonly kubectl: (
    args: readonly string[],
    input?: string,
    env?: Readonly<Record<string, string>>,
  ) => Promise<KubectlResult>
  /** Types commands into a shell; any of them that fails ends it. */
  readonly shell: (commands: string) => Promise<KubectlResult>
  /** Starts a kubectl that runs until it is killed; what it has printed so far is in `lines()`. */
  readonly start: (args: readonly string[]) => { readonly lines: () => readonly string[]; readonly stop: () => void }
  /** Writes objects to a file for `-f`. */
  readonly file: (name: string, ...objects: readonly object[]) => Promise<string>
}

/** Client and server may be one minor version apart; OpenAPI v3 alone is enough from 1.29 on. */
const oldestMinor = 29

function whyNoKubectl(): string | undefined {
  const result = spawnSync('kubectl', ['version', '--client', '-o', 'json'], { encoding: 'utf8' })
  if (result.error !== undefined || result.status !== 0) return 'kubectl is not installed'
  const minor = /"minor": "(\d+)/.exec(result.stdout)?.[1] ?? '0'
  return Number(minor) < oldestMinor ? `kubectl 1.${minor} is older than 1.${oldestMinor}` : undefined
}

/** A suite that drives the real kubectl against an embedded API server. Without kubectl it does not run and says why. */
export function describeWithKubectl(name: string, suite: (world: () => KubectlWorld) => void): void {
  const why = whyNoKubectl()
  if (why !== undefined) {
    process.stderr.write(`not run: ${name}: ${why}\n`)
    test(`${name} (not run: ${why})`, (context) => context.skip(why))
    return
  }
  describe(name, () => {
    let world: (KubectlWorld & { readonly stop: () => Promise<void> }) | undefined
    beforeAll(async () => {
      world = await startWorld()
    })
    afterAll(async () => {
      await world?.stop()
    })
    suite(() => {
      if (world === undefined) throw new Error('the server runs only while tests do')
      return world
    })
  })
}

async function startWorld(): Promise<KubectlWorld & { readonly stop: () => Promise<void> }> {
  const { server, folder, kubeconfig, stop } = await servedAPIServer()
  const environment = { ...process.env, KUBECONFIG: kubeconfig, HOME: folder, KUBECACHEDIR: join(folder, 'cache') }
  const children = new Set<ChildProcess>()
  const toTheEnd = (command: string, args: readonly string[], env: NodeJS.ProcessEnv, input: string) =>
    new Promise<KubectlResult>((resolve) => {
      const child = execFile(command, [...args], { env }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr })
      })
      child.stdin?.end(input)
    })
  return {
    server,
    kubectl: (args, input = '', env = {}) => toTheEnd('kubectl', args, { ...environment, ...env }, input),
    shell: (commands) =>
      toTheEnd('bash', ['-euo', 'pipefail', '-c', commands], { ...environment, ...notTheFirstBash }, ''),
    start: (args) => {
      const child = spawn('kubectl', [...args], { env: environment })
      children.add(child)
      let text = ''
      child.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8')
      })
      return { lines: () => text.split('\n').filter((line) => line !== ''), stop: () => child.kill() }
    },
    file: async (name, ...objects) => {
      const path = join(folder, `${name}.json`)
      await writeFile(path, objects.map((object) => JSON.stringify(object)).join('\n---\n'))
      return path
    },
    stop: async () => {
      for (const child of children) child.kill()
      await stop()
    },
  }
}
