import { execFileSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { faults, faultsNamed } from '../test/simulation/faults/index.ts'
import { simulate } from '../test/simulation/run.ts'
import { policyOfSeed } from '../test/simulation/rollout-policies.ts'
import { hour } from '../test/simulation/world.ts'

/** Days of cluster life under faults, one for each seed: `npm run simulate:faults -- --seeds 200 --first-seed 1 --fault F7,F22 --hours 24`. */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10' },
    'first-seed': { type: 'string', default: '1' },
    hours: { type: 'string', default: '24' },
    fault: { type: 'string', default: '' },
    rollout: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    log: { type: 'boolean', default: false },
  },
})

const first = Number(values['first-seed'])
const count = Number(values.seeds)
const hours = Number(values.hours)
const chosen = values.fault === '' ? faults : faultsNamed(values.fault.split(','))
/** The longest of the policies is done after so long. */
const rolloutQuietMs = 3 * hour
const startedAt = performance.now()
let failing = 0
let injected = 0

for (let seed = first; seed < first + count; seed += 1) {
  const seedStartedAt = performance.now()
  const result = await simulate({
    seed,
    hours,
    faults: chosen,
    ...(values.rollout ? { policy: policyOfSeed(seed), quietMs: rolloutQuietMs } : {}),
    ...(values.verbose ? { onEvent: (text: string) => console.log(`  ${text}`) } : {}),
    ...(values.log ? { onLogLine: (line: string) => console.log(line) } : {}),
  })
  const seconds = ((performance.now() - seedStartedAt) / 1000).toFixed(1)
  injected += result.faults
  const state = result.violations.length === 0 ? 'ok' : 'VIOLATED'
  console.log(
    `seed ${seed}: ${state}, ${result.steps} steps, ${result.faults} faults, ${result.machines} machines, ${seconds} s`,
  )
  for (const { invariant, message, step, at } of result.violations) {
    console.log(`  ${invariant} at step ${step} (${at}), commit ${commit()}: ${message}`)
  }
  if (result.violations.length > 0) failing += 1
}
const total = ((performance.now() - startedAt) / 1000).toFixed(1)
console.log(
  `${count} seeds, ${hours} h each, ${injected} faults injected: ${failing} seeds with violations, ${total} s`,
)
process.exit(failing === 0 ? 0 : 1)

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}
