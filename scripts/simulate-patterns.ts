import { parseArgs } from 'node:util'
import { patterns, titleOf } from '../test/simulation/patterns/cases.ts'
import { scenarios } from '../test/simulation/patterns/scenarios.ts'
import { judge, referenceOf } from '../test/simulation/patterns/sweep.ts'

/**
 * Every write point and every causal pair of every scenario: `npm run simulate:patterns -- --scenario launch --pattern stale --case 17`.
 * `--every 20` takes each twentieth case only, from the one that `--from` names on.
 */
const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: '' },
    pattern: { type: 'string', default: '' },
    case: { type: 'string', default: '' },
    every: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    list: { type: 'boolean', default: false },
  },
})

const every = Number(values.every)
const from = Number(values.from) % every
const chosen = scenarios.filter(({ name }) => name.includes(values.scenario))
const startedAt = performance.now()
let runs = 0
let failing = 0

for (const scenario of chosen) {
  const scenarioStartedAt = performance.now()
  const reference = await referenceOf(scenario)
  const counts = patterns.map(
    (pattern) => `${reference.cases.filter((each) => each.pattern === pattern).length} ${pattern}`,
  )
  let wrong = 0
  let count = 0
  for (const [index, each] of reference.cases.entries()) {
    const isChosen = values.case === '' ? index % every === from : Number(values.case) === index
    if (!isChosen || !each.pattern.includes(values.pattern)) continue
    if (values.list) {
      console.log(`${scenario.name}, case ${index}: ${titleOf(each)}`)
      continue
    }
    count += 1
    const problems = await judge(reference, each)
    if (problems.length === 0) continue
    wrong += 1
    console.log(`${scenario.name}, case ${index}: ${titleOf(each)}`)
    for (const problem of problems) console.log(`  ${problem}`)
  }
  runs += count
  failing += wrong
  const seconds = ((performance.now() - scenarioStartedAt) / 1000).toFixed(1)
  console.log(`${scenario.name}: ${counts.join(', ')}; ${count} runs, ${wrong} wrong, ${seconds} s`)
}
const total = ((performance.now() - startedAt) / 1000).toFixed(1)
console.log(`${chosen.length} scenarios, ${runs} runs, ${failing} wrong, ${total} s`)
process.exit(failing === 0 ? 0 : 1)
