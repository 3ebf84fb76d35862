import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ChildOptions {
  /** How the program is called in messages. */
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly logPath: string
  readonly env?: Readonly<Record<string, string>>
}

/** A long-running program that a test started. It never outlives the test process, however that ends. */
export interface Child {
  readonly name: string
  /** Of the shell above the program. */
  readonly pid: number | undefined
  /** Set once the program has ended by itself or by `stop`. */
  readonly ended: boolean
  /** Resolves when it has ended, for whatever reason. */
  readonly end: Promise<void>
  /** The last lines of its output. */
  logTail(lines?: number): Promise<string>
  /** Ends it at once, by SIGKILL, and waits until it is gone. */
  kill(): Promise<void>
  /** Asks it to end, and makes it end after `stopTimeoutMs`. Safe to call twice. */
  stop(): Promise<void>
}

/** How long a program may take to end after SIGTERM. kube-apiserver drains its watches for a few seconds. */
const stopTimeoutMs = 10_000

/**
 * The program runs under a small shell that also reads our end of a pipe: when this process is gone, even by SIGKILL, the pipe
 * closes and the shell kills the program. Everything is in a process group of its own, which is what `stop` signals; the shell itself
 * only wakes up from SIGTERM and goes on waiting, so that it ends with the program and not before.
 */
const watchdog = `exec 3<&0
trap : TERM
"$@" 3<&- </dev/null &
child=$!
{ cat <&3 >/dev/null; kill -KILL "$child"; } 2>/dev/null &
wait "$child"
while kill -0 "$child" 2>/dev/null; do wait "$child"; done`

const alive = new Set<ChildProcess>()
process.once('exit', () => {
  for (const shell of alive) signalGroup(shell, 'SIGKILL')
})

export function startChild(options: ChildOptions): Child {
  const log = openSync(options.logPath, 'a')
  const shell = spawn('/bin/sh', ['-c', watchdog, 'sh', options.command, ...options.args], {
    detached: true,
    stdio: ['pipe', log, log],
    env: { ...process.env, ...options.env },
  })
  closeSync(log)
  // Writing never happens; an error here only says that the program ended first.
  shell.stdin?.on('error', () => undefined)
  alive.add(shell)
  let ended = false
  const end = once(shell, 'exit').then(
    () => undefined,
    () => undefined,
  )
  void end.then(() => {
    ended = true
    shell.stdin?.destroy()
    alive.delete(shell)
  })
  return {
    name: options.name,
    pid: shell.pid,
    get ended() {
      return ended
    },
    end,
    logTail: async (lines = 40) =>
      (await readFile(options.logPath, 'utf8')).trimEnd().split('\n').slice(-lines).join('\n'),
    kill: async () => {
      if (ended) return
      signalGroup(shell, 'SIGKILL')
      await end
    },
    stop: async () => {
      if (ended) return
      signalGroup(shell, 'SIGTERM')
      const timeout = new AbortController()
      await Promise.race([end, sleep(stopTimeoutMs, undefined, { signal: timeout.signal }).catch(() => undefined)])
      timeout.abort()
      signalGroup(shell, 'SIGKILL')
      await end
    },
  }
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // Nobody is left in the group.
  }
}

/** How often a starting program is asked whether it is ready. */
const readyPollMs = 100

/** Waits until `isReady` holds. Fails, with the end of the program's log, when the program ends first or time runs out. */
export async function untilReady(child: Child, timeoutMs: number, isReady: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    if (child.ended) throw new Error(`${child.name} ended while starting. Its last lines:\n${await child.logTail()}`)
    if (await isReady().catch(() => false)) return
    if (performance.now() > deadline) {
      throw new Error(
        `${child.name} was not ready after ${timeoutMs / 1000} s. Its last lines:\n${await child.logTail()}`,
      )
    }
    await sleep(readyPollMs)
  }
}
