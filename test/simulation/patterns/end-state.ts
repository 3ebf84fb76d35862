import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { labelCapacityType, labelInstanceType, labelNodePool, tagNodePool } from '../../../src/api/labels.ts'
import { ec2NodeClasses, nodeClaims, nodePools, rolloutPolicies } from '../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../src/kube/kinds.ts'
import type { Scenario } from '../incidents/scenario.ts'

/** What is there at the end, a line for each thing, without names and times. */
export async function endStateOf({ world }: Scenario): Promise<readonly string[]> {
  const { client, aws } = world.stack.cluster
  const [claims, allNodes, allPods, pools, classes, policies] = await Promise.all([
    client.list(nodeClaims),
    client.list(nodes, { labelSelector: labelNodePool }),
    client.list(pods, { namespace: 'default' }),
    client.list(nodePools),
    client.list(ec2NodeClasses),
    client.list(rolloutPolicies),
  ])
  const lines = [
    ...claims.items.map((claim) => `claim ${kindOf(claim)} ${textOf(claim.status?.conditions)} ${lifeOf(claim)}`),
    ...allNodes.items.map((node) => {
      const taints = (node.spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`).toSorted()
      const marks = [...taints, ...(node.spec.unschedulable === true ? ['unschedulable'] : [])].join(',')
      return `node ${kindOf(node)} ${textOf(node.status?.conditions)} [${marks}] ${lifeOf(node)}`
    }),
    ...allPods.items.map((pod) => {
      const owner = pod.metadata.labels?.['app'] ?? pod.metadata.name
      const place = (pod.spec.nodeName ?? '') === '' ? 'waiting' : 'bound'
      return `pod ${owner} ${pod.status?.phase ?? ''} ${place} ${lifeOf(pod)}`
    }),
    ...pools.items.map((pool) => {
      const { resources = {}, nodes: count = 0 } = pool.status ?? {}
      return `pool ${pool.metadata.name} ${textOf(pool.status?.conditions)} nodes ${count} cpu ${resources['cpu'] ?? ''} ${lifeOf(pool)}`
    }),
    ...classes.items.map((each) => `class ${each.metadata.name} ${textOf(each.status?.conditions)} ${lifeOf(each)}`),
    ...policies.items.map(({ metadata, status }) => `policy ${metadata.name} ${status?.phase ?? ''}`),
    ...aws.state.instances
      .filter(({ state, tags }) => state !== 'terminated' && tags[tagNodePool] !== undefined)
      .map(({ type, lifecycle, state }) => `machine ${type} ${lifecycle} ${state}`),
    `launch templates ${aws.state.launchTemplates.length}`,
    `instance profiles ${aws.state.instanceProfiles.length}`,
  ]
  return lines.toSorted()
}

function kindOf({ metadata }: KubeObject): string {
  const labels = metadata.labels ?? {}
  return [labelNodePool, labelInstanceType, labelCapacityType].map((key) => labels[key] ?? '-').join(' ')
}

/** Told by checks that come around every ten minutes: it says how old a claim is, not how it fares. */
const comesWithAge: ReadonlySet<string> = new Set(['ConsistentStateFound'])

function textOf(conditions: readonly { readonly type?: string; readonly status?: string }[] = []): string {
  return conditions
    .filter(({ type, status }) => status !== 'False' && !comesWithAge.has(type ?? ''))
    .map(({ type, status }) => (status === 'True' ? (type ?? '') : `${type ?? ''}?`))
    .toSorted()
    .join(',')
}

function lifeOf({ metadata }: KubeObject): string {
  return metadata.deletionTimestamp === undefined ? '' : 'deleting'
}
