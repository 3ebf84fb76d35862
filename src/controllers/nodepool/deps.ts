import type { Conditioned } from '../../api/conditions.ts'
import type { KubeObject } from '../../api/kubernetes.ts'
import type { NodePool } from '../../api/karpenter.ts'
import type { CloudProvider } from '../../cloud/provider.ts'
import { isChangeOf } from '../../kube/changes.ts'
import { backOff, type Caches, type Controller, done, type Source, source } from '../../kube/controller.ts'
import { isConflict } from '../../kube/errors.ts'
import { nodePools } from '../../kube/karpenter-kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import { keyOf, type ObjectKey, type Resource } from '../../kube/resource.ts'
import type { Clock } from '../../model/clock.ts'
import type { Resources } from '../../model/resources.ts'
import { retriesOfFew } from '../few-objects.ts'
import type { PoolStatusWriter } from './status-patch.ts'

/** A NodeClass as far as pools care: whether it is there, ready, and which generation it is. */
export type NodeClassObject = KubeObject & Conditioned

export interface NodePoolDeps {
  readonly kube: KubeClient
  readonly caches: Caches
  readonly clock: Clock
  readonly statuses: Pick<PoolStatusWriter, 'patch'>
  readonly cloud: Pick<CloudProvider, 'nodeClassKinds'>
  readonly nodeClasses: Resource<NodeClassObject>
  readonly concurrency: number
}

/** The cluster state, as far as the resource counter reads it. */
export interface CountedCluster {
  synced(): boolean
  nodePoolResources(pool: string): Resources
}

function isManagedPool(pool: NodePool, cloud: Pick<CloudProvider, 'nodeClassKinds'>): boolean {
  const { group, kind } = pool.spec.template.spec.nodeClassRef
  return cloud.nodeClassKinds.some((served) => served.group === group && served.kind === kind)
}

/** Every change of a pool. */
export const poolSource: Source = source(nodePools, (change) => [keyOf(change.after ?? change.before)])

/** All but changes of the status alone: for who writes there what this process alone knows. */
export const poolSourceBesideStatus: Source = source(nodePools, (change) =>
  isChangeOf(change, besideStatus) ? [keyOf(change.after ?? change.before)] : [],
)

function besideStatus({ metadata }: NodePool): readonly unknown[] {
  const { uid, generation, deletionTimestamp, labels, annotations } = metadata
  return [uid, generation, deletionTimestamp, labels, annotations]
}

/** Changes of a NodeClass, mapped to the pools that refer to it. */
export function nodeClassSource(deps: NodePoolDeps): Source {
  const pools = deps.caches.of(nodePools)
  pools.addIndex(byNodeClass, classNames)
  return source(deps.nodeClasses, (change): readonly ObjectKey[] =>
    pools.by(byNodeClass, (change.after ?? change.before).metadata.name).map(keyOf),
  )
}

export function nodeClassOf(pool: NodePool, deps: NodePoolDeps): NodeClassObject | undefined {
  return deps.caches.of(deps.nodeClasses).get({ name: pool.spec.template.spec.nodeClassRef.name })
}

/** Managed pools only: the others are none of our business. */
export function poolController(
  deps: NodePoolDeps,
  name: string,
  sources: readonly Source[],
  reconcile: (pool: NodePool, context: Parameters<Controller['reconcile']>[1]) => ReturnType<Controller['reconcile']>,
): Controller {
  const pools = deps.caches.of(nodePools)
  return {
    name,
    kind: { group: 'karpenter.sh', kind: 'NodePool' },
    sources,
    concurrency: deps.concurrency,
    rateLimit: retriesOfFew,
    async reconcile(key, context) {
      const pool = pools.get(key)
      if (pool === undefined || !isManagedPool(pool, deps.cloud)) return done
      try {
        return await reconcile(pool, context)
      } catch (error) {
        // Several controllers write one pool: whoever comes second looks again, and from the cache. Two processes that lead for a moment and
        // see the fleet differently would answer each other without a pause, if each read what the other has just written.
        if (isConflict(error)) return backOff
        throw error
      }
    },
  }
}

const byNodeClass = 'nodeClassRef'

function classNames({ spec }: NodePool): readonly string[] {
  return [spec.template.spec.nodeClassRef.name]
}
