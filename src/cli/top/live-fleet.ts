import type { NodePool } from '../../api/karpenter.ts'
import { labelRegion } from '../../api/labels.ts'
import { ClusterState } from '../../cluster/index.ts'
import { evictionCost } from '../../disruption/disruption-cost.ts'
import { surveyCandidates } from '../../disruption/candidates.ts'
import { createCaches, type RunningCaches } from '../../kube/caches.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../kube/karpenter-kinds.ts'
import * as kinds from '../../kube/kinds.ts'
import type { Logger } from '../../kube/logger.ts'
import { silentLogger } from '../../kube/logger.ts'
import type { HTTPClient } from '../../kube/http-client.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { Clock } from '../../model/clock.ts'
import type { Random } from '../../model/random.ts'
import type { InstanceTypeList, Snapshot } from '../../model/snapshot.ts'
import { createFleetSource, type FleetSource } from '../../operator/dashboard/fleet-source.ts'
import type { NodeBlock } from '../../operator/dashboard/fleet-view.ts'
import { ProblemsError } from '../command-line.ts'
import { sortObjects } from '../simulate/objects.ts'
import { resolveInstanceTypes } from '../simulate/instance-types.ts'

/** How long the first lists may take before it is said what is missing. */
const syncMaxMs = 30_000

/** Watches a cluster as the operator does, with list prices of the built-in catalogue. @throws ProblemsError when it cannot be read. */
export async function watchFleet(options: {
  readonly client: KubeClient & Pick<HTTPClient, 'getRaw'>
  readonly clock: Clock
  readonly random: Random
  readonly cluster: string
  /** Of the prices; absent: that of the nodes. */
  readonly region: string | undefined
  readonly signal: AbortSignal
}): Promise<FleetSource> {
  const { client, clock, random, cluster, signal } = options
  const complaints = new Map<string, string>()
  const caches = createCaches({ client, clock, random, log: complaintLog(complaints) })
  const state = new ClusterState({
    caches,
    clock,
    log: silentLogger,
    cloud: { nodeClassKinds: [{ group: ec2NodeClasses.group, kind: ec2NodeClasses.kind }] },
    instanceTypes: () => Promise.resolve({ kind: 'resolved', types: [] }),
    nominationMs: 0,
    evictionCost,
  })
  const source = createFleetSource({
    cluster,
    state,
    caches,
    clock,
    instanceTypes: catalogueTypes(caches, options.region),
    blocked: blockedNow,
  })
  caches.start(signal)
  await allRead(caches, complaints, clock, signal)
  return {
    now: () => source.now(),
    view: async () => {
      // Watches are silent for minutes: this tells whether the server is still there, and what time it is there.
      await client.getRaw('/version', signal)
      return source.view()
    },
  }
}

async function allRead(
  caches: RunningCaches,
  complaints: ReadonlyMap<string, string>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const late = new AbortController()
  const timer = clock.schedule(syncMaxMs, () => late.abort(new Error('late')))
  try {
    await caches.synced(AbortSignal.any([signal, late.signal]))
  } catch (error) {
    if (signal.aborted) throw error
    const missing = caches.pending.map(
      ({ plural }) => `error: cannot read ${plural}: ${complaints.get(plural) ?? 'no answer'}`,
    )
    throw new ProblemsError(missing)
  } finally {
    timer.cancel()
  }
}

/** Remembers the last failure of each kind; a screen has no room for a log. */
function complaintLog(complaints: Map<string, string>, resource = ''): Logger {
  return {
    ...silentLogger,
    warn: (fields) => {
      const error = 'err' in fields ? fields.err : undefined
      if (error instanceof Error) complaints.set(resource, error.message)
    },
    child: (fields) => complaintLog(complaints, typeof fields['resource'] === 'string' ? fields['resource'] : resource),
  }
}

/** Types and prices of the region of the nodes, by the class of each pool. */
function catalogueTypes(
  caches: RunningCaches,
  region: string | undefined,
): (pool: NodePool) => Promise<InstanceTypeList> {
  const classes = caches.of(ec2NodeClasses)
  const lists = [caches.of(kinds.nodes), caches.of(nodeClaims)] as const
  caches.of(nodePools)
  return (pool) => {
    const labelled = lists
      .flatMap((cache) => cache.list())
      .flatMap(({ metadata }) => metadata.labels?.[labelRegion] ?? [])
    const objects = { ...sortObjects([]), nodeClasses: [...classes.list()] }
    return Promise.resolve(resolveInstanceTypes(objects, region ?? labelled[0] ?? 'us-east-1').instanceTypes(pool))
  }
}

/** What would keep consolidation off now. What the operator itself remembers, a policy or a breaker, is in the status of the pools. */
function blockedNow(snapshot: Snapshot): ReadonlyMap<string, readonly NodeBlock[]> {
  const { blocked } = surveyCandidates(snapshot, { disruptionClass: 'graceful', queued: new Set() })
  return new Map(blocked.map(({ stateNode, code, message }) => [stateNode.name, [{ code, message }]]))
}
