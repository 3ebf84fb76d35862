import { createWriteStream, openSync } from 'node:fs'
import { inspect } from 'node:util'
import pino from 'pino'
import { messageOf } from '../api/error-text.ts'
import type { Logger } from '../kube/logger.ts'

export const logLevels = ['debug', 'info', 'error'] as const
export type LogLevel = (typeof logLevels)[number]

export interface RootLogger extends Logger {
  /** Takes effect at once, for every child as well. */
  setLevel(level: LogLevel): void
  /** Writes out what is buffered. */
  flush(): void
}

export interface LoggingOptions {
  readonly level: LogLevel | ''
  readonly commit: string
  /** `stdout`, `stderr` or file names. */
  readonly outputs: readonly string[]
  readonly now: () => number
  /** Instead of the outputs; for tests and the embedded cluster. */
  readonly write?: (line: string) => void
}

/** An output that cannot be opened. */
export class LogOutputError extends Error {
  readonly code = 'LogOutput'
}

/** What nobody should find in a log, wherever in a line's fields it stands. */
const secretPaths = ['token', 'password', 'authorization', 'secretAccessKey', 'sessionToken', 'userData'].flatMap(
  (name) => [name, `*.${name}`, `*.*.${name}`],
)

/** JSON lines in Karpenter's shape, so that its users' queries work: `level` in capitals, `time`, `logger`, `message`, `commit`. @throws LogOutputError */
export function createLogger(options: LoggingOptions): RootLogger {
  const destination =
    options.write === undefined
      ? pino.multistream(options.outputs.map(streamOf), { dedupe: false })
      : { write: options.write }
  // Pino copies the level into children when they are made; one gate before all of them can change at run time.
  let lowest = levelNumbers[options.level === '' ? 'info' : options.level]
  const root = pino(
    {
      level: 'debug',
      messageKey: 'message',
      errorKey: 'error',
      timestamp: () => `,"time":"${new Date(options.now()).toISOString()}"`,
      base: { logger: 'controller', commit: options.commit },
      formatters: { level: (label) => ({ level: label.toUpperCase() }) },
      redact: { paths: secretPaths, censor: '[redacted]' },
      serializers: { err: (error) => errorField(error), error: (error) => errorField(error) },
    },
    destination,
  )
  const sample = sampler(options.now)
  // A reconciliation that logs nothing never makes its child.
  const wrap = (innerOf: () => pino.Logger): Logger => {
    const at =
      (level: keyof typeof levelNumbers) =>
      (fields: object, message: string): void => {
        if (levelNumbers[level] < lowest || !sample(`${level} ${message}`)) return
        const { err, ...rest } = fields as { err?: unknown }
        innerOf()[level](err === undefined ? rest : { ...rest, error: errorField(err), ...stackOf(err) }, message)
      }
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: (fields) => {
        let made: pino.Logger | undefined
        return wrap(() => (made ??= innerOf().child(fields)))
      },
    }
  }
  return {
    ...wrap(() => root),
    setLevel: (level) => {
      lowest = levelNumbers[level]
    },
    flush: () => root.flush(),
  }
}

const levelNumbers = { debug: 20, info: 30, warn: 40, error: 50 } as const

/** Of one message in one second: the first hundred lines, then every hundredth. */
function sampler(now: () => number): (message: string) => boolean {
  let second = 0
  let counts = new Map<string, number>()
  return (message) => {
    const current = Math.floor(now() / 1000)
    if (current !== second) {
      second = current
      counts = new Map()
    }
    const count = (counts.get(message) ?? 0) + 1
    counts.set(message, count)
    return count <= 100 || (count - 100) % 100 === 0
  }
}

function streamOf(path: string): pino.StreamEntry {
  const name = path.trim()
  if (name === 'stdout') return { level: 'debug', stream: process.stdout }
  if (name === 'stderr') return { level: 'debug', stream: process.stderr }
  const stream = createWriteStream(name, { fd: openOutput(name) })
  // A full disk takes the log, not the operator.
  stream.on('error', ({ message }) => {
    process.stderr.write(`error: cannot write to the log output ${name}, which gets no more lines: ${message}\n`)
  })
  return { level: 'debug', stream }
}

/** At once: later there would be nobody left to tell that the setting is wrong. */
function openOutput(name: string): number {
  try {
    return openSync(name, 'a')
  } catch (error) {
    const reason = messageOf(error)
    throw new LogOutputError(`cannot write to ${name}: ${reason}`, { cause: error })
  }
}

/** Causes of causes that are told; an error may be its own. */
const causesMax = 8

/** Karpenter's errors are texts; the causes that JavaScript keeps apart are put behind each other as Go wraps them. */
function errorField(error: unknown, depth = 0): string {
  if (typeof error === 'string') return error
  if (!(error instanceof Error)) return hasMessage(error) ? error.message : inspect(error, { breakLength: Infinity })
  const message = messageWithCause(error, depth)
  const cause = error.cause instanceof Error && depth < causesMax ? errorField(error.cause, depth + 1) : undefined
  return cause === undefined || message.includes(cause) ? message : `${message}, ${cause}`
}

/** Where a name has several addresses and none of them answers, Node's error says nothing but what became of each. */
function messageWithCause(error: Error, depth: number): string {
  if (error.message !== '') return error.message
  return error instanceof AggregateError && depth < causesMax
    ? error.errors.map((each) => errorField(each, depth + 1)).join('; ')
    : error.name
}

/** Failures of the world say what they are; for a mistake of ours one wants to know where it happened. */
function stackOf(error: unknown): { readonly stacktrace?: string } {
  const isBug = error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError
  return isBug && error.stack !== undefined ? { stacktrace: error.stack } : {}
}

function hasMessage(value: unknown): value is { readonly message: string } {
  return typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string'
}
