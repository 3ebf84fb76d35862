import { expect } from 'vitest'
import { nodeClaimConditions, setCondition } from '../../../src/api/conditions.ts'
import type { NodeClaim } from '../../../src/api/karpenter.ts'
import type { Node, Pod } from '../../../src/api/kubernetes.ts'
import { labelZone, taintDisrupted } from '../../../src/api/labels.ts'
import { nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../src/kube/kinds.ts'
import type { KubeClient } from '../../../src/kube/port.ts'
import { type Scenario, startScenario } from '../incidents/scenario.ts'
import type { WorldOptions } from '../world.ts'

/**
 * Each invariant is shown to catch what it forbids: the operator is gone, and somebody with its credentials does the wrong thing. Every
 * sabotage takes other objects, so that one world serves a few of them.
 */
export interface Sabotage {
  readonly scenario: Scenario
  /** Calls of the saboteur are taken for the operator's. */
  readonly client: KubeClient
  /** First those of nodes on which only `web` runs. */
  readonly claims: readonly NodeClaim[]
  nodeOf(claim: NodeClaim): Promise<Node>
  podOn(node: Node): Promise<Pod>
  taint(claim: NodeClaim, reason?: string): Promise<void>
  /** What was found since the last call, as `I7 …`. */
  found(): readonly string[]
}

export async function sabotage(options: Partial<WorldOptions> = {}): Promise<Sabotage> {
  const shapes = [{ name: 'web', replicas: 12, cpu: '3', memory: '4Gi' }]
  const scenario = await startScenario({ shapes, pools: [{ name: 'general', budget: '1' }], ...options })
  const { cluster } = scenario.world.stack
  expect(scenario.invariants.violations).toEqual([])
  scenario.world.stack.crashOperator()
  const client = cluster.clientFor('karpenter', scenario.hooks.of(0))
  const nodeOf = async (claim: NodeClaim): Promise<Node> => client.get(nodes, { name: claim.status?.nodeName ?? '' })
  const { items: running } = await client.list(pods, { namespace: 'default' })
  const others = new Set(
    running.filter(({ metadata }) => !metadata.name.startsWith('web-')).map(({ spec }) => spec.nodeName),
  )
  const runsOthers = ({ status }: NodeClaim): number => Number(others.has(status?.nodeName))
  let seen = 0
  return {
    scenario,
    client,
    claims: (await scenario.claims()).toSorted((a, b) => runsOthers(a) - runsOthers(b)),
    nodeOf,
    async podOn(node) {
      const { items } = await client.list(pods, { namespace: 'default' })
      const pod = items.find(({ spec }) => spec.nodeName === node.metadata.name)
      if (pod === undefined) throw new Error(`no pod on ${node.metadata.name}`)
      return pod
    },
    async taint(claim, reason = 'Drifted') {
      const node = await nodeOf(claim)
      const taints = [...(node.spec.taints ?? []), { ...taintDisrupted }]
      await client.patch(nodes, { name: node.metadata.name }, { kind: 'merge', body: { spec: { taints } } })
      const change = { type: 'DisruptionReason', status: 'True' as const, reason, message: reason }
      const { status } = setCondition(claim, nodeClaimConditions, change, cluster.clock.now())
      const body = { status: { conditions: status?.conditions } }
      await client.patch(nodeClaims, { name: claim.metadata.name }, { kind: 'merge', body }, { subresource: 'status' })
    },
    found() {
      const all = scenario.invariants.violations.map(({ invariant, message }) => `${invariant} ${message}`)
      const fresh = all.slice(seen)
      seen = all.length
      return fresh
    },
  }
}

export function at<T>(list: readonly T[], index: number): T {
  const value = list[index]
  if (value === undefined) throw new Error(`only ${list.length}`)
  return value
}

export function matching(...patterns: readonly RegExp[]) {
  return patterns.map((pattern) => expect.stringMatching(pattern))
}

export const nominated = (pod: Pod, claim: string) => ({
  apiVersion: 'v1' as const,
  kind: 'Event' as const,
  metadata: { name: `${pod.metadata.name}.${claim}`, namespace: 'default' },
  involvedObject: { kind: 'Pod', namespace: 'default', name: pod.metadata.name, uid: pod.metadata.uid },
  reason: 'Nominated',
  message: `Pod should schedule on: nodeclaim/${claim}`,
  type: 'Normal' as const,
  source: { component: 'karpenter' },
})

export const aClaim = (name: string, spec: Partial<NodeClaim['spec']> = {}) => ({
  apiVersion: 'karpenter.sh/v1' as const,
  kind: 'NodeClaim' as const,
  metadata: { name, labels: { 'karpenter.sh/nodepool': 'general' } },
  spec: {
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    requirements: [{ key: labelZone, operator: 'In' as const, values: ['us-west-2a'] }],
    ...spec,
  },
})
