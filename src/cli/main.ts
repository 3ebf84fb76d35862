import { Command, CommanderError } from 'commander'
import { type ExitCode, print, ProblemsError, type Terminal, UsageError } from './command-line.ts'
import { controllerCommand } from './controller.ts'
import { demoCommand } from './demo/command.ts'
import { convertCommand } from './convert/command.ts'
import { explainCommand } from './explain/command.ts'
import { hashCommand } from './hash.ts'
import { simulateCommand } from './simulate/command.ts'
import { snapshotCommand } from './snapshot/command.ts'
import { upCommand } from './up/command.ts'
import { validateCommand } from './validate/command.ts'
import { webhookCommand } from './webhook.ts'
import { versionCommand } from './version.ts'

/** A command registers itself on the program; its action says with which code to exit. */
export type CommandFactory = (terminal: Terminal, exit: (code: ExitCode) => void) => Command

/** Loaded on demand where a command is heavy, so that `joinery version` does not load the AWS SDK. */
const commands: readonly CommandFactory[] = [
  upCommand,
  demoCommand,
  validateCommand,
  hashCommand,
  convertCommand,
  simulateCommand,
  snapshotCommand,
  explainCommand,
  controllerCommand,
  webhookCommand,
  versionCommand,
]

/** Runs one command line of this process and resolves to its exit code. */
export async function main(args: readonly string[]): Promise<ExitCode> {
  const stop = new AbortController()
  const onSignal = (): void => stop.abort(new Error('interrupted'))
  process.once('SIGINT', onSignal)
  process.once('SIGTERM', onSignal)
  try {
    return await run(args, {
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      env: process.env,
      cwd: process.cwd(),
      isInteractive: process.stdout.isTTY === true && process.env['NO_COLOR'] === undefined,
      signal: stop.signal,
    })
  } finally {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
}

export async function run(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = 0
  const program = new Command('joinery')
    .description("Just-in-time nodes for Kubernetes on AWS, speaking Karpenter's APIs, for clusters that live in Git.")
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
    .showHelpAfterError()
    .enablePositionalOptions()
    .exitOverride()
  for (const create of commands) {
    const command = create(terminal, (exitCode) => {
      code = exitCode
    })
    program.addCommand(inheritOutput(command, terminal))
  }
  try {
    await program.parseAsync([...args], { from: 'user' })
    return code
  } catch (error) {
    return explain(error, terminal)
  }
}

function inheritOutput(command: Command, terminal: Terminal): Command {
  command
    .configureOutput({
      writeOut: (text) => terminal.stdout.write(text),
      writeErr: (text) => terminal.stderr.write(text),
    })
    .showHelpAfterError()
    .exitOverride()
  for (const child of command.commands) inheritOutput(child, terminal)
  return command
}

function explain(error: unknown, terminal: Terminal): ExitCode {
  if (error instanceof CommanderError) {
    const isAnswer =
      error.code === 'commander.helpDisplayed' || error.code === 'commander.version' || error.code === 'commander.help'
    return error.exitCode === 0 || isAnswer ? 0 : 2
  }
  if (error instanceof UsageError) {
    print(terminal.stderr, `error: ${error.message}`)
    return 2
  }
  if (error instanceof ProblemsError) {
    for (const line of error.lines) print(terminal.stderr, line)
    return 1
  }
  print(terminal.stderr, `error: ${error instanceof Error ? error.message : String(error)}`)
  if (terminal.env['JOINERY_DEBUG'] !== undefined && error instanceof Error) print(terminal.stderr, error.stack ?? '')
  return 1
}
