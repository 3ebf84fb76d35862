import { conditionOf, conditionReady, isConditionTrue } from '../../api/conditions.ts'
import { ec2NodeClassHashAnnotations, type HashAnnotations, nodePoolHashAnnotations } from '../../api/hash/index.ts'
import type { EC2NodeClass, NodeClaim, NodePool } from '../../api/karpenter.ts'
import type { Node } from '../../api/kubernetes.ts'
import { nodeClassNameOf } from '../../api/node-class-ref.ts'
import type { Cache, Caches } from '../../kube/controller.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../kube/karpenter-kinds.ts'
import { nodes } from '../../kube/kinds.ts'
import { byIdentity } from '../../model/by-identity.ts'
import type { Clock } from '../../model/clock.ts'
import { compareText } from '../../model/order.ts'
import type { LabelAliases } from '../../model/requirements.ts'
import { readRolloutAnnotations } from '../../rollout/annotations.ts'
import {
  claimDrift,
  outdatedForClass,
  type Wanted,
  wantedImages,
  wantedRequirements,
} from '../../rollout/node-standing.ts'
import type { StalledCause } from '../../rollout/stalled.ts'
import type { CountedNode } from '../../rollout/status.ts'
import {
  hasZeroBudget,
  initializationBlock,
  lostNodeBlock,
  isStuckReason,
  movementOf,
  readinessBlock,
  stuckCauses,
  terminationBlock,
  withZeroBudget,
} from '../../rollout/stuck.ts'
import { classTarget, imageIds, poolTarget } from '../../rollout/target.ts'
import { claimsByPool } from '../claim-indexes.ts'
import type { VerdictBook } from '../disruption/index.ts'
import { type DriftVerdict, driftVerdict } from './drift-verdict.ts'

/** How things are hashed now: of the spec, since annotations follow it by a moment. */
export interface PresentHashes {
  readonly poolVersion: string
  readonly classVersion: string
  ofPool(pool: NodePool): string
  ofClass(nodeClass: EC2NodeClass): string
}

export interface CountedFleetDeps {
  readonly caches: Caches
  readonly clock: Clock
  readonly hashes: PresentHashes
  readonly labelAliases: LabelAliases
  readonly verdicts: Pick<VerdictBook, 'of'>
}

const byClass = 'rolloutstatus.nodeclass'

/** The nodes of pools and classes, as status counts them. */
export class CountedFleet {
  readonly claimsOf: (pool: string) => readonly NodeClaim[]
  readonly targetOfClass: (nodeClass: EC2NodeClass) => string
  readonly #deps: CountedFleetDeps
  readonly #claims: Cache<NodeClaim>
  readonly #nodes: Cache<Node>
  readonly #pools: Cache<NodePool>
  readonly #classes: Cache<EC2NodeClass>
  /** By pool: what its rollout looked like when it last moved, and when that was. */
  readonly #still = new Map<string, { readonly movement: string; readonly since: number }>()

