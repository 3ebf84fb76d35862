import { sameWhenWritten } from '../../api/json.ts'
import type { KubeObject, OwnerReference, Pod } from '../../api/kubernetes.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import { isConflict, isNotFound } from '../../kube/errors.ts'
import { deployments, podDisruptionBudgets, pods, replicaSets, statefulSets } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { selects } from '../labels.ts'
import { budgetStatus, type WantedPods } from './disruption-budget-status.ts'
import { namespaceNames } from './ownership.ts'
import { isReady, podCache } from './pods.ts'

/** How many pods an owner of any kind wants, by its subresource `scale`. */
export type ScaleOf = (
  owner: OwnerReference,
  namespace: string | undefined,
) => { readonly kind: 'replicas'; readonly replicas: number } | { readonly kind: 'gone' | 'unscaled' }

/** Computes how many pods of each budget may be disrupted now. */
export function createDisruptionBudgetController(deps: EmbeddedDeps, scaleOf: ScaleOf): Controller {
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
      const { status, lookAgainMs } = budgetStatus(budget, {
        pods: matched,
        wantedPods: () => wantedPods(matched),
        now: clock.now(),
      })
      if (!sameWhenWritten(budget.status, status)) {
        const body = { metadata: { resourceVersion: budget.metadata.resourceVersion }, status }
        try {
          await client.patch(podDisruptionBudgets, key, { kind: 'merge', body }, { subresource: 'status' })
        } catch (error) {
          if (isConflict(error)) return requeueAfter(10)
          if (!isNotFound(error)) throw error
        }
      }
      return lookAgainMs === undefined ? done : requeueAfter(lookAgainMs)
    },
  }

  /**
   * The wanted replicas of the pods' controllers, each counted once; a pod without one does not count. As kube-controller-manager's
   * `getExpectedScale`.
   */
  function wantedPods(matched: readonly Pod[]): WantedPods {
    let wanted = 0
    const seen = new Set<string>()
    // Most pods have an owner that another pod had: its root need not be looked up again.
    const counted = new Set<string>()
    for (const pod of matched) {
      const owner = controllerOf(pod.metadata)
      if (owner === undefined || counted.has(owner.uid)) continue
      if (!scaled.has(owner.kind)) {
        const scale = scaleOf(owner, pod.metadata.namespace)
        if (scale.kind !== 'replicas') {
          const unscaled = `${resourceOf(owner)} does not implement the scale subresource`
          const gone = `found no controllers for pod "${pod.metadata.name}"`
          return { kind: 'unknown', because: scale.kind === 'unscaled' ? unscaled : gone }
        }
        counted.add(owner.uid)
        wanted += scale.replicas
        continue
      }
      const root = rootOf(pod.metadata.namespace, owner)
      if (root === undefined) return { kind: 'unknown', because: `found no controllers for pod "${pod.metadata.name}"` }
      counted.add(owner.uid)
      if (seen.has(root.metadata.uid)) continue
      seen.add(root.metadata.uid)
      wanted += replicasOf(root) ?? 0
    }
    return { kind: 'known', count: wanted }
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

const scaled: ReadonlySet<string> = new Set(['ReplicaSet', 'StatefulSet'])

/** As a message names it: `daemonsets.apps`. */
function resourceOf({ apiVersion, kind }: OwnerReference): string {
  const [group] = apiVersion.split('/')
  return `${kind.toLowerCase()}s${apiVersion.includes('/') ? `.${group}` : ''}`
}

function looksSame(before: Pod, after: Pod): boolean {
  return (
    isReady(before) === isReady(after) &&
    before.status?.phase === after.status?.phase &&
    before.metadata.deletionTimestamp === after.metadata.deletionTimestamp &&
    sameWhenWritten(before.metadata.labels, after.metadata.labels)
  )
}

function replicasOf(object: KubeObject | undefined): number | undefined {
  if (object === undefined) return undefined
  return (object as KubeObject & { spec?: { replicas?: number } }).spec?.replicas ?? 1
}
