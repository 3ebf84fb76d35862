import type { ClusterState, PlanBasis } from '../../cluster/index.ts'
import { podsOfDeletingNodes } from '../../disruption/what-if.ts'
import {
  done,
  type ReconcileContext,
  requeueAfter,
  singleton,
  type SingletonController,
} from '../../kube/controller.ts'
import type { Logger } from '../../kube/logger.ts'
import type { KubeClient } from '../../kube/port.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import { formatDurationMs } from '../../api/duration.ts'
import type { Clock } from '../../model/clock.ts'
import { throwRejections } from '../../model/combine-errors.ts'
import { withHeldPools } from '../../model/held-pools.ts'
import { isProvisionable, type PodInfo } from '../../model/pod.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import type { RefusedClaims } from '../launches/refused-claims.ts'
import type { PodBatcher } from './pod-batcher.ts'
import { type ClaimWritten, createClaim, type CreateClaimDeps } from './create-claim.ts'
import type { PreferenceWarnings } from './preference-warnings.ts'
import type { Promises } from './promises.ts'
import {
  podsText,
  publishNominations,
  recordIgnored,
  recordNoPools,
  recordNotices,
  recordPlacements,
  recordRefusedClaim,
  recordVain,
  unplacedOf,
} from './record-results.ts'
import type { SchedulerWords } from './scheduler-words.ts'
import { solveUnrefused } from './solve-unrefused.ts'
import type { VainLaunchMemory } from './solve-without-vain.ts'
import type { FailedPod, PlannedClaim, SolveOutcome, Solver, ProvisioningSolveRequest } from './solver-port.ts'

export interface ProvisionerDeps {
  readonly kube: KubeClient
  readonly clock: Clock
  readonly recorder: EventRecorder
  readonly metrics: ControllerMetrics
  readonly cluster: Pick<
    ClusterState,
    'synced' | 'takeSnapshot' | 'nodePoolResources' | 'observeNodeClaim' | 'plans' | 'nominate' | 'node' | 'podTimes'
  >
  readonly batcher: PodBatcher
  readonly solver: Solver
  readonly launches: LaunchAdmission & ClaimWritten
  readonly promises: Promises
  readonly vain: VainLaunchMemory
  readonly undone: ProvisioningListener
  readonly schedulerWords: SchedulerWords
  /** Absent when PREFERENCE_POLICY is Ignore. */
  readonly warnings?: PreferenceWarnings
  /** Absent while the gate CapacityBuffer is off. */
  readonly buffers?: BufferPods
}

/** What may be launched now; the rest waits for a later pass. */
export interface LaunchAdmission {
  readonly refused: Pick<RefusedClaims, 'note' | 'poolsOf'>
  /** Pools that may open no node now, and why. */
  heldPools(pools: readonly string[]): ReadonlyMap<string, string>
  /** Each claim that is admitted must be reported by `written` or `notWritten`. */
  admit(planned: readonly PlannedClaim[]): {
    readonly admitted: readonly PlannedClaim[]
    readonly held: readonly { readonly planned: PlannedClaim; readonly because: string | undefined }[]
  }
}

/** Told of every node that pods needed. */
interface ProvisioningListener {
  provisioned(pods: readonly PodInfo[], claim: string, log: Logger): void
}

/** The capacity buffers' side of a pass. */
export interface BufferPods {
  /** Injected anew into every pass, so that real pods displace them. */
  virtualPods(): readonly PodInfo[]
  observePass(outcome: SolveOutcome): void
}

/** A solve that takes longer is cut off; what it has found by then is carried out. */
const solveDeadlineMs = 60_000

/** How often pods that wait are counted when no pass does it: nothing tells that the last of them is gone. */
const recountMs = 15_000

/** What a pass left, in the terms of the metrics that count it. */
interface Left {
  readonly ignored: number
  /** UIDs of the pods for which the solve found none. */
  readonly unplaced: ReadonlySet<string>
  /** Whether pods wait, be it for a node that is on its way. */
  readonly waiting: boolean
}

const nothingLeft: Left = { ignored: 0, unplaced: new Set(), waiting: false }

