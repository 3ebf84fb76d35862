import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../../..')

/** What a file and all that it imports at run time ask of packages, with the file that does. */
function packagesOf(entry: string): ReadonlyMap<string, string> {
  const packages = new Map<string, string>()
  const seen = new Set<string>()
  const follow = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    // What is imported as a type is gone at run time.
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)\s+(?!type\b)[^;'"]*?from '([^']+)'|^import '[^']+'|import\('([^']+)'\)/gm,
    )) {
      if (name.startsWith('.')) follow(join(dirname(file), name))
      else packages.set(name, relative(root, file))
    }
  }
  follow(join(root, entry))
  expect(seen.size).toBeGreaterThan(100)
  return packages
}

const ofAWS = (packages: ReadonlyMap<string, string>): readonly unknown[] =>
  [...packages].filter(([name]) => /^@(aws-sdk|smithy)\//.test(name))

test('no review can wait for AWS: the process that answers them has no client of it', () => {
  expect(ofAWS(packagesOf('src/cli/webhook.ts'))).toEqual([])
})

test('the operator, looked at in the same way, has', () => {
  expect(ofAWS(packagesOf('src/operator/run-operator.ts'))).not.toEqual([])
})
