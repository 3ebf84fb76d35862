import type { NodePool } from '../../api/karpenter.ts'
import type { ClusterState } from '../../cluster/index.ts'
import { chooseScaleDown } from '../../disruption/static-capacity.ts'
import { type Caches, type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import { isRefusal, KubeError } from '../../kube/errors.ts'
import { getIfPresent } from '../../kube/get-if-present.ts'
import { nodeClaims, nodePools } from '../../kube/karpenter-kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import { keyOf } from '../../kube/resource.ts'
import type { Clock } from '../../model/clock.ts'
import { throwRejections } from '../../model/combine-errors.ts'
import { claimsByPool } from '../claim-indexes.ts'
import { type LateReplacements, leftBehind, markedNodes } from '../disruption/index.ts'
import { deleteClaim } from '../nodeclaim/delete-claim.ts'
import { noteInterruption } from '../nodeclaim/note-interruption.ts'
import { retried } from '../retry.ts'
import { replicasChanged, staticPoolOf } from './sources.ts'

export interface StaticDeprovisioningDeps {
  readonly kube: Pick<KubeClient, 'get' | 'patch' | 'delete'>
  readonly caches: Caches
  readonly clock: Clock
  readonly cluster: Pick<ClusterState, 'counts' | 'isManaged' | 'nodes' | 'markForDeletion'>
  readonly late: Pick<LateReplacements, 'awaited' | 'hasTakenOver'>
}

const againMs = 60_000
/** While the cache of pools is behind; the watch should tell before long. */
const behindMs = 5_000
/** The first look of the disruption loop is about to tell which of the claims are replacements. */
const notTakenOverMs = 1_000

/** Takes nodes from a static pool that has more than it wants. Draining still honours budgets and do-not-disrupt. */
export function staticDeprovisioning(deps: StaticDeprovisioningDeps): Controller {
  const pools = deps.caches.of(nodePools)
  const claimsOf = claimsByPool(deps.caches.of(nodeClaims))
  return {
    name: 'static.deprovisioning',
    kind: { group: 'karpenter.sh', kind: 'NodePool' },
    sources: [
      source(nodePools, (change) =>
        change.after !== undefined && replicasChanged(change) ? [keyOf(change.after)] : [],
      ),
      source(nodeClaims, (change) => (change.kind === 'added' ? staticPoolOf(change.after, pools) : [])),
    ],
    concurrency: 10,
    async reconcile(key, { log, signal }) {
      const pool = pools.get(key)
      const replicas = pool?.spec.replicas
      if (pool === undefined || replicas === undefined || !deps.cluster.isManaged(pool)) return done
      if (pool.metadata.deletionTimestamp !== undefined) return done
      const { name } = pool.metadata
      const { active } = deps.cluster.counts.counts(name)
      const excess = active - replicas
      if (excess <= 0) return requeueAfter(againMs)
      const nodes = deps.cluster.nodes().filter((node) => node.nodePool === name)
      const isLeft = markedNodes(nodes).length > 0 || leftBehind(nodes, claimsOf(name), deps.clock.now()).size > 0
      if (isLeft && !deps.late.hasTakenOver) return requeueAfter(notTakenOverMs)
      const late = [...deps.late.awaited(nodes)].flatMap(([claim, { nodeClaim }]) =>
        nodeClaim === undefined ? [] : [[claim, nodeClaim.metadata.name] as const],
      )
      const chosen = chooseScaleDown({
        excess,
        claims: claimsOf(name),
        nodes,
        now: deps.clock.now(),
        late: new Map(late),
      })
      // What came late for a node that is still there is no more one too many than that node.
      if (chosen.length === 0) return requeueAfter(againMs)
      if (!(await isAsSeen(deps.kube, pool))) return requeueAfter(behindMs)
      log.info(
        { current: active, desired: replicas, 'deprovision-count': excess },
        'deprovisioning nodeclaims to satisfy replica count',
      )
      const results = await Promise.allSettled(
        chosen.map(async ({ claim, because, key: node }) => {
          await noteInterruption(deps, claim, 'scaled_down', log)
          await retried(() => deleteClaim(deps.kube, claim), { clock: deps.clock, signal, isWorthIt: isOutage })
          log.debug({ NodeClaim: { name: claim.metadata.name }, reason: because }, 'deleting nodeclaim')
          if (node !== undefined) deps.cluster.markForDeletion(node)
          deps.cluster.counts.deletionAccepted(claim.metadata.name)
        }),
      )
      throwRejections(results)
      return requeueAfter(againMs)
    },
  }
}

/** Nodes that go do not come back, and a cache that lags, as that of a process that has just started may, shows what the pool wanted before. */
async function isAsSeen(kube: Pick<KubeClient, 'get'>, { metadata, spec }: NodePool): Promise<boolean> {
  const present = await getIfPresent(kube, nodePools, { name: metadata.name })
  return present?.metadata.uid === metadata.uid && present.spec.replicas === spec.replicas
}

/** What was refused would be refused again; what is no answer of the API server is a bug. */
function isOutage(error: unknown): boolean {
  return error instanceof KubeError && !isRefusal(error)
}
