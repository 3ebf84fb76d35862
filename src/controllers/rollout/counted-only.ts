import { sameWhenWritten } from '../../api/json.ts'
import type { Condition, KubeObject } from '../../api/kubernetes.ts'

/** What the rollout status consists of. It changes whenever a node comes or goes, and nobody decides by it. */
const fields: ReadonlySet<string> = new Set([
  'observedGeneration',
  'currentHash',
  'targetHash',
  'target',
  'currentImages',
  'targetImages',
  'nodes',
  'upToDateNodes',
  'driftedNodes',
  'readyNodes',
  'blockedNodes',
  'blockedBy',
  'rollout',
])
const conditions: ReadonlySet<string> = new Set(['Reconciling', 'Stalled', 'PlannedChange', 'Retiring'])

interface Told extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] }
}

/**
 * Whether a NodePool or EC2NodeClass changed in its rollout status alone. Those that look at all nodes again when it changes leave such
 * changes out: in a large fleet each node that comes would have every other one judged anew.
 */
export function isCountedOnly(before: Told | undefined, after: Told | undefined): boolean {
  return before !== undefined && after !== undefined && sameWhenWritten(withoutCounts(before), withoutCounts(after))
}

/** Whether an object changed in its status alone. */
export function isStatusOnly(before: Told | undefined, after: Told | undefined): boolean {
  return before !== undefined && after !== undefined && sameWhenWritten(withoutStatus(before), withoutStatus(after))
}

function withoutCounts(object: Told): object {
  const kept = Object.entries(object.status ?? {}).filter(([name]) => !fields.has(name))
  const told = (object.status?.conditions ?? []).filter(({ type }) => !conditions.has(type))
  return { ...withoutStatus(object), status: { ...Object.fromEntries(kept), conditions: told } }
}

/** Nor what every write changes. */
function withoutStatus({ status: _status, ...object }: Told): object {
  const { resourceVersion: _version, managedFields: _managers, ...metadata } = object.metadata
  return { ...object, metadata }
}
