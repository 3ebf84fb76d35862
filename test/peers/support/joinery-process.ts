import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Child, startChild, untilReady } from './child.ts'
import type { Program } from './programs.ts'

const bin = join(import.meta.dirname, '..', '..', '..', 'bin', 'joinery.js')

/** What an image of ours holds. */
export const joineryProgram: Program = { command: process.execPath, args: [bin] }
const startTimeoutMs = 90_000

export interface LogLine {
  readonly level: string
  readonly message: string
  readonly [field: string]: unknown
}

export interface JoineryProcess {
  /** The process itself, not the shell that watches over it. Linux only. */
  pid(): Promise<number>
  readonly ended: boolean
  /** Everything logged so far. */
  lines(): Promise<readonly LogLine[]>
  logTail(lines?: number): Promise<string>
  /** As when its machine loses power. */
  kill(): Promise<void>
  /** Asks for an orderly end and waits for it. */
  stop(): Promise<void>
  /** Ends it, and removes its log. */
  dispose(): Promise<void>
}

export interface JoineryOptions {
  /** The command and its arguments. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly isReady: () => Promise<boolean>
  /** Whether one that has ended by itself, having logged this, is started again, as a Deployment's would be. Default: never. */
  readonly restarts?: (lines: readonly LogLine[]) => boolean
}

/** A command of ours that goes on running, as its own process; resolves when it is ready. */
export async function startJoinery({ args, env, isReady, restarts }: JoineryOptions): Promise<JoineryProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'joinery-process-'))
  const logPath = join(folder, 'output.log')
  const launch = (): Child =>
    startChild({
      name: `joinery ${args[0] ?? ''}`,
      command: joineryProgram.command,
      args: [...joineryProgram.args, ...args],
      logPath,
      env,
    })
  const lines = async (): Promise<readonly LogLine[]> =>
    (await readFile(logPath, 'utf8'))
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as LogLine)
  let child = launch()
  let isWanted = true
  const end = async (how: 'kill' | 'stop'): Promise<void> => {
    isWanted = false
    await child[how]()
  }
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await untilReady(child, startTimeoutMs, isReady)
  } catch (error) {
    await child.stop()
    await remove()
    throw error
  }
  void keepUp()

  async function keepUp(): Promise<void> {
    await child.end
    if (!isWanted || restarts?.(await lines()) !== true || !isWanted) return
    child = launch()
    void keepUp()
  }

  return {
    pid: () => firstChildOf(child.pid ?? 0),
    get ended() {
      return child.ended
    },
    lines,
    logTail: (count) => child.logTail(count),
    kill: () => end('kill'),
    stop: () => end('stop'),
    dispose: async () => {
      await end('stop')
      await remove()
    },
  }
}

/** The shell starts the program before anything else. */
async function firstChildOf(pid: number): Promise<number> {
  const [first = ''] = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ')
  if (first === '') throw new Error('the program has ended')
  return Number(first)
}
