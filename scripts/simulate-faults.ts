import { execFileSync, fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { faults, faultsNamed } from '../test/simulation/faults/index.ts'
import { simulate, type SimulationResult } from '../test/simulation/run.ts'
import { policyOfSeed } from '../test/simulation/rollout-policies.ts'
import { hour } from '../test/simulation/world.ts'

/**
 * Days of cluster life under faults, one for each seed: `npm run simulate:faults -- --seeds 200 --first-seed 1 --fault F7,F22 --hours 24`.
 * As many at once as there are cores, unless `--jobs` says otherwise; a seed gives the same run either way.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10' },
    'first-seed': { type: 'string', default: '1' },
    hours: { type: 'string', default: '24' },
    fault: { type: 'string', default: '' },
    rollout: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    log: { type: 'boolean', default: false },
    jobs: { type: 'string', default: String(availableParallelism()) },
    /** Set by this script for the processes that it starts. */
    worker: { type: 'boolean', default: false },
  },
})

interface Outcome {
  readonly result: SimulationResult
  /** Of the processor, which other work on the machine stretches less than real time. */
  readonly cpuSeconds: number
}

const first = Number(values['first-seed'])
const count = Number(values.seeds)
const hours = Number(values.hours)
const chosen = values.fault === '' ? faults : faultsNamed(values.fault.split(','))
/** The longest of the policies is done after so long. */
const rolloutQuietMs = 3 * hour

if (values.worker) work()
else process.exit(await runAll())

async function runSeed(seed: number): Promise<Outcome> {
  const before = process.cpuUsage()
  const result = await simulate({
    seed,
    hours,
    faults: chosen,
    ...(values.rollout ? { policy: policyOfSeed(seed), quietMs: rolloutQuietMs } : {}),
    ...(values.verbose ? { onEvent: (text: string) => console.log(`  ${text}`) } : {}),
    ...(values.log ? { onLogLine: (line: string) => console.log(line) } : {}),
  })
  const { user, system } = process.cpuUsage(before)
  return { result, cpuSeconds: (user + system) / 1e6 }
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
  const jobs = values.verbose || values.log ? 1 : Math.min(count, Math.max(1, Number(values.jobs)))
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
