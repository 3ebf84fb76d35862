import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
const noteOf = (kind: string): string => `note: ${kind}s count for nothing, the feature gate ${kind} is off\n`

describe('objects that nobody looks at while their feature gate is off are told of, unless gates were given', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'joinery-gated-'))
    writeFileSync(join(folder, 'cluster.yaml'), catalogue + pool)
    writeFileSync(join(folder, 'overlay.yaml'), overlay)
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
    'nothing of the kind': [['simulate', 'cluster.yaml'], ''],
    'a gate that is on': [['simulate', '.', '--feature-gates', 'NodeOverlay=true,CapacityBuffer=true'], ''],
    'a gate that is off on purpose': [['simulate', '.', '--feature-gates', 'NodeOverlay=false'], ''],
  }
  test.each(Object.entries(cases))('%s', async (_name, [args, stderr]) => {
    expect(await runCommand(args, { cwd: folder })).toMatchObject({ code: 0, stderr })
  })
})
