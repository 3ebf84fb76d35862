import { isConditionTrue } from '../../api/conditions.ts'
import type { NodeClaim, NodePool } from '../../api/karpenter.ts'
import type { ClusterState } from '../../cluster/index.ts'
import { nodeLimitOf } from '../../disruption/static-capacity.ts'
import { type Caches, type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import { nodeClaims, nodePools } from '../../kube/karpenter-kinds.ts'
import type { Logger } from '../../kube/logger.ts'
import type { KubeClient } from '../../kube/port.ts'
import { keyOf } from '../../kube/resource.ts'
import type { Clock } from '../../model/clock.ts'
import { throwRejections } from '../../model/combine-errors.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import { type ClaimWritten, createClaim } from '../provisioning/create-claim.ts'
import type { PlannedClaim } from '../provisioning/solver-port.ts'
import { becameReady, replicasChanged, staticPoolOf } from './sources.ts'

export interface StaticProvisioningDeps {
  readonly kube: Pick<KubeClient, 'get' | 'create'>
  readonly caches: Caches
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly cluster: Pick<
    ClusterState,
    'everSynced' | 'synced' | 'counts' | 'isManaged' | 'nodePoolResources' | 'observeNodeClaim' | 'plans'
  >
  readonly metrics: Pick<ControllerMetrics, 'nodeClaimsCreated'>
  readonly launches: ClaimWritten & {
    admit(planned: readonly { readonly nodePool: string }[]): { readonly admitted: readonly unknown[] }
  }
  /** A node from the pool's bare template: no instance types, no resource requests. */
  readonly planOf: (pool: NodePool) => Omit<PlannedClaim, 'pods'>
}

const notSyncedMs = 1_000
const againMs = 60_000
const atLimitMs = 30_000
/** While launches are held back. */
const heldMs = 10_000
/** A command whose replacement goes is given up within a second, and gives its node back. */
const giveBackMs = 2_000
/** More are made with the next looks: somebody may have written a number that nobody wants. */
const claimsPerPassMax = 1_000

/** Makes nodes until a static pool has as many as it wants. */
export function staticProvisioning(deps: StaticProvisioningDeps): Controller {
  const pools = deps.caches.of(nodePools)
  /** By pool, since when it lacks what marked nodes would make up for. Monotonic. */
  const shortSince = new Map<string, number>()

  /** A node made while such a command is given up would be one too many, and would go before it is up. */
  function untilGivenBackMs(pool: string, lacking: number): number {
    const now = deps.clock.monotonicMs()
    if (lacking > deps.cluster.counts.marked(pool)) return 0
    const since = shortSince.get(pool) ?? now
    shortSince.set(pool, since)
    return Math.max(0, since + giveBackMs - now)
  }

  return {
    name: 'static.provisioning',
    kind: { group: 'karpenter.sh', kind: 'NodePool' },
    sources: [
      source(nodePools, (change) =>
        change.after !== undefined && (replicasChanged(change) || becameReady(change)) ? [keyOf(change.after)] : [],
      ),
      source(nodeClaims, (change) => {
        const { before, after } = change
        const leaving =
          after === undefined ||
          (before?.metadata.deletionTimestamp === undefined && after.metadata.deletionTimestamp !== undefined)
        return leaving ? staticPoolOf(after ?? before, pools) : []
      }),
    ],
    concurrency: 10,
    // No watch tells that what kept the nodes from being made is over.
    rateLimit: { baseMs: 5, maxMs: againMs },
    async reconcile(key, { log }) {
      const pool = pools.get(key)
      if (pool === undefined || !deps.cluster.isManaged(pool) || !isConditionTrue(pool, 'Ready')) return done
      const { replicas } = pool.spec
      if (replicas === undefined || pool.metadata.deletionTimestamp !== undefined) return done
      // Before the first sync existing claims would be taken for missing ones.
      if (!deps.cluster.everSynced && !deps.cluster.synced()) return requeueAfter(notSyncedMs)
      const { name } = pool.metadata
      const { active, pendingDisruption } = deps.cluster.counts.counts(name)
      const lacking = replicas - active - pendingDisruption
      const waitMs = lacking > 0 ? untilGivenBackMs(name, lacking) : 0
      if (waitMs > 0) return requeueAfter(waitMs)
      shortSince.delete(name)
      if (lacking <= 0) return requeueAfter(againMs)
      const wanted = Math.min(replicas - active, claimsPerPassMax)
      const granted = deps.cluster.counts.reserve(name, nodeLimitOf(pool), wanted)
      if (granted <= 0) {
        log.info({ NodePool: { name }, current: active, desired: replicas }, 'nodepool node limit reached')
        return requeueAfter(atLimitMs)
      }
      const count = deps.launches.admit(Array.from({ length: granted }, () => ({ nodePool: name }))).admitted.length
      if (count < granted) deps.cluster.counts.release(name, granted - count)
      if (count === 0) return requeueAfter(heldMs)
      log.info(
        { current: active, desired: replicas, 'provision-count': count },
        'provisioning nodeclaims to satisfy replica count',
      )
      await createAll(deps, pool, count, log)
      return requeueAfter(count < granted || wanted < replicas - active ? heldMs : againMs)
    },
  }
}

/** Creates one claim and gives its reservation back, whatever came of it: from then on the claim itself is counted. */
export async function createStaticClaim(
  deps: Omit<StaticProvisioningDeps, 'clock'>,
  pool: NodePool,
  reason: string,
  log: Logger,
): Promise<NodeClaim> {
  try {
    return await createClaim(deps, deps.planOf(pool), reason, log)
  } finally {
    deps.cluster.counts.release(pool.metadata.name, 1)
  }
}

async function createAll(deps: StaticProvisioningDeps, pool: NodePool, count: number, log: Logger): Promise<void> {
  const creations = Array.from({ length: count }, () => createStaticClaim(deps, pool, 'provisioned', log))
  const results = await Promise.allSettled(creations)
  throwRejections(results)
}
