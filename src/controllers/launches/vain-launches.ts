import type { NodeClaim } from '../../api/karpenter.ts'
import { type Clock, toTimestamp } from '../../model/clock.ts'
import { isOwnedByDaemonSet, isOwnedByNode, type PodInfo } from '../../model/pod.ts'
import type { Snapshot, StateNode } from '../../model/snapshot.ts'
import { taintText, untoleratedTaints } from '../../model/taints.ts'
import { shapeText } from '../../scheduling/pod-shape.ts'
import { type Shortfall, shortfallOf, widened } from './shortfall.ts'
import { settledStandIns, type SolvedStandIns } from './stand-ins.ts'
import { newTrouble, nothingShort, type Trouble } from './trouble.ts'

/** So many nodes in vain may be bad luck, such as a taint that an agent takes off again; from then on it is the pod or the pool. */
const patience = 2
/** So often what a node lacks is learned from, and the next one follows at once. */
const lessonsMax = 3
/** How long pods launch nothing after the second such node, and after each try that was in vain, too. The last of them repeats. */
const pausesMs = [20 * 60_000, 40 * 60_000, 60 * 60_000]
/** A scheduler that has not placed a pod so long after its node was ready does not want to. */
const refusedMs = 60_000
/** What has led to nothing for so long is forgotten: a node that is refused goes after an hour. */
const forgottenMs = 3 * 60 * 60_000
/** It may have been one machine. Shorter moves the pods to nodes that are too small more often; longer pays for larger ones. */
const shortfallMs = 24 * 60 * 60_000

const wordsMax = 300

/** A node that was launched for pods, none of which has come yet. */
interface Launched {
  readonly pool: string
  /** Of its pods. */
  readonly shapes: Set<string>
  readonly writtenAt: number
  readonly writtenAtWall: number
  /** As it was last seen; undefined before that. */
  seen: StateNode | undefined
  /** Whether its Node is there and holds nothing but what belongs to every node. */
  isFree: boolean
  /** Since when it is free and initialized. */
  idleSince: number | undefined
  /** Shapes of which a pod was to run there and did not. */
  readonly refusedBy: Map<string, PodInfo>
  /** Shapes for which it counts as launched in vain. */
  readonly counted: Set<string>
}

/** What came to light in a pass: a ready node that did not take the pods that it was launched for. */
export interface VainLaunch {
  readonly claim: NodeClaim
  readonly pool: string
  readonly pod: PodInfo
  readonly because: string | undefined
  /** Whether the node is counted for the first time, and not for other pods already. */
  readonly isFirst: boolean
}

/** What a pass knows of pods that wait and where the last ones planned them. */
export interface WaitingPods {
  readonly snapshot: Snapshot
  readonly waiting: readonly PodInfo[]
  /** By pod UID, the key of the node that was planned for it, if that is there. */
  readonly promised: ReadonlyMap<string, string>
}

/**
 * Remembers which nodes did not take the pods that they were launched for, though nothing else took their room: a taint that somebody
 * sets on every node, or a rule that the solver does not know. Such pods would launch one node after the other. After the second they
 * launch none for a while, then one of them may try; all of them may go to nodes that are there at any time. A pod of theirs that runs, or
 * an edit of pod, pool or node class, ends it. A node that was only smaller than promised says how much room to ask for, and the next one
 * follows at once. Only memory, in monotonic time.
 */
export class VainLaunches {
  readonly #clock: Clock
  readonly #schedulerWords: (pod: PodInfo) => string | undefined
  readonly #launched = new Map<string, Launched>()
  readonly #troubles = new Map<string, Trouble>()

  /** `schedulerWords`: why kube-scheduler found no place for the pod. */
  constructor(clock: Clock, schedulerWords: (pod: PodInfo) => string | undefined) {
    this.#clock = clock
    this.#schedulerWords = schedulerWords
  }

