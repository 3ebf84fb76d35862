import type { NodePool } from '../../api/karpenter.ts'
import { isConditionTrue } from '../../api/conditions.ts'
import { labelRegion } from '../../api/labels.ts'
import { ClusterState } from '../../cluster/index.ts'
import { evictionCost } from '../../disruption/disruption-cost.ts'
import { surveyCandidates } from '../../disruption/candidates.ts'
import { createCaches, type RunningCaches } from '../../kube/caches.ts'
import { hasCode } from '../../kube/errors.ts'
import { ec2NodeClasses, nodeClaims, nodePools, rolloutPolicies } from '../../kube/karpenter-kinds.ts'
import * as kinds from '../../kube/kinds.ts'
import type { Logger } from '../../kube/logger.ts'
import { silentLogger } from '../../kube/logger.ts'
import type { HTTPClient } from '../../kube/http-client.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { Clock } from '../../model/clock.ts'
import type { Random } from '../../model/random.ts'
import type { InstanceTypeList, Snapshot, StateNode } from '../../model/snapshot.ts'
import { createFleetSource, type FleetSource } from '../../operator/dashboard/fleet-source.ts'
import type { NodeBlock } from '../../operator/dashboard/fleet-view.ts'
import { ProblemsError } from '../command-line.ts'
import { listReadable } from '../list-readable.ts'
import { sortObjects } from '../simulate/objects.ts'
import { resolveInstanceTypes } from '../simulate/instance-types.ts'
import { withQueuedMarked } from '../simulate/under-way.ts'

/** How long the first lists may take before it is said what is missing. */
const syncMaxMs = 30_000
/** How much longer, once something may not be read: that does not change by waiting. */
const refusalsMs = 1_000

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
  const refused = new AbortController()
  // The other kinds are most likely asked for by then: what is refused is told all at once.
  const onRefused = (): void => void clock.schedule(refusalsMs, () => refused.abort(new Error('refused')))
  const caches = createCaches({ client, clock, random, log: complaintLog(complaints, onRefused) })
  const state = new ClusterState({
    caches,
    clock,
    log: silentLogger,
    cloud: { nodeClassKinds: [{ group: ec2NodeClasses.group, kind: ec2NodeClasses.kind }] },
    instanceTypes: () => Promise.resolve({ kind: 'resolved', types: [] }),
    nominationMs: 0,
    evictionCost,
  })
  // One call first: caches try for ever, and whoever runs the command can tell a wrong cluster or wrong credentials by its error.
  await client.getRaw('/version', signal)
  // Karpenter's own definitions have none.
  const hasPolicies = (await listReadable(client, rolloutPolicies, signal)) !== undefined
  const policies = hasPolicies ? caches.of(rolloutPolicies) : undefined
  const source = createFleetSource({
    cluster,
    // Nobody here has the operator's queue: its nodes are those that show it.
    state: { snapshot: () => withQueuedMarked(state.snapshot()) },
    caches,
    clock,
    instanceTypes: catalogueTypes(caches, options.region),
    policies: () => policies?.list() ?? [],
    blocked: blockedNow,
  })
  caches.start(signal)
  await allRead(caches, complaints, { clock, signal, refused: refused.signal })
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
  { clock, signal, refused }: { readonly clock: Clock; readonly signal: AbortSignal; readonly refused: AbortSignal },
): Promise<void> {
  const late = new AbortController()
  const timer = clock.schedule(syncMaxMs, () => late.abort(new Error('late')))
  try {
    await caches.synced(AbortSignal.any([signal, late.signal, refused]))
  } catch (error) {
    if (signal.aborted) throw error
    throw new ProblemsError(
      unread(
        caches.pending.map(({ plural }) => plural),
        complaints,
      ),
    )
  } finally {
    timer.cancel()
  }
}

