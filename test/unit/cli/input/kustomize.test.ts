import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'

const spec = `spec:
  template:
    spec:
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: default }
      requirements: []
`
const pool = `apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: { name: web }\n`
const patch = `${pool}spec: { weight: 10 }\n`

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** A base, and an overlay with this kustomization beside the file `weight.yaml`. */
function repository(kustomization: string): string {
  const cwd = mkdtempSync(join(tmpdir(), 'kustomize-'))
  folders.push(cwd)
  const files = {
    'base/kustomization.yaml': 'resources: [pool.yaml]\n',
    'base/pool.yaml': pool + spec,
    'overlay/kustomization.yaml': kustomization,
    'overlay/weight.yaml': patch,
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(cwd, dirname(file)), { recursive: true })
    writeFileSync(join(cwd, file), text)
  }
  return cwd
}

describe('what a kustomization names as a patch', () => {
  const naming: Record<string, string> = {
    'as a path': 'patches: [{ path: weight.yaml, target: { kind: NodePool } }]\n',
    'by a longer way': 'patches: [{ path: ../overlay/./weight.yaml }]\n',
    'as older versions do': 'patchesStrategicMerge: [weight.yaml]\n',
    'in a file that leaves out its version alone': 'kind: Kustomization\npatches: [{ path: weight.yaml }]\n',
    'in a component':
      'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\npatches: [{ path: weight.yaml }]\n',
  }
  test.each(Object.entries(naming))('%s, is no object to judge', async (_name, kustomization) => {
    const cwd = repository(kustomization)
    expect(await runCommand(['validate', '.'], { cwd })).toEqual({
      code: 0,
      stdout: '4 documents, 0 refused, 0 warnings, 3 of kinds that are not known here\n',
      stderr: '',
    })
    const hash = await runCommand(['hash', 'base', 'overlay'], { cwd })
    expect([hash.code, hash.stderr]).toEqual([0, ''])
    expect(hash.stdout).toMatch(/^NodePool\/web .*\n$/)
  })

  test('is told where it would be left out of an answer, or by --strict', async () => {
    const cwd = repository(naming['as a path'] ?? '')
    const told = 'is a patch of overlay/kustomization.yaml: build that first, kubectl kustomize overlay'
    expect((await runCommand(['validate', '.', '--strict'], { cwd })).stdout).toContain(
      `overlay/weight.yaml:1:1: ${told}`,
    )
    expect(await runCommand(['simulate', '.'], { cwd })).toMatchObject({
      code: 1,
      stderr: `overlay/weight.yaml:1:1: ${told}\n`,
    })
  })
})

test('a JSON patch that a kustomization names is told in the same words', async () => {
  const cwd = repository('patches: [{ path: weight.yaml, target: { kind: NodePool } }]\n')
  writeFileSync(join(cwd, 'overlay/weight.yaml'), '[{ op: replace, path: /spec/weight, value: 10 }]\n')
  expect(await runCommand(['hash', '.'], { cwd })).toMatchObject({ code: 0, stderr: '' })
  expect(await runCommand(['simulate', '.'], { cwd })).toMatchObject({
    code: 1,
    stderr:
      'overlay/weight.yaml:1:1: is a patch of overlay/kustomization.yaml: build that first, kubectl kustomize overlay\n',
  })
})

test('a patch that does not parse is told for that', async () => {
  const cwd = repository('patches: [{ path: weight.yaml }]\n')
  writeFileSync(join(cwd, 'overlay/weight.yaml'), 'a: b\na: c\n')
  expect(await runCommand(['validate', '.'], { cwd })).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('overlay/weight.yaml:2:1: the key a comes twice') as string,
  })
})

const others: Record<string, string> = {
  'a resource': 'resources: [weight.yaml]\n',
  'a file of another folder': 'patches: [{ path: ../weight.yaml }]\n',
  'a patch in place': 'patches: [{ patch: "weight.yaml" }, 5, null, { path: 5 }]\n',
  'a field that is no list': 'patches: weight.yaml\n',
  'an object of Flux':
    'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\npatches: [{ path: weight.yaml }]\n',
}
test.each(Object.entries(others))('%s is judged as ever', async (_name, kustomization) => {
  const { code, stdout } = await runCommand(['validate', 'overlay'], { cwd: repository(kustomization) })
  expect([code, stdout]).toEqual([
    1,
    expect.stringContaining('overlay/weight.yaml:4:1 NodePool/web spec.template: Required value'),
  ])
})

test('what a file of another name has under patches is no kustomization', async () => {
  const cwd = repository('resources: []\n')
  writeFileSync(join(cwd, 'overlay/values.yaml'), 'patches: [{ path: weight.yaml }]\n')
  expect((await runCommand(['validate', 'overlay'], { cwd })).stdout).toContain('overlay/weight.yaml:4:1 NodePool/web')
})
