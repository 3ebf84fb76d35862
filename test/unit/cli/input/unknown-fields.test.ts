import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'
import { classManifest as aClass } from '../../../support/class-manifest.ts'

const mistyped = aClass
  .replace('name: default', 'name: default, lables: {}')
  .replace('role: r', 'role: r\n  detialed: true')
const warnings = [
  'warning: -:3:28 EC2NodeClass/default metadata.lables: unknown field, which an API server drops. Did you mean "labels"?',
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
      'warning: -:7:3 EC2NodeClass/default spec.subnetSelectorTerm: unknown field, which an API server drops. Did you mean "subnetSelectorTerms"?',
      '-:4:1 EC2NodeClass/default spec.subnetSelectorTerms: Required value',
    ],
  ])
})

describe('a misspelt field', () => {
  const pool = (spec: string, metadata = '{ name: p }') => `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: ${metadata}
spec:
  template:
    spec:
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: default }
      requirements: []
${spec}
`
  const volume = (field: string) =>
    aClass.replace('role: r', `role: r\n  blockDeviceMappings: [{ ebs: { ${field}: 20Gi } }]`)
  const meant: Record<string, [manifest: string, question: string | undefined]> = {
    'is asked about by its nearest sibling': [pool('  limit: { cpu: 10 }'), 'limits'],
    'in metadata': [pool('', '{ name: p, anotations: {} }'), 'annotations'],
    'in a list': [pool('  disruption: { consolidateAfter: 0s, budgets: [{ node: "1" }] }'), 'nodes'],
    'with two letters in the wrong order': [pool('').replace('spec:', 'sepc:'), 'spec'],
    'with three letters less': [aClass.replace('role: r', 'role: r\n  detailedMonitor: true'), 'detailedMonitoring'],
    'with other capitals': [pool('      expireafter: 1h'), 'expireAfter'],
    'as whose sibling the field that is meant is there already': [pool('  limit: {}\n  limits: {}'), undefined],
    'the same in a list': [
      pool('  disruption: { consolidateAfter: 0s, budgets: [{ node: "1", nodes: "1" }] }'),
      undefined,
    ],
    'that is like nothing there': [pool('  priority: 10'), undefined],
    'that has four letters more than what it begins with': [pool('  disruptionPlan: {}'), undefined],
    'that has a third of another short word': [pool('  wait: 10s'), undefined],
    'that is near to two, and nearer to one': [volume('volumeSise'), 'volumeSize'],
    'that is as near to two': [volume('volumeTite'), undefined],
    'in a map, whose names are all known': [pool('  limits: { cpus: 10 }'), undefined],
    'in what should be a list': [pool('  disruption: { consolidateAfter: 0s, budgets: { node: "1" } }'), undefined],
  }
  test.each(Object.entries(meant))('%s', async (_name, [manifest, name]) => {
    const { stderr } = await runCommand(['simulate', '-'], { stdin: manifest })
    const { stdout } = await runCommand(['validate', '-', '-o', 'json'], { stdin: manifest })
    const [report] = JSON.parse(stdout) as { warnings: { message: string; fix: string | null }[] }[]
    const fixes = report?.warnings.filter(({ message }) => message.startsWith('unknown field')).map(({ fix }) => fix)
    if (name === undefined) {
      expect(stderr).not.toContain('Did you mean')
      expect(fixes?.filter((fix) => fix !== null)).toEqual([])
    } else {
      expect(stderr).toContain(`unknown field, which an API server drops. Did you mean "${name}"?`)
      expect(fixes).toEqual([`Did you mean "${name}"?`])
    }
  })
})

test('of very many the first ten are told, and how many follow', async () => {
  const classes = Array.from({ length: 6 }, (_, index) => mistyped.replace('name: default', `name: c${index}`)).join(
    '---\n',
  )
  const { told } = await answer('simulate', classes)
  expect(told).toHaveLength(11)
  expect(told.at(-1)).toBe('warning: 2 more unknown fields')
})

test('what is no object, not ours or misshapen is told for that alone', async () => {
  const ofOthers = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a, lables: {} }\ndatas: {}\n'
  const { code, told } = await answer(
    'simulate',
    [ofOthers, '- 1\n', aClass.replace('{ name: default }', 'a')].join('---\n'),
  )
  expect(code).toBe(1)
  expect(told[0]).toBe('-:6:1: a manifest must be a mapping of fields')
  expect(told[1]).toContain('must be of type object: "string"')
  expect(told.join()).not.toContain('unknown field')
})