/** One line for each reason: what is wrong with the connection is wrong for every kind. */
export function unread(kinds: readonly string[], complaints: ReadonlyMap<string, string>): readonly string[] {
  const byReason = Map.groupBy(kinds, (kind) => complaints.get(kind) ?? 'no answer')
  return [...byReason].map(([reason, these]) => `error: cannot read ${these.join(', ')}: ${reason}`)
}

/** Remembers the last failure of each kind; a screen has no room for a log. */
function complaintLog(complaints: Map<string, string>, onRefused: () => void, resource = ''): Logger {
  return {
    ...silentLogger,
    warn: (fields) => {
      const error = 'err' in fields ? fields.err : undefined
      if (error instanceof Error) complaints.set(resource, error.message)
      if (hasCode(error, 'Forbidden') || hasCode(error, 'Unauthorized')) onRefused()
    },
    child: (fields) =>
      complaintLog(complaints, onRefused, typeof fields['resource'] === 'string' ? fields['resource'] : resource),
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

/**
 * What would keep each node from being disrupted now: by drift where it drifted, else by consolidation. What the operator remembers, a
 * policy's step or an open breaker, stands in the status of its pool, and is shown where it holds all that drifted.
 */
export function blockedNow(snapshot: Snapshot): ReadonlyMap<string, readonly NodeBlock[]> {
  const blocks = new Map<string, readonly NodeBlock[]>()
  // By pool, what already stands at a drifted node.
  const seen = new Map<string, Set<string>>()
  const graceful = surveyCandidates(snapshot, { disruptionClass: 'graceful', queued: new Set() })
  const eventual = surveyCandidates(snapshot, { disruptionClass: 'eventual', queued: new Set() })
  for (const { stateNode, code, message } of graceful.blocked) {
    if (!isDrifted(stateNode)) blocks.set(stateNode.name, [{ code, message }])
  }
  for (const { stateNode, code, message } of eventual.blocked) {
    if (!isDrifted(stateNode)) continue
    blocks.set(stateNode.name, [{ code, message }])
    seen.set(stateNode.nodePool, (seen.get(stateNode.nodePool) ?? new Set()).add(code))
  }
  const pools = new Map(snapshot.nodePools.map((pool) => [pool.metadata.name, pool]))
  // What is no candidate for drift has its own block by now.
  for (const { stateNode } of eventual.candidates) {
    const pool = pools.get(stateNode.nodePool)
    if (pool === undefined || !isDrifted(stateNode)) continue
    const block = heldBy(pool, stateNode.name, seen.get(stateNode.nodePool) ?? new Set())
    if (block !== undefined) blocks.set(stateNode.name, [block])
  }
  return blocks
}

function isDrifted({ nodeClaim }: StateNode): boolean {
  return nodeClaim !== undefined && isConditionTrue(nodeClaim, 'Drifted')
}

/**
 * What holds a drifted node of a pool all of whose drifted nodes are held, by something that does not show at the node itself. The status counts
 * causes and names the first node of each: where several are left, which of them it is cannot be told of the others.
 */
function heldBy({ status }: NodePool, node: string, seen: ReadonlySet<string>): NodeBlock | undefined {
  const isAll = (status?.blockedNodes ?? 0) > 0 && status?.blockedNodes === status?.driftedNodes
  if (!isAll) return undefined
  const causes = (status?.blockedBy ?? [])
    .filter(({ reason }) => !seen.has(reason))
    .map(({ reason, message }) => ({ code: reason, ...namedFirst(message) }))
  const known = causes.find(({ first }) => first === node) ?? (causes.length === 1 ? causes[0] : undefined)
  if (known !== undefined) return { code: known.code, message: known.message }
  if (causes.length === 0) return undefined
  return { code: 'Held', message: `by ${causes.map(({ code }) => code).join(' or ')}: see the status of the NodePool` }
}

/** The message begins with the name of the first node that it is about. */
function namedFirst(text: string): { readonly first: string; readonly message: string } {
  const first = /^([^ ]+): /.exec(text)?.[1] ?? ''
  return { first, message: first === '' ? text : text.slice(first.length + 2) }
}
