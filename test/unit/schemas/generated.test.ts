import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

test('what is generated from the schemas is up to date', () => {
  const root = join(import.meta.dirname, '..', '..', '..')
  const output = execFileSync(process.execPath, ['scripts/generate.ts', '--check'], {
    cwd: root,
    encoding: 'utf8',
    stdio: 'pipe',
  })
  expect(output).toBe('')
})
