import { systemClock } from '../kube/system-clock.ts'
import { heapFlags } from './heap-limit.ts'
import { createLogger, LogOutputError, type LogLevel, type RootLogger } from './logging.ts'
import type { BuildInfo } from './operator.ts'
import { doubtsAbout, type Environment, type Options, parseOptions } from './options.ts'

export interface ControllerProcess {
  readonly args: readonly string[]
  readonly env: Environment
  readonly build: BuildInfo
  /** Those that Node itself was started with. */
  readonly nodeFlags: readonly string[]
  /** Becomes the same program, started with these flags of Node; does not come back. Absent where that is not to be had. */
  readonly restart?: (nodeFlags: readonly string[]) => void
  /** Asks for an orderly stop; a signal handler aborts it. */
  readonly stop: AbortSignal
  /** Switches the log level between the configured one and debug, each time it is called. */
  readonly onToggleDebug?: (toggle: () => void) => void
  readonly print: (text: string) => void
  readonly printError: (text: string) => void
}

/** The production process: from arguments to an exit status (0 stopped, 1 failed or lost the lease, 2 wrong settings). */
export async function runController(process: ControllerProcess): Promise<number> {
  const parsed = parseOptions(process.args, process.env)
  if (parsed.kind === 'help') {
    process.print(parsed.text)
    return 0
  }
  if (parsed.kind === 'invalid') {
    for (const error of parsed.errors) process.printError(`${error}\n`)
    return 2
  }
  const { options } = parsed
  const flags = heapFlags(options.memoryLimit, process.nodeFlags)
  if (flags !== undefined) process.restart?.(flags)
  const clock = systemClock()
  let log: RootLogger
  try {
    log = createLogger({
      level: logLevelOf(options),
      commit: process.build.commit,
      outputs: options.logOutputPaths.split(','),
      now: () => clock.now(),
    })
  } catch (error) {
    if (!(error instanceof LogOutputError)) throw error
    process.printError(`--log-output-paths: ${error.message}\n`)
    return 2
  }
  for (const warning of parsed.warnings) log.warn({ setting: warning }, 'setting passed over')
  for (const doubt of doubtsAbout(options)) log.warn({}, doubt)
  toggleDebug(process, log, options)
  try {
    // The AWS SDK and the controllers, a second's work, which a program that is about to begin anew does not do.
    const { runOperator } = await import('./run-operator.ts')
    return await runOperator({ ...process, options, log, clock })
  } catch (error) {
    if (process.stop.aborted) return 0
    log.error({ err: error }, 'operator failed')
    return 1
  } finally {
    log.flush()
  }
}

function toggleDebug(process: ControllerProcess, log: RootLogger, options: Options): void {
  const configured = logLevelOf(options)
  let level = configured
  process.onToggleDebug?.(() => {
    level = level === 'debug' ? (configured === 'debug' ? 'info' : configured) : 'debug'
    log.setLevel(level)
    log.info({ level }, 'log level changed')
  })
}

function logLevelOf(options: Options): LogLevel {
  return options.logLevel === 'debug' || options.logLevel === 'error' ? options.logLevel : 'info'
}
