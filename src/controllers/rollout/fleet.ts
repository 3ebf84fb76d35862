import { conditionIn, conditionOf, isConditionTrue } from '../../api/conditions.ts'
import { annotationInterrupted } from '../../api/joinery-annotations.ts'
import { sameWhenWritten } from '../../api/json.ts'
import type { EC2NodeClass, NodeClaim, NodePool, RolloutPolicy } from '../../api/karpenter.ts'
import type { Node } from '../../api/kubernetes.ts'
import { annotationDoNotDisrupt, labelZone } from '../../api/labels.ts'
import { controllerOf } from '../../api/owner-references.ts'
import { nodeClassNameOf } from '../../api/node-class-ref.ts'
import { isReschedulable } from '../../disruption/pod-eviction.ts'
import type { Cache, Caches } from '../../kube/controller.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../kube/karpenter-kinds.ts'
import { pods as podKind } from '../../kube/kinds.ts'
import { byIdentity } from '../../model/by-identity.ts'
import { parseTimestamp } from '../../model/clock.ts'
import { compareText } from '../../model/order.ts'
import { isActive, isOwnedByDaemonSet, isOwnedByNode, type PodInfo } from '../../model/pod.ts'
import type { LabelAliases } from '../../model/requirements.ts'
import type { StateNode } from '../../model/snapshot.ts'
import type { NodeFacts, PodFacts } from '../../rollout/engine/index.ts'
import { claimDrift, type Wanted } from '../../rollout/node-standing.ts'
import { claimsByPool } from '../claim-indexes.ts'
import type { VerdictBook } from '../disruption/index.ts'
import { driftVerdict } from './drift-verdict.ts'
import { type PresentHashes, wantedBy } from './counted-fleet.ts'
import { classTarget, imageIds, poolTarget } from '../../rollout/target.ts'

/** Cluster state, as far as rollouts read it. */
interface RolloutCluster {
  byClaimName(name: string): StateNode | undefined
  unboundPods(): readonly PodInfo[]
}

export interface FleetDeps {
  readonly verdicts: Pick<VerdictBook, 'of'>
  readonly caches: Caches
  readonly cluster: RolloutCluster
  readonly hashes: PresentHashes
  readonly labelAliases: LabelAliases
}

/** What a pool's nodes would be made of now. */
export interface PoolTargets {
  readonly pool: string
  readonly nodeClass: { readonly object: EC2NodeClass; readonly target: string } | undefined
}

/** Reads the fleet out of the caches in the engine's terms. */
export class Fleet {
  readonly #deps: FleetDeps
  readonly #claimsOf: (pool: string) => readonly NodeClaim[]
  readonly #classes: Cache<EC2NodeClass>
  readonly #facts = new WeakMap<NodeClaim, KnownFacts>()
  /** Asked for with every look at every pool; objects are never changed in place. */
  readonly #hashes = new WeakMap<NodePool | EC2NodeClass, string>()

  constructor(deps: FleetDeps) {
    this.#deps = deps
    this.#claimsOf = claimsByPool(deps.caches.of(nodeClaims))
    this.#classes = deps.caches.of(ec2NodeClasses)
  }

  hashOfPool(pool: NodePool): string {
    return this.#remembered(pool, () => this.#deps.hashes.ofPool(pool))
  }

  pools(): readonly NodePool[] {
    return this.#deps.caches.of(nodePools).list()
  }

  nodeClassOf(pool: NodePool): EC2NodeClass | undefined {
    const name = nodeClassNameOf(pool)
    return name === undefined ? undefined : this.#classes.get({ name })
  }

