import { formatDurationMs } from '../../api/duration.ts'
import { controllerOf } from '../../api/owner-references.ts'
import type { VoluntaryReason } from '../../disruption/budgets.ts'
import { type Candidate, poolName } from '../../disruption/candidates.ts'
import type { Command, Replacement } from '../../disruption/command.ts'
import { type DisruptionGate, holdingGate, openGate } from '../../disruption/gate.ts'
import type { Logger } from '../../kube/logger.ts'
import type { Clock } from '../../model/clock.ts'
import type { PodInfo } from '../../model/pod.ts'

/** When the last of the nodes is gone, its pods have found their places, or wait for one. */
const settleMs = 2 * 60_000
/** No set of nodes is revisited sooner (reliability.md I23). */
const firstHoldMs = 60 * 60_000
/** A fleet that runs in circles tries seven times on its first day, and six times a day from then on. */
const holdGrowth = 4
const longestHoldMs = 4 * 60 * 60_000
/** A consolidation that failed so long ago is judged as if it never had. */
const forgottenMs = 24 * 60 * 60_000

/** A consolidation whose nodes leave, or have just left. */
interface Departure {
  /** Pool and instance type of each node, sorted: the same for consolidations that are alike, while the node names change each time. */
  readonly poolTypes: readonly string[]
  readonly nodes: ReadonlySet<string>
  readonly claims: readonly string[]
  /** Names of the claims that came instead: its replacements, then those that turned out to be needed. */
  readonly successors: Set<string>
  /** By UID of what controls the pods that had to move, how many pods it was to have. */
  readonly workloads: ReadonlyMap<string, number>
  /** By the same UIDs, its pods that needed another node since, by theirs. */
  readonly homeless: Map<string, Set<string>>
  /** UIDs of pods that the plan had a place for beside those that had to move: they run on nodes that are on their way out. */
  readonly promised: ReadonlySet<string>
  /** Monotonic, in milliseconds. */
  goneAt: number | undefined
  failure: Failure | undefined
}

/** How many pods there are, by the UID of what controls them: those that are to run, whether they do or not. */
export type WorkloadSizes = (workloads: ReadonlySet<string>) => ReadonlyMap<string, number>

interface Hold {
  readonly until: number
  readonly message: string
}

/** A consolidation that failed, and why. */
interface Failure extends Hold {
  /** The hold on nodes of the same pool and type, once as many nodes came as had gone. */
  readonly alike: Hold
  /** UIDs of the workloads whose move was too much. */
  readonly moved: readonly string[]
}

/**
 * Consolidations that did not hold: a new node was launched because displaced pods landed elsewhere, took room meant for buffers or
 * waiting pods, or had counted as free to move. Planned again, the same consolidation would pay again, and its pods would move every few
 * minutes. The nodes that came of one are held back, longer each time. If as many nodes came as went, similar nodes with pods of the same
 * workloads are held as long. Nodes for pods by which a workload has grown meanwhile tell nothing. Kept in memory, for a day.
 */
export class UndoneConsolidations {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #sizesOf: WorkloadSizes
  readonly #departures = new Set<Departure>()
  /** By the pools and types of the nodes, and the workload. */
  readonly #failures = new Map<string, { readonly count: number; readonly at: number }>()
  /** By claim name, since a claim that was just written has no provider ID. */
  #holds: ReadonlyMap<string, Hold> = new Map()
  /** By pool and type of a node, and UID of a workload on it. */
  #alike: ReadonlyMap<string, Hold> = new Map()
  #gate: DisruptionGate = openGate

  constructor(clock: Pick<Clock, 'monotonicMs'>, sizesOf: WorkloadSizes) {
    this.#clock = clock
    this.#sizesOf = sizesOf
  }

