import type { NodeClaim, NodePool } from '../../api/karpenter.ts'
import type { ClusterState, PlanBasis } from '../../cluster/index.ts'
import { nodeClaims, nodePools } from '../../kube/karpenter-kinds.ts'
import type { Logger } from '../../kube/logger.ts'
import type { KubeClient } from '../../kube/port.ts'
import { compareText } from '../../model/order.ts'
import { toLimits, toResourceList, type Resources } from '../../model/resources.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import type { PlannedClaim } from './solver-port.ts'
import { listText } from '../../model/list-text.ts'

export interface CreateClaimDeps {
  readonly kube: Pick<KubeClient, 'get' | 'create'>
  readonly cluster: Pick<ClusterState, 'nodePoolResources' | 'observeNodeClaim' | 'plans'>
  readonly metrics: Pick<ControllerMetrics, 'nodeClaimsCreated'>
  readonly launches: ClaimWritten
  /** Taken with the snapshot that the plan was made on; absent where nothing was planned on one. */
  readonly basis?: PlanBasis
}

/** Learns of every claim that is made, whoever makes it. */
export interface ClaimWritten {
  written(claim: NodeClaim): void
  notWritten(): void
}

export class LimitExceededError extends Error {
  readonly code = 'LimitExceeded'
  override readonly name = 'LimitExceededError'
}

class StalePlanError extends Error {
  readonly code = 'StalePlan'
  override readonly name = 'StalePlanError'
}

/**
 * Writes the claim of a planned node. The pool is read again: its limits may have been lowered, or it may be gone or another one, since
 * the plan. Nor is it written for a plan that does not hold any more.
 * @throws LimitExceededError, StalePlanError
 */
export async function createClaim(
  deps: CreateClaimDeps,
  planned: Omit<PlannedClaim, 'pods'>,
  reason: string,
  log: Logger,
): Promise<NodeClaim> {
  try {
    const claim = await writeClaim(deps, planned, reason, log)
    deps.launches.written(claim)
    return claim
  } catch (error) {
    deps.launches.notWritten()
    throw error
  }
}

async function writeClaim(
  deps: Omit<CreateClaimDeps, 'launches'>,
  planned: Omit<PlannedClaim, 'pods'>,
  reason: string,
  log: Logger,
): Promise<NodeClaim> {
  const pool = await deps.kube.get(nodePools, { name: planned.nodePool })
  const lost = whyLost(pool, planned.claim.metadata)
  if (lost !== undefined) throw new StalePlanError(`creating node claim, ${lost}`)
  const exceeded = exceededLimit(deps.cluster.nodePoolResources(planned.nodePool), toLimits(pool.spec.limits))
  if (exceeded !== undefined) throw new LimitExceededError(`creating node claim, ${exceeded}`)
  const claim = await onPlan(deps, pool, async () => {
    const created = await deps.kube.create(nodeClaims, planned.claim)
    deps.cluster.observeNodeClaim(created)
    return created
  })
  log.info(
    {
      NodePool: { name: planned.nodePool },
      NodeClaim: { name: claim.metadata.name },
      requests: toResourceList(planned.requests),
      'instance-types': listText(planned.instanceTypeNames),
    },
    'created nodeclaim',
  )
  deps.metrics.nodeClaimsCreated.increment({
    reason,
    nodepool: planned.nodePool,
    min_values_relaxed: String(planned.minValuesRelaxed),
  })
  return claim
}

/** A claim whose owner goes, or is another one by now, would be collected as garbage as soon as it has launched. */
function whyLost(
  { metadata: pool }: NodePool,
  { ownerReferences = [] }: PlannedClaim['claim']['metadata'],
): string | undefined {
  if (pool.deletionTimestamp !== undefined) return `nodepool ${pool.name} is being deleted`
  const isAnother = ownerReferences.some(({ kind, uid }) => kind === nodePools.kind && uid !== pool.uid)
  return isAnother ? `nodepool ${pool.name} was made anew since the plan` : undefined
}

/** Writes unless the plan does not hold any more, and tells other plans of it. @throws StalePlanError */
async function onPlan<T>(
  { basis, cluster: { plans } }: Pick<CreateClaimDeps, 'basis' | 'cluster'>,
  pool: NodePool,
  write: () => Promise<T>,
): Promise<T> {
  if (basis === undefined) return write()
  const stale = plans.begin(pool, basis)
  if (stale !== undefined) throw new StalePlanError(`creating node claim, ${stale}`)
  try {
    return await write()
  } finally {
    plans.settle(pool)
  }
}

/** Being at the limit is allowed: what is on its way was planned within it. */
function exceededLimit(usage: Resources, limits: Resources): string | undefined {
  for (const [name, limit] of [...limits].toSorted(([a], [b]) => compareText(a, b))) {
    const used = usage.get(name)
    if (used !== undefined && used.compare(limit) > 0) {
      return `resource usage exceeds limit (limit=${limit.toString()}, resource-name=${name}, usage=${used.toString()})`
    }
  }
  return undefined
}
