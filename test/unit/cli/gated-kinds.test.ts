import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bufferManifest } from '../../support/buffer-manifest.ts'
import { catalogManifest } from '../../support/catalog-manifest.ts'
import { runCommand } from '../../support/command-run.ts'

const catalogue = catalogManifest('test', [{ name: 'big', cpu: '8', memory: '16Gi', price: 0.4 }])
const pool = `---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: general }
spec:
  template:
    spec:
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: default }
      requirements: []
`
const overlay = `---
apiVersion: karpenter.sh/v1alpha1
kind: NodeOverlay
metadata: { name: cheap }
spec: { requirements: [], price: "0.01" }
`
const operator = `---
apiVersion: apps/v1
kind: Deployment
metadata: { name: joinery, namespace: kube-system }
spec:
  template:
    spec:
      containers: [{ name: controller, env: [{ name: FEATURE_GATES, value: "NodeOverlay=true,CapacityBuffer=false" }] }]
`
const noteOf = (kind: string): string =>
  `note: ${kind}s count for nothing: no Deployment of an operator is seen, so the feature gate ${kind} is taken to be off; --feature-gates says otherwise\n`

describe('objects that nobody looks at while their feature gate is off are told of, unless gates were given', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'joinery-gated-'))
    writeFileSync(join(folder, 'cluster.yaml'), catalogue + pool)
    writeFileSync(join(folder, 'overlay.yaml'), overlay)
    mkdirSync(join(folder, '.operator'))
    writeFileSync(join(folder, '.operator', 'operator.yaml'), operator)
    writeFileSync(join(folder, 'buffer.yaml'), bufferManifest('default', '1', 1))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const cases: Record<string, [args: string[], stderr: string]> = {
    'an overlay, to simulate': [['simulate', 'cluster.yaml', 'overlay.yaml'], noteOf('NodeOverlay')],
    'a buffer, to simulate': [['simulate', 'cluster.yaml', 'buffer.yaml'], noteOf('CapacityBuffer')],
    'both, to explain': [
      ['explain', 'nodepool', 'general', '-f', '.'],
      noteOf('NodeOverlay') + noteOf('CapacityBuffer'),
    ],
    'an overlay that is to be applied, to plan': [
      ['plan', 'overlay.yaml', '--snapshot', 'cluster.yaml'],
      noteOf('NodeOverlay'),
    ],
    'a buffer that the operator does not look at': [
      ['explain', 'nodepool', 'general', '-f', 'cluster.yaml', '-f', 'buffer.yaml', '-f', '.operator/operator.yaml'],
      'note: feature gates as Deployment kube-system/joinery has them: NodeOverlay=true\n' +
        'note: CapacityBuffers count for nothing: the feature gate CapacityBuffer is off\n',
    ],
    'nothing of the kind': [['simulate', 'cluster.yaml'], ''],
    'a gate that is on': [['simulate', '.', '--feature-gates', 'NodeOverlay=true,CapacityBuffer=true'], ''],
    'a gate that is off on purpose': [['simulate', '.', '--feature-gates', 'NodeOverlay=false'], ''],
  }
  test.each(Object.entries(cases))('%s', async (_name, [args, stderr]) => {
    expect(await runCommand(args, { cwd: folder })).toMatchObject({ code: 0, stderr })
  })
})
