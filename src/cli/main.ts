import { Command, CommanderError } from 'commander'
import { messageOf } from '../api/error-text.ts'
import { type ExitCode, print, ProblemsError, type Terminal, UsageError } from './command-line.ts'
import { printableLines, printableText } from './table.ts'
import { endingSignals } from './uninterrupted.ts'
import { readVersion, versionText } from './version.ts'

/** A command registers itself on the program; its action says with which code to exit. */
export type CommandFactory = (terminal: Terminal, exit: (code: ExitCode) => void) => Command

/** In the order of the help. Loaded on demand: `joinery version` need not read the AWS SDK. */
const commands: Readonly<Record<string, () => Promise<CommandFactory>>> = {
  up: async () => (await import('./up/command.ts')).upCommand,
  demo: async () => (await import('./demo/command.ts')).demoCommand,
  validate: async () => (await import('./validate/command.ts')).validateCommand,
  hash: async () => (await import('./hash.ts')).hashCommand,
  convert: async () => (await import('./convert/command.ts')).convertCommand,
  simulate: async () => (await import('./simulate/command.ts')).simulateCommand,
  snapshot: async () => (await import('./snapshot/command.ts')).snapshotCommand,
  plan: async () => (await import('./plan/command.ts')).planCommand,
  explain: async () => (await import('./explain/command.ts')).explainCommand,
  rollout: async () => (await import('./rollout/command.ts')).rolloutCommand,
  top: async () => (await import('./top/command.ts')).topCommand,
  controller: async () => (await import('./controller.ts')).controllerCommand,
  webhook: async () => (await import('./webhook.ts')).webhookCommand,
  version: async () => (await import('./version.ts')).versionCommand,
}

/**
 * Commands with something to bring to its end: a signal aborts `Terminal.signal`, and they stop in order. The others leave nothing behind, and
 * most compute without a pause in which a handler could run: the signal kills them, as it does a program that knows nothing of it, and a
 * shell sees 129, 130 or 143.
 */
const stoppedInOrder: ReadonlySet<string> = new Set(['up', 'demo', 'rollout', 'top', 'controller', 'webhook'])

const versionFlags = '-V, --version'

/** Runs one command line of this process and resolves to its exit code. */
export async function main(args: readonly string[]): Promise<ExitCode> {
  const cwd = currentFolder()
  if (cwd === undefined) {
    print(process.stderr, 'error: the current folder is no longer there: go to another one')
    return 1
  }
  const stop = new AbortController()
  const release = stoppedInOrder.has(args[0] ?? '') ? stopInOrder(stop) : undefined
  // Whoever reads the output may have seen enough (`joinery plan | head`): that ends the command, and is no failure.
  let isOutputLost = false
  const onOutputError = (error: NodeJS.ErrnoException): void => {
    if (error.code === 'EPIPE') return stop.abort(new StoppedError('nobody reads the output', 0))
    if (isOutputLost) return
    isOutputLost = true
    // The last write may fail when this function is done and its result stands.
    process.exitCode = 1
    const message = `cannot write to standard output: ${error.message}`
    print(process.stderr, `error: ${message}`)
    stop.abort(new StoppedError(message, 1))
  }
  process.stdout.on('error', onOutputError)
  // There is no third place to say it at.
  process.stderr.on('error', () => undefined)
  try {
    const code = await run(args, {
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      env: process.env,
      cwd,
      isInteractive: isInteractive(process.stdout, process.env),
      signal: stop.signal,
    })
    return isOutputLost ? 1 : code
  } finally {
    release?.()
  }
}

