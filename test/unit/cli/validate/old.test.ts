import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'

const pool = (kind: string, metadata = '{name: p}'): string => `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: ${metadata}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: ${kind}, name: default}
      requirements: []
`

describe('--old', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'joinery-old-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  function validate(text: string, old: readonly string[]) {
    const flags = old.flatMap((content, index) => {
      writeFileSync(join(folder, `${index}.yaml`), content)
      return ['--old', `${index}.yaml`]
    })
    return runCommand(['validate', '-f', '-', ...flags], { cwd: folder, stdin: text })
  }

  test('cannot come from where the manifests come from', async () => {
    const { code, stderr } = await runCommand(['validate', '-', '--old', '-'], { stdin: '' })
    expect([code, stderr]).toEqual([
      2,
      'error: standard input can hold the manifests or what --old is about, not both\n',
    ])
  })

  test('judges an update, for which more holds', async () => {
    const { code, stdout } = await validate(pool('Other'), [pool('EC2NodeClass')])
    expect(code).toBe(1)
    expect(stdout).toContain('nodeClassRef.kind is immutable')
  })

  test('pairs by kind and name, whatever namespace a tool has written on a kind without one', async () => {
    const { stdout } = await validate(pool('Other', '{name: p, namespace: karpenter}'), [pool('EC2NodeClass')])
    expect(stdout).toContain('nodeClassRef.kind is immutable')
  })

  test('tells a field that is new to the server when nothing else has changed, and one that stands in both files', async () => {
    const old = pool('EC2NodeClass')
    const mistyped = old.replace('      requirements: []', '      requirements: []\n      expireAfer: 24h')
    const unknown =
      '-:9:7 NodePool/p spec.template.spec.expireAfer: warning: unknown field "spec.template.spec.expireAfer"'
    expect((await validate(mistyped, [old])).stdout).toContain(unknown)
    expect((await validate(mistyped, [mistyped])).stdout).toContain(unknown)
    expect((await validate(pool('EC2NodeClass', '{name: p, lables: {}}'), [old])).stdout).toContain(
      'metadata.lables: warning: unknown field "metadata.lables"',
    )
  })

  test('leaves patches alone', async () => {
    const patch = '- op: replace\n  path: /spec/weight\n  value: 3\n'
    const { stdout } = await validate(pool('Other'), [pool('EC2NodeClass'), patch])
    expect(stdout).toContain('nodeClassRef.kind is immutable')
  })

  test('may be repeated', async () => {
    const other = pool('EC2NodeClass', '{name: q}')
    const { stdout } = await validate(pool('Other'), [pool('EC2NodeClass'), other])
    expect(stdout).toContain('nodeClassRef.kind is immutable')
  })

  test('is not held up by an object that is being deleted, which a new one of that name is not', async () => {
    const leaving = pool('EC2NodeClass', '{name: p, deletionTimestamp: "2026-06-14T09:00:00Z"}')
    const wrong = leaving.replace('requirements: []', 'requirements: []\n      expireAfter: soon')
    expect((await validate(wrong, [leaving])).stdout).toBe('1 document, 0 refused, 0 warnings\n')
    expect((await validate(wrong, [])).code).toBe(1)
  })

  test('tells buffers of one name apart by their namespaces, of which none is the default one', async () => {
    const buffer = (metadata: string) =>
      `apiVersion: autoscaling.x-k8s.io/v1beta1\nkind: CapacityBuffer\nmetadata: {name: b, ${metadata}}\nspec: {replicas: -1}\n`
    // What is being deleted is not judged, so that it shows which one was found.
    const leaving = buffer('namespace: default, deletionTimestamp: "2026-06-14T09:00:00Z"')
    const code = async (text: string) => (await validate(text, [leaving])).code
    expect(await code(buffer('namespace: default'))).toBe(0)
    expect(await code(buffer('labels: {}'))).toBe(0)
    expect(await code(buffer('namespace: other'))).toBe(1)
  })

  test('takes an object of v1 as it is: a value that has been let in may stay, as at an API server', async () => {
    const stored = pool('EC2NodeClass').replace(
      'spec:',
      'spec:\n  disruption: {consolidationPolicy: WhenUnderutilized}',
    )
    expect((await validate(stored, [])).code).toBe(1)
    expect((await validate(stored, [stored])).stdout).toBe('1 document, 0 refused, 0 warnings\n')
  })

  test('takes what is in the cluster for what it becomes in v1', async () => {
    const beta = pool('EC2NodeClass')
      .replace('karpenter.sh/v1', 'karpenter.sh/v1beta1')
      .replace('{group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}', '{name: default}')
    expect((await validate(pool('EC2NodeClass'), [beta])).stdout).toBe('1 document, 0 refused, 0 warnings\n')
    expect((await validate(pool('Other'), [beta])).stdout).toContain('nodeClassRef.kind is immutable')
  })

  test('says what of it cannot be read, rather than judge by fewer rules', async () => {
    const { code, stdout, stderr } = await validate(pool('Other'), ['a: [\n'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toMatch(/^0\.yaml:2:1: /)
  })
})
