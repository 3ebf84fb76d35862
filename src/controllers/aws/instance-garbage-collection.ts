import type { Node } from '../../api/kubernetes.ts'
import { type EC2Instance, isTerminating, toProviderID } from '../../cloud/aws/instance/ec2-instance.ts'
import { combineErrors } from '../../cloud/aws/errors.ts'
import { clusterNameTag, nodePoolKey } from '../../cloud/aws/keys.ts'
import { NodeClaimNotFoundError } from '../../cloud/provider.ts'
import { type Cache, requeueAfter, type SingletonController } from '../../kube/controller.ts'
import { isNotFound } from '../../kube/errors.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import { nodes } from '../../kube/kinds.ts'
import type { Logger } from '../../kube/logger.ts'
import { keyOf } from '../../kube/resource.ts'
import { type AWSControllerDeps, isOurClaim } from './deps.ts'

/** A launch takes this long to reach its claim's status, and the claim's status to reach the cache. */
const graceMs = 30_000
/** After a start there may be leftovers of an earlier process, so the first runs come close together. */
const eagerRuns = 20
const eagerMs = 10_000
const restMs = 120_000
const parallelMax = 100

type GarbageDeps = Pick<AWSControllerDeps, 'kube' | 'caches' | 'clock' | 'cloud' | 'settings'>

/** Ends instances that no claim stands for. */
export function instanceGarbageCollector(deps: GarbageDeps): SingletonController {
  const claims = deps.caches.of(nodeClaims)
  const nodeCache = deps.caches.of(nodes)
  let runs = 0
  return {
    name: 'instance.garbagecollection',
    async reconcile({ log }) {
      // EC2 is read first: a claim made in between is then seen, while its instance cannot be among those read.
      const instances = await deps.cloud.instances.list()
      const claimed = new Set(
        claims
          .list()
          .filter(isOurClaim)
          .map((claim) => claim.status?.providerID),
      )
      const orphans = instances.filter((instance) => isOrphan(deps, instance, claimed))
      const errors: unknown[] = []
      for (let start = 0; start < orphans.length; start += parallelMax) {
        const batch = orphans.slice(start, start + parallelMax)
        const outcomes = await Promise.allSettled(batch.map((instance) => collect(deps, instance, nodeCache, log)))
        for (const outcome of outcomes) if (outcome.status === 'rejected') errors.push(outcome.reason)
      }
      if (errors.length > 0) throw combineErrors(errors)
      runs += 1
      return requeueAfter(runs <= eagerRuns ? eagerMs : restMs)
    },
  }
}

function isOrphan(
  { clock, cloud, settings }: GarbageDeps,
  instance: EC2Instance,
  claimed: ReadonlySet<string | undefined>,
): boolean {
  const ours = instance.tags[clusterNameTag] === settings.clusterName && Object.hasOwn(instance.tags, nodePoolKey)
  return (
    ours &&
    !isTerminating(instance) &&
    !claimed.has(toProviderID(instance)) &&
    clock.now() - instance.launchedAt > graceMs &&
    !cloud.instances.isFreshLaunch(instance.id)
  )
}

async function collect(
  { kube, cloud }: GarbageDeps,
  instance: EC2Instance,
  nodeCache: Cache<Node>,
  log: Logger,
): Promise<void> {
  const providerID = toProviderID(instance)
  try {
    await cloud.instances.delete(instance.id)
  } catch (error) {
    if (error instanceof NodeClaimNotFoundError) return
    throw error
  }
  log.debug({ 'provider-id': providerID }, 'garbage collected cloudprovider instance')
  for (const node of nodeCache.list()) {
    if (node.spec.providerID !== providerID) continue
    try {
      await kube.delete(nodes, keyOf(node), { preconditions: { uid: node.metadata.uid } })
      log.debug({ Node: { name: node.metadata.name } }, 'garbage collected node')
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}
