import { formatDurationMs } from '../../api/duration.ts'
import type { NodeClaim, NodePool } from '../../api/karpenter.ts'
import { isConditionTrue } from '../../api/conditions.ts'
import { labelNodePool } from '../../api/labels.ts'
import type { CloudProvider } from '../../cloud/provider.ts'
import type { InstanceTypeSource } from '../../cluster/index.ts'
import {
  decideConsolidatable,
  instanceTypeAgeMs,
  isInstanceTypeGone,
  lastPodEventAt,
} from '../../disruption/conditions.ts'
import { explainPoolDrift, instanceTypeGone } from '../../disruption/pool-drift.ts'
import {
  type Caches,
  type Controller,
  done,
  type ReconcileContext,
  requeueAfter,
  type Source,
  source,
} from '../../kube/controller.ts'
import { nodeClaims, nodePools } from '../../kube/karpenter-kinds.ts'
import type { KubeClient } from '../../kube/port.ts'
import { keyOf, type ObjectKey } from '../../kube/resource.ts'
import { type Clock, parseTimestamp } from '../../model/clock.ts'
import { type DriftFinding, driftMessage } from '../../model/drift-finding.ts'
import type { LabelAliases } from '../../model/requirements.ts'
import type { OwnDriftOf } from '../../rollout/own-drift.ts'
import { claimsByPool } from '../claim-indexes.ts'
import { scaledConcurrency } from '../concurrency.ts'
import { unlessRaceIsLost } from '../lost-race.ts'
import { isStatusOnly } from '../rollout/counted-only.ts'
import { type ClaimDraft, draftOf, saveStatus } from './claim-draft.ts'
import { SteadyMoments } from '../steady-moments.ts'
import { claimLog } from './claim-log.ts'
import { isManagedClaim } from './lookup.ts'

export interface DisruptionConditionsDeps {
  readonly kube: KubeClient
  readonly caches: Caches
  readonly clock: Clock
  readonly cloud: Pick<CloudProvider, 'isDrifted' | 'nodeClassKinds'>
  readonly instanceTypes: InstanceTypeSource
  readonly labelAliases: LabelAliases
  readonly wellKnownLabels: ReadonlySet<string>
  /** Changes of NodeClasses, as keys of the claims concerned; the provider knows its kinds. */
  readonly nodeClassSources?: readonly Source[]
  /** Reasons of our own, asked when there is no other. */
  readonly ownDrift?: OwnDriftOf
  readonly cpuMilli: number
}

const driftEveryMs = 300_000
const instanceTypeAgainMs = 1_800_000

/** Keeps a claim's Drifted and Consolidatable conditions true to its pool, its class, and its pods' comings and goings. */
export function disruptionConditions(deps: DisruptionConditionsDeps): Controller {
  const claims = deps.caches.of(nodeClaims)
  const pools = deps.caches.of(nodePools)
  const claimsOf = claimsByPool(claims)
  const drift = driftDecision(deps)
  const moments = new SteadyMoments(deps.clock)
  /** The present as it is measured from the claim's last pod event. */
  const steadyNow = (claim: NodeClaim): number => {
    const at = lastPodEventAt(claim)
    return deps.clock.now() - (at === undefined ? 0 : moments.begun(claim.metadata.uid, at) - at)
  }
  return {
    name: 'nodeclaim.disruption',
    kind: { group: 'karpenter.sh', kind: 'NodeClaim' },
    sources: [
      source(nodeClaims, (change) => {
        if (change.kind === 'deleted') drift.forget(change.before.metadata.uid)
        return change.after === undefined ? [] : [keyOf(change.after)]
      }),
      source(nodePools, ({ after, before }) =>
        after === undefined || isStatusOnly(before, after)
          ? []
          : claimsOf(after.metadata.name).map((claim): ObjectKey => keyOf(claim)),
      ),
      ...(deps.nodeClassSources ?? []),
    ],
    concurrency: scaledConcurrency(10, 1_000, deps.cpuMilli),
    // What AWS could not tell for hours is asked for again no later than what it has told.
    rateLimit: { baseMs: 5, maxMs: driftEveryMs, perSecond: 10, burst: 100 },
    async reconcile(key, context) {
      const claim = claims.get(key)
      if (claim === undefined || !isManagedClaim(claim, deps.cloud)) return done
      if (claim.metadata.deletionTimestamp !== undefined) return done
      const pool = pools.get({ name: claim.metadata.labels?.[labelNodePool] ?? '' })
      if (pool === undefined) return done
      const draft = draftOf(claim, deps.clock)
      const traced = { ...context, log: claimLog(context.log, claim) }
      let failure: unknown
      await drift.decide(draft, pool, traced).catch((error: unknown) => {
        failure = error
      })
      const remainingMs =
        pool.spec.replicas === undefined ? decideConsolidation(draft, pool, steadyNow(claim), traced) : undefined
      const saved = await unlessRaceIsLost(() => saveStatus(deps.kube, draft, 'optimistic'))
      if (typeof saved !== 'boolean') return saved
      if (failure !== undefined) throw failure
      return requeueAfter(Math.min(driftEveryMs, remainingMs ?? driftEveryMs))
    },
  }
}