  targetsOf(pool: NodePool): PoolTargets {
    const object = this.nodeClassOf(pool)
    const target = object === undefined ? undefined : classTarget(this.#hashOfClass(object), object, imageIds(object))
    return {
      pool: poolTarget(this.hashOfPool(pool), pool, target),
      nodeClass: object === undefined || target === undefined ? undefined : { object, target },
    }
  }

  nodesOf(pool: NodePool, gates: RolloutPolicy['spec']['gates']): readonly NodeFacts[] {
    const nodeClass = this.nodeClassOf(pool)
    const { hashes, labelAliases } = this.#deps
    const wanted = wantedBy(pool, nodeClass, {
      hashes: { ...hashes, ofPool: (it) => this.hashOfPool(it), ofClass: (it) => this.#hashOfClass(it) },
      labelAliases,
    })
    const conditions = gates?.nodeConditions ?? []
    const { requirements, images } = wanted
    const readFor = JSON.stringify([wanted.pool, wanted.nodeClass, requirements?.text, images, conditions])
    return this.#claimsOf(pool.metadata.name)
      .map((claim) => this.#nodeFacts(claim, readFor, (state) => this.#readFacts(claim, state, wanted, conditions)))
      .toSorted((a, b) => compareText(a.name, b.name))
  }

  /** Pods without a node whose workload has others on nodes of these pools: what else waits is none of the rollout's doing. */
  waitingPods(pools: readonly NodePool[]): PodFacts {
    const waiting = this.#deps.cluster.unboundPods().flatMap((pod) => {
      const owner = isActive(pod) && !isOwnedByDaemonSet(pod) ? controllerOf(pod)?.uid : undefined
      return owner === undefined ? [] : [{ owner, createdAt: pod.createdAt }]
    })
    const held = this.#heldBy(pools, new Set(waiting.map(({ owner }) => owner)))
    return { waitingSince: waiting.flatMap(({ owner, createdAt }) => (held.has(owner) ? [createdAt] : [])) }
  }

  /** Those of the workloads that have pods on nodes of the pools. Few pods wait, if any: no node is looked at once all are found. */
  #heldBy(pools: readonly NodePool[], workloads: ReadonlySet<string>): ReadonlySet<string> {
    const held = new Set<string>()
    for (const pool of pools) {
      for (const { metadata } of this.#claimsOf(pool.metadata.name)) {
        if (held.size === workloads.size) return held
        const state = this.#deps.cluster.byClaimName(metadata.name)
        for (const owner of state === undefined ? [] : workloadsOn(state)) if (workloads.has(owner)) held.add(owner)
      }
    }
    return held
  }

  #hashOfClass(nodeClass: EC2NodeClass): string {
    return this.#remembered(nodeClass, () => this.#deps.hashes.ofClass(nodeClass))
  }

  #remembered<T extends NodePool | EC2NodeClass>(object: T, compute: () => string): string {
    const known = this.#hashes.get(object)
    if (known !== undefined) return known
    const hash = compute()
    this.#hashes.set(object, hash)
    return hash
  }

  /** Read anew where claim, node or what is looked for have changed: `readFor` is the same text as long as that is the same. */
  #nodeFacts(claim: NodeClaim, readFor: string, read: (state: StateNode | undefined) => NodeFacts): NodeFacts {
    const state = this.#deps.cluster.byClaimName(claim.metadata.name)
    let known = this.#facts.get(claim)
    if (known === undefined || known.state !== state || known.readFor !== readFor) {
      known = { state, readFor, facts: read(state) }
      this.#facts.set(claim, known)
    }
    const { facts } = known
    // Verdicts change without either of them.
    return facts.drift === undefined || facts.going ? facts : { ...facts, blocked: this.#blockOf(state) }
  }

  #readFacts(
    claim: NodeClaim,
    state: StateNode | undefined,
    wanted: Wanted,
    asked: readonly { readonly type: string; readonly status?: string }[],
  ): NodeFacts {
    const node = state?.node
    const initialized = isConditionTrue(claim, 'Initialized')
    const initializedAt = parseTimestamp(conditionOf(claim, 'Initialized')?.lastTransitionTime) ?? 0
    const lacking = node === undefined ? undefined : lackingSince(node, asked, initializedAt)
    const going =
      claim.metadata.deletionTimestamp !== undefined || state?.markedForDeletion === true || isNodeGoing(claim, node)
    const reason = conditionOf(claim, 'DisruptionReason')
    const drift = claimDrift(claim, wanted)
    return {
      name: claim.metadata.name,
      createdAt: parseTimestamp(claim.metadata.creationTimestamp) ?? 0,
      zone: claim.metadata.labels?.[labelZone] ?? '',
      labels: { ...claim.metadata.labels, ...node?.metadata.labels },
      drift: drift?.reason,
      driftedAt: drift?.since,
      image: claim.status?.imageID,
      launched: isConditionTrue(claim, 'Launched'),
      initialized,
      hostsPods: state?.pods.some(isReschedulable) ?? false,
      isKept: (state?.annotations ?? claim.metadata.annotations)?.[annotationDoNotDisrupt] === 'true',
      ready: node !== undefined && lacking === undefined,
      unreadyFrom: initialized ? lacking : undefined,
      going,
      goingForDrift: going && reason?.status === 'True' && reason.reason === 'Drifted',
      goingUntold:
        state?.markedForDeletion === true &&
        reason?.status !== 'True' &&
        claim.metadata.deletionTimestamp === undefined,
      brokeDown: initialized && lacking !== undefined && lacking > initializedAt && isTakenAfter(claim, lacking),
      interrupted: going && claim.metadata.annotations?.[annotationInterrupted] !== undefined,
      blocked: undefined,
      ...this.#unreadyPods(state),
    }
  }

  #blockOf(state: StateNode | undefined): NodeFacts['blocked'] {
    const verdict = state === undefined ? undefined : driftVerdict(this.#deps.verdicts, state.name)
    // What its policy holds is told by the rollout itself.
    if (verdict?.kind !== 'blocked' || verdict.reason === 'RolloutHeld') return undefined
    return { reason: verdict.reason, message: verdict.message }
  }

  #unreadyPods(state: StateNode | undefined): Pick<NodeFacts, 'unreadyPods' | 'unreadySince' | 'unreadyMadeAt'> {
    const unready = (state?.pods ?? []).filter((pod) => isActive(pod) && !isOwnedByNode(pod) && pod.ready !== 'True')
    if (unready.length === 0) return { unreadyPods: 0, unreadySince: undefined, unreadyMadeAt: undefined }
    return {
      unreadyPods: unready.length,
      unreadySince: Math.min(...unready.map((pod) => this.#unreadyPodSince(pod))),
      unreadyMadeAt: Math.min(...unready.map(({ createdAt }) => createdAt)),
    }
  }

  #unreadyPodSince(pod: PodInfo): number {
    const { namespace, name } = pod
    const conditions = this.#deps.caches.of(podKind).get({ namespace, name })?.status?.conditions ?? []
    // Until its kubelet has seen it, a pod says only when it came to the node: what it waited for before is not the node's doing.
    const told = conditionIn(conditions, 'Ready') ?? conditionIn(conditions, 'PodScheduled')
    return parseTimestamp(told?.lastTransitionTime) ?? pod.startedAt ?? pod.createdAt
  }
}

