import { expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'
import { poolText } from '../../../support/pool-text.ts'

const pool = (name: string, more = '') => poolText(name, { more })

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

async function validate(text: string, ...flags: string[]) {
  const { code, stdout } = await runCommand(['validate', '-f', '-', '-o', 'json', ...flags], { stdin: text })
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

test('with a region the built-in instance types are what requirements, minValues and limits are held against', async () => {
  const asking = (requirement: string, more = '') => pool('a', more).replace('[]', `[${requirement}]`)
  const rulesOf = async (text: string) =>
    (await validate(text, '--region', 'us-west-2')).warnings.map(({ rule }) => rule)
  const family = (name: string, more = '') =>
    `{key: karpenter.k8s.aws/instance-family, operator: In, values: [${name}]${more}}`
  expect(await rulesOf(asking(family('m7i')))).toEqual([])
  expect(await rulesOf(asking(family('m77i')))).toEqual(['JN-202'])
  const zone = '{key: topology.kubernetes.io/zone, operator: In, values: [eu-west-1a]}'
  expect(await rulesOf(asking(zone))).toEqual(['JN-202'])
  const types = '{key: node.kubernetes.io/instance-type, operator: Exists, minValues: 40}'
  expect(await rulesOf(asking(`${family('m7i')}, ${types}`))).toEqual(['JN-203'])
  expect(await rulesOf(asking(family('m7i'), '  limits: {cpu: "1"}\n'))).toEqual(['JN-204'])
  // No table knows what is reserved.
  const reserved = '{key: karpenter.sh/capacity-type, operator: In, values: [reserved]}'
  expect(await rulesOf(asking(reserved))).toEqual([])
  expect((await validate(asking(family('m77i')))).warnings).toEqual([])
})

test('names, labels and finalizers that an API server refuses are refused here, each at its place', async () => {
  const text = pool('Not_A_Name').replace('metadata: {', 'metadata: {labels: {team: a b}, finalizers: [a/b/c], ')
  const { code, errors } = await validate(text)
  expect(code).toBe(1)
  expect(errors.map(({ rule, path }) => `${rule} ${path}`)).toEqual([
    'schema metadata.name',
    'schema metadata.labels',
    'schema metadata.finalizers',
  ])
  expect(errors.every(({ line }) => line === 4)).toBe(true)
})

test('instance types that cannot be read are told, since the rules that ask for them would be silent', async () => {
  const catalogue =
    'apiVersion: joinery.dev/v1alpha1\nkind: InstanceTypeCatalog\nmetadata: {name: c}\ninstanceTypes: 3\n'
  const { code, errors } = await validate(`${catalogue}${pool('a')}`)
  expect([code, errors[0]?.rule, errors[0]?.path, errors[0]?.line]).toEqual([1, 'schema', 'instanceTypes', 4])
})
