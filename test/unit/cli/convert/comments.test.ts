import { expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'

const convert = (stdin: string) => runCommand(['convert', '-f', '-'], { stdin })

const oldManifests = `apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: default}
spec:
  # which class
  providerRef: # by name
    # of team a
    name: default # the only one
  # at most
  limits: # of the pool
    resources:
      # cores
      cpu: 1000 # many
  labels: {team: a}
  requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}]
  ttlSecondsUntilExpired: 2592000 # a month
  # soon
  ttlSecondsAfterEmpty: 30 # half a minute
  # our kubelets
  kubeletConfiguration:
    # few
    maxPods: 20 # pods
    containerRuntime: containerd # gone
---
apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: {name: default}
spec:
  instanceProfile: nodes
  # where
  subnetSelector:
    # ours
    karpenter.sh/discovery: my-cluster # the cluster
  # images
  amiSelector:
    aws-ids: ami-1
  # two
  securityGroupSelector: {team: "a,b"}
`

const newManifests = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  # at most
  # of the pool
  limits:
    # cores
    cpu: 1000 # many
  template:
    metadata:
      labels: {team: a}
    spec:
      # which class
      nodeClassRef:
        group: karpenter.k8s.aws
        kind: EC2NodeClass
        # by name
        # of team a
        name: default # the only one
      requirements: [{key: node.kubernetes.io/instance-type, operator: In, values: [m5.large]}, {key: kubernetes.io/os, operator: In, values: [linux]}, {key: kubernetes.io/arch, operator: In, values: [amd64]}, {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
      expireAfter: 2592000s # a month
  disruption:
    consolidationPolicy: WhenEmpty
    # soon
    consolidateAfter: 30s # half a minute
---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default}
spec:
  instanceProfile: nodes
  # where
  subnetSelectorTerms:
    - tags:
        # ours
        karpenter.sh/discovery: my-cluster # the cluster
  # two
  securityGroupSelectorTerms:
    - tags:
        team: a
    - tags:
        team: b
  amiFamily: AL2
  # images
  amiSelectorTerms:
    - id: ami-1
  metadataOptions:
    httpPutResponseHopLimit: 2
  # our kubelets
  kubelet:
    # few
    maxPods: 20 # pods
`

test('what is said of a setting goes where the setting goes, also into another document', async () => {
  expect((await convert(oldManifests)).stdout).toBe(newManifests)
})

test('what is said inside of a setting that has become another one stands above that', async () => {
  const { stdout } = await convert(`apiVersion: karpenter.k8s.aws/v1alpha1
kind: AWSNodeTemplate
metadata: # of team a
  name: default
spec:
  instanceProfile: nodes
  subnetSelector: {karpenter.sh/discovery: x}
  securityGroupSelector: # old
    # both
    Name: a,b # of the database
  # pinned
  amiSelector:
    aws::name: base # by the platform team
    # ours
    aws::owners: self # no others
---
apiVersion: karpenter.sh/v1alpha5
kind: Provisioner
metadata: {name: default}
spec:
  providerRef: {name: default}
  requirements: []
  consolidation:
    enabled: true # since May
`)
  expect(stdout).toContain('kind: EC2NodeClass\nmetadata: # of team a\n  name: default\n')
  expect(stdout).toContain(`  # old
  # both
  # of the database
  securityGroupSelectorTerms:
`)
  expect(stdout).toContain(`  # pinned
  # by the platform team
  # ours
  # no others
  amiSelectorTerms:
`)
  expect(stdout).toContain('  # since May\n  disruption:\n')
})

test('what is said below a setting that is commented out, of the next one, stays with that', async () => {
  const { stdout } = await convert(`apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      nodeClassRef: {name: default}
      requirements: []
      kubelet:
        maxPods: 20
        # podsPerCore: 3
      # in pairs
      # or none
      taints: []
  disruption:
    consolidationPolicy: WhenEmpty
    expireAfter: 720h
    # budgets: []
  # of the team
  limits: {cpu: 10}
---
apiVersion: karpenter.k8s.aws/v1beta1
kind: EC2NodeClass
metadata: {name: default}
spec:
  amiFamily: AL2
  role: r
  subnetSelectorTerms: [{id: subnet-1}]
  securityGroupSelectorTerms: [{id: sg-1}]
`)
  expect(stdout).toContain('      # in pairs\n      # or none\n      taints: []\n')
  expect(stdout).toContain('  # of the team\n  limits: {cpu: 10}\n')
  expect(stdout).toMatch(/ {4}maxPods: 20\n {4}# podsPerCore: 3\n$/)
})

test('what is said of a reference to a class, or of its version, stays', async () => {
  const { stdout } = await convert(`apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      nodeClassRef: # of team a
        # until the next major version
        apiVersion: karpenter.k8s.aws/v1beta1 # the last one
        kind: EC2NodeClass
        name: default
      requirements: []
`)
  expect(stdout).toBe(`apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      nodeClassRef:
        kind: EC2NodeClass
        name: default
        # of team a
        # until the next major version
        # the last one
        group: karpenter.k8s.aws
      requirements: []
`)
})

const pool = (kubelet: string, comment = '') =>
  `apiVersion: karpenter.sh/v1beta1
kind: NodePool
metadata: {name: p}
spec: {template: {spec: {nodeClassRef: {name: d}, requirements: [], kubelet: ${kubelet}}}}${comment}
`
const nodeClass = `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: d}
spec: {role: r,   amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}
`

test('kubelet settings that are written with an anchor are written out in the class', async () => {
  const { stdout } = await convert(`${pool('{maxPods: &few 3, podsPerCore: *few}')}---\n${nodeClass}`)
  expect(stdout).toMatch(/kubelet: \{ ?maxPods: 3, podsPerCore: 3 ?\}/)
})

test('a class that has the settings already keeps its text', async () => {
  const written = nodeClass.replace('{role', '{kubelet: {maxPods: 3},  role')
  const { stdout, stderr } = await convert(`${pool('{maxPods: 3}')}---\n${written}`)
  expect(stdout).toContain(written)
  expect(stderr).not.toContain('lost')
})

test('line ends stay those of Windows', async () => {
  const { stdout } = await convert(oldManifests.replaceAll('\n', '\r\n'))
  expect(stdout).toBe(newManifests.replaceAll('\n', '\r\n'))
})

const oldPool = { apiVersion: 'karpenter.sh/v1beta1', kind: 'NodeClaim', metadata: { name: 'a' }, spec: {} }

test.each([
  ['on one line', undefined],
  ['indented with tabs', '\t'],
  ['indented with four spaces', 4],
])('JSON stays %s', async (_name, indent) => {
  const { stdout } = await convert(`${JSON.stringify(oldPool, null, indent)}\n`)
  const spec = { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass' }, expireAfter: 'Never' }
  expect(stdout).toBe(`${JSON.stringify({ ...oldPool, apiVersion: 'karpenter.sh/v1', spec }, null, indent)}\n`)
})

test('a stream of JSON objects stays one; each is told by its own line', async () => {
  const other = '{"apiVersion": "v1",   "kind": "ConfigMap"}'
  const { stdout, stderr, code } = await convert(`${other}\n${JSON.stringify(oldPool)}\n${other}\n`)
  const [first, second, ...more] = stdout.split('\n')
  expect([first, ...more]).toEqual([other, other, ''])
  expect(JSON.parse(second ?? '')).toMatchObject({ apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim' })
  expect(stderr).toMatch(/^-:2:1 NodeClaim\/a invalid: spec\.requirements: Required value$/m)
  expect(code).toBe(1)
})

test('a list of manifests that is no List is refused instead of passed on; a JSON patch is not', async () => {
  const stdin = '- apiVersion: karpenter.sh/v1beta1\n  kind: NodePool\n  metadata: {name: a}\n'
  const { code, stdout, stderr } = await runCommand(['convert', '-'], { stdin })
  expect({ code, stdout }).toEqual({ code: 1, stdout: stdin })
  expect(stderr).toMatch(/^-:1:1 refused: no tool reads a list of manifests: /)
  const patch = '- op: remove\n  path: /spec/weight\n'
  expect(await runCommand(['convert', '-'], { stdin: patch })).toEqual({ code: 0, stdout: patch, stderr: '' })
})

test.each([
  ['karpenter.sh/v1alpha3', 'Provisioner', 'karpenter.sh/v1alpha5'],
  ['karpenter.k8s.aws/v1beta1', 'AWSNodeTemplate', 'karpenter.k8s.aws/v1alpha1'],
  ['karpenter.sh/v1alpha9', 'NodePool', 'karpenter.sh/v1beta1'],
])('%s of a %s, from which nothing leads on, is refused instead of passed on', async (apiVersion, kind, known) => {
  const stdin = `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: m}\n`
  const { code, stdout, stderr } = await runCommand(['convert', '-'], { stdin })
  expect({ code, stdout }).toEqual({ code: 1, stdout: stdin })
  expect(stderr).toBe(
    `-:1:1 ${kind}/m refused: of kind ${kind} only ${known} can be converted: bring it to that version first\n`,
  )
})

test('a NodeClaim of v1 is left as it is', async () => {
  const stdin = 'apiVersion: karpenter.sh/v1\nkind: NodeClaim\nmetadata: {name: m}\n'
  expect(await runCommand(['convert', '-'], { stdin })).toEqual({ code: 0, stdout: stdin, stderr: '' })
})

test('a Machine is refused: nothing that could be applied takes its place', async () => {
  const machine = 'apiVersion: karpenter.sh/v1alpha5\nkind: Machine\nmetadata: {name: m}\n'
  const { stdout, stderr, code } = await convert(machine)
  expect([code, stdout]).toEqual([1, machine])
  expect(stderr).toMatch(/^-:1:1 Machine\/m refused: .* remove it$/m)
})
