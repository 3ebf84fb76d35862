import { execFileSync, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { Command, InvalidArgumentError, Option } from 'commander'
import { wholeNumber } from '../src/cli/whole-number.ts'
import { type Fault, faults, faultsNamed } from '../test/simulation/faults/index.ts'
import { pauseMaxDefaultMs, simulate, type SimulationResult } from '../test/simulation/run.ts'
import { policyOfSeed } from '../test/simulation/rollout-policies.ts'
import { hour } from '../test/simulation/world.ts'

interface Options {
  readonly seeds: number
  readonly firstSeed: number
  readonly hours: number
  readonly pause: number
  readonly fault: readonly Fault[]
  readonly rollout: boolean
  readonly features: boolean
  readonly estate: boolean
  readonly verbose: boolean
  readonly log: boolean
  readonly jobs: number
  readonly worker: boolean
}

const options = new Command('simulate:faults')
  .description(
    'days of cluster life under faults, one for each seed; a seed gives the same run whatever runs beside it',
  )
  .option('--seeds <count>', 'how many', wholeNumber(1), 10)
  .option('--first-seed <seed>', 'the others follow it', wholeNumber(0), 1)
  .option('--hours <hours>', 'of virtual time for each', hoursFrom, 24)
  .option(
    '--pause <hours>',
    'the longest from one fault to the next (0.75: some forty-five a day; 8: about six)',
    pauseFrom,
    pauseMaxDefaultMs / hour,
  )
  .option('--fault <ids>', 'only these, such as F7,F22 (default: all, mixed)', faultsFrom)
  .option('--rollout', 'new images under a RolloutPolicy, one of four by seed', false)
  .option('--features', 'all feature gates on, with what they are for', false)
  .option('--estate', "two architectures, a team's own pool, many kinds of workloads, and work by hand", false)
  .option('--verbose', 'print what happens', false)
  .option('--log', 'print what the operator logs', false)
  .option('--jobs <count>', 'at once; one where what happens is printed (default: one for each core)', wholeNumber(1))
  // Set by this script for the processes that it starts.
  .addOption(new Option('--worker').default(false).hideHelp())
  .showHelpAfterError('(--help lists the options)')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
  .opts<Partial<Options> & Omit<Options, 'fault' | 'jobs'>>()

interface Outcome {
  readonly result: SimulationResult
  /** Of the processor, which other work on the machine stretches less than real time. */
  readonly cpuSeconds: number
}

const {
  firstSeed: first,
  seeds: count,
  hours,
  fault: chosen = faults,
  jobs: jobsMax = availableParallelism(),
} = options
/** The longest of the policies is done after so long. */
const rolloutQuietMs = 3 * hour

if (options.worker) work()
else process.exit(await runAll())

async function runSeed(seed: number): Promise<Outcome> {
  const before = process.cpuUsage()
  const result = await simulate({
    seed,
    hours,
    faults: chosen,
    pauseMaxMs: options.pause * hour,
    ...(options.rollout ? { policy: policyOfSeed(seed), quietMs: rolloutQuietMs } : {}),
    features: options.features,
    estate: options.estate,
    ...(options.verbose ? { onEvent: (text: string) => console.log(`  ${text}`) } : {}),
    ...(options.log ? { onLogLine: (line: string) => console.log(line) } : {}),
  })
  const { user, system } = process.cpuUsage(before)
  return { result, cpuSeconds: (user + system) / 1e6 }
}

function hoursFrom(text: string): number {
  const number = Number(text)
  if (!(number > 0)) throw new InvalidArgumentError('expected hours above 0, such as 24 or 2.75')
  return number
}

function pauseFrom(text: string): number {
  const number = Number(text)
  if (!(number >= 0.25)) throw new InvalidArgumentError('expected hours of at least 0.25, such as 8')
  return number
}

function faultsFrom(text: string): readonly Fault[] {
  try {
    return faultsNamed(text.split(','))
  } catch (error) {
    throw new InvalidArgumentError(error instanceof Error ? error.message : 'expected faults such as F7,F22')
  }
}

/** Runs each seed that the parent names. */
function work(): void {
  process.on('message', (seed: number) => {
    void runSeed(seed).then((outcome) => process.send?.(outcome))
  })
}

async function runAll(): Promise<number> {
  const startedAt = performance.now()
  // What a run tells while it goes on is told by one at a time.
  const jobs = options.verbose || options.log ? 1 : Math.min(count, jobsMax)
  let failing = 0
  let injected = 0
  for await (const { result, cpuSeconds } of jobs === 1 ? oneByOne() : inProcesses(jobs)) {
    injected += result.faults
    if (result.violations.length > 0) failing += 1
    tell(result, cpuSeconds)
  }
  const total = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(
    `${count} seeds, ${hours} h each, ${injected} faults injected: ${failing} seeds with violations, ${total} s`,
  )
  return failing === 0 ? 0 : 1
}

async function* oneByOne(): AsyncGenerator<Outcome> {
  for (let seed = first; seed < first + count; seed += 1) yield await runSeed(seed)
}

/** In the order of the seeds, whichever is done first. */
async function* inProcesses(jobs: number): AsyncGenerator<Outcome> {
  const outcomes = Array.from({ length: count }, () => Promise.withResolvers<Outcome>())
  let next = 0
  const workers = Array.from({ length: jobs }, () => {
    const worker = fork(import.meta.filename, [...process.argv.slice(2), '--worker'], { stdio: 'inherit' })
    let current: PromiseWithResolvers<Outcome> | undefined
    const takeNext = (): void => {
      current = outcomes[next]
      if (current === undefined) worker.disconnect()
      else worker.send(first + next)
      next += 1
    }
    worker.on('message', (outcome: Outcome) => {
      current?.resolve(outcome)
      takeNext()
    })
    worker.on('exit', (status) => current?.reject(new Error(`a run ended with ${status ?? 'a signal'}`)))
    takeNext()
    return worker
  })
  try {
    for (const { promise } of outcomes) yield await promise
  } finally {
    for (const worker of workers) worker.kill()
  }
}

function tell({ seed, violations, steps, faults: injected, machines }: SimulationResult, cpuSeconds: number): void {
  const state = violations.length === 0 ? 'ok' : 'VIOLATED'
  const seconds = cpuSeconds.toFixed(1)
  console.log(
    `seed ${seed}: ${state}, ${steps} steps, ${injected} faults, ${machines} machines, ${seconds} s of processor time`,
  )
  for (const { invariant, message, step, at } of violations) {
    console.log(`  ${invariant} at step ${step} (${at}), commit ${commit()}: ${message}`)
  }
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}
