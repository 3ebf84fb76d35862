import { expect, test } from 'vitest'
import { catalogManifest } from '../../../support/catalog-manifest.ts'
import { runCommand } from '../../../support/command-run.ts'

const pool = (status = '{}'): string => `---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: general }
status: ${status}
spec:
  template:
    spec:
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: default }
      requirements: []
`
const nodeClass = (status = '{}'): string => `---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: { name: default }
status: ${status}
spec:
  role: r
  amiSelectorTerms: [{ alias: al2023@latest }]
  subnetSelectorTerms: [{ tags: { a: b } }]
  securityGroupSelectorTerms: [{ tags: { a: b } }]
`
const since = 'lastTransitionTime: "2026-01-01T00:00:00Z"'
const isFalse = (type: string, reason: string, message: string): string =>
  `{ type: ${type}, status: "False", reason: ${reason}, message: ${message}, ${since} }`
const pod = '---\napiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec: { containers: [{ name: c, image: x }] }\n'
const catalogue = catalogManifest('test', [{ name: 'big', cpu: '8', memory: '16Gi', price: 0.4 }])

const cases: Record<string, [input: string, want: string]> = {
  'its class is not in the input': [
    pool(),
    'warning: NodePool general takes no pods, it is not ready: there is no EC2NodeClass default in the input\n',
  ],
  'its class says so': [
    pool() + nodeClass(`{ conditions: [${isFalse('Ready', 'UnhealthyDependents', 'SubnetsReady=False')}] }`),
    'warning: NodePool general takes no pods, it is not ready: EC2NodeClass default is not: SubnetsReady=False\n',
  ],
  'it says so itself': [
    pool(
      `{ conditions: [${isFalse('ValidationSucceeded', 'Bad', 'a taint comes twice')}, ${isFalse('Ready', 'UnhealthyDependents', 'x')}] }`,
    ) + nodeClass(),
    'warning: NodePool general takes no pods, it is not ready: a taint comes twice\n',
  ],
  'not where it is ready': [pool() + nodeClass(), ''],
  'not where a catalogue stands for the class': [catalogue + pool(), ''],
}
test.each(Object.entries(cases))('simulate tells of a pool that takes no pods: %s', async (_name, [input, want]) => {
  const { code, stderr } = await runCommand(['simulate', '-', '-o', 'json'], { stdin: input + pod })
  expect({ code, stderr }).toEqual({ code: 0, stderr: want })
})
