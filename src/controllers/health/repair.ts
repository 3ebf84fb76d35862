import type { NodeClaim } from '../../api/karpenter.ts'
import type { Condition, Node } from '../../api/kubernetes.ts'
import { labelCapacityType, labelNodePool } from '../../api/labels.ts'
import type { CloudProvider } from '../../cloud/provider.ts'
import { conditionsMoved, decideRepair } from '../../disruption/repair.ts'
import {
  backOff,
  type Caches,
  type Controller,
  done,
  type ReconcileContext,
  type ReconcileResult,
  requeueAfter,
  source,
} from '../../kube/controller.ts'
import { getIfPresent } from '../../kube/get-if-present.ts'
import { nodePools } from '../../kube/karpenter-kinds.ts'
import { nodes } from '../../kube/kinds.ts'
import type { Logger } from '../../kube/logger.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import { keyOf } from '../../kube/resource.ts'
import { type Clock, parseTimestamp } from '../../model/clock.ts'
import { unlessRaceIsLost } from '../lost-race.ts'
import { scaledConcurrency } from '../concurrency.ts'
import { type DisruptionBrake, underBrake } from '../disruption-brake.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import { SteadyMoments } from '../steady-moments.ts'
import { deleteClaim } from '../nodeclaim/delete-claim.ts'
import { countDisruption } from '../nodeclaim/disrupted-metrics.ts'
import { hurryDrain } from '../nodeclaim/hurry-drain.ts'
import { isManagedClaim, type MachineLookup, machineLookup } from '../nodeclaim/lookup.ts'

export interface NodeRepairDeps {
  readonly kube: KubeClient
  readonly caches: Caches
  readonly clock: Clock
  readonly cloud: Pick<CloudProvider, 'repairPolicies' | 'nodeClassKinds'>
  readonly recorder: EventRecorder
  readonly brake: DisruptionBrake
  readonly metrics: Pick<
    ControllerMetrics,
    'nodeClaimsDisrupted' | 'podDisruptionsInitiated' | 'nodeClaimsUnhealthyDisrupted'
  >
  readonly cpuMilli: number
}

const blockedAgainMs = 300_000
const blockedDedupeMs = 900_000