function driftDecision(deps: DisruptionConditionsDeps) {
  /** When each claim's instance type, by the claim's UID, was last found in the catalogue. */
  const foundAt = new Map<string, number>()

  async function findingOf(claim: NodeClaim, pool: NodePool): Promise<DriftFinding | undefined> {
    const own = explainPoolDrift(claim, pool, deps.labelAliases)
    if (own !== undefined) return own
    const found = (await lostInstanceType(claim, pool)) ?? (await deps.cloud.isDrifted(claim))
    if (found !== undefined) return found
    const ours = deps.ownDrift?.(claim, pool, deps.clock.now())
    return ours?.kind === 'drifted' ? { reason: ours.reason, fields: [], detail: ours.detail } : undefined
  }

  async function lostInstanceType(claim: NodeClaim, pool: NodePool): Promise<DriftFinding | undefined> {
    const createdAt = parseTimestamp(claim.metadata.creationTimestamp) ?? deps.clock.now()
    if (deps.clock.now() - createdAt <= instanceTypeAgeMs) return undefined
    const now = deps.clock.monotonicMs()
    const last = foundAt.get(claim.metadata.uid)
    if (last !== undefined && now - last < instanceTypeAgainMs) return undefined
    const listed = await deps.instanceTypes(pool)
    if (listed.kind === 'unresolved') throw new Error(`resolving instance types, ${listed.error}`)
    if (listed.kind !== 'resolved') return undefined
    const options = { aliases: deps.labelAliases, wellKnownLabels: deps.wellKnownLabels }
    if (isInstanceTypeGone(claim, listed.types, options)) return instanceTypeGone(claim, listed.types)
    foundAt.set(claim.metadata.uid, now)
    return undefined
  }

  return {
    forget: (uid: string) => void foundAt.delete(uid),
    async decide({ before, conditions }: ClaimDraft, pool: NodePool, { log }: ReconcileContext): Promise<void> {
      const known = conditions.isTrue('Drifted')
      if (!isConditionTrue(before, 'Launched')) {
        if (conditions.get('Drifted') !== undefined) {
          log.debug({}, "removing drift status condition, isn't launched")
          conditions.clear('Drifted')
        }
        return
      }
      const finding = await findingOf(before, pool)
      if (finding === undefined) {
        if (conditions.get('Drifted') === undefined) return
        log.debug({}, 'removing drifted status condition, not drifted')
        conditions.clear('Drifted')
        return
      }
      const message = driftMessage(finding, conditions.get('Drifted')?.message)
      conditions.set('Drifted', 'True', finding.reason, message)
      if (!known) log.debug({ reason: finding.reason }, 'marking drifted')
    },
  }
}

/** Returns after how many milliseconds the answer may be another, if it changes by itself. */
function decideConsolidation(
  { before, conditions }: ClaimDraft,
  pool: NodePool,
  now: number,
  { log }: ReconcileContext,
): number | undefined {
  const decision = decideConsolidatable(before, pool, now)
  const known = conditions.isTrue('Consolidatable')
  if (decision.kind === 'consolidatable') {
    conditions.setTrue('Consolidatable')
    if (!known) log.debug({}, 'marking consolidatable')
    return undefined
  }
  const waiting = decision.because === 'consolidateAfter window not yet elapsed' ? decision : undefined
  if (conditions.get('Consolidatable') !== undefined) {
    conditions.clear('Consolidatable')
    log.debug(
      {
        reason: decision.because,
        ...(waiting === undefined
          ? {}
          : {
              lastPodEventTime: before.status?.lastPodEventTime ?? '',
              consolidateAfter: formatDurationMs(waiting.consolidateAfterMs),
              timeSincePodEvent: formatDurationMs(waiting.sincePodEventMs),
            }),
      },
      'removing consolidatable status condition',
    )
  }
  return waiting?.remainingMs
}
