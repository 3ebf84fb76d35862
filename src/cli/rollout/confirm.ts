import { createInterface } from 'node:readline/promises'
import { print, ProblemsError, type Terminal } from '../command-line.ts'

/** Lets the user, or a script, type the name of what is at stake. @throws ProblemsError when it is not that name. */
export async function confirmName(name: string, message: string, terminal: Terminal): Promise<void> {
  print(terminal.stderr, message)
  print(terminal.stderr, `Type ${name} to go on (or use --yes):`)
  const lines = createInterface({ input: terminal.stdin, crlfDelay: Number.POSITIVE_INFINITY })
  const stop = (): void => lines.close()
  terminal.signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const line of lines) {
      if (line.trim() === name) return
      break
    }
  } finally {
    terminal.signal.removeEventListener('abort', stop)
    lines.close()
  }
  throw new ProblemsError([`${name} was not confirmed; nothing was written`])
}
