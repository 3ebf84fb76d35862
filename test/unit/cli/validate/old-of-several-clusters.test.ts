import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'
import { poolText } from '../../../support/pool-text.ts'

/** Of the two neither may become the other. */
const [dynamic, fixed] = ['weight: 5', 'replicas: 5'].map((field) =>
  poolText('default').replace('\nspec:\n', `\nspec:\n  ${field}\n`),
) as [string, string]

/** What is said of `names`, held against `old`. */
async function told(
  files: Readonly<Record<string, string>>,
  names: readonly string[],
  old: string,
): Promise<{ code: number; refused: readonly string[]; stderr: string }> {
  const root = await mkdtemp(join(tmpdir(), 'joinery-old-'))
  try {
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, file)), { recursive: true })
      await writeFile(join(root, file), text)
    }
    const { code, stdout, stderr } = await runCommand(['validate', ...names, '--old', old, '-o', 'json'], { cwd: root })
    const reports = stdout === '' ? [] : (JSON.parse(stdout) as { file: string; allowed: boolean }[])
    return { code, refused: reports.filter(({ allowed }) => !allowed).map(({ file }) => file), stderr }
  } finally {
    await rm(root, { recursive: true })
  }
}

const fleet = { 'clusters/prod/pool.yaml': dynamic, 'clusters/test/pool.yaml': fixed }
const base = { 'base/clusters/prod/pool.yaml': dynamic, 'base/clusters/test/pool.yaml': fixed }

test('pools of one name are each held against the one of their own cluster', async () => {
  expect((await told({ ...fleet, ...base }, ['clusters'], 'base/clusters')).refused).toEqual([])
  const swapped = { 'clusters/prod/pool.yaml': fixed, 'clusters/test/moved/pools.yaml': dynamic }
  expect((await told({ ...swapped, ...base }, ['clusters'], 'base/clusters')).refused).toEqual(Object.keys(swapped))
  expect((await told({ ...fleet, ...base }, ['clusters/prod', './clusters/test/pool.yaml'], 'base')).refused).toEqual(
    [],
  )
})

test('a pool of a cluster that is new is no update of another one’s', async () => {
  const files = { ...fleet, ...base, 'clusters/new/pool.yaml': fixed }
  expect((await told(files, ['clusters'], 'base/clusters')).refused).toEqual([])
})

test('what was dumped from one cluster is held against all', async () => {
  expect((await told({ ...fleet, 'dump.yaml': dynamic }, ['clusters'], 'dump.yaml')).refused).toEqual([
    'clusters/test/pool.yaml',
  ])
})

test('where several may be meant they are told, unless they are alike', async () => {
  const dumps = { 'dumps/prod.yaml': dynamic, 'dumps/test.yaml': fixed }
  const { code, stderr } = await told({ ...fleet, ...dumps }, ['clusters'], 'dumps')
  expect([code, stderr]).toEqual([
    1,
    'clusters/prod/pool.yaml: updates NodePool/default, of which --old holds dumps/prod.yaml and dumps/test.yaml: name only what is in its cluster\n',
  ])
  const alike = { ...dumps, 'dumps/test.yaml': dynamic }
  expect((await told({ ...fleet, ...alike }, ['clusters/prod'], 'dumps')).code).toBe(0)
})
