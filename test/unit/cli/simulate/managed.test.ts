import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'

/*
 * A cluster with EKS Auto Mode has pools whose node classes are another controller's. Nobody may take them for ours, above all not where a
 * class of ours has the name of theirs.
 */

const pool = (name: string, reference: string): string => `---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: ${name} }
spec:
  template:
    spec:
      nodeClassRef: ${reference}
      requirements: [{ key: kubernetes.io/arch, operator: In, values: [arm64] }]
`
const foreign = pool('general', '{ group: eks.amazonaws.com, kind: NodeClass, name: default }')
const ours = pool('own', '{ group: karpenter.k8s.aws, kind: EC2NodeClass, name: default }')
const nodeClass = `---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: { name: default }
spec:
  role: r
  amiSelectorTerms: [{ alias: al2023@v20251112 }]
  subnetSelectorTerms: [{ tags: { a: b } }]
  securityGroupSelectorTerms: [{ tags: { a: b } }]
`
const pod = '---\napiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec: { containers: [{ name: c, image: x }] }\n'
const machine = `---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: { name: general-1, labels: { karpenter.sh/nodepool: general } }
spec:
  nodeClassRef: { group: eks.amazonaws.com, kind: NodeClass, name: default }
  requirements: []
status: { nodeName: n1, providerID: "aws:///us-east-1a/i-1" }
---
apiVersion: v1
kind: Node
metadata: { name: n1, labels: { karpenter.sh/nodepool: general } }
spec: { providerID: "aws:///us-east-1a/i-1" }
status: { conditions: [{ type: Ready, status: "True" }] }
`
const warning = 'warning: NodePool general is left alone: its NodeClass default of eks.amazonaws.com is not ours\n'

let file = ''
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'joinery-managed-')), 'input.yaml')
})
afterEach(() => rmSync(join(file, '..'), { recursive: true }))

async function run(input: string, ...args: string[]): ReturnType<typeof runCommand> {
  writeFileSync(file, input)
  return runCommand([...args, '-f', file])
}

test('simulate gives it no pods, and says why', async () => {
  const { stdout, stderr } = await run(foreign + nodeClass + pod, 'simulate', '-o', 'json')
  expect(stderr).toBe(warning)
  expect(JSON.parse(stdout)).toMatchObject({ nodeClaims: [], unschedulable: [{ pod: 'default/web' }] })
})

test('simulate gives them to a pool of ours', async () => {
  const { stdout, stderr } = await run(foreign + ours + nodeClass + pod, 'simulate', '-o', 'json')
  expect(stderr).toBe(warning)
  expect(JSON.parse(stdout)).toMatchObject({ nodeClaims: [{ nodePool: 'own', pods: ['default/web'] }] })
})

test('explain says whose it is', async () => {
  const { code, stdout } = await run(foreign + nodeClass, 'explain', 'nodepool', 'general', '-o', 'json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    summary: 'The NodePool is left alone: its NodeClass default of eks.amazonaws.com is not ours.',
    reasons: [{ about: 'node class', outcome: 'blocks', code: 'NotManaged' }],
  })
})

test('explain says of a node of it that nobody here disrupts it', async () => {
  const { stdout } = await run(foreign + nodeClass + machine, 'explain', 'node', 'n1', '-o', 'json')
  expect(stdout).toContain('NotManaged')
  expect(stdout).not.toContain('NodePoolNotFound')
})

test('plan replaces none of its nodes', async () => {
  writeFileSync(file, foreign.replace('arm64', 'amd64'))
  const snapshot = join(file, '..', 'snapshot.yaml')
  writeFileSync(snapshot, foreign + nodeClass + machine + pod)
  expect(await runCommand(['plan', '--snapshot', snapshot, '-f', file])).toEqual({
    code: 0,
    stdout: 'No changes. Every node stays as it is.\n',
    stderr: warning,
  })
})