  /** The claims of all the candidates have been asked to go. */
  carriedOut({ reason, candidates, destinations }: Command<Replacement>, replacements: readonly string[]): void {
    const leaving = candidates.filter((candidate) => isConsolidation(candidate, reason))
    if (leaving.length === 0) return
    const nodes = new Set(leaving.map(({ name }) => name))
    const others = destinations.flatMap(({ pods }) =>
      pods.filter(({ nodeName }) => nodeName !== '' && !nodes.has(nodeName)),
    )
    const workloads = new Set(
      leaving.flatMap(({ reschedulablePods }) => reschedulablePods.flatMap(workloadOf).map(([uid]) => uid)),
    )
    const sizes = this.#sizesOf(workloads)
    this.#departures.add({
      poolTypes: leaving.map(poolTypeOf).toSorted(),
      nodes,
      claims: leaving.map(({ nodeClaim }) => nodeClaim.metadata.name),
      successors: new Set(replacements),
      workloads: new Map([...workloads].map((uid) => [uid, sizes.get(uid) ?? 0])),
      homeless: new Map(),
      promised: new Set(others.map(({ uid }) => uid)),
      goneAt: undefined,
      failure: undefined,
    })
  }

  /** A node was launched for pods that have none, or that are on their way out of one. */
  provisioned(pods: readonly PodInfo[], claim: string, log: Logger): void {
    for (const departure of this.#departures) {
      const [displaced] = this.#withoutGrowth(
        departure,
        pods.flatMap((pod) => displacedBy(departure, pod)),
      )
      if (displaced === undefined) continue
      departure.successors.add(claim)
      departure.failure ??= this.#fail(departure, displaced, claim, log)
      this.#hold(departure, departure.failure)
    }
  }

  /** Without workloads that need no more places than they have grown by since. */
  #withoutGrowth({ workloads, homeless }: Departure, losers: readonly Loser[]): readonly Loser[] {
    const moved = losers.filter(({ how }) => how === 'moved pods of')
    for (const { uid, pod } of moved) homeless.set(uid, (homeless.get(uid) ?? new Set()).add(pod))
    const sizes = moved.length === 0 ? undefined : this.#sizesOf(new Set(moved.map(({ uid }) => uid)))
    return losers.filter(({ uid, how }) => {
      const grown = (sizes?.get(uid) ?? 0) - (workloads.get(uid) ?? 0)
      return how !== 'moved pods of' || (homeless.get(uid)?.size ?? 0) > grown
    })
  }

  #hold({ successors, nodes, poolTypes }: Departure, failure: Failure): void {
    this.#holds = new Map([...this.#holds, ...[...successors].map((name) => [name, failure] as const)])
    if (successors.size >= nodes.size) {
      const { alike, moved } = failure
      const keys = poolTypes.flatMap((poolType) => moved.map((uid) => alikeKey(poolType, uid)))
      // Another failure, the first of its kind, must not cut short what many have made long.
      const longer = keys.filter((key) => (this.#alike.get(key)?.until ?? 0) < alike.until)
      this.#alike = new Map([...this.#alike, ...longer.map((key) => [key, alike] as const)])
    }
    this.#gate = gateOf(this.#holds, this.#alike)
  }

  /** Looks whose nodes have gone. To be called often: the time from then on counts. */
  observe(isThere: (claim: string) => boolean): void {
    const now = this.#clock.monotonicMs()
    for (const departure of this.#departures) {
      if (departure.goneAt === undefined && !departure.claims.some(isThere)) departure.goneAt = now
      if (departure.goneAt !== undefined && now - departure.goneAt > settleMs) this.#departures.delete(departure)
    }
    for (const [key, { at }] of this.#failures) if (now - at > forgottenMs) this.#failures.delete(key)
    const isOver = ({ until }: Hold): boolean => until <= now
    if (![...this.#holds.values(), ...this.#alike.values()].some(isOver)) return
    this.#holds = new Map([...this.#holds].filter(([, hold]) => !isOver(hold)))
    this.#alike = new Map([...this.#alike].filter(([, hold]) => !isOver(hold)))
    this.#gate = gateOf(this.#holds, this.#alike)
  }

  /**
   * Holds these nodes from consolidation only, including `Empty` where pods cost nothing to move. The same object while it holds the same
   * nodes.
   */
  get gate(): DisruptionGate {
    return this.#gate
  }

  #fail(departure: Departure, { uid, workload, how }: Loser, claim: string, log: Logger): Failure {
    const { poolTypes, nodes, successors, workloads } = departure
    const now = this.#clock.monotonicMs()
    const key = `${poolTypes.join(' ')} ${uid}`
    const count = (this.#failures.get(key)?.count ?? 0) + 1
    this.#failures.set(key, { count, at: now })
    const holdMs = Math.min(longestHoldMs, firstHoldMs * holdGrowth ** (count - 1))
    log.info(
      {
        'disrupted-nodes': [...nodes],
        nodeclaims: [...successors],
        workload,
        times: count,
        hold: formatDurationMs(holdMs),
      },
      'a consolidation did not hold, its pods needed another node; leaving what came of it alone',
    )
    const times = count === 1 ? '' : `, ${count} times by now`
    const because = `${how} ${workload}, which then needed NodeClaim ${claim}${times}`
    const forSoLong = `not consolidated for ${formatDurationMs(holdMs)}`
    const until = now + holdMs
    return {
      until,
      message: `a consolidation ${because}; what came of it is ${forSoLong}`,
      alike: {
        until,
        message: `the consolidation of a node like this one ${because}; nodes of its pool and type with pods of the same workloads are ${forSoLong}`,
      },
      moved: how === 'moved pods of' ? [uid] : [...workloads.keys()],
    }
  }
}

function gateOf(holds: ReadonlyMap<string, Hold>, alike: ReadonlyMap<string, Hold>): DisruptionGate {
  if (holds.size === 0 && alike.size === 0) return openGate
  const holdOf = (candidate: Candidate): Hold | undefined =>
    holds.get(candidate.nodeClaim.metadata.name) ?? (alike.size === 0 ? undefined : alikeHold(candidate, alike))
  return holdingGate((candidate, reason) => {
    const held = isConsolidation(candidate, reason) ? holdOf(candidate) : undefined
    return held === undefined ? undefined : { code: 'ConsolidationUndone', message: held.message }
  })
}

/** Whether removing the node moves pods only to save money; `Empty` counts when the node still has pods. */
function isConsolidation({ reschedulablePods }: Candidate, reason: VoluntaryReason): boolean {
  return reason === 'Underutilized' || (reason === 'Empty' && reschedulablePods.length > 0)
}

function alikeHold(candidate: Candidate, alike: ReadonlyMap<string, Hold>): Hold | undefined {
  const poolType = poolTypeOf(candidate)
  for (const pod of candidate.reschedulablePods) {
    const owner = controllerOf(pod)
    const hold = owner === undefined ? undefined : alike.get(alikeKey(poolType, owner.uid))
    if (hold !== undefined) return hold
  }
  return undefined
}

function alikeKey(poolType: string, workload: string): string {
  return `${poolType} ${workload}`
}

/** Whose pods have lost their place, by the UID and the text of what keeps them running. */
interface Loser {
  readonly uid: string
  readonly workload: string
  /** The UID of the pod. */
  readonly pod: string
  readonly how: 'moved pods of' | 'took the room of'
}

/** Whether the pod has lost its place by the departure. Pods that are bound elsewhere have lost it by something else. */
function displacedBy({ workloads, nodes, promised }: Departure, pod: PodInfo): readonly Loser[] {
  // The plan had room for all of these, wherever they stood before: whoever moved has taken it.
  if (pod.virtualBuffer !== undefined) {
    const { namespace, name } = pod.virtualBuffer
    const of = `${namespace}/${name}`
    return [{ uid: `buffer ${of}`, workload: `CapacityBuffer ${of}`, pod: pod.uid, how: 'took the room of' }]
  }
  const losers = (how: Loser['how']): readonly Loser[] =>
    workloadOf(pod).map(([uid, workload]) => ({ uid, workload, pod: pod.uid, how }))
  if (promised.has(pod.uid)) return losers('took the room of')
  const isHomeless = pod.nodeName === '' || nodes.has(pod.nodeName)
  return isHomeless ? losers('moved pods of').filter(({ uid }) => workloads.has(uid)) : []
}

/** The pod's controller, if it has one. */
function workloadOf(pod: PodInfo): readonly (readonly [uid: string, text: string])[] {
  const owner = controllerOf(pod)
  return owner === undefined ? [] : [[owner.uid, `${owner.kind} ${pod.namespace}/${owner.name}`]]
}

function poolTypeOf(candidate: Candidate): string {
  return `${poolName(candidate)}/${candidate.instanceTypeName}`
}
