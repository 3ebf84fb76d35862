import { Command, Option } from 'commander'
import { wholeNumber } from '../src/cli/whole-number.ts'
import { patterns, titleOf } from '../test/simulation/patterns/cases.ts'
import { scenarios } from '../test/simulation/patterns/scenarios.ts'
import { judge, referenceOf } from '../test/simulation/patterns/sweep.ts'

interface Options {
  readonly scenario: string
  readonly pattern?: string
  readonly case?: number
  readonly every: number
  readonly from: number
  readonly list: boolean
}

const options = new Command('simulate:patterns')
  .description('every write point and every causal pair of every scenario, each a run of its own')
  .option('--scenario <text>', 'only scenarios whose name contains it', '')
  .addOption(new Option('--pattern <name>', 'only this one').choices([...patterns]))
  .option('--case <index>', 'only the case of this number', wholeNumber(0))
  .option('--every <n>', 'each nth case of a scenario', wholeNumber(1), 1)
  .option('--from <index>', 'where to begin with that', wholeNumber(0), 0)
  .option('--list', 'print the cases, run none', false)
  .showHelpAfterError('(--help lists the options)')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
  .opts<Options>()

const { every } = options
const from = options.from % every
const chosen = scenarios.filter(({ name }) => name.includes(options.scenario))
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
    const isChosen = options.case === undefined ? index % every === from : options.case === index
    if (!isChosen || (options.pattern ?? each.pattern) !== each.pattern) continue
    if (options.list) {
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
