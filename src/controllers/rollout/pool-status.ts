import type { NodePool, NodePoolStatus } from '../../api/karpenter.ts'
import { isRetired } from '../../api/joinery-annotations.ts'
import { labelNodePool } from '../../api/labels.ts'
import { nodeClassNameOf } from '../../api/node-class-ref.ts'
import { type Controller, done, requeueAfter, requeueUnless, source } from '../../kube/controller.ts'
import { ec2NodeClasses, nodeClaims, nodePools, rolloutPolicies } from '../../kube/karpenter-kinds.ts'
import { nodes } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import { plannedChange } from '../../rollout/plan/planned-change.ts'
import type { StalledCause } from '../../rollout/stalled.ts'
import {
  type CountedNode,
  countNodes,
  newNodesOnly,
  retiringCondition,
  rolloutConditions,
  withConditions,
} from '../../rollout/status.ts'
import { type Series, SeriesKeeper } from '../metrics/series-keeper.ts'
import {
  annotationCauses,
  idleEveryMs,
  isCountedAlike,
  isToldAlike,
  movingEveryMs,
  paced,
  poolsOfNodeChange,
  type StatusParts,
} from './status-deps.ts'
import { poolStillness } from './stillness.ts'
import { StatusWriter } from './status-writer.ts'

/** Keeps a NodePool's rollout status true: how many nodes are up to date, what holds the others, and whether it is finished or stuck. */
export function poolStatusController(parts: StatusParts): Controller {
  const { caches, clock, view } = parts
  const pools = caches.of(nodePools)
  const writer = new StatusWriter(parts.kube, clock, nodePools)
  const keeper = new SeriesKeeper()
  return {
    name: 'nodepool.rolloutstatus',
    kind: { group: nodePools.group, kind: nodePools.kind },
    concurrency: parts.concurrency,
    sources: [
      source(nodePools, ({ after, before }) => [keyOf(after ?? before)]),
      source(ec2NodeClasses, ({ after, before }) => view.poolsOf((after ?? before).metadata.name).map(keyOf)),
      source(nodeClaims, ({ after, before }) =>
        isCountedAlike(before, after)
          ? []
          : [before, after].flatMap((claim) => {
              const name = claim?.metadata.labels?.[labelNodePool]
              return name === undefined ? [] : [{ name }]
            }),
      ),
      source(nodes, ({ after, before }) => poolsOfNodeChange(before, after).map((name) => ({ name }))),
      // Nodes that it left alone are unfinished work from its edit on, and a pause begins with one.
      source(rolloutPolicies, ({ after, before }) => (isToldAlike(before, after) ? [] : pools.list().map(keyOf))),
    ],
    reconcile: paced(clock, async (key) => {
      const cached = pools.get(key)
      if (cached === undefined) {
        view.forget(key.name)
        keeper.remove(key.name)
        writer.forget(key)
      }
      const pool = cached && (await writer.latest(cached))
      if (pool === undefined || nodeClassNameOf(pool) === undefined) return done
      if (pool.metadata.deletionTimestamp !== undefined) return done
      const counted = view.nodesOf(pool)
      const status = statusOf(pool, counted, parts)
      keeper.publish(key.name, seriesOf(key.name, status, parts))
      await writer.write(pool, status)
      const isMoving = (status.conditions ?? []).some(
        ({ type, status: value }) => (type === 'Reconciling' || type === 'Stalled') && value === 'True',
      )
      if (isMoving) return requeueAfter(movingEveryMs)
      const isStill = writer.dropsFields ? undefined : poolStillness(pool, counted, parts)
      return isStill === undefined ? requeueAfter(idleEveryMs) : requeueUnless(isStill, idleEveryMs)
    }),
  }
}

function statusOf(pool: NodePool, counted: readonly CountedNode[], parts: StatusParts): NodePoolStatus {
  const { view, clock, hashes } = parts
  const now = clock.now()
  const { name, generation = 0 } = pool.metadata
  const { nodes: _nodes, ...counts } = countNodes(counted)
  const rollout = parts.poolRollout(name)
  const targetHash = hashes.ofPool(pool)
  const target = view.targetOf(pool)
  const stalled = [
    ...parts.stalled.flatMap((source) => source.ofPool(name)),
    ...annotationCauses(pool, now),
    ...view.stuck(pool, counted),
  ]
  const isGoing = goes(pool)
  const planned = plannedChange(view.claimsOf(name))
  const kept = (pool.status?.conditions ?? []).filter(
    ({ type }) => (isGoing || type !== 'Retiring') && (planned !== undefined || type !== 'PlannedChange'),
  )
  const changes = rolloutConditions({
    nodes: counted,
    target,
    leftAlone: leftAloneBy(pool, rollout),
    progress: progressOf(rollout),
    paused: parts.pauseOf(name)?.message,
    stalled,
  })
  const told = [
    ...changes,
    ...(planned === undefined ? [] : [planned]),
    ...(isGoing ? [retiringCondition(counted.length)] : []),
  ]
  const { rollout: _rollout, ...others } = pool.status ?? {}
  return {
    ...others,
    observedGeneration: generation,
    currentHash: view.hashInUse(pool, counted) ?? targetHash,
    targetHash,
    target,
    ...counts,
    ...(rollout === undefined ? {} : { rollout }),
    conditions: withConditions(kept, told, {
      generation,
      now,
    }),
  }
}

function seriesOf(nodepool: string, status: NodePoolStatus, { metrics }: StatusParts): readonly Series[] {
  const counts = {
    up_to_date: status.upToDateNodes,
    drifted: status.driftedNodes,
    ready: status.readyNodes,
    blocked: status.blockedNodes,
  }
  return Object.entries(counts).map(([state, value = 0]) => ({
    gauge: metrics.nodePoolNodes,
    labels: { nodepool, state },
    value,
  }))
}

/** Set where the policy that governs a pool leaves outdated nodes alone on purpose; those of one that is retired go all the same. */
export function leftAloneBy(pool: NodePool, rollout: NodePoolStatus['rollout']): StalledCause | undefined {
  const { reason = '', message = '' } = rollout ?? {}
  return reason === newNodesOnly && !goes(pool) ? { reason, message } : undefined
}

/** Whether the pool is taken out of service. */
function goes(pool: NodePool): boolean {
  return isRetired(pool) && pool.spec.replicas === undefined
}

function progressOf(rollout: NodePoolStatus['rollout']): string | undefined {
  const { phase, message } = rollout ?? {}
  if (phase === undefined || phase === 'Idle' || phase === 'Completed') return undefined
  return message === undefined || message === '' ? phase : `${phase}: ${message}`
}
