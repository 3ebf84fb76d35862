import type { Readable, Writable } from 'node:stream'
import { toJSON } from './data-text.ts'

/** What a command may touch of the process: injected, so that tests run commands in process. */
export interface Terminal {
  readonly stdin: Readable
  readonly stdout: Writable
  readonly stderr: Writable
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Whether stdout is a terminal: only then is there colour and progress. */
  readonly isInteractive: boolean
  /** Aborted on SIGINT, SIGTERM and SIGHUP, by which other commands than those that stop in order are killed; also when nobody reads the output. */
  readonly signal: AbortSignal
}

/** 0 fine, 1 problems found, 2 the command line was wrong, 129, 130 and 143 interrupted. */
export type ExitCode = 0 | 1 | 2 | 3 | 129 | 130 | 143

/** Wrong use of the command line: the message and the usage are shown, exit code 2. */
export class UsageError extends Error {
  readonly code = 'Usage'
}

/** Something in the input or the world is wrong: each line is shown, exit code 1. */
export class ProblemsError extends Error {
  readonly code = 'Problems'
  readonly lines: readonly string[]

  constructor(lines: readonly string[], cause?: unknown) {
    super(lines.join('\n'), { cause })
    this.lines = lines
  }
}

export function print(stream: Writable, text: string): void {
  stream.write(text.endsWith('\n') ? text : `${text}\n`)
}

export function printJSON(stream: Writable, value: unknown): void {
  print(stream, toJSON(value))
}
