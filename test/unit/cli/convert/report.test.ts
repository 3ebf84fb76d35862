import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'

const input = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: one
spec:
  disruption:
    consolidationPolicy: WhenUnderutilized
  template:
    spec:
      requirements: []
      nodeClassRef:
        name: default
      kubelet:
        maxPods: 20
---
apiVersion: v1
kind: ConfigMap
metadata: { name: x }
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: { name: default }
spec:
  securityGroupSelectorTerms:
    - tags: { a: b }
      tags: { c: d }
---
apiVersion: v1
kind: List
items:
  - apiVersion: karpenter.sh/v1alpha5
    kind: Machine
    metadata: { name: m }
  - apiVersion: karpenter.sh/v1beta1
    kind: NodeClaim
    metadata: { name: c }
    spec: { nodeClassRef: { name: default }, requirements: [] }
`

const ref = { name: 'default', group: 'karpenter.k8s.aws', kind: 'EC2NodeClass' }

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'joinery-convert-'))
  writeFileSync(join(folder, 'old.yaml'), input)
})
afterEach(() => rmSync(folder, { recursive: true }))

test('-o json tells what became of each object, and what it is now', async () => {
  const { code, stdout, stderr } = await runCommand(['convert', 'old.yaml', '-o', 'json'], { cwd: folder })
  expect([code, stderr]).toEqual([1, ''])
  expect(JSON.parse(stdout)).toEqual([
    {
      file: 'old.yaml',
      document: 0,
      line: 1,
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      name: 'one',
      outcome: 'converted',
      remarks: [
        {
          kind: 'check',
          path: 'spec.template.spec.kubelet',
          message: 'kubelet settings belong to EC2NodeClass default now; every pool that uses the class gets them',
          line: 13,
          column: 7,
        },
        {
          kind: 'lost',
          path: 'spec.template.spec.kubelet',
          message: 'EC2NodeClass default is not among the documents: add the kubelet settings to it by hand',
          line: 13,
          column: 7,
        },
      ],
      object: {
        apiVersion: 'karpenter.sh/v1',
        kind: 'NodePool',
        metadata: { name: 'one' },
        spec: {
          disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' },
          template: { spec: { requirements: [], nodeClassRef: ref } },
        },
      },
    },
    {
      file: 'old.yaml',
      document: 1,
      line: 16,
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'x',
      outcome: 'unchanged',
      remarks: [],
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } },
    },
    {
      file: 'old.yaml',
      document: 2,
      line: 20,
      apiVersion: '',
      kind: '',
      name: '',
      outcome: 'refused',
      remarks: [
        {
          kind: 'refused',
          path: '',
          message: 'the key tags comes twice: only one of them would count',
          line: 26,
          column: 7,
        },
      ],
      object: null,
    },
    expect.objectContaining({ document: 3, line: 31, kind: 'Machine', name: 'm', outcome: 'refused' }),
    expect.objectContaining({
      document: 3,
      line: 34,
      apiVersion: 'karpenter.sh/v1beta1',
      kind: 'NodeClaim',
      outcome: 'converted',
      object: expect.objectContaining({
        apiVersion: 'karpenter.sh/v1',
        spec: { nodeClassRef: ref, requirements: [], expireAfter: 'Never' },
      }),
    }),
  ])
})

test('with --in-place it tells the same beside writing, and what a file that is left alone stays as', async () => {
  const args = ['convert', 'old.yaml', '--in-place', '-o', 'json']
  const refused = await runCommand(args, { cwd: folder })
  const outcomes = (stdout: string) => (JSON.parse(stdout) as { outcome: string }[]).map(({ outcome }) => outcome)
  expect(refused.stderr).toBe('old.yaml: not written, because a document of it was refused\n')
  expect(outcomes(refused.stdout)).toEqual(['unchanged', 'unchanged', 'refused', 'refused', 'unchanged'])
  expect(readFileSync(join(folder, 'old.yaml'), 'utf8')).toBe(input)

  writeFileSync(join(folder, 'old.yaml'), input.split('---\n')[0] ?? '')
  const written = await runCommand(args, { cwd: folder })
  expect([written.code, outcomes(written.stdout)]).toEqual([0, ['converted']])
  expect(readFileSync(join(folder, 'old.yaml'), 'utf8')).toContain('WhenEmptyOrUnderutilized')
})
