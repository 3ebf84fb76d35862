import type { Logger } from '../../src/kube/logger.ts'

interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

export interface RecordingLogger extends Logger {
  readonly lines: LogLine[]
}

/** Keeps every line, with the fields of the child loggers it went through. */
export function recordingLogger(): RecordingLogger {
  const lines: LogLine[] = []
  const at = (bound: Record<string, unknown>): Logger => {
    const write =
      (level: LogLine['level']) =>
      (fields: object, message: string): void => {
        lines.push({ level, message, fields: { ...bound, ...fields } })
      }
    return {
      debug: write('debug'),
      info: write('info'),
      warn: write('warn'),
      error: write('error'),
      child: (fields) => at({ ...bound, ...fields }),
    }
  }
  return { lines, ...at({}) }
}
