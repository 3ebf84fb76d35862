import { conditionReady, isConditionTrue } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import { type CloudProvider, NodeClaimNotFoundError, ProviderIDError } from '../../cloud/provider.ts'
import type { Caches, ReconcileContext, SingletonController } from '../../kube/controller.ts'
import { requeueAfter } from '../../kube/controller.ts'
import { getIfPresent } from '../../kube/get-if-present.ts'
import { nodes } from '../../kube/kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import { throwRejections } from '../../model/combine-errors.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import { deleteClaim } from './delete-claim.ts'
import { countDisruption } from './disrupted-metrics.ts'
import { isManagedClaim, machineLookup, type MachineLookup } from './lookup.ts'
import { isOwnedBy } from './node-sync.ts'
import { isReadyUnseen } from './ready-unseen.ts'

export interface GarbageCollectionDeps {
  readonly kube: KubeClient
  readonly caches: Caches
  readonly cloud: Pick<CloudProvider, 'get' | 'list' | 'nodeClassKinds'>
  readonly metrics: Pick<ControllerMetrics, 'nodeClaimsDisrupted' | 'podDisruptionsInitiated'>
}

const everyMs = 120_000
const parallelMax = 20

/**
 * Deletes claims whose instance is gone, unless a node of theirs is plainly alive. A list goes by tags, which somebody may have edited,
 * so an instance that it lacks is also asked for by its id.
 */
export function nodeClaimGarbageCollection(deps: GarbageCollectionDeps): SingletonController {
  const lookup = machineLookup(deps.caches)
  return {
    name: 'nodeclaim.garbagecollection',
    async reconcile(context) {
      // The claims are read first: one that launches meanwhile is then not held against an older list of instances.
      const claims = lookup.claims.list().filter((claim) => isCandidate(claim, deps.cloud))
      const instances = await deps.cloud.list()
      const alive = new Set(
        instances.filter(({ deletedAt }) => deletedAt === undefined).map(({ providerID }) => providerID),
      )
      const orphans = claims.filter((claim) => !alive.has(claim.status?.providerID ?? ''))
      const results: PromiseSettledResult<void>[] = []
      for (let start = 0; start < orphans.length; start += parallelMax) {
        const batch = orphans.slice(start, start + parallelMax)
        results.push(...(await Promise.allSettled(batch.map((claim) => collect(deps, lookup, claim, context)))))
      }
      throwRejections(results)
      return requeueAfter(everyMs)
    },
  }
}

/** Unregistered claims are left to their registration timeout. */
function isCandidate(claim: NodeClaim, cloud: Pick<CloudProvider, 'nodeClassKinds'>): boolean {
  return (
    isManagedClaim(claim, cloud) &&
    isConditionTrue(claim, 'Registered') &&
    claim.metadata.deletionTimestamp === undefined &&
    (claim.status?.providerID ?? '') !== ''
  )
}

async function collect(
  deps: GarbageCollectionDeps,
  lookup: MachineLookup,
  claim: NodeClaim,
  { log }: ReconcileContext,
): Promise<void> {
  if (lookup.nodesOf(claim).some((node) => isConditionTrue(node, conditionReady))) return
  if (await isRunning(claim, deps)) return
  // The cloud may be wrong for a moment.
  if (await isReadyUnseen(claim, deps.kube)) return
  const node = lookup.onlyNodeOf(claim)
  if (!(await deleteClaim(deps.kube, claim))) return
  log.debug(
    {
      NodeClaim: { name: claim.metadata.name },
      'provider-id': claim.status?.providerID ?? '',
      ...(node === undefined ? {} : { Node: { name: node.metadata.name } }),
    },
    'garbage collecting nodeclaim with no cloudprovider representation',
  )
  countDisruption({ metrics: deps.metrics, lookup }, claim, 'garbage_collected')
}

/**
 * A provider ID that somebody has spoilt names no machine, though there may be one: it runs for as long as the claim has its node.
 * @throws what kept the cloud from telling
 */
async function isRunning(claim: NodeClaim, { cloud, kube }: GarbageCollectionDeps): Promise<boolean> {
  try {
    const { deletedAt } = await cloud.get(claim.status?.providerID ?? '')
    return deletedAt === undefined
  } catch (error) {
    if (error instanceof NodeClaimNotFoundError) return false
    if (error instanceof ProviderIDError && (await isNodeGone(claim, kube))) return false
    throw error
  }
}

async function isNodeGone(claim: NodeClaim, kube: Pick<KubeClient, 'get'>): Promise<boolean> {
  const name = claim.status?.nodeName ?? ''
  if (name === '') return false
  const present = await getIfPresent(kube, nodes, { name })
  return present === undefined || !isOwnedBy(present, claim)
}