/** Undefined where somebody has deleted it since the shell went there, or has made it anew. */
function currentFolder(): string | undefined {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

/**
 * How long the same signal counts as an echo. A terminal, systemd or a container runtime signals every process of the group, and a parent
 * that waits (the launcher on an old Node, npm through some shells) passes on what it got: one Ctrl-C comes twice, within milliseconds on an
 * idle machine. Nobody presses it again in earnest so soon.
 */
const signalEchoMs = 1000

/** What a shell sees of a command that one of these ended. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** The first signal stops in order, a second one of its kind that is no echo ends the process as if nobody listened. */
function stopInOrder(stop: AbortController): () => void {
  const listeners = endingSignals.map((signal) => {
    let firstAt: number | undefined
    const listener = (): void => {
      if (firstAt === undefined) {
        firstAt = performance.now()
        stop.abort(new StoppedError('interrupted', exitCodes[signal]))
      } else if (performance.now() - firstAt >= signalEchoMs) {
        process.off(signal, listener)
        process.kill(process.pid, signal)
      }
    }
    process.on(signal, listener)
    return { signal, listener }
  })
  return () => {
    for (const { signal, listener } of listeners) process.off(signal, listener)
  }
}

/** Why a command was stopped; who had nothing to bring to its end, as one that waits, throws it, and exits as if the signal had killed it. */
class StoppedError extends Error {
  readonly code = 'Stopped'
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode) {
    super(message)
    this.exitCode = exitCode
  }
}

/** By https://no-color.org: NO_COLOR counts when it is set and not empty. A dumb terminal shows escape sequences as they are. */
export function isInteractive(stdout: { readonly isTTY?: boolean }, env: Terminal['env']): boolean {
  return stdout.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
}

export async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = 0
  const program = new Command('joinery')
    .description("Just-in-time nodes for Kubernetes on AWS, speaking Karpenter's APIs, for clusters that live in Git.")
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
    .showHelpAfterError(usageHint('joinery', '[options] [command]'))
    .enablePositionalOptions()
    .version(versionText(readVersion(terminal.env)), versionFlags, 'print the version and exit')
    .exitOverride()
  for (const load of commandsFor(args)) {
    const create = await load()
    const command = create(terminal, (exitCode) => {
      code = exitCode
    })
    program.addCommand(inheritOutput(command, terminal, 'joinery'))
  }
  try {
    await program.parseAsync([...withoutVainHelp(args, program)], { from: 'user' })
    return code
  } catch (error) {
    return explain(error, terminal)
  }
}

/** Only the command that is named, or all of them for the help; none for the version. */
function commandsFor([name = '']: readonly string[]): readonly (() => Promise<CommandFactory>)[] {
  if (versionFlags.split(', ').includes(name)) return []
  const named = Object.hasOwn(commands, name) ? commands[name] : undefined
  return named === undefined ? Object.values(commands) : [named]
}

/**
 * Help about a command that there is not is a command that there is not: its error says so, and which may be meant, where the whole help would
 * say nothing of it.
 */
function withoutVainHelp(args: readonly string[], program: Command): readonly string[] {
  const at = args.indexOf('help')
  const [before, asked] = [args.slice(0, at), args[at + 1]]
  if (at < 0 || asked === undefined || asked.startsWith('-')) return args
  let group: Command | undefined = program
  for (const name of before) group = group?.commands.find((command) => command.name() === name)
  if (group === undefined || group.commands.length === 0) return args
  return group.commands.some((command) => command.name() === asked) ? args : [...before, asked]
}

function inheritOutput(command: Command, terminal: Terminal, parent: string): Command {
  const path = `${parent} ${command.name()}`
  command
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
    .showHelpAfterError(usageHint(path, command.usage()))
    .exitOverride()
  for (const child of command.commands) inheritOutput(child, terminal, path)
  return command
}

/** Not the whole help: under it the message, which stands before it, would scroll out of sight. */
function usageHint(path: string, usage: string): string {
  return `Usage: ${path} ${usage}\nSee \`${path} --help\`.`
}

function explain(error: unknown, terminal: Terminal): ExitCode {
  if (error instanceof StoppedError) return error.exitCode
  if (error instanceof CommanderError) {
    // The help that nobody asked for, of a line that names no command or none that there is, has another exit code than 0.
    return error.exitCode === 0 ? 0 : 2
  }
  if (error instanceof UsageError) {
    print(terminal.stderr, printableLines(`error: ${error.message}`))
    return 2
  }
  if (error instanceof ProblemsError) {
    for (const line of error.lines) print(terminal.stderr, printableText(line))
    return 1
  }
  print(terminal.stderr, printableLines(`error: ${messageOf(error)}`))
  if ((terminal.env['JOINERY_DEBUG'] ?? '') !== '' && error instanceof Error) {
    print(terminal.stderr, printableLines(error.stack ?? ''))
  }
  return 1
}
