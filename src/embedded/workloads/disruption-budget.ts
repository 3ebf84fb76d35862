import type { KubeObject, Pod, PodDisruptionBudget } from '../../api/kubernetes.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { deployments, podDisruptionBudgets, pods, replicaSets, statefulSets } from '../../kube/kinds.ts'
import { sameJSON } from '../../kube/merge-patch.ts'
import { keyOf } from '../../kube/resource.ts'
import { parseTimestamp, toTimestamp } from '../../model/clock.ts'
import { withCondition } from '../conditions.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { selects } from '../labels.ts'
import { resolvePercent } from './percent.ts'
import { isReady, namespaceNames, podCache } from './pods.ts'

/** How long an eviction that was granted may take to show as a deletion. */
const disruptedMs = 120_000

/** Computes how many pods of each budget may be disrupted now. */
export function createDisruptionBudgetController(deps: EmbeddedDeps): Controller {
  const { caches, client, clock } = deps
  const cache = podCache(caches)
  const budgets = caches.of(podDisruptionBudgets)
  budgets.addIndex('namespace', namespaceNames)
  for (const resource of [deployments, replicaSets, statefulSets] as const) caches.of<KubeObject>(resource)
  const budgetsOf = (pod: Pod) =>
    budgets
      .by('namespace', pod.metadata.namespace ?? '')
      .filter(({ spec }) => selects(spec.selector, pod.metadata.labels))
      .map(keyOf)
  return {
    name: 'embedded.disruption',
    sources: [
      source(podDisruptionBudgets, ({ before, after }) => [keyOf(after ?? before)]),
      source(pods, ({ before, after }) => {
        if (before !== undefined && after !== undefined && looksSame(before, after)) return []
        return budgetsOf(after ?? before)
      }),
      // The number that a share refers to is the owner's wanted number of replicas.
      ...[deployments, replicaSets, statefulSets].map((resource) =>
        source<KubeObject>(resource, ({ before, after }) =>
          replicasOf(before) === replicasOf(after)
            ? []
            : budgets.by('namespace', (after ?? before)?.metadata.namespace ?? '').map(keyOf),
        ),
      ),
    ],
    concurrency: 5,
    async reconcile(key) {
      const budget = budgets.get(key)
      if (budget === undefined) return done
      const matched = cache
        .by('namespace', key.namespace ?? '')
        .filter((pod) => selects(budget.spec.selector, pod.metadata.labels))
        .filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
      const { status, forgetInMs } = statusOf(budget, matched)
      if (!sameJSON(budget.status, status)) {
        const body = { metadata: { resourceVersion: budget.metadata.resourceVersion }, status }
        try {
          await client.patch(podDisruptionBudgets, key, { kind: 'merge', body }, { subresource: 'status' })
        } catch (error) {
          if (isConflict(error)) return requeueAfter(10)
          if (!isNotFound(error)) throw error
        }
      }
      return forgetInMs === undefined ? done : requeueAfter(forgetInMs)
    },
  }

  function statusOf(budget: PodDisruptionBudget, matched: readonly Pod[]) {
    const now = clock.now()
    const { minAvailable, maxUnavailable } = budget.spec
    const scaled = () => expectedOf(matched)
    let expectedPods = matched.length
    let desiredHealthy = 0
    if (maxUnavailable !== undefined) {
      expectedPods = scaled()
      desiredHealthy = Math.max(0, expectedPods - resolvePercent(maxUnavailable, expectedPods, 'up'))
    } else if (typeof minAvailable === 'string') {
      expectedPods = scaled()
      desiredHealthy = resolvePercent(minAvailable, expectedPods, 'up')
    } else desiredHealthy = minAvailable ?? 0

    const before = (budget.status as { disruptedPods?: Record<string, string> } | undefined)?.disruptedPods ?? {}
    const disruptedPods: Record<string, string | null> = {}
    let forgetInMs: number | undefined
    for (const [name, at] of Object.entries(before)) {
      const left = (parseTimestamp(at) ?? 0) + disruptedMs - now
      const pod = matched.find(({ metadata }) => metadata.name === name)
      const pending = pod !== undefined && pod.metadata.deletionTimestamp === undefined && left > 0
      disruptedPods[name] = pending ? at : null
      if (pending) forgetInMs = Math.min(forgetInMs ?? left, left)
    }
    const currentHealthy = matched.filter(
      (pod) =>
        isReady(pod) &&
        pod.metadata.deletionTimestamp === undefined &&
        typeof disruptedPods[pod.metadata.name] !== 'string',
    ).length
    const disruptionsAllowed = expectedPods === 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy)
    const conditions = withCondition(
      budget.status?.conditions,
      {
        type: 'DisruptionAllowed',
        status: disruptionsAllowed > 0 ? 'True' : 'False',
        reason: disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods',
        message: '',
        observedGeneration: budget.metadata.generation ?? 1,
      },
      toTimestamp(now),
    )
    const status = {
      currentHealthy,
      desiredHealthy,
      disruptionsAllowed,
      expectedPods,
      observedGeneration: budget.metadata.generation ?? 1,
      conditions,
      ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    }
    return { status, forgetInMs }
  }

  /** The wanted replicas of the pods' controllers, each counted once; a pod without one counts for itself. */
  function expectedOf(matched: readonly Pod[]): number {
    let expected = 0
    const seen = new Set<string>()
    // Most pods have an owner that another pod had: its root need not be looked up again.
    const counted = new Set<string>()
    for (const pod of matched) {
      const owner = controllerOf(pod.metadata)
      if (owner === undefined) {
        expected += 1
        continue
      }
      if (counted.has(owner.uid)) continue
      const root = rootOf(pod.metadata.namespace, owner)
      if (root === undefined) {
        expected += 1
        continue
      }
      counted.add(owner.uid)
      if (seen.has(root.metadata.uid)) continue
      seen.add(root.metadata.uid)
      expected += replicasOf(root) ?? 0
    }
    return expected
  }

  function rootOf(namespace: string | undefined, owner: { kind: string; name: string }): KubeObject | undefined {
    const key = { namespace, name: owner.name }
    if (owner.kind === 'StatefulSet') return caches.of(statefulSets).get(key)
    if (owner.kind !== 'ReplicaSet') return undefined
    const set = caches.of(replicaSets).get(key)
    const deployment = set === undefined ? undefined : controllerOf(set.metadata)
    if (deployment?.kind !== 'Deployment') return set
    return caches.of(deployments).get({ namespace, name: deployment.name }) ?? set
  }
}

function looksSame(before: Pod, after: Pod): boolean {
  return (
    isReady(before) === isReady(after) &&
    before.status?.phase === after.status?.phase &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    sameJSON(before.metadata.labels, after.metadata.labels)
  )
}

function replicasOf(object: KubeObject | undefined): number | undefined {
  if (object === undefined) return undefined
  return (object as KubeObject & { spec?: { replicas?: number } }).spec?.replicas ?? 1
}
