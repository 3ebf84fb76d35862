import type { Condition } from '../../../src/api/kubernetes.ts'
import { ec2NodeClasses, nodeClaims, nodePools, rolloutPolicies } from '../../../src/kube/karpenter-kinds.ts'
import { events, nodes, pods } from '../../../src/kube/kinds.ts'
import type { KubeClient } from '../../../src/kube/port.ts'

const eventsMax = 40

/** How things stand: what an operator's decisions rest on, and what it has told. A line for each object. */
export async function clusterReport(kube: KubeClient): Promise<string> {
  const [policies, pools, classes, claims, known, running, told] = await Promise.all([
    // Karpenter's own definitions have none.
    kube.list(rolloutPolicies).catch(() => ({ items: [] })),
    kube.list(nodePools),
    kube.list(ec2NodeClasses),
    kube.list(nodeClaims),
    kube.list(nodes),
    kube.list(pods, { namespace: 'default' }),
    kube.list(events),
  ])
  return [
    ...[...policies.items, ...pools.items, ...classes.items].map(
      ({ kind, metadata, status }) =>
        `${kind} ${metadata.name}${going(metadata)} ${JSON.stringify(metadata.annotations ?? {})} ${JSON.stringify(status)}`,
    ),
    ...claims.items.map(({ metadata, status }) =>
      words(
        `NodeClaim ${metadata.name}${going(metadata)}`,
        status?.providerID,
        status?.nodeName,
        status?.imageID,
        conditionsText(status?.conditions),
      ),
    ),
    ...known.items.map(({ metadata, spec, status }) =>
      words(
        `Node ${metadata.name}${going(metadata)}`,
        ...(spec.taints ?? []).map(({ key, effect }) => `${key}:${effect}`),
        conditionsText(status?.conditions),
      ),
    ),
    ...running.items.map(({ metadata, spec, status }) =>
      words(`Pod ${metadata.name}${going(metadata)}`, status?.phase, spec.nodeName, conditionsText(status?.conditions)),
    ),
    ...told.items
      .toSorted((a, b) => Date.parse(a.lastTimestamp ?? '') - Date.parse(b.lastTimestamp ?? ''))
      .slice(-eventsMax)
      .map(({ lastTimestamp, involvedObject: { kind, name }, reason, message }) =>
        words('Event', lastTimestamp, kind, name, reason, message),
      ),
  ].join('\n')
}

function going({ deletionTimestamp }: { readonly deletionTimestamp?: string }): string {
  return deletionTimestamp === undefined ? '' : ` (goes since ${deletionTimestamp})`
}

function conditionsText(conditions: readonly Partial<Condition>[] = []): string {
  return conditions
    .map(
      ({ type, status, reason }) => `${type}=${status}${reason === undefined || reason === type ? '' : `(${reason})`}`,
    )
    .join(' ')
}

function words(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' ')
}
