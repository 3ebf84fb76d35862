import type { Toleration } from '../api/kubernetes.ts'
import { compareText } from '../model/order.ts'
import { comparePods, type PodInfo } from '../model/pod.ts'
import { subtractResources } from '../model/resources.ts'
import { runToEnd, type Sliced } from '../model/sliced.ts'
import type { DeviceObjects } from '../model/snapshot.ts'
import { Claims, placeholderName } from './claims.ts'
import type { SolveContext } from './context.ts'
import { DeviceAllocator } from './devices/allocator.ts'
import { ExclusiveVolumes } from './exclusive-volumes.ts'
import { ExistingNodes } from './existing-nodes.ts'
import type { Explainer } from './explain.ts'
import { type Failure, FailureReasons, isOutdated } from './failure-reasons.ts'
import { Finalizer } from './finalize.ts'
import { GivenUp, relaxationsToldMax } from './given-up.ts'
import { heldBy, PoolLimits, remainingLimits } from './limits.ts'
import type { ExistingPlacement, NodePlan, Placement, PodFailure } from './placement.ts'
import type { ClassedPod, PodClass } from './pod-class.ts'
import { PodQueue, type QueuedPod } from './pod-queue.ts'
import type { Relaxations } from './relaxations.ts'
import { Reservations } from './reservations.ts'
import type { SolveRequest } from './solve-request.ts'
import type { ClassTopology } from './topology/class-groups.ts'
import { Topology } from './topology/topology.ts'

/** What an attempt costs besides the targets it looks at. */
const workPerAttempt = 50
/** What it takes to look at a thing that a pod has not given up, and to get to know it. */
const workPerWish = 25
/** What it takes to get to know a pod, and to begin and end a solve. */
const workPerPod = 25
const workPerSolve = 250

/** Why an attempt was broken off. */
const expired = 'expired'

/** Runs to the end without a pause. */
export function solve(context: SolveContext, request: SolveRequest): Placement {
  return runToEnd(solveInSlices(context, request))
}

/** The same work, handing back control after each millisecond or two of it. */
export function* solveInSlices(context: SolveContext, request: SolveRequest): Sliced<Placement> {
  // Which pod creates a shared topology group must not depend on the order in which pods were listed.
  const pods = inNameOrder(request.pods)
  const { pace } = context
  const classed: ClassedPod[] = []
  const classes = new Set<PodClass>()
  for (const pod of pods) {
    const podClass = context.classes.classOf(pod)
    classed.push({ pod, podClass })
    classes.add(podClass)
    if (pace.fills(workPerPod)) yield
  }
  const excluded = context.cluster.indexesOf(request.excludedNodes ?? [])
  const topology = new Topology(context, {
    pods: classed,
    classes,
    excludedNodes: excluded,
    nodeOf: (pod) => context.nodeByName.get(pod.nodeName),
    hostName: (host) => context.cluster.hostnames[host] ?? placeholderName(host - context.cluster.hostnames.length),
  })
  yield* topology.groups.begin()
  const solver = new Solver(context, request, { pods: classed, topology, excluded, classes })
  if (pace.fills(workPerSolve)) yield
  let timedOut = false
  for (let entry = solver.next(); entry !== undefined; entry = solver.next()) {
    if (request.isExpired?.() === true) {
      timedOut = true
      solver.unpop(entry)
      break
    }
    if (!(yield* solver.attempt(entry))) {
      timedOut = true
      solver.unpop(entry)
      break
    }
    if (solver.fills(workPerAttempt)) yield
  }
  request.onProgress?.(solver.queued)
  return yield* solver.result(timedOut)
}

/** Those of one node mostly come in it. */
function inNameOrder(pods: readonly PodInfo[]): readonly PodInfo[] {
  const isSorted = pods.every((pod, index) => {
    const before = pods[index - 1]
    return before === undefined || byName(before, pod) <= 0
  })
  return isSorted ? pods : pods.toSorted(byName)
}

function byName(a: PodInfo, b: PodInfo): number {
  return comparePods(a, b) || compareText(a.uid, b.uid)
}

/** With no more preferences than this left to give up, they are tried one by one. */
const fewWishes = 8
const claimsPerSlice = 25
const failuresPerSlice = 10

