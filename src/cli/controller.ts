import { Command } from 'commander'
import { type ExitCode, print } from './command-line.ts'
import type { CommandFactory } from './main.ts'
import { readVersion } from './version.ts'

const usage = 'Usage: joinery controller [settings...]\nSee `joinery controller --help`.'

/** The settings are those of the operator, read as Go reads flags, so this parser hands everything on as it is. */
export const controllerCommand: CommandFactory = (terminal, exit) =>
  new Command('controller')
    .description('run the operator; `controller --help` lists its settings')
    .argument('[settings...]', 'flags of the operator, such as --cluster-name=NAME')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (settings: string[]) => {
      const { runController } = await import('../operator/run-controller.ts')
      const { version, commit } = readVersion(terminal.env)
      let onSignal: (() => void) | undefined
      try {
        const code = await runController({
          args: settings,
          env: terminal.env,
          nodeFlags: [...process.execArgv, ...(terminal.env['NODE_OPTIONS'] ?? '').split(' ')],
          ...(process.platform === 'win32' ? {} : { restart }),
          build: { version, commit, goversion: process.version, goarch: process.arch },
          stop: terminal.signal,
          onToggleDebug: (toggle) => {
            onSignal = toggle
            process.on('SIGUSR2', toggle)
          },
          print: (text) => terminal.stdout.write(text),
          printError: (text) => terminal.stderr.write(text),
        })
        if (code === 2) print(terminal.stderr, usage)
        exit(exitCodeOf(code))
      } finally {
        if (onSignal !== undefined) process.off('SIGUSR2', onSignal)
      }
    })

/** The process stays the same, with its id and whoever watches over it; only what runs in it begins anew. */
function restart(nodeFlags: readonly string[]): void {
  const args = [process.execPath, ...nodeFlags, ...process.execArgv, ...process.argv.slice(1)]
  // An allocator with an arena for each thread keeps what the others have freed.
  process.execve?.(process.execPath, args, { MALLOC_ARENA_MAX: '2', ...process.env })
}

function exitCodeOf(code: number): ExitCode {
  return code === 0 || code === 2 ? code : 1
}