/** Waits for pods that need nodes, plans nodes for them, and writes the claims. Passes never overlap. */
export function provisioner(deps: ProvisionerDeps): SingletonController {
  let left = nothingLeft
  return {
    name: 'provisioner',
    // The loop must not sleep for long after a series of failed writes: pods are waiting.
    rateLimit: { baseMs: 5, maxMs: 10_000 },
    triggers: [
      (enqueue) => {
        deps.batcher.whenTriggered(() => enqueue(singleton))
        return () => deps.batcher.whenTriggered(() => undefined)
      },
    ],
    async reconcile(context) {
      const isWanted = await deps.batcher.window(context.stopping)
      // Claims in the middle of their launch could take the very pods that a pass would launch for again.
      if (deps.cluster.synced()) {
        if (isWanted) {
          const passed = await pass(deps, left, context)
          left = passed.left
          await createAll({ ...deps, basis: passed.basis }, passed.claims, context.log)
        } else if (isAnyLeft(left)) {
          left = await recount(deps, left)
        }
      }
      return isAnyLeft(left) ? requeueAfter(recountMs) : done
    },
  }
}

function isAnyLeft({ ignored, unplaced, waiting }: Left): boolean {
  return ignored > 0 || unplaced.size > 0 || waiting
}

async function recount({ cluster, solver, metrics, buffers, vain }: ProvisionerDeps, before: Left): Promise<Left> {
  const snapshot = await cluster.takeSnapshot()
  const waiting = snapshot.unboundPods.filter(isProvisionable)
  const wanting = [...waiting, ...podsOfDeletingNodes(snapshot), ...(buffers?.virtualPods() ?? [])]
  const left = {
    ignored: solver.ignored(waiting, snapshot).length,
    unplaced: stillThere(before.unplaced, wanting),
    waiting: waiting.length > 0,
  }
  recordLeft(metrics, left)
  metrics.podsHeldFromLaunching.set({}, vain.held(wanting).size)
  return left
}

function stillThere(unplaced: ReadonlySet<string>, wanting: readonly PodInfo[]): ReadonlySet<string> {
  return unplaced.intersection(new Set(wanting.map(({ uid }) => uid)))
}

function recordLeft(metrics: ControllerMetrics, { ignored, unplaced, waiting }: Left): void {
  metrics.schedulerIgnoredPods.set({}, ignored)
  metrics.schedulerUnschedulablePods.set({ controller: 'provisioner' }, unplaced.size)
  if (waiting) return
  metrics.schedulerPendingPodsByZone.removeMatching({ controller: 'provisioner' })
  // A metric without any series would look as if it were not there.
  metrics.schedulerPendingPodsByZone.set({ controller: 'provisioner', zone: 'flexible' }, 0)
}

interface Passed {
  readonly left: Left
  /** Admitted, and yet to be written. */
  readonly claims: readonly PlannedClaim[]
  readonly basis: PlanBasis
}

async function pass(deps: ProvisionerDeps, before: Left, context: ReconcileContext): Promise<Passed> {
  const startedAt = deps.clock.monotonicMs()
  const basis = deps.cluster.plans.basis()
  const snapshot = await deps.cluster.takeSnapshot()
  const waiting = snapshot.unboundPods.filter(isProvisionable)
  const ignored = deps.solver.ignored(waiting, snapshot)
  recordIgnored(deps, ignored, context.log)
  const leftAlone = new Set(ignored.map(({ pod }) => pod.uid))
  const pending = waiting.filter(({ uid }) => !leftAlone.has(uid))
  const virtual = deps.buffers?.virtualPods() ?? []
  const displaced = podsOfDeletingNodes(snapshot)
  // Whoever is left alone for now is still promised its place.
  const promised = deps.promises.keep([...waiting, ...displaced], snapshot)
  recordVain(deps, deps.vain.observe({ snapshot, waiting: pending, promised }))
  const wanting = [...pending, ...virtual, ...displaced]
  const planned =
    wanting.length === 0
      ? undefined
      : await plan(deps, { startedAt, snapshot, pending, virtual, displaced, promised }, context)
  const left = {
    ignored: ignored.length,
    unplaced: planned?.unplaced ?? stillThere(before.unplaced, wanting),
    waiting: pending.length > 0,
  }
  recordLeft(deps.metrics, left)
  return { left, claims: planned?.claims ?? [], basis }
}

interface Gathered extends Omit<ProvisioningSolveRequest, 'deadline' | 'held'> {
  readonly startedAt: number
}