/** Replaces nodes that are broken for good, as long as not too many are broken at once. Register it only with repair policies. */
export function nodeRepair(deps: NodeRepairDeps): Controller {
  const lookup = machineLookup(deps.caches)
  const pools = deps.caches.of(nodePools)
  const moments = new SteadyMoments(deps.clock)
  const ruled = new Set(deps.cloud.repairPolicies.map(({ conditionType }) => conditionType))
  const isRuled = ({ type = '' }: Partial<Condition>): boolean => ruled.has(type)

  async function decide(node: Node, claim: NodeClaim, context: ReconcileContext): Promise<ReconcileResult> {
    const pool = poolNameOf(claim)
    const peers = (): readonly Node[] =>
      lookup.nodes.list().filter((peer) => pool === undefined || peer.metadata.labels?.[labelNodePool] === pool)
    const sinceOf = ({ type = '', status, lastTransitionTime }: Partial<Condition>): number =>
      moments.begun(`${node.metadata.uid}/${type}`, parseTimestamp(lastTransitionTime), status)
    // Of healthy ones, too: what turns unhealthy again has begun anew, whatever a clock that was set makes of its timestamp.
    for (const condition of node.status?.conditions ?? []) if (isRuled(condition)) sinceOf(condition)
    const decision = decideRepair(node, deps.cloud.repairPolicies, { now: deps.clock.now(), peers, sinceOf })
    switch (decision.kind) {
      case 'healthy':
        return done
      case 'tolerated':
        return requeueAfter(decision.remainingMs)
      case 'blocked':
        publishBlocked(node, claim, pool)
        return requeueAfter(blockedAgainMs)
      case 'repair':
        // The node is drained by force: a watch that lags or has died without a word may show it as it was before it recovered.
        if (await hasMoved(deps.kube, node, decision.conditionType)) return backOff
        return repairUnderBrake({ node, claim, conditionType: decision.conditionType }, context.log)
    }
  }

  async function repairUnderBrake(what: Repair, log: Logger): Promise<ReconcileResult> {
    const { node, claim } = what
    // A node that goes already was begun before; the repair only ends its drain.
    if (claim.metadata.deletionTimestamp === undefined) {
      const braked = deps.brake.take('Unhealthy')
      if (braked !== undefined) {
        const event = {
          type: 'Warning',
          reason: 'NodeRepairBlocked',
          dedupeValues: [node.metadata.uid, 'brake'],
        } as const
        deps.recorder.publish({ object: node, ...event, message: braked.message, dedupeMs: blockedDedupeMs })
        return requeueAfter(Math.min(braked.waitMs, blockedAgainMs))
      }
      await underBrake(deps.brake, 'Unhealthy', () => repair(what, { ...deps, lookup, log }))
    }
    const hurried = await hurryDrain(claim, deps)
    if (hurried !== undefined) log.info({ NodeClaim: { name: claim.metadata.name }, ...hurried }, 'annotated nodeclaim')
    return done
  }

  /** One copy per object concerned, all attached to the node, as in Karpenter. */
  function publishBlocked(node: Node, claim: NodeClaim, poolName: string | undefined): void {
    const pool = poolName === undefined ? undefined : pools.get({ name: poolName })
    if (poolName !== undefined && pool === undefined) return
    const message =
      pool === undefined
        ? 'more then 20% nodes are unhealthy in the cluster'
        : 'more than 20% nodes are unhealthy in the nodepool'
    for (const about of [node, claim, ...(pool === undefined ? [] : [pool])]) {
      deps.recorder.publish({
        object: node,
        type: 'Warning',
        reason: 'NodeRepairBlocked',
        message,
        dedupeValues: [about.metadata.uid],
        dedupeMs: blockedDedupeMs,
      })
    }
  }

  return {
    name: 'node.health',
    kind: { group: '', kind: 'Node' },
    sources: [
      source(nodes, (change) => {
        if (change.kind === 'deleted') return []
        return change.kind === 'added' || conditionsMoved(change.before, change.after) ? [keyOf(change.after)] : []
      }),
    ],
    concurrency: scaledConcurrency(10, 1_000, deps.cpuMilli),
    rateLimit: { baseMs: 100, maxMs: 60_000, perSecond: 10, burst: 100 },
    async reconcile(key, context) {
      const node = lookup.nodes.get(key)
      const claim = node === undefined ? undefined : lookup.onlyClaimOf(node)
      if (node === undefined || claim === undefined || !isManagedClaim(claim, deps.cloud)) return done
      return unlessRaceIsLost(() => decide(node, claim, context))
    },
  }
}

/** Whether the API server has no such node any more, or its condition has become another or begun anew. */
async function hasMoved(kube: KubeClient, node: Node, conditionType: string): Promise<boolean> {
  const present = await getIfPresent(kube, nodes, { name: node.metadata.name })
  if (present?.metadata.uid !== node.metadata.uid) return true
  const [before, after] = [node, present].map(({ status }) =>
    status?.conditions?.find(({ type }) => type === conditionType),
  )
  return before?.status !== after?.status || before?.lastTransitionTime !== after?.lastTransitionTime
}

/** AWS labels claims of no pool, too, with an empty name. */
function poolNameOf({ metadata }: NodeClaim): string | undefined {
  const name = metadata.labels?.[labelNodePool]
  return name === '' ? undefined : name
}

interface Repair {
  readonly node: Node
  readonly claim: NodeClaim
  /** The condition that is broken. */
  readonly conditionType: string
}

/** Whether its claim was deleted by it. */
async function repair(
  { node, claim, conditionType }: Repair,
  { kube, metrics, lookup, log }: NodeRepairDeps & { readonly lookup: MachineLookup; readonly log: Logger },
): Promise<boolean> {
  if (!(await deleteClaim(kube, claim))) return false
  log.info({ NodeClaim: { name: claim.metadata.name }, condition: conditionType }, 'deleting unhealthy node')
  countDisruption({ metrics, lookup }, claim, 'unhealthy')
  metrics.nodeClaimsUnhealthyDisrupted.increment({
    condition: toSnakeCase(conditionType),
    nodepool: node.metadata.labels?.[labelNodePool] ?? '',
    capacity_type: node.metadata.labels?.[labelCapacityType] ?? '',
    image_id: claim.status?.imageID ?? '',
  })
  return true
}

function toSnakeCase(text: string): string {
  return text.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase()
}
