import { Readable, Writable } from 'node:stream'
import { run } from '../../src/cli/main.ts'

export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs one command line in this process, as `joinery` would. */
export async function runCommand(
  args: readonly string[],
  options: {
    readonly stdin?: string
    readonly cwd?: string
    readonly env?: Readonly<Record<string, string>>
    readonly signal?: AbortSignal
  } = {},
): Promise<CommandResult> {
  const stdout = new TextSink()
  const stderr = new TextSink()
  const code = await run(args, {
    stdin: Readable.from([Buffer.from(options.stdin ?? '')]),
    stdout,
    stderr,
    env: options.env ?? {},
    cwd: options.cwd ?? process.cwd(),
    isInteractive: false,
    signal: options.signal ?? new AbortController().signal,
  })
  return { code, stdout: stdout.text, stderr: stderr.text }
}

class TextSink extends Writable {
  text = ''

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString()
    done()
  }
}