  constructor(deps: CountedFleetDeps) {
    this.#deps = deps
    this.#claims = deps.caches.of(nodeClaims)
    this.#nodes = deps.caches.of(nodes)
    this.#pools = deps.caches.of(nodePools)
    this.#classes = deps.caches.of(ec2NodeClasses)
    this.claimsOf = claimsByPool(this.#claims)
    this.targetOfClass = byIdentity((nodeClass) =>
      classTarget(deps.hashes.ofClass(nodeClass), nodeClass, imageIds(nodeClass)),
    )
    this.#claims.addIndex(byClass, classNames)
    this.#pools.addIndex(byClass, classNames)
  }

  claimsOfClass(nodeClass: string): readonly NodeClaim[] {
    return this.#claims.by(byClass, nodeClass)
  }

  poolsOf(nodeClass: string): readonly NodePool[] {
    return this.#pools.by(byClass, nodeClass)
  }

  nodesOf(pool: NodePool): readonly CountedNode[] {
    const wanted = wantedBy(pool, this.classOf(pool), this.#deps)
    const isZero = hasZeroBudget(pool)
    return this.claimsOf(pool.metadata.name).map((claim) =>
      withZeroBudget(this.#counted(claim, claimDrift(claim, wanted)?.reason), isZero),
    )
  }

  nodesOfClass(nodeClass: EC2NodeClass): readonly CountedNode[] {
    const wanted = wantedBy(undefined, nodeClass, this.#deps)
    const { restartAt } = readRolloutAnnotations(nodeClass, this.#deps.clock.now())
    const { generation = 0 } = nodeClass.metadata
    return this.claimsOfClass(nodeClass.metadata.name).map((claim) =>
      this.#counted(claim, outdatedForClass(claim, wanted, { restartAt, generation })),
    )
  }

  targetOf(pool: NodePool): string {
    const nodeClass = this.classOf(pool)
    return poolTarget(this.#deps.hashes.ofPool(pool), pool, nodeClass && this.targetOfClass(nodeClass))
  }

  /** The hash that most of the outdated nodes carry; undefined when none is outdated, or none carries one. */
  hashInUse(pool: NodePool, counted: readonly CountedNode[]): string | undefined {
    return hashOfMost(this.claimsOf(pool.metadata.name), counted, nodePoolHashAnnotations)
  }

  classHashInUse(nodeClass: EC2NodeClass, counted: readonly CountedNode[]): string | undefined {
    return hashOfMost(this.claimsOfClass(nodeClass.metadata.name), counted, ec2NodeClassHashAnnotations)
  }

  /** What keeps a pool's nodes where they are, once that has taken too long. */
  stuck(pool: NodePool, counted: readonly CountedNode[]): readonly StalledCause[] {
    const now = this.#deps.clock.now()
    return stuckCauses(counted, { stillSince: this.#stillSince(pool, movementOf(counted), now), now })
  }

  /** Whether all of them are what they are to be, and in service: such nodes stay so until an object changes, however long that is. */
  areAtRest(claims: readonly NodeClaim[], counted: readonly CountedNode[]): boolean {
    return counted.every(({ outdated }) => outdated === undefined) && this.areInService(claims)
  }

  areInService(claims: readonly NodeClaim[]): boolean {
    return claims.every(
      (claim) => claim.metadata.deletionTimestamp === undefined && isReady(claim, this.#nodeOf(claim)),
    )
  }

  forget(pool: string): void {
    this.#still.delete(pool)
  }

  #stillSince(pool: NodePool, movement: string, now: number): number {
    const { name } = pool.metadata
    const known = this.#still.get(name)
    if (known?.movement === movement) return known.since
    // A process that finds a pool stuck does not wait all over again.
    const stalled = conditionOf(pool, 'Stalled')
    const wasStuck = known === undefined && stalled?.status === 'True' && isStuckReason(stalled.reason ?? '')
    const since = wasStuck ? Number.NEGATIVE_INFINITY : now
    this.#still.set(name, { movement, since })
    return since
  }

  classOf(pool: NodePool): EC2NodeClass | undefined {
    const name = nodeClassNameOf(pool)
    return name === undefined ? undefined : this.#classes.get({ name })
  }

  #nodeOf({ status }: NodeClaim): Node | undefined {
    return this.#nodes.get({ name: status?.nodeName ?? '' })
  }

  #counted(claim: NodeClaim, outdated: string | undefined): CountedNode {
    const node = this.#nodeOf(claim)
    const name = node?.metadata.name ?? claim.metadata.name
    const going = claim.metadata.deletionTimestamp !== undefined
    const ready = isReady(claim, node)
    const now = this.#deps.clock.now()
    const terminating = terminationBlock(claim, now)
    const verdict: DriftVerdict =
      outdated === undefined || going ? { kind: 'free' } : driftVerdict(this.#deps.verdicts, name)
    const held = verdict.kind === 'blocked' ? { reason: verdict.reason, message: verdict.message } : undefined
    return {
      name,
      outdated,
      ready,
      going: going || (verdict.kind === 'underWay' && verdict.isQueued),
      blocked:
        held ??
        (outdated === undefined
          ? undefined
          : (terminating ?? lostNodeBlock(claim, node, now) ?? initializationBlock(claim, now))),
      lingers: terminating ?? (node && readinessBlock(claim, node, now)),
    }
  }
}

function isReady(claim: NodeClaim, node: Node | undefined): boolean {
  return isConditionTrue(claim, 'Initialized') && node !== undefined && isConditionTrue(node, conditionReady)
}

/** What nodes of the pool, of the class, or of both would be made of now. */
export function wantedBy(
  pool: NodePool | undefined,
  nodeClass: EC2NodeClass | undefined,
  { hashes, labelAliases }: Pick<CountedFleetDeps, 'hashes' | 'labelAliases'>,
): Wanted {
  return {
    requirements: pool && wantedRequirements(pool, labelAliases),
    pool: pool && { hash: hashes.ofPool(pool), version: hashes.poolVersion },
    nodeClass: nodeClass && { hash: hashes.ofClass(nodeClass), version: hashes.classVersion },
    images: wantedImages(nodeClass),
  }
}

/** `counted` stands for the claims, one by one. */
function hashOfMost(
  claims: readonly NodeClaim[],
  counted: readonly CountedNode[],
  keys: HashAnnotations,
): string | undefined {
  const counts = new Map<string, number>()
  for (const [index, claim] of claims.entries()) {
    const hash = claim.metadata.annotations?.[keys.hash]
    if (hash === undefined || counted[index]?.outdated === undefined) continue
    counts.set(hash, (counts.get(hash) ?? 0) + 1)
  }
  const [most] = [...counts].toSorted(([a, x], [b, y]) => y - x || compareText(a, b))
  return most?.[0]
}

function classNames(object: NodeClaim | NodePool): readonly string[] {
  const name = nodeClassNameOf(object)
  return name === undefined ? [] : [name]
}