  /** A claim was written for the pods. */
  launched(claim: string, pool: string, pods: readonly PodInfo[]): void {
    const shapes = new Set(pods.map(shapeText))
    if (shapes.size === 0) return
    this.#launched.set(claim, {
      pool,
      shapes,
      writtenAt: this.#now,
      writtenAtWall: this.#clock.now(),
      seen: undefined,
      isFree: false,
      idleSince: undefined,
      refusedBy: new Map(),
      counted: new Set(),
    })
  }

  /** Before a solve: what has become of the nodes. Those that went without ever taking a pod that waits for them were in vain. */
  observe(pass: WaitingPods): readonly VainLaunch[] {
    this.#forgetOld()
    if (this.#launched.size === 0 && this.#troubles.size === 0) return []
    this.#observeRunning(pass.snapshot)
    const nodes = new Map(
      pass.snapshot.nodes.flatMap((node) =>
        node.nodeClaim === undefined ? [] : [[node.nodeClaim.metadata.name, node] as const],
      ),
    )
    const waiting = Map.groupBy(pass.waiting, shapeText)
    const found: VainLaunch[] = []
    const ready = new Set(pass.snapshot.nodes.filter(({ initialized }) => initialized).map(({ key }) => key))
    for (const [claim, launched] of this.#launched) {
      const node = nodes.get(claim)
      if (node !== undefined) this.#look(claim, launched, node, { ...pass, ready, alike: waiting })
      else {
        // There is no pass while a claim has no instance yet: this one is gone.
        this.#launched.delete(claim)
        for (const [shape, pod] of launched.refusedBy) {
          if (waiting.has(shape)) found.push(...this.#count(launched, pod, this.#words(pod)))
        }
      }
    }
    return found
  }

  /** After a solve: which pods it placed on no node that is there, though theirs is, and free. Once for each node and pods that are alike. */
  judge({ promised }: Pick<WaitingPods, 'promised'>, elsewhere: readonly PodInfo[]): readonly VainLaunch[] {
    if (this.#launched.size === 0) return []
    const free = this.#free()
    return elsewhere.flatMap((pod) => {
      const launched = free.get(promised.get(pod.uid) ?? '')
      return launched?.shapes.has(shapeText(pod)) === true ? this.#refused(launched, pod) : []
    })
  }

  /**
   * The same of the stand-ins of capacity buffers. Nobody promises them a node or binds them: whichever free node was launched for the like of
   * them and got nobody in the solve has refused them, and one that has held them for a while takes them.
   */
  judgeStandIns(snapshot: Snapshot, { elsewhere, existing }: SolvedStandIns): readonly VainLaunch[] {
    if (this.#launched.size === 0 && this.#troubles.size === 0) return []
    const free = this.#free()
    for (const { pod, key, since } of settledStandIns(snapshot, existing, refusedMs)) {
      const shape = shapeText(pod)
      free.get(key)?.shapes.delete(shape)
      const trouble = this.#troubles.get(shape)
      if (trouble !== undefined && since >= trouble.since) this.#ran(pod)
    }
    const used = new Set(existing.map(({ key }) => key))
    const unused = [...free].flatMap(([key, launched]) => (used.has(key) ? [] : [launched]))
    return [...Map.groupBy(elsewhere, shapeText)].flatMap(([shape, [pod]]) =>
      pod === undefined ? [] : unused.flatMap((one) => (one.shapes.has(shape) ? this.#refused(one, pod) : [])),
    )
  }

  /** Which of the pods may launch no node now, by UID, and why. */
  held(pods: readonly PodInfo[]): ReadonlyMap<string, string> {
    const held = new Map<string, string>()
    if (this.#troubles.size === 0) return held
    const trying = new Set<string>()
    for (const pod of pods) {
      const shape = shapeText(pod)
      const trouble = this.#troubles.get(shape)
      if (trouble === undefined) continue
      trouble.touchedAt = this.#now
      if (trouble.pauses === 0) continue
      const isPaused = this.#now < trouble.pausedUntil
      if (!isPaused && !trying.has(shape) && !this.#isTried(shape)) {
        trying.add(shape)
        continue
      }
      const next = isPaused ? `next try at ${this.#timeOf(trouble.pausedUntil)}` : 'one node is being tried'
      held.set(pod.uid, `${trouble.nodes} nodes launched for it did not take it, last ${trouble.last}; ${next}`)
    }
    return held
  }

  /** Changes with what was learned of nodes that are smaller than promised; empty when nothing was. */
  get shortfallsText(): string {
    return [...this.#troubles]
      .flatMap(([shape, { shortfall }]) => (shortfall.size === 0 ? [] : [`${shape} ${JSON.stringify([...shortfall])}`]))
      .join('; ')
  }

  /** By UID, how much smaller than promised the nodes were that did not take these pods. */
  shortfalls(pods: readonly PodInfo[]): ReadonlyMap<string, Shortfall> {
    const found = new Map<string, Shortfall>()
    if (this.#troubles.size === 0) return found
    for (const pod of pods) {
      const shortfall = this.#troubles.get(shapeText(pod))?.shortfall
      if (shortfall !== undefined && shortfall.size > 0) found.set(pod.uid, shortfall)
    }
    return found
  }

  /** What the pool's nodes are made of has changed: they may take the pods now. */
  reset(pool: string): void {
    for (const [claim, launched] of this.#launched) if (launched.pool === pool) this.#launched.delete(claim)
    for (const [shape, { pools }] of this.#troubles) if (pools.has(pool)) this.#troubles.delete(shape)
  }

  /** By the keys of their nodes. */
  #free(): ReadonlyMap<string, Launched> {
    return new Map(
      [...this.#launched.values()].flatMap((launched) =>
        launched.isFree && launched.seen !== undefined ? [[launched.seen.key, launched] as const] : [],
      ),
    )
  }

  #refused(launched: Launched, pod: PodInfo): readonly VainLaunch[] {
    const taints = untoleratedTaints(launched.seen?.taints ?? [], pod.tolerations)
    const taint = taints.find(({ effect }) => effect !== 'PreferNoSchedule')
    return this.#count(launched, pod, taint === undefined ? this.#words(pod) : `untolerated taint ${taintText(taint)}`)
  }

  get #now(): number {
    return this.#clock.monotonicMs()
  }

  /** A part of an event that has more to say. */
  #words(pod: PodInfo): string | undefined {
    return this.#schedulerWords(pod)?.slice(0, wordsMax)
  }

  #timeOf(at: number): string {
    return toTimestamp(this.#clock.now() + at - this.#now)
  }

  #forgetOld(): void {
    for (const [claim, { writtenAt }] of this.#launched) {
      if (this.#now - writtenAt > forgottenMs) this.#launched.delete(claim)
    }
    for (const [shape, trouble] of this.#troubles) {
      if (this.#now - trouble.learnedAt > shortfallMs) trouble.shortfall = nothingShort
      if (this.#now - trouble.touchedAt > forgottenMs && trouble.shortfall.size === 0) this.#troubles.delete(shape)
    }
  }

  /** Only in trouble is it asked what runs in the whole cluster. */
  #observeRunning({ nodes }: Snapshot): void {
    const troubles = [...this.#troubles.values()].filter(({ nodes: inVain }) => inVain > 0)
    if (troubles.length === 0) return
    const namespaces = new Set(troubles.map(({ namespace }) => namespace))
    const first = Math.min(...troubles.map(({ since }) => since))
    for (const { pods } of nodes) {
      for (const pod of pods) {
        if (pod.startedAt === undefined || pod.startedAt < first || !namespaces.has(pod.namespace)) continue
        const since = this.#troubles.get(shapeText(pod))?.since
        if (since !== undefined && pod.startedAt >= since) this.#ran(pod)
      }
    }
  }

  /** What was learned of the nodes' size stays true for the next pod. */
  #ran(pod: PodInfo): void {
    const shape = shapeText(pod)
    const trouble = this.#troubles.get(shape)
    if (trouble === undefined) return
    if (trouble.shortfall.size === 0) this.#troubles.delete(shape)
    else Object.assign(trouble, { nodes: 0, lessons: 0, pauses: 0, pausedUntil: Number.NEGATIVE_INFINITY })
  }

  #look(
    claim: string,
    launched: Launched,
    node: StateNode,
    pass: Pick<WaitingPods, 'promised'> & {
      readonly alike: ReadonlyMap<string, readonly PodInfo[]>
      /** Keys of the nodes that are initialized. */
      readonly ready: ReadonlySet<string>
    },
  ): void {
    launched.seen = node
    // On a node that is to go nobody plans anything; what was found before stays true.
    launched.isFree = node.registered && !node.markedForDeletion
    if (!launched.isFree) return
    const others = node.pods.filter((pod) => !isOwnedByDaemonSet(pod) && !isOwnedByNode(pod))
    if (others.length > 0) {
      // Whoever took the room: that is what becomes of room.
      this.#launched.delete(claim)
      for (const pod of others) this.#ran(pod)
      return
    }
    if (!node.initialized) return
    launched.idleSince ??= this.#now
    if (this.#now - launched.idleSince < refusedMs) return
    for (const shape of launched.shapes) {
      const pods = pass.alike.get(shape) ?? []
      const [here] = pods.filter(({ uid }) => pass.promised.get(uid) === node.key)
      // As long as one of them waits for a node that is on its way, the others may wait for that, too, as under a spread.
      const areAllReady = pods.every(({ uid }) => pass.ready.has(pass.promised.get(uid) ?? ''))
      if (here !== undefined && areAllReady) launched.refusedBy.set(shape, here)
    }
  }

  #count(launched: Launched, pod: PodInfo, because: string | undefined): readonly VainLaunch[] {
    const shape = shapeText(pod)
    const { seen } = launched
    const claim = seen?.nodeClaim
    if (launched.counted.has(shape) || seen === undefined || claim === undefined) return []
    const isFirst = launched.counted.size === 0
    launched.counted.add(shape)
    const trouble = this.#troubles.get(shape) ?? newTrouble(launched, pod.namespace)
    this.#troubles.set(shape, trouble)
    if (trouble.nodes === 0) trouble.since = launched.writtenAtWall
    trouble.nodes += 1
    trouble.pools.add(launched.pool)
    trouble.last = `${seen.name}${because === undefined ? '' : `: ${because}`}`
    trouble.touchedAt = this.#now
    const shortfall = widened(trouble.shortfall, shortfallOf(seen, pod))
    if (shortfall !== trouble.shortfall && trouble.lessons < lessonsMax) {
      trouble.shortfall = shortfall
      trouble.learnedAt = this.#now
      trouble.lessons += 1
    } else if (trouble.nodes - trouble.lessons >= patience && this.#now >= trouble.pausedUntil) {
      trouble.pausedUntil = this.#now + (pausesMs[Math.min(trouble.pauses, pausesMs.length - 1)] ?? 0)
      trouble.pauses += 1
    }
    return [{ claim, pool: launched.pool, pod, because, isFirst }]
  }

  /** Whether a node is on its way, or was refused by nobody yet. */
  #isTried(shape: string): boolean {
    return [...this.#launched.values()].some(({ shapes, counted }) => shapes.has(shape) && !counted.has(shape))
  }
}
