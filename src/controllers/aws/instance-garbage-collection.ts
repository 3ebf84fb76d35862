import { conditionReady, isConditionTrue } from '../../api/conditions.ts'
import type { Node } from '../../api/kubernetes.ts'
import type { AWSCloud } from '../../cloud/aws/create-aws-cloud.ts'
import { type EC2Instance, isTerminating, toProviderID } from '../../cloud/aws/instance/ec2-instance.ts'
import { clusterNameTag, nodeClaimKey, nodePoolKey } from '../../cloud/aws/keys.ts'
import { NodeClaimNotFoundError } from '../../cloud/provider.ts'
import { type Cache, requeueAfter, type SingletonController } from '../../kube/controller.ts'
import { isNotFound } from '../../kube/errors.ts'
import { getIfPresent } from '../../kube/get-if-present.ts'
import { nodeClaims } from '../../kube/karpenter-kinds.ts'
import { nodes } from '../../kube/kinds.ts'
import type { Logger } from '../../kube/logger.ts'
import { keyOf } from '../../kube/resource.ts'
import type { Clock } from '../../model/clock.ts'
import { combineErrors } from '../../model/combine-errors.ts'
import { type AWSControllerDeps, isOurClaim } from './deps.ts'

/** A launch takes this long to reach its claim's status, and the claim's status to reach the cache. */
const graceMs = 30_000
/** After a start there may be leftovers of an earlier process, so the first runs come close together. */
const eagerRuns = 20
const eagerMs = 10_000
const restMs = 120_000
/** A node that is Ready goes only when its instance was without a claim twice, so far apart. */
const secondLookMs = 30_000
const parallelMax = 100

interface GarbageDeps extends Pick<AWSControllerDeps, 'kube' | 'caches' | 'clock'> {
  readonly cloud: {
    readonly instances: Pick<AWSCloud['instances'], 'list' | 'delete' | 'isFreshLaunch' | 'launchedFor'>
  }
  readonly settings: Pick<AWSControllerDeps['settings'], 'clusterName'>
}

/** Ends instances that no claim stands for. */
export function instanceGarbageCollector(deps: GarbageDeps): SingletonController {
  const claims = deps.caches.of(nodeClaims)
  const nodeCache = deps.caches.of(nodes)
  const doubts = new Doubts(deps.clock)
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
      const suspects = instances.filter((instance) => isOrphan(deps, instance, claimed))
      const orphans = doubts.remaining(await unclaimed(deps, suspects, nodeCache), nodeCache)
      const errors: unknown[] = []
      for (let start = 0; start < orphans.length; start += parallelMax) {
        const batch = orphans.slice(start, start + parallelMax)
        const outcomes = await Promise.allSettled(batch.map((instance) => collect(deps, instance, nodeCache, log)))
        for (const outcome of outcomes) if (outcome.status === 'rejected') errors.push(outcome.reason)
      }
      if (errors.length > 0) throw combineErrors(errors)
      runs += 1
      return requeueAfter(runs <= eagerRuns ? eagerMs : doubts.size > 0 ? secondLookMs : restMs)
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

/** Orphans whose node is Ready. The API server that was asked may lag and not show the claim yet, so these wait for `secondLookMs`. */
class Doubts {
  readonly #clock: Clock
  #since: ReadonlyMap<string, number> = new Map()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get size(): number {
    return this.#since.size
  }

  /** The orphans about which no doubt remains. */
  remaining(orphans: readonly EC2Instance[], nodeCache: Cache<Node>): readonly EC2Instance[] {
    const now = this.#clock.monotonicMs()
    const readyNodes = nodeCache.list().filter((node) => isConditionTrue(node, conditionReady))
    const ready = new Set(readyNodes.map(({ spec }) => spec.providerID ?? ''))
    const waits = orphans.flatMap((instance): [string, number][] => {
      const since = this.#since.get(instance.id) ?? now
      return ready.has(toProviderID(instance)) && now - since < secondLookMs ? [[instance.id, since]] : []
    })
    this.#since = new Map(waits)
    return orphans.filter(({ id }) => !this.#since.has(id))
  }
}

/**
 * Those that no claim stands for by the API server's own word: caches are a while behind at times, above all when a process has just
 * started, and an instance that was ended does not come back. An instance that carries a claim's name was written down there once: a claim
 * that is shown without any is shown as it was before. One that this process launched may wait up to an hour for its claim to be written
 * while somebody refuses that. @throws when the API server cannot be asked; nothing is ended then
 */
async function unclaimed(
  { kube, cloud }: GarbageDeps,
  suspects: readonly EC2Instance[],
  nodeCache: Cache<Node>,
): Promise<readonly EC2Instance[]> {
  if (suspects.length === 0) return []
  const owners = new Map(nodeCache.list().map((node) => [node.spec.providerID ?? '', claimNameOf(node)]))
  const nameOf = (instance: EC2Instance): string | undefined =>
    instance.tags[nodeClaimKey] ?? owners.get(toProviderID(instance)) ?? cloud.instances.launchedFor(instance.id)?.name
  const named = suspects.map((instance) => ({ instance, name: nameOf(instance) }))
  const listed = named.some(({ name }) => name === undefined) ? (await kube.list(nodeClaims)).items : []
  const claimed = new Set(listed.map(({ status }) => status?.providerID))
  const orphans: EC2Instance[] = []
  for (const { instance, name } of named) {
    const claim = name === undefined ? undefined : await getIfPresent(kube, nodeClaims, { name })
    const providerID = toProviderID(instance)
    const isTaken = claim !== undefined && [providerID, ''].includes(claim.status?.providerID ?? '')
    if (!isTaken && !claimed.has(providerID)) orphans.push(instance)
  }
  return orphans
}

function claimNameOf({ metadata }: Node): string | undefined {
  return metadata.ownerReferences?.find(({ kind }) => kind === nodeClaims.kind)?.name
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
