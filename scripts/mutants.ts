import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'

/** A guard, as the line that holds it. Without the line (or with `becomes` in its place) one of the tests must fail. */
interface Mutant {
  readonly file: string
  readonly line: string
  readonly becomes?: string
  /** Test files or folders. */
  readonly tests: readonly string[]
}

const { only } = new Command('test:mutants')
  .description('takes out one guard after the other; a test has to fail for each')
  .option('--only <text>', 'guards in files whose path contains it', '')
  .showHelpAfterError('(--help lists the options)')
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
  .parse()
  .opts<{ readonly only: string }>()
const root = join(import.meta.dirname, '..')
const mutants: readonly Mutant[] = JSON.parse(readFileSync(join(root, 'test/mutants.json'), 'utf8'))
const chosen = mutants.filter(({ file }) => file.includes(only))

/** Never in place: a run that is cut short must not leave a guard missing. */
const copy = mkdtempSync(join(tmpdir(), 'joinery-mutants-'))
for (const name of [
  'src',
  'test',
  'webhooks',
  'schemas',
  'manifests',
  'scripts',
  'docs',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
]) {
  cpSync(join(root, name), join(copy, name), { recursive: true })
}
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))

/** Whether tests pass without any mutant: those that fail anyway would catch all. */
const sound = new Map<string, boolean>()

function areSound(tests: readonly string[]): boolean {
  const key = tests.join(' ')
  const known = sound.get(key) ?? pass(tests)
  sound.set(key, known)
  return known
}

/** Whether all of them pass in the copy as it stands. */
function pass(tests: readonly string[]): boolean {
  const { status } = spawnSync('npx', ['vitest', 'run', '--bail', '1', ...tests], { cwd: copy, stdio: 'ignore' })
  return status === 0
}

let survivors = 0
let broken = 0
try {
  for (const [index, mutant] of chosen.entries()) {
    const path = join(copy, mutant.file)
    const original = readFileSync(path, 'utf8')
    const title = `${index + 1}/${chosen.length} ${mutant.file}: ${mutant.line}`
    if (!hasLineOnce(original, mutant.line)) {
      console.log(`STALE    ${title}`)
      broken += 1
      continue
    }
    if (!areSound(mutant.tests)) {
      console.log(`UNSOUND  ${title}: its tests fail without it`)
      broken += 1
      continue
    }
    writeFileSync(path, mutated(original, mutant))
    const survived = pass(mutant.tests)
    writeFileSync(path, original)
    if (survived) survivors += 1
    console.log(`${survived ? 'SURVIVED' : 'caught  '} ${title}`)
  }
} finally {
  rmSync(copy, { recursive: true, force: true })
}
console.log(`${chosen.length} mutants: ${survivors} survived, ${broken} could not be tried`)
process.exit(survivors + broken === 0 ? 0 : 1)

function hasLineOnce(text: string, line: string): boolean {
  return text.split('\n').filter((each) => each.trim() === line).length === 1
}

function mutated(text: string, { line, becomes = '' }: Mutant): string {
  return text
    .split('\n')
    .map((each) => (each.trim() === line ? becomes : each))
    .join('\n')
}
