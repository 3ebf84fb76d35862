import { spawnSync } from 'node:child_process'

export interface Benchmark<Workload, Result> {
  /** The module that calls: it is started anew for each workload. */
  readonly script: string
  readonly workloads: Readonly<Record<string, Workload>>
  readonly measure: (name: string, workload: Workload) => Promise<Result>
  /** Runs only when its name is given. */
  readonly isOnlyWhenAsked?: (workload: Workload) => boolean
}

/**
 * Measures the workloads that the command line names, or all, each in a process of its own, so that none inherits the memory or the
 * compiled code of another; prints a table, or with `-o json` the numbers.
 */
export async function runBenchmark<Workload, Result>(benchmark: Benchmark<Workload, Result>): Promise<void> {
  const { script, workloads, measure, isOnlyWhenAsked = () => false } = benchmark
  const args = process.argv.slice(2)
  if (args[0] === '--one') {
    const name = args[1] ?? ''
    const workload = workloads[name]
    if (workload === undefined) throw new Error(`no workload ${name}`)
    const result = JSON.stringify(await measure(name, workload))
    // What the workload has started is left as it stands: nobody waits for it.
    process.stdout.write(result, () => process.exit(0))
    return
  }
  const known = Object.entries(workloads)
  const asked = known.filter(([name]) => args.includes(name))
  const chosen = asked.length === 0 ? known.filter(([, workload]) => !isOnlyWhenAsked(workload)) : asked
  const results = chosen.map(([name]): Result => inProcessOfItsOwn(script, name))
  if (args.includes('json')) console.log(JSON.stringify(results, null, 2))
  else console.table(results)
}

function inProcessOfItsOwn<Result>(script: string, name: string): Result {
  const { stdout, status } = spawnSync(process.execPath, [...process.execArgv, script, '--one', name], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${name} ended with ${status ?? 'a signal'}`)
  return JSON.parse(stdout) as Result
}
