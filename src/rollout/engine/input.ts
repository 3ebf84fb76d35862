import type { RolloutPolicy, RolloutPrometheusGate } from '../../api/karpenter.ts'

/** Everything that one look of the engine rests on. All memory is in the policy's status; nothing here survives a restart. */
export interface RolloutInput {
  readonly policy: RolloutPolicy
  /** The pools that the policy selects and that no older policy governs, by name. */
  readonly pools: readonly PoolFacts[]
  /** Pools that it selects although an older policy governs them. */
  readonly yielded: readonly YieldedPool[]
  readonly pods: PodFacts
  /** Of the Prometheus gate; undefined when the policy has none. */
  readonly metric: AskedMetric | undefined
  /** In ms since the epoch. */
  readonly now: number
}

interface YieldedPool {
  readonly pool: string
  readonly to: string
}

export interface PoolFacts {
  readonly name: string
  /** What its nodes would be made of now; see target.ts. */
  readonly target: string
  /** The same without what a rollback pinned: it tells one rollout from the next. */
  readonly wanted: string
  readonly nodeClass: ClassFacts | undefined
  /** A static pool: its nodes are replaced one for one, several in one pass. */
  readonly isStatic: boolean
  readonly retiring: boolean
  /** From the annotations of pool and class, the later; in ms since the epoch. */
  readonly restartAt: number | undefined
  readonly approval: ApprovalFacts | undefined
  readonly pause: { readonly until: number; readonly message: string } | undefined
  /** All NodeClaims of the pool, by name. */
  readonly nodes: readonly NodeFacts[]
}

export interface ClassFacts {
  readonly name: string
  readonly target: string
  readonly images: readonly ImageFacts[]
  /** When the youngest of the images was made or first seen, whichever is later known; in ms since the epoch. */
  readonly youngestImageAt: number | undefined
  /** Whether the images are known to be good. */
  readonly isGood: boolean
  /** Images that a rollback would return to: the newest good revision of the class's history and its AMI family, the present images left out. */
  readonly lastGood: readonly ImageFacts[] | undefined
  /** Ids of images that are known to be bad, and were never good beside others. */
  readonly badImages: ReadonlySet<string>
  /** Target that a rollback has put other images in the place of. */
  readonly pinnedInsteadOf: string | undefined
}

export interface ImageFacts {
  readonly id: string
  readonly name: string
}

/** An annotation that names the pool's or its class's present target, with what managedFields know of it. */
export interface ApprovalFacts {
  readonly kind: 'NodePool' | 'EC2NodeClass'
  readonly name: string
  readonly target: string
  readonly time: string | undefined
  readonly fieldManager: string | undefined
  /** Where the admission webhook saw the request. */
  readonly user?: string | undefined
}

export interface NodeFacts {
  /** Of the NodeClaim: the node's may not exist yet. */
  readonly name: string
  readonly createdAt: number
  readonly zone: string
  readonly labels: Readonly<Record<string, string>>
  /** Why it is to be replaced: the reason of its Drifted condition, or what hash and image say before the condition does. */
  readonly drift: string | undefined
  /**
   * When the Drifted condition became True, if only it tells; undefined if a comparison does, which holds for all nodes at once. Ms since
   * the epoch.
   */
  readonly driftedAt: number | undefined
  /** Id of its image, once known. */
  readonly image: string | undefined
  readonly launched: boolean
  readonly initialized: boolean
  /** Pods run there that would have to run elsewhere without it. */
  readonly hostsPods: boolean
  /** Somebody asks for it to be left alone, by `karpenter.sh/do-not-disrupt`. */
  readonly isKept: boolean
  /** Its node's Ready condition and the conditions that the policy asks for. */
  readonly ready: boolean
  /** Since when it is not ready, if it was ready once and its node is there to tell; in ms since the epoch. */
  readonly unreadyFrom: number | undefined
  /** On its way out: marked, or being deleted. */
  readonly going: boolean
  /** Because of drift, not of consolidation, expiry or a user. */
  readonly goingForDrift: boolean
  /** For a reason that its claim does not tell yet, as while a watch is behind: it may be drift. */
  readonly goingUntold: boolean
  /** Because the cloud takes its machine back before it was up, or its static pool got smaller. */
  readonly interrupted: boolean
  /** It had been in service and not ready for a while by then: it is repaired, or stands empty since its pods had to leave. */
  readonly brokeDown: boolean
  /** What keeps it from being replaced, the policy itself aside; of those that are to be replaced and have not begun. */
  readonly blocked: { readonly reason: string; readonly message: string } | undefined
  /** How many of its pods are not ready, and since when the one that waits longest; in ms since the epoch. */
  readonly unreadyPods: number
  readonly unreadySince: number | undefined
  /** When the oldest of them was made: one that crashes again and again is ready for moments. In ms since the epoch. */
  readonly unreadyMadeAt: number | undefined
}

/** Pods without a node that wait for one. */
export interface PodFacts {
  /** When each was made; in ms since the epoch. */
  readonly waitingSince: readonly number[]
}

/** Of the gate that was in force when it was asked: once the step goes by another one, it says nothing. */
export interface AskedMetric {
  readonly gate: RolloutPrometheusGate
  readonly answer: MetricAnswer
}

export type MetricAnswer =
  | { readonly kind: 'good' | 'bad'; readonly value: number }
  /** Did not answer, or not with one number. `since`: as far as this process remembers; in ms since the epoch. */
  | { readonly kind: 'unknown'; readonly message: string; readonly since?: number }