/** Nothing where there was no pool to plan in. */
async function plan(
  deps: ProvisionerDeps,
  gathered: Gathered,
  { log, signal }: ReconcileContext,
): Promise<(Pick<Left, 'unplaced'> & Pick<Passed, 'claims'>) | undefined> {
  const { startedAt, snapshot, pending, virtual, displaced, promised } = gathered
  const { promises } = deps
  log.debug(
    { 'pending-pods': pending.length + virtual.length, 'deleting-pods': displaced.length },
    'computing scheduling decision for provisionable pod(s)',
  )
  const deadline = deps.clock.monotonicMs() + solveDeadlineMs
  const request = { snapshot: withoutHeld(snapshot, deps.launches), pending, virtual, displaced, deadline, promised }
  const outcome = await solveUnrefused(deps, request, signal)
  const tookMs = deps.clock.monotonicMs() - startedAt
  deps.metrics.schedulingDuration.observe({ controller: 'provisioner' }, tookMs / 1_000)

  recordNotices(deps, outcome.notices, snapshot, log)
  deps.warnings?.report(pending, log)
  deps.buffers?.observePass(outcome)
  if (outcome.kind === 'noPools') {
    recordNoPools(deps, [...pending, ...displaced], log)
    return undefined
  }
  if (outcome.timedOut) log.debug({ duration: formatDurationMs(tookMs) }, 'scheduling simulation timed out')
  const { admitted, held } = deps.launches.admit(outcome.claims)
  if (admitted.length > 0) {
    log.info(
      { Pods: podsText([...pending, ...virtual, ...displaced]), duration: formatDurationMs(tookMs) },
      'found provisionable pod(s)',
    )
  }
  if (held.length > 0)
    log.info({ nodeclaims: held.length, reason: held[0]?.because ?? firstWave }, 'holding back nodeclaim(s)')
  const failed = [...outcome.failed, ...held.flatMap(failuresOf)]
  try {
    recordPlacements(deps, { ...outcome, claims: admitted, failed }, snapshot, log)
    for (const { key, pods } of outcome.existing) promises.onNode(pods, key)
  } catch (error) {
    // What is admitted and never written would count as under way for ever.
    for (const _ of admitted) deps.launches.notWritten()
    throw error
  }
  return { unplaced: unplacedOf(failed), claims: admitted }
}

const firstWave = 'waiting for the first launches to succeed'

/** Pods that wait for nothing but the answer of the launches before them have not failed. */
function failuresOf({ planned, because }: ReturnType<LaunchAdmission['admit']>['held'][number]): readonly FailedPod[] {
  const error = `nodepool "${planned.nodePool}" may launch no more nodes now: ${because ?? firstWave}`
  return planned.pods
    .filter((pod) => pod.virtualBuffer === undefined)
    .map((pod) => ({ pod, error, kind: because === undefined ? 'waiting' : 'unschedulable' }))
}

/** Nothing is planned on a pool that may open no node: its pods may find one elsewhere. */
export function withoutHeld(snapshot: Snapshot, launches: Pick<LaunchAdmission, 'heldPools'>): Snapshot {
  return withHeldPools(snapshot, heldPoolsOf(snapshot, launches))
}

/** Which pools are held, and why: plans on the same snapshot come out differently where this differs. */
export function heldPoolsText(snapshot: Snapshot, launches: Pick<LaunchAdmission, 'heldPools'>): string {
  return [...heldPoolsOf(snapshot, launches)].map(([pool, because]) => `${pool}: ${because}`).join('; ')
}

function heldPoolsOf(
  { nodePools }: Snapshot,
  launches: Pick<LaunchAdmission, 'heldPools'>,
): ReadonlyMap<string, string> {
  return launches.heldPools(nodePools.map(({ metadata }) => metadata.name))
}

/** One claim's failure does not keep the others from being written; its pods are planned again by their trigger. */
async function createAll(
  deps: ProvisionerDeps & CreateClaimDeps,
  claims: readonly PlannedClaim[],
  log: Logger,
): Promise<void> {
  const results = await Promise.allSettled(
    claims.map(async (planned) => {
      const claim = await createClaim(deps, planned, 'provisioned', log).catch((error: unknown) => {
        deps.launches.refused.note(planned, error)
        recordRefusedClaim(deps.recorder, planned, error)
        throw error
      })
      deps.promises.onClaim(planned.pods, claim.metadata.name)
      deps.vain.launched(claim.metadata.name, planned.nodePool, planned.pods)
      deps.undone.provisioned(planned.pods, claim.metadata.name, log)
      publishNominations(deps.recorder, planned, claim)
    }),
  )
  throwRejections(results)
}
