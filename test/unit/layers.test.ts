import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const made: string[] = []

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** What the linter says about one line of code in a folder of `folder`. Not here, where other tests read what there is. */
function lint(folder: string, code: string): string {
  const place = mkdtempSync(join(tmpdir(), 'layer-check-'))
  made.push(place)
  copyFileSync(join(root, '.oxlintrc.json'), join(place, '.oxlintrc.json'))
  const file = join(folder, 'probe', 'probe.ts')
  mkdirSync(join(place, folder, 'probe'), { recursive: true })
  writeFileSync(join(place, file), code)
  try {
    return execFileSync(join(root, 'node_modules/.bin/oxlint'), [file], { cwd: place, encoding: 'utf8' })
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout)
  }
}

describe('the layers of ARCHITECTURE.md hold because the linter refuses an import that points up', () => {
  const forbidden: Record<string, [folder: string, imported: string]> = {
    'api knows nothing of ours': ['src/api', '../../model/quantity.ts'],
    'the core does no I/O': ['src/scheduling', 'node:fs'],
    'scheduling does not know disruption': ['src/scheduling', '../../disruption/index.ts'],
    'disruption does not know controllers': ['src/disruption', '../../controllers/index.ts'],
    'controllers do not know the embedded cluster': ['src/controllers', '../../embedded/index.ts'],
    'the embedded cluster shares no code with the solver': ['src/embedded', '../../scheduling/index.ts'],
    'the embedded account does not know what calls it': ['src/embedded', '../../cloud/aws/aws-cloud-provider.ts'],
    'cluster state decides nothing': ['src/cluster', '../../disruption/index.ts'],
    'cluster state knows no cloud but the port': ['src/cluster', '../../cloud/aws/clients.ts'],
    'the webhook does not know the controllers': ['webhooks', '../../src/controllers/index.ts'],
    'the webhook asks no cloud': ['webhooks', '../../src/cloud/provider.ts'],
  }
  test.each(Object.entries(forbidden))('%s', (_name, [folder, imported]) => {
    expect(lint(folder, `import { x } from '${imported}'\nexport const y = x\n`)).toContain('no-restricted-imports')
  })

  const allowed: Record<string, [folder: string, imported: string]> = {
    'an import that points down is fine': ['src/scheduling', '../../model/quantity.ts'],
    'the embedded account stands behind the AWS port': ['src/embedded', '../../cloud/aws/clients.ts'],
    'cluster state reads the cloud port': ['src/cluster', '../../cloud/provider.ts'],
  }
  test.each(Object.entries(allowed))('%s', (_name, [folder, imported]) => {
    expect(lint(folder, `import { x } from '${imported}'\nexport const y = x\n`)).not.toContain('no-restricted-imports')
  })
})

describe('the core has no clock, no randomness and no I/O because the linter refuses what would give it one', () => {
  const impure: Record<string, [folder: string, expression: string]> = {
    'the time of day': ['src/disruption', 'Date.now()'],
    'the time that has passed': ['src/scheduling', 'performance.now()'],
    'a draw': ['src/rollout', 'Math.random()'],
    'a timer': ['src/admission', 'setTimeout(() => undefined, 1)'],
    'the environment': ['src/api', "process.env['HOME']"],
    'a log line': ['src/model', "console.log('x')"],
    'an order that varies by machine': ['src/scheduling', "'a'.localeCompare('b')"],
    'a wait': ['src/rollout', 'async () => undefined'],
  }
  test.each(Object.entries(impure))('%s', (_name, [folder, expression]) => {
    expect(lint(folder, `export const x = ${expression}\n`)).toMatch(
      /no-restricted-(properties|globals)|no-async-await/,
    )
  })

  // No rule of the linter tells it from a date of a time that was given.
  test.each(['api', 'model', 'scheduling', 'disruption', 'rollout', 'admission'])(
    'nothing in src/%s makes a date of the present time',
    (folder) => {
      const files = readdirSync(join(root, 'src', folder), { recursive: true, encoding: 'utf8' })
      const sources = files.filter((name) => name.endsWith('.ts'))
      expect(sources.length).toBeGreaterThan(5)
      const found = sources.filter((name) =>
        /(?<![.\w])Date\(\)/.test(readFileSync(join(root, 'src', folder, name), 'utf8')),
      )
      expect(found).toEqual([])
    },
  )

  test.each(['src/controllers', 'src/cli'])('%s asks a clock for the time', (folder) => {
    expect(lint(folder, 'export const x = Date.now()\n')).toContain('no-restricted-properties')
  })

  test('the shell may ask for the time', () => {
    expect(lint('src/operator', 'export const x = Date.now()\n')).not.toContain('no-restricted-properties')
  })
})
