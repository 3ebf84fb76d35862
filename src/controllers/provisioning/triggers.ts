import { conditionReady, isConditionTrue } from '../../api/conditions.ts'
import { taintDisrupted } from '../../api/labels.ts'
import type { NodePool } from '../../api/karpenter.ts'
import type { Node } from '../../api/kubernetes.ts'
import type { ClusterState } from '../../cluster/index.ts'
import { isSpecChange } from '../../kube/changes.ts'
import { type Caches, type Change, type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import { nodePools } from '../../kube/karpenter-kinds.ts'
import { nodes, pods } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import type { Clock } from '../../model/clock.ts'
import { isProvisionable, podKey } from '../../model/pod.ts'
import { matchesTaint } from '../../model/taints.ts'
import { podInfoOf } from '../../model/to-pod-info.ts'
import { scaledConcurrency } from '../concurrency.ts'
import type { PodBatcher } from './pod-batcher.ts'

export interface TriggerDeps {
  readonly caches: Caches
  readonly clock: Clock
  readonly batcher: PodBatcher
  readonly cluster: { readonly podTimes: Pick<ClusterState['podTimes'], 'acknowledge'> }
  readonly cpuMilli: number
}

/** Pods that no pass could help, or whose node did not come, are planned again after so long. */
const againMs = 10_000

/** Wakes provisioning for every pod that waits for a node. */
export function podTrigger(deps: TriggerDeps): Controller {
  const cache = deps.caches.of(pods)
  return {
    name: 'provisioner.trigger.pod',
    kind: { group: '', kind: 'Pod' },
    sources: [
      source(pods, ({ after }) =>
        after !== undefined && (after.spec.nodeName ?? '') === '' && isProvisionable(podInfoOf(after))
          ? [keyOf(after)]
          : [],
      ),
    ],
    concurrency: scaledConcurrency(10, 1_000, deps.cpuMilli),
    async reconcile(key) {
      const pod = cache.get(key)
      if (pod === undefined) return done
      const info = podInfoOf(pod)
      if (!isProvisionable(info)) return done
      deps.cluster.podTimes.acknowledge(podKey(info), deps.clock.now())
      deps.batcher.trigger(info.uid)
      return requeueAfter(againMs)
    },
  }
}

/** Wakes provisioning for nodes on their way out: their pods will need a place. */
export function nodeTrigger(deps: Omit<TriggerDeps, 'cluster'>): Controller {
  const cache = deps.caches.of(nodes)
  const isDisrupted = (node: Node): boolean =>
    (node.spec.taints ?? []).some((taint) => matchesTaint(taint, taintDisrupted))
  return {
    name: 'provisioner.trigger.node',
    kind: { group: '', kind: 'Node' },
    sources: [source(nodes, ({ after }) => (after !== undefined && isDisrupted(after) ? [keyOf(after)] : []))],
    concurrency: scaledConcurrency(10, 1_000, deps.cpuMilli),
    async reconcile(key) {
      const node = cache.get(key)
      if (node === undefined || !isDisrupted(node)) return done
      deps.batcher.trigger(node.metadata.uid)
      return requeueAfter(againMs)
    },
  }
}

/**
 * Wakes provisioning when a NodePool becomes ready, and when a ready one has changed, say in its limits: pods that nothing could be launched
 * for would wait until they are looked at again.
 */
export function poolTrigger({ caches, batcher }: Pick<TriggerDeps, 'caches' | 'batcher'>): Controller {
  const cache = caches.of(nodePools)
  return {
    name: 'provisioner.trigger.nodepool',
    kind: { group: nodePools.group, kind: nodePools.kind },
    sources: [
      source(nodePools, (change) => {
        const { after } = change
        return after !== undefined && isConditionTrue(after, conditionReady) && hasChanged(change) ? [keyOf(after)] : []
      }),
    ],
    concurrency: 1,
    reconcile(key) {
      const pool = cache.get(key)
      if (pool !== undefined) batcher.trigger(pool.metadata.uid)
      return Promise.resolve(done)
    },
  }
}

function hasChanged(change: Change<NodePool>): boolean {
  return isSpecChange(change) || change.before === undefined || !isConditionTrue(change.before, conditionReady)
}
