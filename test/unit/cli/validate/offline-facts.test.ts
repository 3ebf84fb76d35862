import { expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'

const pool = (name: string, more = '') => `---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: ${name}}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: []
${more}`

const nodeClass = (name: string, userData: string, family = 'AL2023') => `---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: ${name}}
spec:
  role: nodes
  amiFamily: ${family}
  amiSelectorTerms: [{id: ami-123}]
  subnetSelectorTerms: [{id: subnet-1}]
  securityGroupSelectorTerms: [{id: sg-1}]
  userData: ${JSON.stringify(userData)}
`

interface Finding {
  readonly rule: string
  readonly path: string
  readonly message: string
  readonly line: number
}

async function validate(text: string) {
  const { code, stdout } = await runCommand(['validate', '-f', '-', '-o', 'json'], { stdin: text })
  const [first] = JSON.parse(stdout) as { allowed: boolean; errors: Finding[]; warnings: Finding[] }[]
  return { code, allowed: first?.allowed, errors: first?.errors ?? [], warnings: first?.warnings ?? [] }
}

test('user data that cannot be merged is denied, with the parser\u2019s reason', async () => {
  const cases: [string, string, RegExp | undefined][] = [
    ['AL2023', 'MIME-Version: 1.0\nContent-Type: text/plain\n\nx', /not multipart/],
    ['AL2', 'Content-Type: multipart/mixed; boundary="a"\n\n--a\n\nx', /last boundary is missing/],
    ['Bottlerocket', '[settings\nx = 1', /invalid UserData/],
    ['AL2023', '#!/bin/bash\necho hello', undefined],
    ['Custom', '[settings\nx = 1', undefined],
  ]
  for (const [family, userData, want] of cases) {
    const { errors, code } = await validate(nodeClass('default', userData, family))
    if (want === undefined) expect([code, errors]).toEqual([0, []])
    else {
      expect(errors).toEqual([expect.objectContaining({ rule: 'JN-107', path: 'spec.userData', line: 11 })])
      expect(errors[0]?.message).toMatch(want)
    }
  }
})

test('the other documents stand for the cluster: pools that overlap, and a class that is not among the classes', async () => {
  const rulesOf = async (text: string) => (await validate(text)).warnings.map(({ rule }) => rule)
  expect(await rulesOf(pool('a'))).toEqual([])
  expect(await rulesOf(pool('a') + pool('b'))).toEqual(['JN-211'])
  expect(await rulesOf(pool('a') + pool('b', '  weight: 10\n'))).toEqual([])
  expect(await rulesOf(pool('a') + nodeClass('default', ''))).toEqual([])
  expect(await rulesOf(pool('a') + nodeClass('other', ''))).toEqual(['JN-214'])
})

test('a catalogue among the documents is what requirements are held against', async () => {
  const catalogue = `---
apiVersion: joinery.dev/v1alpha1
kind: InstanceTypeCatalog
metadata: {name: c}
instanceTypes:
  - name: m5.large
    capacity: {cpu: "2", memory: 8Gi, pods: "29"}
    requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]
    offerings:
      - price: 0.1
        requirements:
          - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}
          - {key: topology.kubernetes.io/zone, operator: In, values: [us-west-2a]}
`
  const arm = pool('a').replace('[]', '[{key: kubernetes.io/arch, operator: In, values: [arm64]}]')
  expect((await validate(arm + catalogue)).warnings.map(({ rule }) => rule)).toEqual(['JN-202'])
  expect((await validate(pool('a') + catalogue)).warnings).toEqual([])
})
