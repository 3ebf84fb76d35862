import { conditionOf, isConditionTrue, lookupConditions } from '../../api/conditions.ts'
import type { EC2NodeClass, EC2NodeClassStatus, NodePool } from '../../api/karpenter.ts'
import { nodeClassNameOf } from '../../api/node-class-ref.ts'
import { type Controller, done, requeueAfter, requeueUnless, source } from '../../kube/controller.ts'
import { ec2NodeClasses, nodeClaims, nodePools, rolloutPolicies } from '../../kube/karpenter-kinds.ts'
import { nodes } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import { compareText } from '../../model/order.ts'
import { isOfClass } from '../../rollout/node-standing.ts'
import { plannedChange } from '../../rollout/plan/planned-change.ts'
import type { StalledCause } from '../../rollout/stalled.ts'
import { objectPause } from '../../rollout/pause.ts'
import { countNodes, type CountedNode, rolloutConditions, withConditions } from '../../rollout/status.ts'
import { imageIds } from '../../rollout/target.ts'
import { isToldByPools, leftToPools } from '../../rollout/told-by-pools.ts'
import { leftAloneBy } from './pool-status.ts'
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
import { classStillness } from './stillness.ts'
import { StatusWriter } from './status-writer.ts'

/** Keeps an EC2NodeClass' rollout status true: how many of its nodes run what it stands for now. */
export function classStatusController(parts: StatusParts): Controller {
  const { caches, clock, view } = parts
  const classes = caches.of(ec2NodeClasses)
  const pools = caches.of(nodePools)
  const writer = new StatusWriter(parts.kube, clock, ec2NodeClasses)
  return {
    name: 'nodeclass.rolloutstatus',
    kind: { group: ec2NodeClasses.group, kind: ec2NodeClasses.kind },
    concurrency: parts.concurrency,
    sources: [
      source(ec2NodeClasses, ({ after, before }) => [keyOf(after ?? before)]),
      source(nodeClaims, ({ after, before }) =>
        isCountedAlike(before, after) ? [] : [{ name: (after ?? before).spec.nodeClassRef.name }],
      ),
      source(nodes, ({ after, before }) =>
        poolsOfNodeChange(before, after).flatMap((name) => {
          const pool = pools.get({ name })
          const nodeClass = pool && nodeClassNameOf(pool)
          return nodeClass === undefined ? [] : [{ name: nodeClass }]
        }),
      ),
      source(rolloutPolicies, ({ after, before }) => (isToldAlike(before, after) ? [] : classes.list().map(keyOf))),
    ],
    reconcile: paced(clock, async (key) => {
      const cached = classes.get(key)
      if (cached === undefined) writer.forget(key)
      const nodeClass = cached && (await writer.latest(cached))
      if (nodeClass === undefined || nodeClass.metadata.deletionTimestamp !== undefined) return done
      const counted = view.nodesOfClass(nodeClass)
      const status = statusOf(nodeClass, counted, parts)
      await writer.write(nodeClass, status)
      if ((status.observedGeneration ?? 0) < resolvedGeneration(nodeClass)) return requeueAfter(poolsToTellMs)
      if ((status.driftedNodes ?? 0) > 0) return requeueAfter(movingEveryMs)
      const isStill = writer.dropsFields ? undefined : classStillness(nodeClass, counted, parts)
      return isStill === undefined ? requeueAfter(idleEveryMs) : requeueUnless(isStill, idleEveryMs)
    }),
  }
}

/** How soon a class looks again whether its pools have told of its edit. */
const poolsToTellMs = 1_000