interface KnownFacts {
  readonly state: StateNode | undefined
  readonly readFor: string
  readonly facts: NodeFacts
}

/** UIDs of the controllers of a node's pods. */
const workloadsOn = byIdentity(
  ({ pods }: StateNode): ReadonlySet<string> => new Set(pods.flatMap((pod) => controllerOf(pod)?.uid ?? [])),
)

/** Claims change often, most of the time in what no rollout looks at: a pod came or went, or the node may be consolidated. */
export function isSeenAlike(before: NodeClaim | undefined, after: NodeClaim | undefined): boolean {
  return before !== undefined && after !== undefined && sameWhenWritten(seenOf(before), seenOf(after))
}

/** All that is read of a claim here, and in cluster state to find its node. */
function seenOf({ metadata, status }: NodeClaim): object {
  const { uid, creationTimestamp, deletionTimestamp, labels, annotations } = metadata
  const { providerID, nodeName, imageID, conditions = [] } = status ?? {}
  const seen = conditions.flatMap(({ type, status: is, reason, lastTransitionTime }) =>
    seenConditions.has(type) ? [{ type, is, reason, lastTransitionTime }] : [],
  )
  return {
    ...{ uid, creationTimestamp, deletionTimestamp, labels, annotations },
    ...{ providerID, nodeName, imageID, conditions: seen },
  }
}

const seenConditions: ReadonlySet<string> = new Set([
  'Launched',
  'Registered',
  'Initialized',
  'Drifted',
  'DisruptionReason',
  'InstanceTerminating',
])

/** A node that is out of service for less may only have missed a heartbeat. */
const breakdownMs = 60_000

function isTakenAfter({ metadata }: NodeClaim, unreadyFrom: number): boolean {
  const deletedAt = parseTimestamp(metadata.deletionTimestamp)
  return deletedAt !== undefined && deletedAt >= unreadyFrom + breakdownMs
}

/** A claim may be seen as it was before its node went: one that has registered has a node. */
function isNodeGoing(claim: NodeClaim, node: Node | undefined): boolean {
  return node === undefined ? isConditionTrue(claim, 'Registered') : node.metadata.deletionTimestamp !== undefined
}

/**
 * Since when a node lacks Ready or a condition that the policy asks for, whichever it lacks longest, but no longer than it is initialized;
 * undefined when it lacks none. What nobody has reported yet is lacking since then.
 */
function lackingSince(
  node: Node,
  wanted: readonly { readonly type: string; readonly status?: string }[],
  initializedAt: number,
): number | undefined {
  const lacking = [{ type: 'Ready' }, ...wanted].flatMap(
    ({ type, status = 'True' }: { type: string; status?: string }) => {
      const found = conditionOf(node, type)
      return found?.status === status ? [] : [parseTimestamp(found?.lastTransitionTime) ?? 0]
    },
  )
  return lacking.length === 0 ? undefined : Math.max(initializedAt, Math.min(...lacking))
}
