import { Command } from 'commander'
import { type ExitCode, print, type Terminal } from '../command-line.ts'
import { startStack } from '../embedded/stack.ts'
import type { CommandFactory } from '../main.ts'
import { type DataFormat, isDataFormat, outputOption, printData } from '../output-format.ts'
import { wholeNumber } from '../whole-number.ts'
import { demoSettings, runStep, type StepResult, steps } from './script.ts'
import { paintFor, stepHeading, stepReport, summaryTable, tellLogLine } from './view.ts'

interface DemoOptions {
  readonly seed: number
  readonly output: 'text' | DataFormat
  readonly color: boolean
  readonly quiet: boolean
}

export const demoCommand: CommandFactory = (terminal, exit) =>
  new Command('demo')
    .description(
      'a scripted walk on an embedded cluster: pods wait, nodes come, an AMI changes, nodes roll, load falls, nodes go',
    )
    .option('--seed <number>', 'the same seed gives the same run', wholeNumber(0), 1)
    .option('--quiet', 'only the results of each step', false)
    .option('--no-color', 'no colour, even on a terminal')
    .addOption(outputOption(['text', 'json', 'yaml']))
    .action(async (options: DemoOptions) => {
      exit(await demo(options, terminal))
    })

async function demo(options: DemoOptions, terminal: Terminal): Promise<ExitCode> {
  const { output } = options
  const isText = !isDataFormat(output)
  const say = (text: string): void => {
    if (isText) print(terminal.stdout, text)
  }
  const paint = paintFor(terminal.isInteractive && options.color)
  const begun = performance.now()
  let startMs = 0
  const stack = await startStack({
    seed: options.seed,
    region: 'us-west-2',
    settings: demoSettings,
    onLogLine: (line) => {
      const told = options.quiet ? undefined : tellLogLine(line, startMs)
      if (told !== undefined) say(paint.dim(told.text))
    },
  })
  startMs = stack.cluster.clock.now()
  say(paint.bold(`Joinery on an embedded cluster (region us-west-2, seed ${options.seed}); time is virtual.`))
  const results: StepResult[] = []
  for (const [index, step] of steps.entries()) {
    if (terminal.signal.aborted) break
    say(stepHeading(index + 1, step.title, paint))
    const result = await runStep(step, stack, terminal.signal)
    // One that was broken off tells nothing.
    if (!result.ok && terminal.signal.aborted) break
    results.push(result)
    say(stepReport(result, paint))
    // What follows rests on what came before.
    if (!result.ok) break
  }
  const longestBlockMs = Math.round(stack.cluster.clock.longestBlockMs)
  await stack.stop()
  const isDone = results.length === steps.length && results.every(({ ok }) => ok)
  if (isText) {
    say(results.length === 0 ? '' : `\n${summaryTable(results).join('\n')}`)
    const real = ((performance.now() - begun) / 1000).toFixed(1)
    say(paint.dim(`${real} s of real time; longest event-loop block ${longestBlockMs} ms; ${megabytes()} MB`))
    say(outcome(results, isDone, paint))
  } else {
    printData(terminal.stdout, output, { seed: options.seed, ok: isDone, steps: results })
  }
  // A walk that was broken off tells of no step that failed.
  if (!isDone && results.every(({ ok }) => ok)) terminal.signal.throwIfAborted()
  return isDone ? 0 : 1
}

function outcome(results: readonly StepResult[], isDone: boolean, paint: ReturnType<typeof paintFor>): string {
  if (isDone) return paint.good('Every step held.')
  return paint.bad(results.every(({ ok }) => ok) ? 'Interrupted.' : 'A step failed.')
}

function megabytes(): number {
  return Math.round(process.memoryUsage().rss / 1024 / 1024)
}
