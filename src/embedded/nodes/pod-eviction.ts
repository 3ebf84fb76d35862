import { conditionOf } from '../../api/conditions.ts'
import type { Node, Pod, Taint, Toleration } from '../../api/kubernetes.ts'
import { type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { nodes, pods } from '../../kube/kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import { keyOf } from '../../kube/resource.ts'
import { parseTimestamp, toTimestamp } from '../../model/clock.ts'
import { hasStatus, withCondition } from '../conditions.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { isTolerated } from '../scheduler/node-selection.ts'
import { holdsResources } from '../scheduler/node-state.ts'
import { deletePod, podCache } from '../workloads/pods.ts'
import type { WorkloadDeps } from '../workloads/refused-pods.ts'

/** How long a pod of a vanished node is left alone, in case the node is only being replaced by one of its name. */
const orphanMs = 40_000

const byTaint = {
  reason: 'DeletionByTaintManager',
  message: 'Taint manager: deleting due to NoExecute taint',
  phase: undefined,
} as const

/** Nobody is left who would say that it failed. */
const byCollection = {
  reason: 'DeletionByPodGC',
  message: 'PodGC: node no longer exists',
  phase: 'Failed',
} as const

/**
 * What befalls pods because of their node: those that don't tolerate a NoExecute taint are deleted, those of a node that is not ready
 * lose their readiness, those of a node that is gone are removed by force.
 */
export function createPodEvictionController(deps: WorkloadDeps): Controller {
  const { caches, clock } = deps
  const cache = podCache(caches)
  const podsOn = (node: string) => cache.by('nodeName', node).map(keyOf)
  /** When each vanished node, by name, was missed first. */
  const missedAt = new Map<string, number>()
  /** Since when each node has had each of its NoExecute taints: taints that people set carry no time. */
  const taintedSince = new Map<string, Map<string, number>>()
  const sinceOf = (node: Node, taint: Taint) => {
    const known = taintedSince.get(node.metadata.uid) ?? new Map<string, number>()
    taintedSince.set(node.metadata.uid, known)
    const current = new Set((node.spec.taints ?? []).map(({ key }) => key))
    for (const key of known.keys()) if (!current.has(key)) known.delete(key)
    const since = known.get(taint.key) ?? parseTimestamp(taint.timeAdded) ?? clock.now()
    known.set(taint.key, since)
    return since
  }
  return {
    name: 'embedded.pod.eviction',
    sources: [
      source(pods, ({ before, after }) => {
        const bound = after?.spec.nodeName !== undefined && before?.spec.nodeName === undefined
        return after !== undefined && bound ? [keyOf(after)] : []
      }),
      source(nodes, ({ before, after }) => {
        if (before !== undefined && after !== undefined && looksSame(before, after)) return []
        if (after === undefined) taintedSince.delete(before.metadata.uid)
        return podsOn((after ?? before).metadata.name)
      }),
    ],
    concurrency: 10,
    async reconcile(key) {
      const pod = cache.get(key)
      if (pod?.spec.nodeName === undefined) return done
      const node = caches.of(nodes).get({ name: pod.spec.nodeName })
      if (node === undefined) return collect(pod, pod.spec.nodeName)
      missedAt.delete(pod.spec.nodeName)
      if (pod.metadata.deletionTimestamp !== undefined) return done
      if (!hasStatus(node.status?.conditions, 'Ready', 'True')) await markUnready(deps, pod)
      const deadline = deadlineOf(pod, node, sinceOf)
      if (deadline === undefined) return done
      if (deadline > clock.now()) return requeueAfter(deadline - clock.now())
      const { namespace = '', name } = pod.metadata
      const message = `Marking for deletion Pod ${namespace}/${name}`
      const by = { component: 'taint-eviction-controller' }
      deps.tell({ about: pod, type: 'Normal', reason: 'TaintManagerEviction', message, by })
      await markDisrupted(deps, pod, byTaint)
      await deletePod(deps, pod)
      return done
    },
  }

  async function collect(pod: Pod, nodeName: string) {
    const since = missedAt.get(nodeName) ?? clock.now()
    missedAt.set(nodeName, since)
    const wait = since + orphanMs - clock.now()
    if (wait > 0) return requeueAfter(wait)
    await markDisrupted(deps, pod, byCollection)
    await deletePod(deps, pod, 0)
    return done
  }
}

function looksSame(before: Node, after: Node): boolean {
  const ready = (node: Node) => conditionOf(node, 'Ready')?.status
  return JSON.stringify(before.spec.taints) === JSON.stringify(after.spec.taints) && ready(before) === ready(after)
}

/** When the first NoExecute taint drives the pod out; undefined when none does. */
function deadlineOf(pod: Pod, node: Node, sinceOf: (node: Node, taint: Taint) => number): number | undefined {
  const taints = (node.spec.taints ?? []).filter(({ effect }) => effect === 'NoExecute')
  const deadlines = taints.map((taint) => {
    const seconds = toleratedSeconds(taint, pod.spec.tolerations)
    if (seconds === 'forever') return Number.POSITIVE_INFINITY
    return sinceOf(node, taint) + Math.max(0, seconds) * 1000
  })
  const first = Math.min(...deadlines)
  return Number.isFinite(first) ? first : undefined
}

function toleratedSeconds(taint: Taint, tolerations: readonly Toleration[] | undefined): number | 'forever' {
  const matching = (tolerations ?? []).filter((toleration) => isTolerated(taint, [toleration]))
  if (matching.length === 0) return 0
  const limits = matching.flatMap(({ tolerationSeconds }) =>
    tolerationSeconds === undefined ? [] : [tolerationSeconds],
  )
  return limits.length === 0 ? 'forever' : Math.min(...limits)
}

async function markUnready({ client, clock }: EmbeddedDeps, pod: Pod): Promise<void> {
  if (!hasStatus(pod.status?.conditions, 'Ready', 'True')) return
  const conditions = withCondition(
    pod.status?.conditions,
    { type: 'Ready', status: 'False', reason: 'NodeNotReady' },
    toTimestamp(clock.now()),
  )
  await writePodStatus(client, pod, { conditions })
}

/** Says on a pod why it goes, which the failure policy of its job may ask; a pod that ended before went for nothing. */
async function markDisrupted({ client, clock }: EmbeddedDeps, pod: Pod, why: typeof byTaint | typeof byCollection) {
  if (!holdsResources(pod)) return
  const { phase, ...told } = why
  const condition = { type: 'DisruptionTarget', status: 'True', ...told } as const
  const conditions = withCondition(pod.status?.conditions, condition, toTimestamp(clock.now()))
  await writePodStatus(client, pod, { conditions, ...(phase === undefined ? {} : { phase }) })
}

async function writePodStatus(client: KubeClient, pod: Pod, status: object): Promise<void> {
  const body = { metadata: { uid: pod.metadata.uid }, status }
  try {
    await client.patch(pods, keyOf(pod), { kind: 'merge', body }, { subresource: 'status' })
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error
  }
}
