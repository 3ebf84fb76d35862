import { expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'

/*
 * Articles show manifests that call themselves v1 and have fields as v1beta1 had them. `joinery convert` mends that, and who is refused for it
 * should hear so, but not of what is wrong otherwise.
 */

interface Told {
  readonly path: string
  readonly fix: string | null
}

async function toldOf(stdin: string): Promise<readonly Told[]> {
  const { stdout } = await runCommand(['validate', '-', '-o', 'json'], { stdin })
  const [report] = JSON.parse(stdout) as { errors: Told[]; warnings: Told[] }[]
  return [...(report?.errors ?? []), ...(report?.warnings ?? [])].map(({ path, fix }) => ({ path, fix }))
}

const fix = 'Run joinery convert on the file.'

test('what convert mends of a NodePool says so, and what it does not does not', async () => {
  const pool = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: a }
spec:
  weight: 1000
  disruption: { consolidationPolicy: WhenUnderutilized, expireAfter: 720h }
  template: { spec: { nodeClassRef: { name: default }, requirements: [] } }
`
  expect(await toldOf(pool)).toEqual([
    { path: 'spec.disruption.consolidationPolicy', fix },
    { path: 'spec.disruption.consolidateAfter', fix },
    { path: 'spec.template.spec.nodeClassRef.group', fix },
    { path: 'spec.template.spec.nodeClassRef.kind', fix },
    { path: 'spec.weight', fix: null },
    { path: '<nil>', fix: null },
    { path: 'spec.disruption.expireAfter', fix },
  ])
})

test('a class that names a family and no images, too', async () => {
  const nodeClass = `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: { name: a }
spec:
  amiFamily: AL2023
  role: r
  subnetSelectorTerms: [{ tags: { a: b } }]
`
  expect(await toldOf(nodeClass)).toEqual([
    { path: 'spec.amiSelectorTerms', fix },
    { path: 'spec.securityGroupSelectorTerms', fix: null },
    { path: '<nil>', fix: null },
  ])
})

test('what is written as v1 has it says nothing of it', async () => {
  const pool = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: a }
spec:
  weight: 1000
  template:
    spec: { nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: default }, requirements: [] }
`
  expect(await toldOf(pool)).toEqual([{ path: 'spec.weight', fix: null }])
})

test('as text the fix that several lines have in common stands once, below them', async () => {
  const pool = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: a }
spec: { template: { spec: { nodeClassRef: { name: default }, requirements: [] } } }
`
  const { stdout } = await runCommand(['validate', '-'], { stdin: pool })
  const reference = '-:4:29 NodePool/a spec.template.spec.nodeClassRef'
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    `${reference}.group: Required value (schema)`,
    `${reference}.kind: Required value (schema)`,
    `    fix: ${fix}`,
  ])
})