function statusOf(nodeClass: EC2NodeClass, counted: readonly CountedNode[], parts: StatusParts): EC2NodeClassStatus {
  const { view, clock, hashes } = parts
  const now = clock.now()
  const { name } = nodeClass.metadata
  const targetHash = hashes.ofClass(nodeClass)
  const target = view.targetOfClass(nodeClass)
  const waiting = waitingPools(nodeClass, counted, parts)
  const isLeftToPools = isToldByPools(nodeClass)
  const generation =
    isLeftToPools && !haveTold(waiting, parts) ? toldGeneration(nodeClass) : resolvedGeneration(nodeClass)
  const ownFaults = annotationCauses(nodeClass, now)
  const stalled = [
    ...parts.stalled.flatMap((source) => source.ofClass(name)),
    ...ownFaults,
    ...poolCauses(waiting, parts),
  ]
  const changes = rolloutConditions({
    nodes: counted,
    target,
    leftAlone: leftAloneIn(waiting, parts),
    progress: undefined,
    paused: objectPause(nodeClass, now)?.message,
    stalled,
  })
  const told = isLeftToPools ? leftToPools(changes, { ownFault: ownFaults.length > 0 }) : changes
  const planned = plannedChange(view.claimsOfClass(name), isOfClass)
  const kept = (nodeClass.status?.conditions ?? []).filter(
    ({ type }) => planned !== undefined || type !== 'PlannedChange',
  )
  return {
    ...nodeClass.status,
    observedGeneration: generation,
    currentHash: view.classHashInUse(nodeClass, counted) ?? targetHash,
    targetHash,
    target,
    currentImages: imagesInUse(nodeClass, parts),
    targetImages: [...new Set(imageIds(nodeClass))],
    ...countNodes(counted),
    conditions: withConditions(kept, planned === undefined ? told : [...told, planned], { generation, now }),
  }
}

/**
 * The generation that everything found for the class is of. No hash covers what selects images, subnets and security groups: until an edit of
 * it has been followed, the nodes look as they are wanted, and the edit as not looked at.
 */
function resolvedGeneration(nodeClass: EC2NodeClass): number {
  const { generation = 0 } = nodeClass.metadata
  const found = lookupConditions.map((type) => conditionOf(nodeClass, type)?.observedGeneration ?? generation)
  return Math.min(generation, ...found)
}

/** The generation that was looked at last, as far as the class says. */
function toldGeneration(nodeClass: EC2NodeClass): number {
  return Math.min(resolvedGeneration(nodeClass), conditionOf(nodeClass, 'Reconciling')?.observedGeneration ?? 0)
}

/**
 * Whether every pool of which the class replaces nodes says so. Before that the class does not call its edit looked at: who waits for the
 * class first and for its pools then would take the pools for done.
 */
function haveTold(waiting: ReturnType<typeof waitingPools>, { poolRollout }: StatusParts): boolean {
  return waiting.every(
    ([pool]) =>
      pool.metadata.deletionTimestamp !== undefined ||
      isConditionTrue(pool, 'Reconciling') ||
      leftAloneBy(pool, poolRollout(pool.metadata.name)) !== undefined,
  )
}

/** The pools in which the class has something to replace, each with its nodes. */
function waitingPools(
  nodeClass: EC2NodeClass,
  counted: readonly CountedNode[],
  { view }: StatusParts,
): readonly (readonly [NodePool, readonly CountedNode[]])[] {
  const waiting = new Set(counted.flatMap((node) => (node.outdated === undefined ? [] : [node.name])))
  if (waiting.size === 0) return []
  return view
    .poolsOf(nodeClass.metadata.name)
    .map((pool) => [pool, view.nodesOf(pool)] as const)
    .filter(([, nodesOfPool]) => nodesOfPool.some(({ name }) => waiting.has(name)))
}

/** A pool that is stuck holds up its class. */
function poolCauses(pools: ReturnType<typeof waitingPools>, { view }: StatusParts): readonly StalledCause[] {
  return pools.flatMap(([pool, nodesOfPool]) =>
    view
      .stuck(pool, nodesOfPool)
      .map(({ reason, message }) => ({ reason, message: `NodePool ${pool.metadata.name}: ${message}` })),
  )
}

/** Where every pool's policy leaves old nodes alone, the class has no unfinished work either. */
function leftAloneIn(pools: ReturnType<typeof waitingPools>, parts: StatusParts): StalledCause | undefined {
  const left = pools.map(([pool]) => leftAloneBy(pool, parts.poolRollout(pool.metadata.name)))
  return left.includes(undefined) ? undefined : left[0]
}

function imagesInUse(nodeClass: EC2NodeClass, { view }: StatusParts): string[] {
  const ids = view.claimsOfClass(nodeClass.metadata.name).flatMap((claim) => claim.status?.imageID ?? [])
  return [...new Set(ids)]
    .filter((id) => id !== '')
    .toSorted(compareText)
    .slice(0, imagesMax)
}

/** As many as the status may list. */
const imagesMax = 100
