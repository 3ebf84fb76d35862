import type { SingletonController } from '../kube/controller.ts'
import { requeueUnless } from '../kube/controller.ts'
import { isNotFound } from '../kube/errors.ts'
import { nodeClaims } from '../kube/karpenter-kinds.ts'
import { nodes } from '../kube/kinds.ts'
import type { Logger } from '../kube/logger.ts'
import type { KubeClient } from '../kube/port.ts'
import type { Resource } from '../kube/resource.ts'
import type { Clock } from '../model/clock.ts'
import { listText } from '../model/list-text.ts'
import type { ClusterState } from './cluster-state.ts'

export interface StateSyncOptions {
  readonly state: ClusterState
  readonly client: KubeClient
  readonly clock: Clock
  /** Lists a kind again, when its cache is suspected to have missed something. */
  readonly relist: (resource: Resource) => void
  readonly report: (report: {
    readonly synced: boolean
    readonly unsyncedSeconds: number
    readonly nodes: number
  }) => void
}

const checkEveryMs = 5_000
/** A claim that is not launched after this long is looked up, in case its deletion was missed. */
const staleClaimMs = 15_000
/** With more claims to look up than this, as when the cloud has no capacity for a large burst, all of them are listed once. */
const singleLooksMax = 32
const warnAfterMs = 30_000
const warnEveryMs = 10_000
/** After so long the caches are not trusted any more: everything state is made of is listed anew. */
const relistAfterMs = 60_000
/** What holds everything up and can have no instance is waited for so long: the finalizer of somebody else, or a policy, may keep it for good. */
const patienceMs = { deleting: 60_000, refused: 600_000 }
/** And so long nodes that cannot be told apart. */
const untrackedPatienceMs = 600_000

/** Publishes whether cluster state agrees with the API server, and heals it when it does not (reliability: never unsynced for good). */
export function stateSyncController(options: StateSyncOptions): SingletonController {
  const { state, client, clock } = options
  const firstSeen = new Map<string, number>()
  const hopeless = new Map<string, { readonly why: keyof typeof patienceMs; readonly since: number }>()
  /** Claims that the API server did not have when it was last asked. One answer may be that of a server that is behind. */
  const missed = new Set<string>()
  let unsyncedSince: number | undefined
  let warnedAt = Number.NEGATIVE_INFINITY
  let relistedAt = Number.NEGATIVE_INFINITY

  /** Which of the claims the API server has. */
  const lookUp = async (names: readonly string[], signal: AbortSignal): Promise<(name: string) => boolean> => {
    if (names.length > singleLooksMax) {
      const { items } = await client.list(nodeClaims, { signal })
      const there = new Set(items.map(({ metadata }) => metadata.name))
      return (name) => there.has(name)
    }
    const gone = new Set<string>()
    for (const name of names) {
      try {
        await client.get(nodeClaims, { name }, { signal })
      } catch (error) {
        if (!isNotFound(error)) throw error
        gone.add(name)
      }
    }
    return (name) => !gone.has(name)
  }

  const dropGone = async (names: readonly string[], signal: AbortSignal): Promise<void> => {
    const isThere = await lookUp(names, signal)
    let isBehind = false
    for (const name of names) {
      if (isThere(name)) {
        missed.delete(name)
        continue
      }
      isBehind = true
      // Its pods get another node as soon as it is forgotten.
      if (missed.delete(name)) state.forgetUnlaunchedClaim(name)
      else missed.add(name)
    }
    if (isBehind) options.relist(nodeClaims)
  }

  const setAside = (now: number, unsyncedMs: number, log: Logger): void => {
    for (const name of state.unlaunched.names) {
      const why = state.unlaunched.hopelessness(name)
      const known = hopeless.get(name)
      if (why === undefined) hopeless.delete(name)
      else if (known?.why !== why) hopeless.set(name, { why, since: now })
      else if (now - known.since >= patienceMs[why] && state.unlaunched.isAwaited(name)) {
        state.unlaunched.setAside(name)
        log.error({ NodeClaim: { name }, reason: why }, 'going on without a nodeclaim that has no instance')
      }
    }
    const nodes = state.untrackedNodes
    if (nodes.length > 0 && unsyncedMs >= untrackedPatienceMs) {
      state.setUntrackedNodesAside()
      log.error({ Nodes: listText(nodes) }, 'going on without nodes that have no provider id')
    }
  }

  return {
    name: 'state.sync',
    async reconcile({ log, signal }) {
      const now = clock.monotonicMs()
      const synced = state.synced()
      unsyncedSince = synced ? undefined : (unsyncedSince ?? now)
      const unsyncedMs = unsyncedSince === undefined ? 0 : now - unsyncedSince
      const tracked = state.nodes()
      options.report({ synced, unsyncedSeconds: unsyncedMs / 1000, nodes: tracked.length })
      if (unsyncedMs >= warnAfterMs && now - warnedAt >= warnEveryMs) {
        warnedAt = now
        log.error(
          { duration: `${unsyncedMs / 1000}s`, ...waitedFor(state) },
          'cluster is waiting on sync for extended duration',
        )
      }
      if (unsyncedMs >= relistAfterMs && now - relistedAt >= relistAfterMs) {
        relistedAt = now
        for (const resource of [nodeClaims, nodes]) options.relist(resource)
      }
      setAside(now, unsyncedMs, log)
      const unlaunched = new Set(state.unlaunched.names)
      for (const name of firstSeen.keys()) {
        if (unlaunched.has(name)) continue
        firstSeen.delete(name)
        missed.delete(name)
        hopeless.delete(name)
      }
      const stale: string[] = []
      for (const name of unlaunched) {
        const seen = firstSeen.get(name) ?? now
        firstSeen.set(name, seen)
        if (now - seen >= staleClaimMs) stale.push(name)
      }
      if (stale.length > 0) await dropGone(stale, signal)
      for (const name of stale) {
        firstSeen.set(name, now)
        if (!state.hasClaim(name)) {
          log.debug({ NodeClaim: { name } }, 'garbage collecting stale unlaunched nodeclaim from cluster state')
        }
      }
      return requeueUnless(
        () => synced && state.synced() && state.unlaunched.isEmpty && state.nodes() === tracked,
        checkEveryMs,
      )
    },
  }
}

/** The claims without an instance, and nodes without a provider ID, that hold everything up; none where the caches themselves are behind. */
function waitedFor({ unlaunched, untrackedNodes }: ClusterState): {
  readonly NodeClaims?: string
  readonly Nodes?: string
} {
  const claims = unlaunched.names.filter((name) => unlaunched.isAwaited(name))
  return {
    ...(claims.length === 0 ? {} : { NodeClaims: listText(claims) }),
    ...(untrackedNodes.length === 0 ? {} : { Nodes: listText(untrackedNodes) }),
  }
}
