/**
 * Writes how a run of tests ended to the file that GATE_REPORT names: first how many passed and failed, separated by a space, then what
 * failed and the first lines of why. Of a long output often only the end is at hand, so the gate repeats this text there.
 */
import { writeFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

const failuresShown = 10
const linesShown = 14
const lineLength = 300

interface Failure {
  where: string
  errors: readonly SerializedError[]
}

// oxlint-disable-next-line import/no-default-export -- vitest looks for a reporter there.
export default class GateReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[], reason: string): void {
    const passed = modules.flatMap((module) => [...module.children.allTests('passed')]).length
    const failures = [
      ...modules.flatMap(failuresOf),
      ...unhandled.map((error) => ({ where: 'outside of any test', errors: [error] })),
    ]
    if (reason !== 'passed' && failures.length === 0)
      failures.push({ where: `the run ended as "${reason}"`, errors: [] })
    const path = process.env.GATE_REPORT
    if (path) writeFileSync(path, `${passed} ${failures.length}\n${failures.length === 0 ? '' : told(failures)}`)
  }
}

/** Its failed tests, and what failed around them: imports, hooks. */
function failuresOf(module: TestModule): Failure[] {
  const around = [module, ...module.children.allSuites()].filter((part) => part.errors().length > 0)
  const tests = [...module.children.allTests('failed')]
  return [
    ...around.map((part) => ({
      where: part.type === 'suite' ? `${module.relativeModuleId} > ${part.fullName}` : module.relativeModuleId,
      errors: part.errors(),
    })),
    ...tests.map((test) => ({
      where: `${module.relativeModuleId} > ${test.fullName}`,
      errors: test.result().errors ?? [],
    })),
  ]
}

function told(failures: readonly Failure[]): string {
  const shown = failures.slice(0, failuresShown).map(({ where, errors }) => {
    const lines = errors.flatMap(linesOf)
    const more = lines.length > linesShown ? [`… ${lines.length - linesShown} more lines`] : []
    const indented = [...lines.slice(0, linesShown), ...more].map((line) => `    ${line.slice(0, lineLength)}`)
    return `${where}\n${indented.join('\n')}\n`
  })
  if (failures.length > failuresShown) shown.push(`… and ${failures.length - failuresShown} more\n`)
  return shown.join('\n')
}

/** Message, difference and the frames that are ours. */
function linesOf(error: SerializedError): string[] {
  const stack = (error.stack ?? error.message).split('\n')
  const foreign = (line: string) => /^\s+at /.test(line) && /node_modules|node:/.test(line)
  return stripVTControlCharacters([...stack.filter((line) => !foreign(line)), error.diff ?? ''].join('\n'))
    .trimEnd()
    .split('\n')
}
