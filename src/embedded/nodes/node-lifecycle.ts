import { conditionIn, conditionOf } from '../../api/conditions.ts'
import type { Node, Taint } from '../../api/kubernetes.ts'
import { type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { nodes } from '../../kube/kinds.ts'
import { toTimestamp } from '../../model/clock.ts'
import { withCondition } from '../conditions.ts'
import { instanceIDOf, isSilent, type NodeAgentDeps } from '../kubelet/node-agent.ts'

/** How long a kubelet may be silent before its node counts as unreachable: kube-controller-manager's monitor grace period. */
const graceMs = 40_000

/**
 * Taints nodes by their conditions, declares silent ones unreachable, and, as a cloud controller does, deletes a node that is not ready
 * once its instance is gone.
 */
export function createNodeLifecycleController(deps: NodeAgentDeps): Controller {
  const { aws, behaviours, caches, clock } = deps
  caches.of(nodes).addIndex('instance', instanceIDs)
  const keysOf = (instanceID: string) =>
    caches
      .of(nodes)
      .by('instance', instanceID)
      .map(({ metadata }) => ({ name: metadata.name }))
  /** Since when each silent node, by uid, has not been heard of. */
  const silentSince = new Map<string, number>()
  return {
    name: 'embedded.node.lifecycle',
    sources: [source(nodes, ({ before, after }) => [{ name: (after ?? before).metadata.name }])],
    triggers: [
      (enqueue) => aws.onInstance(({ instance }) => keysOf(instance.id).forEach(enqueue)),
      (enqueue) =>
        behaviours.subscribe(() => {
          for (const { metadata } of caches.of(nodes).list()) enqueue({ name: metadata.name })
        }),
    ],
    concurrency: 10,
    async reconcile(key) {
      const node = caches.of(nodes).get(key)
      if (node === undefined) return done
      try {
        return await lookAfter(node)
      } catch (error) {
        if (isNotFound(error)) return done
        if (isConflict(error)) return requeueAfter(100)
        throw error
      }
    },
  }

  async function lookAfter(node: Node) {
    const { uid } = node.metadata
    if (!isSilent(deps, node)) {
      silentSince.delete(uid)
      await syncTaints(deps, node)
      return done
    }
    const since = silentSince.get(uid) ?? clock.now()
    silentSince.set(uid, since)
    const wait = since + graceMs - clock.now()
    if (wait > 0) {
      await syncTaints(deps, node)
      return requeueAfter(wait)
    }
    if (isGone(deps, node)) {
      silentSince.delete(uid)
      await deps.client.delete(nodes, { name: node.metadata.name }, { preconditions: { uid } })
      return done
    }
    if (conditionOf(node, 'Ready')?.status !== 'Unknown') await markUnknown(deps, node)
    else await syncTaints(deps, node)
    return done
  }
}

function isGone({ aws }: NodeAgentDeps, node: Node): boolean {
  const id = instanceIDOf(node.spec.providerID)
  const instance = id === undefined ? undefined : aws.account.instance(id)
  return node.metadata.deletionTimestamp === undefined && (instance === undefined || instance.state === 'terminated')
}

async function markUnknown({ client, clock }: NodeAgentDeps, node: Node): Promise<void> {
  const now = toTimestamp(clock.now())
  let conditions = [...(node.status?.conditions ?? [])]
  for (const type of ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready']) {
    const unknown = { reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' }
    const heard = conditionIn(conditions, type)
    conditions = withCondition(conditions, { ...heard, type, status: 'Unknown', ...unknown }, now)
  }
  await client.patch(
    nodes,
    { name: node.metadata.name },
    { kind: 'merge', body: { status: { conditions } } },
    { subresource: 'status' },
  )
}

const managedKeys = [
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/memory-pressure',
  'node.kubernetes.io/disk-pressure',
  'node.kubernetes.io/pid-pressure',
  'node.kubernetes.io/unschedulable',
]

async function syncTaints({ client, clock }: NodeAgentDeps, node: Node): Promise<void> {
  const wanted = taintsOf(node)
  const current = node.spec.taints ?? []
  const kept = current.filter(
    (taint) => !managedKeys.includes(taint.key) || wanted.some((other) => isSame(taint, other)),
  )
  const missing = wanted.filter((taint) => !current.some((other) => isSame(taint, other)))
  if (missing.length === 0 && kept.length === current.length) return
  const added = missing.map((taint) => ({ ...taint, timeAdded: toTimestamp(clock.now()) }))
  const body = {
    metadata: { resourceVersion: node.metadata.resourceVersion },
    spec: { taints: [...kept, ...added] },
  }
  await client.patch(nodes, { name: node.metadata.name }, { kind: 'merge', body })
}

function isSame(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.effect === b.effect
}

/** NoSchedule keeps pods off; NoExecute also drives out those that don't tolerate it for long. */
function taintsOf(node: Node): readonly Taint[] {
  const statusOf = (type: string) => conditionOf(node, type)?.status
  const taints: Taint[] = []
  const ready = statusOf('Ready')
  if (ready === 'False') {
    taints.push({ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' })
    taints.push({ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' })
  }
  if (ready === 'Unknown') {
    taints.push({ key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule' })
    taints.push({ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' })
  }
  for (const [type, key] of [
    ['MemoryPressure', 'node.kubernetes.io/memory-pressure'],
    ['DiskPressure', 'node.kubernetes.io/disk-pressure'],
    ['PIDPressure', 'node.kubernetes.io/pid-pressure'],
  ] as const) {
    if (statusOf(type) === 'True') taints.push({ key, effect: 'NoSchedule' })
  }
  if (node.spec.unschedulable === true) taints.push({ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' })
  return taints
}

function instanceIDs({ spec }: Node): readonly string[] {
  const id = instanceIDOf(spec.providerID)
  return id === undefined ? [] : [id]
}