const noDeviceObjects: DeviceObjects = { claims: new Map(), classes: new Map(), slices: [] }
const noBins: ReadonlyMap<string, number> = new Map()
const noTurns: ReadonlyMap<string, number> = new Map()
const noPromises: ReadonlyMap<string, string> = new Map()

class Solver {
  readonly #context: SolveContext
  readonly #request: SolveRequest
  readonly #topology: Topology
  readonly #existing: ExistingNodes
  readonly #claims: Claims
  readonly #devices: DeviceAllocator | undefined
  readonly #exclusiveVolumes: ExclusiveVolumes
  /** Of use once nothing is placed any more. */
  readonly #explainer: Explainer
  readonly #queue: PodQueue<Failure>
  readonly #givenUp = new GivenUp()
  readonly #withoutFilter: boolean
  readonly #bins: ReadonlyMap<string, number>
  readonly #opened = new Set<number>()
  /** Grows with every placement: what failed for one pod of a class fails for the next while nothing has been placed. */
  #placements = 0
  readonly #failed = new Map<PodClass, { readonly placements: number; readonly failure: Failure }>()
  #returned: QueuedPod<Failure> | undefined
  #workCounted = 0

  constructor(
    context: SolveContext,
    request: SolveRequest,
    batch: {
      /** Those of the request. */
      readonly pods: readonly ClassedPod[]
      readonly topology: Topology
      readonly excluded: ReadonlySet<number>
      readonly classes: ReadonlySet<PodClass>
    },
  ) {
    const { topology, excluded } = batch
    this.#context = context
    this.#request = request
    this.#withoutFilter = request.destinations === undefined
    this.#bins = request.bins ?? noBins
    const { cluster, classes, templates, requirements } = context
    this.#topology = topology
    const keys = new Set(this.#topology.groups.keys())
    for (const podClass of batch.classes) {
      for (const key of classes.requirementKeys(podClass)) keys.add(key)
    }
    const wantsDevices = !context.settings.ignoreDRA && batch.pods.some(({ pod }) => pod.hasResourceClaims)
    this.#devices = wantsDevices
      ? new DeviceAllocator(context, context.snapshot.devices ?? noDeviceObjects, excluded)
      : undefined
    this.#exclusiveVolumes = new ExclusiveVolumes(context.snapshot.volumes)
    this.#existing = new ExistingNodes(context, {
      topology: this.#topology,
      excluded,
      keys,
      accepts: request.destinations,
      promised: request.promised ?? noPromises,
      devices: this.#devices,
    })
    const gone = [...excluded].flatMap((index) => cluster.nodes[index] ?? [])
    const limits = new Map(
      templates.flatMap((template) => {
        const remaining = remainingLimits(template.pool, (pool) =>
          subtractResources(cluster.held(pool), heldBy(pool, gone)),
        )
        return remaining === undefined ? [] : [[template, new PoolLimits(remaining, template.catalog)]]
      }),
    )
    const mode = request.reservedMode ?? 'strict'
    const catalogs = templates.map(({ catalog }) => catalog)
    this.#claims = new Claims(context, {
      topology: this.#topology,
      limits,
      reservations: new Reservations(mode === 'off' ? [] : catalogs, requirements),
      reservedMode: mode,
      devices: this.#devices,
    })
    this.#explainer = { context, topology, claims: this.#claims, limits, devices: this.#devices }
    this.#queue = new PodQueue(batch.pods, request.turns ?? noTurns)
  }

  get queued(): number {
    return this.#queue.length
  }

  /** Whether so much work and what was done at targets since it was last asked fill a slice. */
  fills(work: number): boolean {
    const atTargets = this.#existing.work + this.#claims.work + this.#topology.groups.work
    const more = atTargets - this.#workCounted
    this.#workCounted = atTargets
    if (!this.#context.pace.fills(work + more)) return false
    this.#request.onProgress?.(this.queued)
    return true
  }

  next(): QueuedPod<Failure> | undefined {
    return this.#queue.pop()
  }

  /** Gives back an entry that was not attempted. */
  unpop(entry: QueuedPod<Failure>): void {
    this.#returned = entry
  }

  /** False when the deadline came first: then the pod counts as not attempted. */
  *attempt(entry: QueuedPod<Failure>): Sliced<boolean> {
    const failure = yield* this.#place(entry)
    if (failure === expired) return false
    entry.attempted = true
    entry.failure = failure
    if (failure === undefined) {
      this.#placements += 1
      this.#exclusiveVolumes.take(entry.pod)
    } else this.#queue.pushBack(entry)
    return true
  }

  *result(timedOut: boolean): Sliced<Placement> {
    const failures: PodFailure[] = []
    const deferred: PodInfo[] = []
    const unattempted: PodInfo[] = []
    const reasons = new FailureReasons(this.#explainer)
    for (const { pod, attempted, failure } of [...(this.#returned ? [this.#returned] : []), ...this.#queue.rest()]) {
      if (!attempted || failure === undefined) unattempted.push(pod)
      else if (failure.kind === 'reserved') deferred.push(pod)
      else {
        const reason = reasons.of(failure, pod)
        if (timedOut && isOutdated(reason)) unattempted.push(pod)
        else failures.push({ pod, ...reason })
      }
      if (failures.length % failuresPerSlice === failuresPerSlice - 1) yield
    }
    const plans: NodePlan[] = []
    const finalizer = new Finalizer(this.#context, this.#devices)
    for (const claim of this.#claims.all) {
      if (claim.index % claimsPerSlice === claimsPerSlice - 1) yield
      const plan = finalizer.planOf(claim, this.#claims.minValuesRelaxed.get(claim.template) ?? false)
      if (plan.kind === 'plan') plans.push(plan.plan)
      else failures.push(...claim.pods.map((pod) => ({ pod, text: plan.text, because: plan.because })))
    }
    return {
      newNodePlans: plans,
      existing: this.#placedOnNodes(),
      failures,
      deferred,
      unattempted,
      timedOut,
      relaxations: this.#givenUp.told(),
      filteredPools: this.#context.filteredPools,
      unresolvedPools: this.#context.unresolvedPools,
    }
  }

  #placedOnNodes(): ExistingPlacement[] {
    const { nodes } = this.#context.cluster
    return [...this.#existing.placed]
      .toSorted(([a], [b]) => a - b)
      .flatMap(([index, pods]) => {
        const node = nodes[index]
        return node === undefined ? [] : [{ node, pods }]
      })
  }

  /** Undefined when the pod found a place. */
  *#place({ pod, podClass: original }: ClassedPod): Sliced<Failure | typeof expired | undefined> {
    const { classes, settings } = this.#context
    if (original.hasResourceClaims) {
      if (settings.ignoreDRA) return { kind: 'resourceClaims' }
      const text = this.#devices?.problemOf(pod)
      if (text !== undefined) return { kind: 'unresolvedClaims', text }
    }
    const taken = this.#exclusiveVolumes.errorFor(pod)
    if (taken !== undefined) return { kind: 'exclusiveVolume', text: taken }
    const held = this.#request.held?.get(pod.uid)
    if (held !== undefined) return this.#placeHeld(original, pod) ? undefined : { kind: 'held', text: held }
    const before = this.#failed.get(original)
    if (before !== undefined && before.placements === this.#placements && this.#withoutFilter) return before.failure
    let dropped = 0
    for (;;) {
      const podClass = classes.relaxed(original, dropped)
      yield* this.#topology.groups.ready(podClass)
      const reserved = this.#try(podClass, pod)
      if (reserved === 'placed') return undefined
      if (reserved === 'reserved') return this.#remember(original, { kind: 'reserved' })
      const relaxations = classes.relaxations(original)
      const refusedUpTo = yield* this.#refusedUpTo(original, dropped, relaxations)
      if (refusedUpTo === relaxations.steps) {
        this.#givenUp.note(pod, relaxations, { from: dropped, to: refusedUpTo })
        return this.#remember(original, { kind: 'refused', podClass: classes.relaxed(original, relaxations.count) })
      }
      if (this.fills(workPerAttempt + workPerWish * (relaxations.steps - dropped))) yield
      if (this.#request.isExpired?.() === true) return expired
      this.#givenUp.note(pod, relaxations, { from: dropped, to: refusedUpTo + 1 })
      dropped = refusedUpTo + 1
    }
  }

  /** On a node that is there, whatever it has to give up for that. */
  #placeHeld(original: PodClass, pod: PodInfo): boolean {
    const { classes } = this.#context
    const { steps } = classes.relaxations(original)
    for (let dropped = 0; dropped <= Math.min(steps, relaxationsToldMax); dropped += 1) {
      const podClass = classes.relaxed(original, dropped)
      if (!this.#topology.refusesEverywhere(podClass) && this.#existing.place(podClass, pod) !== undefined) return true
    }
    return false
  }

  /**
   * The furthest relaxation for which the refusal at `dropped` still holds, so the attempts between are skipped. Within `wishes` each step
   * only removes groups, so it is found by bisection.
   */
  *#refusedUpTo(original: PodClass, dropped: number, { wishes, nodeWishes }: Relaxations): Sliced<number> {
    if (dropped < wishes.from || dropped >= wishes.to) return dropped
    // A preference that is dropped changes no decision.
    if (this.#context.settings.preferencePolicy === 'Ignore') return wishes.to
    if (wishes.to - dropped <= fewWishes) return dropped
    const { classes } = this.#context
    const topology = this.#topology
    const refusesEverywhere = (count: number): boolean => topology.refusesEverywhere(classes.relaxed(original, count))
    const { tolerations } = original.constraints
    const groupsThatTell = (count: number): number =>
      howManyTell(topology.groups.of(classes.relaxed(original, count)), tolerations)
    let isRefused = refusesEverywhere
    let open = wishes.to
    if (!refusesEverywhere(dropped)) {
      if (dropped >= nodeWishes.from && dropped < nodeWishes.to) return dropped
      const tell = groupsThatTell(dropped)
      isRefused = (count) => groupsThatTell(count) === tell
      if (!isRefused(dropped + 1)) return dropped
      if (dropped < nodeWishes.from) open = nodeWishes.from
    }
    if (isRefused(open)) return open
    let refusedUpTo = dropped
    while (open - refusedUpTo > 1) {
      const middle = (refusedUpTo + open) >> 1
      if (isRefused(middle)) refusedUpTo = middle
      else open = middle
      if (this.fills(workPerWish * (wishes.to - middle))) yield
    }
    return refusedUpTo
  }

  #try(podClass: PodClass, pod: PodInfo): 'placed' | 'reserved' | 'refused' {
    if (this.#topology.refusesEverywhere(podClass)) return 'refused'
    if (this.#existing.place(podClass, pod) !== undefined) return 'placed'
    if (this.#placeInBin(podClass, pod)) return 'placed'
    if (this.#claims.join(podClass, pod) !== undefined) return 'placed'
    const outcome = this.#claims.open(podClass, pod)
    return outcome.kind === 'opened' ? 'placed' : outcome.kind
  }

  #placeInBin(podClass: PodClass, pod: PodInfo): boolean {
    const bin = this.#bins.get(pod.uid)
    if (bin === undefined) return false
    if (this.#opened.has(bin)) return this.#claims.join(podClass, pod, bin) !== undefined
    const opened = this.#claims.open(podClass, pod, bin).kind === 'opened'
    if (opened) this.#opened.add(bin)
    return opened
  }

  #remember(podClass: PodClass, failure: Failure): Failure {
    this.#failed.set(podClass, { placements: this.#placements, failure })
    return failure
  }
}

/**
 * How many groups can still change the outcome. Empty spread and anti-affinity groups exclude no host; one empty anti-affinity of this pod
 * stands for all on its key.
 */
function howManyTell({ elsewhere, hostAffinity, hostLimits }: ClassTopology, own: readonly Toleration[]): number {
  const emptyOn = new Set<string>()
  let tell = hostAffinity.length
  for (const { group } of elsewhere) {
    const { kind, inverse, key, tolerations } = group.spec
    if (kind === 'antiAffinity' && !inverse && tolerations === own && group.isEmpty) emptyOn.add(key)
    else tell += 1
  }
  for (const { group, most } of hostLimits) if (most < 0 || !group.isEmpty) tell += 1
  return tell + emptyOn.size
}
