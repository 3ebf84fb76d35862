import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'
import { classManifest as aClass } from '../../../support/class-manifest.ts'

const mistyped = aClass
  .replace('name: default', 'name: default, lables: {}')
  .replace('role: r', 'role: r\n  detialed: true')
const warnings = [
  'warning: -:3:28 EC2NodeClass/default metadata.lables: unknown field, which an API server drops',
  'warning: -:6:3 EC2NodeClass/default spec.detialed: unknown field, which an API server drops',
]

/** What the command answers to these manifests; those of the cluster that it is told of have a status of another version. */
async function answer(command: 'hash' | 'simulate' | 'plan', stdin: string): Promise<{ code: number; told: string[] }> {
  const cwd = mkdtempSync(join(tmpdir(), 'joinery-unknown-fields-'))
  onTestFinished(() => rmSync(cwd, { recursive: true }))
  writeFileSync(join(cwd, 'cluster.yaml'), `${aClass}status: { madeUp: 1 }\n`)
  const { code, stderr } = await runCommand(
    [command, '-', ...(command === 'plan' ? ['--snapshot', 'cluster.yaml'] : [])],
    {
      stdin,
      cwd,
    },
  )
  return { code, told: stderr.split('\n').filter((line) => line !== '') }
}

test.each(['hash', 'simulate', 'plan'] as const)(
  '%s warns of fields that would be dropped, with their places',
  async (command) => {
    expect(await answer(command, mistyped)).toEqual({ code: 0, told: warnings })
    expect(await answer(command, `${aClass}status: { madeUp: 1 }\n`)).toEqual({ code: 0, told: [] })
  },
)

test('a field that is missing because it is misspelt is told both ways', async () => {
  const { code, told } = await answer('plan', aClass.replace('subnetSelectorTerms', 'subnetSelectorTerm'))
  expect([code, told]).toEqual([
    1,
    [
      'warning: -:7:3 EC2NodeClass/default spec.subnetSelectorTerm: unknown field, which an API server drops',
      '-:4:1 EC2NodeClass/default spec.subnetSelectorTerms: Required value',
    ],
  ])
})

test('of very many the first ten are told, and how many follow', async () => {
  const classes = Array.from({ length: 6 }, (_, index) => mistyped.replace('name: default', `name: c${index}`)).join(
    '---\n',
  )
  const { told } = await answer('simulate', classes)
  expect(told).toHaveLength(11)
  expect(told.at(-1)).toBe('warning: 2 more unknown fields')
})
