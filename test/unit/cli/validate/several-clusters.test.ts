import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'
import { poolText } from '../../../support/pool-text.ts'

const pool = (name: string, nodeClass = 'default') => poolText(name, { nodeClass })

const nodeClass = (name = 'default') => `---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: ${name}}
spec:
  role: nodes
  amiFamily: AL2023
  amiSelectorTerms: [{id: ami-123}]
  subnetSelectorTerms: [{id: subnet-1}]
  securityGroupSelectorTerms: [{id: sg-1}]
`

/** The warnings of each file, by rule, when all of the folder is validated at once. */
async function warningsOf(files: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string[]>>> {
  const root = await mkdtemp(join(tmpdir(), 'joinery-clusters-'))
  try {
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, file)), { recursive: true })
      await writeFile(join(root, file), text)
    }
    const { stdout } = await runCommand(['validate', root, '-o', 'json'])
    const reports = JSON.parse(stdout) as { file: string; name: string; warnings: { rule: string }[] }[]
    const told = reports.filter(({ warnings }) => warnings.length > 0)
    return Object.fromEntries(
      told.map(({ file, name, warnings }) => [
        `${file.slice(root.length + 1)} ${name}`,
        warnings.map(({ rule }) => rule),
      ]),
    )
  } finally {
    await rm(root, { recursive: true })
  }
}

const overlap = ['JN-211']

test('pools of one cluster overlap, pools of two do not: the same name in two folders tells them apart', async () => {
  const one = { 'prod/a.yaml': pool('web') + nodeClass(), 'prod/b.yaml': pool('batch') }
  expect(await warningsOf(one)).toEqual({ 'prod/a.yaml web': overlap, 'prod/b.yaml batch': overlap })
  const two = { 'clusters/prod/pools/a.yaml': pool('web') + nodeClass(), 'clusters/staging/b.yaml': pool('batch') }
  expect(await warningsOf({ ...two, 'clusters/staging/class.yaml': nodeClass() })).toEqual({})
})

test('a class of another cluster is not there', async () => {
  const files = {
    'prod/pools.yaml': pool('web', 'fast') + nodeClass(),
    'staging/pools.yaml': pool('web') + nodeClass() + nodeClass('fast'),
  }
  expect(await warningsOf(files)).toEqual({ 'prod/pools.yaml web': ['JN-214'] })
})

test('what lies in no cluster of its own is part of each', async () => {
  const files = {
    'classes/default.yaml': nodeClass(),
    'prod/web.yaml': pool('web'),
    'shared.yaml': pool('batch'),
    'staging/web.yaml': pool('web'),
  }
  expect(await warningsOf(files)).toEqual({
    'prod/web.yaml web': overlap,
    'shared.yaml batch': overlap,
    'staging/web.yaml web': overlap,
  })
})

test('what every folder has for tools tells no clusters apart', async () => {
  const kustomization = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n'
  const files = {
    'batch/kustomization.yaml': kustomization,
    'batch/pool.yaml': pool('batch'),
    'web/kustomization.yaml': kustomization,
    'web/pool.yaml': pool('web') + nodeClass(),
  }
  expect(await warningsOf(files)).toEqual({ 'batch/pool.yaml batch': overlap, 'web/pool.yaml web': overlap })
})

test('files of one folder are clusters, too, and folders may hold clusters in clusters', async () => {
  const files = {
    'eu/a.yaml': pool('web') + nodeClass(),
    'eu/b.yaml': pool('web') + pool('batch') + nodeClass(),
    'us/a.yaml': pool('batch') + nodeClass(),
  }
  expect(await warningsOf(files)).toEqual({ 'eu/b.yaml web': overlap, 'eu/b.yaml batch': overlap })
})

test('the same name twice in one file is a mistake, not two clusters', async () => {
  const { 'a.yaml web': web } = await warningsOf({ 'a.yaml': pool('web') + pool('web') + pool('batch') + nodeClass() })
  expect(web).toEqual(overlap)
})
