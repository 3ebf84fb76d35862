import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { type Child, startChild } from './child.ts'
import type { ControlPlane } from './control-plane.ts'
import { helmProgram } from './helm.ts'
import { kubectlProgram } from './programs.ts'
import { run, runOrThrow, type RunResult } from './run.ts'
import { notTheFirstBash } from '../../support/bash-level.ts'

const root = join(import.meta.dirname, '..', '..', '..')

/**
 * The commands that README.md or another page gives under a heading, block by block.
 *
 * @throws Error when there is no such heading, or nothing to type under it
 */
export async function documentedBlocks(heading: string, page = 'README.md'): Promise<readonly string[]> {
  const text = await readFile(join(root, page), 'utf8')
  const [, onwards = ''] = text.split(new RegExp(`^#+ ${heading}$`, 'm'))
  const [section = ''] = onwards.split(/^#+ /m)
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
  if (blocks.length === 0) throw new Error(`${page} has no commands under "${heading}"`)
  return blocks
}

/** A user's shell at the top of the checkout. */
export interface UserShell {
  /**
   * To the end; any command of it that fails ends it. Returns what it printed.
   *
   * @throws Error with what was printed, when one failed
   */
  type(commands: string): Promise<string>
  /** Of commands that may fail. */
  tryTyping(commands: string): Promise<RunResult>
  /** What it leaves in the background goes on until it is stopped. */
  start(commands: string): Child
  dispose(): Promise<void>
}

/** kubectl and helm act on this control plane, which is there instead of what `kind create cluster` would make. */
export async function userShell({ kubeconfig }: ControlPlane): Promise<UserShell> {
  const folder = await mkdtemp(join(tmpdir(), 'joinery-user-'))
  const bin = join(folder, 'bin')
  await mkdir(bin)
  const kubectl = await kubectlProgram()
  const programs = {
    kubectl: [kubectl.command, ...kubectl.args],
    helm: [await helmProgram()],
    kind: ['echo', 'the cluster is there: kind'],
  }
  for (const [name, words] of Object.entries(programs)) {
    const quoted = words.map((word) => `'${word}'`).join(' ')
    await writeFile(join(bin, name), `#!/bin/sh\nexec ${quoted} "$@"\n`, { mode: 0o755 })
  }
  const path = [bin, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter)
  const env = {
    PATH: path,
    KUBECONFIG: kubeconfig,
    HELM_CACHE_HOME: folder,
    HELM_CONFIG_HOME: folder,
    HELM_DATA_HOME: folder,
    ...notTheFirstBash,
  }
  const flags = ['-euo', 'pipefail', '-c']
  const options = { cwd: root, env, timeoutMs: 400_000 }
  return {
    type: (commands) => runOrThrow('bash', [...flags, commands], options),
    tryTyping: (commands) => run('bash', [...flags, commands], options),
    start: (commands) =>
      startChild({
        name: 'the shell',
        command: 'bash',
        args: [...flags, `cd '${root}'\n${commands}\nwait`],
        logPath: join(folder, 'shell.log'),
        env,
      }),
    dispose: () => rm(folder, { recursive: true, force: true }),
  }
}
