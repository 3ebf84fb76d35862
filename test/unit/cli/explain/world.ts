import { expect } from 'vitest'
import type { Explanation } from '../../../../src/cli/explain/explanation.ts'
import { catalogManifest } from '../../../support/catalog-manifest.ts'
import { runCommand } from '../../../support/command-run.ts'

export const catalogue = catalogManifest('test', [
  { name: 'small', cpu: '2', memory: '4Gi', price: 0.1 },
  { name: 'big', cpu: '8', memory: '16Gi', price: 0.4 },
])

interface PoolWish {
  readonly metadata?: string
  readonly status?: string
  readonly limits?: string
  readonly budgets?: string
  readonly consolidateAfter?: string
  readonly taints?: string
  readonly replicas?: number
}

export function pool({
  metadata = '{name: general}',
  status = '{}',
  limits = '{}',
  budgets = '[{nodes: "100%"}]',
  consolidateAfter = '0s',
  taints = '[]',
  replicas,
}: PoolWish = {}) {
  return `---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: ${metadata}
status: ${status}
spec:
  limits: ${limits}${replicas === undefined ? '' : `\n  replicas: ${replicas}`}
  disruption: {consolidateAfter: ${consolidateAfter}, budgets: ${budgets}}
  template:
    spec:
      taints: ${taints}
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements: [{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
`
}

export function pod(
  name: string,
  { cpu = '1', more = '', annotations = '{}', labels = '{}', metadata = '' } = {},
): string {
  return `---
apiVersion: v1
kind: Pod
metadata: {${metadata}name: ${name}, namespace: shop, annotations: ${annotations}, labels: ${labels}, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: r, controller: true}]}
spec:
  ${more}
  containers: [{name: main, image: app, resources: {requests: {cpu: "${cpu}"}}}]
`
}

/** An initialized node of type big with its claim. */
export function machine(
  name: string,
  {
    annotations = '{}',
    conditions = '',
    taints = '[]',
    deleted = '',
    claim = '',
    ready = '',
    type = 'big',
    cpu = '8',
    memory = '16Gi',
  } = {},
): string {
  const labels =
    '{karpenter.sh/nodepool: general, node.kubernetes.io/instance-type: ' +
    type +
    ', karpenter.sh/capacity-type: on-demand, topology.kubernetes.io/zone: zone-a, karpenter.sh/registered: "true", karpenter.sh/initialized: "true", kubernetes.io/hostname: ' +
    name +
    ', kubernetes.io/arch: amd64, kubernetes.io/os: linux}'
  const at = 'lastTransitionTime: "2026-01-01T00:00:00Z"'
  const truly = (what: string): string => `{type: ${what}, status: "True", reason: ${what}, message: "", ${at}}`
  return `---
apiVersion: karpenter.sh/v1
kind: NodeClaim
metadata: {name: claim-${name}, labels: ${labels}, creationTimestamp: "2026-01-01T00:00:00Z"${deleted}${claim}}
spec:
  expireAfter: 720h
  nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
  requirements: []
status:
  providerID: aws:///zone-a/${name}
  nodeName: ${name}
  capacity: {cpu: "${cpu}", memory: ${memory}, pods: "20"}
  allocatable: {cpu: "${cpu}", memory: ${memory}, pods: "20"}
  conditions: [${['Launched', 'Registered', 'Initialized'].map(truly).join(', ')}${conditions}]
---
apiVersion: v1
kind: Node
metadata: {name: ${name}, labels: ${labels}, annotations: ${annotations}${deleted}}
spec: {providerID: "aws:///zone-a/${name}", taints: ${taints}}
status:
  capacity: {cpu: "${cpu}", memory: ${memory}, pods: "20"}
  allocatable: {cpu: "${cpu}", memory: ${memory}, pods: "20"}
  conditions: [${ready === '' ? truly('Ready') : ready}]
`
}

export async function explained(
  subject: string,
  name: string,
  manifests: string,
  gates: readonly string[] = [],
): Promise<Explanation> {
  const now = ['--now', '2026-01-02T00:00:00Z', ...gates]
  const { code, stdout, stderr } = await runCommand(['explain', subject, name, '-f', '-', '-o', 'json', ...now], {
    stdin: catalogue + manifests,
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as Explanation
}

export const drifted =
  ', {type: Drifted, status: "True", reason: NodeClassDrift, message: "", lastTransitionTime: "2026-01-01T00:00:00Z"}'

/** Of a pool: its breaker is open, or where the condition is `Stalled` that of all pools. */
export const openBreaker = (retryAt: string, type = 'CircuitOpen'): string => {
  const message = `3 in a row: nodes did not register (RegistrationFailed); one node tries again at ${retryAt}`
  const code = type === 'Stalled' ? 'CircuitOpen' : 'RegistrationFailed'
  return `{conditions: [{type: ${type}, status: "True", reason: ${code}, message: "${message}", lastTransitionTime: "2026-01-01T00:00:00Z"}]}`
}

export const disrupted = '[{key: karpenter.sh/disrupted, effect: NoSchedule}]'
export const disruptedFor = (why: string): string =>
  `, {type: DisruptionReason, status: "True", reason: ${why}, message: ${why}, lastTransitionTime: "2026-01-01T23:00:00Z"}`
export const deletedAt = ', deletionTimestamp: "2026-01-01T23:00:00Z", finalizers: [karpenter.sh/termination]'

export const medium = `
  - name: medium
    capacity: {cpu: "4", memory: 8Gi, pods: "20"}
    requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}, {key: kubernetes.io/os, operator: In, values: [linux]}]
    offerings:
      - price: 0.25
        requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [zone-a]}, {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]
`

export interface ExplainCase {
  readonly ask: readonly [string, string]
  readonly manifests: string
  readonly summary: string
  readonly reason?: {
    readonly about: string
    readonly outcome: string
    readonly code: string
    readonly message?: string
    readonly help?: RegExp
  }
}

export async function checkExplained(_name: string, { ask, manifests, summary, reason }: ExplainCase): Promise<void> {
  const explanation = await explained(...ask, manifests)
  expect(explanation.summary).toBe(summary)
  if (reason === undefined) return
  const { help, ...wanted } = reason
  const found = explanation.reasons.find(({ about, code }) => about === reason.about && code === reason.code)
  expect(explanation.reasons).toContainEqual(expect.objectContaining(wanted))
  if (help !== undefined) expect(found?.help).toMatch(help)
}

export const paused = '{joinery.dev/pause-until: "2026-01-03T00:00:00Z"}'
export const pausedClass = `---
apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata: {name: default, annotations: ${paused}}
spec: {role: node, amiSelectorTerms: [{alias: al2023@latest}], subnetSelectorTerms: [{id: subnet-1}], securityGroupSelectorTerms: [{id: sg-1}]}
`
export const pausedPolicy = `---
apiVersion: joinery.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: careful}
spec: {nodePoolSelector: {}, pausedUntil: "2026-01-03T00:00:00Z"}
`

/** Open from eight to nine in the evening, for whatever it covers. */
export const eveningPolicy = (covers: string): string => `---
apiVersion: joinery.dev/v1alpha1
kind: RolloutPolicy
metadata: {name: careful}
spec: {nodePoolSelector: {}, covers: [${covers}], windows: [{schedule: "0 20 * * *", duration: 1h}]}
`
