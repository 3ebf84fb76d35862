import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const mutants = JSON.parse(readFileSync(join(root, 'test/mutants.json'), 'utf8')) as readonly {
  readonly file: string
  readonly line: string
  readonly tests: readonly string[]
}[]

/** `npm run test:mutants` runs the tests of each, which takes long; that there is something to take away is seen here. */
test('each mutant is about a line that its file has once, and about tests that are there', () => {
  const stale = mutants.filter(({ file, line, tests }) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n')
    const found = lines.filter((each) => each.trim() === line)
    return found.length !== 1 || tests.some((path) => !existsSync(join(root, path)))
  })
  expect(stale).toEqual([])
  expect(mutants.length).toBeGreaterThan(50)
})
