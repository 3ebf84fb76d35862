import type { Readable, Writable } from 'node:stream'
import type { ReadStream, WriteStream } from 'node:tty'
import type { Terminal } from '../command-line.ts'
import type { Screen } from './live.ts'

/** What terminals had before they could say how large they are. A pseudo-terminal that nobody gave a size, as of a pipeline, says zero. */
const unsized = { columns: 80, rows: 24 }

/** Undefined where stdin or stdout is no terminal, or one that moves no cursor. */
export function screenOf({ stdin, stdout, isInteractive, env }: Terminal): Screen | undefined {
  if (!isTTYReader(stdin) || !isTTYWriter(stdout) || env['TERM'] === 'dumb') return undefined
  return {
    get columns() {
      return stdout.columns || unsized.columns
    },
    get rows() {
      return stdout.rows || unsized.rows
    },
    colour: isInteractive,
    write: (text) => void stdout.write(text),
    onKey: (listen) => {
      const onData = (data: Buffer | string): void => listen(data.toString())
      stdin.setRawMode(true)
      stdin.on('data', onData)
      stdin.resume()
      return () => {
        stdin.off('data', onData)
        stdin.setRawMode(false)
        stdin.pause()
      }
    },
    onResize: (listen) => {
      stdout.on('resize', listen)
      return () => stdout.off('resize', listen)
    },
  }
}

/** How wide stdout is; undefined where it is no terminal, or one without a size, so that nothing has to be cut. */
export function columnsOf({ stdout }: Terminal): number | undefined {
  return isTTYWriter(stdout) ? stdout.columns || undefined : undefined
}

function isTTYReader(stream: Readable): stream is ReadStream {
  return 'isTTY' in stream && stream.isTTY === true && 'setRawMode' in stream
}

function isTTYWriter(stream: Writable): stream is WriteStream {
  return 'isTTY' in stream && stream.isTTY === true
}
