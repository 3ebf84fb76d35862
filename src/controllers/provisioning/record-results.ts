import { isConditionTrue } from '../../api/conditions.ts'
import { messageOf } from '../../api/error-text.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { ClusterState } from '../../cluster/index.ts'
import { isRefusal } from '../../kube/errors.ts'
import type { Logger } from '../../kube/logger.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import type { Clock } from '../../model/clock.ts'
import { type PodInfo, podKey } from '../../model/pod.ts'
import type { Snapshot } from '../../model/snapshot.ts'
import type { ControllerMetrics } from '../metric-table.ts'
import { listText } from '../../model/list-text.ts'
import { machineOf, podReference, publishNomination } from '../pod-nomination.ts'
import { truncated } from '../truncated.ts'
import type { VainLaunch } from '../launches/vain-launches.ts'
import { patienceMs } from './awaited-pods.ts'
import type { Promises } from './promises.ts'
import type { SchedulerWords } from './scheduler-words.ts'
import type { FailedPod, IgnoredPod, PlannedClaim, PoolNotice, SolveOutcome } from './solver-port.ts'

export interface RecordDeps {
  readonly clock: Clock
  readonly recorder: EventRecorder
  readonly metrics: Pick<ControllerMetrics, 'podSchedulingDecisionDuration'>
  readonly cluster: Pick<ClusterState, 'nominate' | 'node'> & {
    readonly podTimes: Pick<ClusterState['podTimes'], 'decide'>
  }
  readonly promises: Pick<Promises, 'observeWaitMs'>
  readonly schedulerWords: SchedulerWords
}

/** kube-scheduler looks at a pod anew at least every five minutes: by then it has seen the node and does not want it. */
const refusedMs = 300_000

type Solved = Extract<SolveOutcome, { kind: 'solved' }>

export function recordIgnored(deps: RecordDeps, ignored: readonly IgnoredPod[], log: Logger): void {
  for (const { pod, error, reported } of ignored) {
    log.debug({ Pod: podField(pod), err: { message: error } }, 'ignoring pod')
    decide(deps, pod, 'failed')
    if (reported) publishFailure(deps.recorder, pod, error)
  }
}

export function recordNotices(deps: RecordDeps, notices: readonly PoolNotice[], snapshot: Snapshot, log: Logger): void {
  for (const notice of notices) {
    const fields = { NodePool: { name: notice.pool }, ...(notice.detail === undefined ? {} : { error: notice.detail }) }
    log[notice.level](fields, notice.message)
    const pool = snapshot.nodePools.find(({ metadata }) => metadata.name === notice.pool)
    if (notice.event === undefined || pool === undefined) continue
    deps.recorder.publish({
      object: pool,
      type: 'Warning',
      reason: 'NoCompatibleInstanceTypes',
      message: notice.event,
      dedupeValues: [pool.metadata.uid],
      dedupeMs: 60_000,
    })
  }
}

/** Nothing could be planned at all; existing nodes were not tried either. */
export function recordNoPools(deps: RecordDeps, pods: readonly PodInfo[], log: Logger): void {
  log.info({}, 'no dynamic nodepools found')
  for (const pod of pods) decide(deps, pod, 'failed')
}

/** UIDs of the pods that no pass will place unless something changes. */
export function unplacedOf(failed: readonly FailedPod[]): ReadonlySet<string> {
  return new Set(failed.filter(({ kind }) => kind !== 'deferred' && kind !== 'waiting').map(({ pod }) => pod.uid))
}

/** Decisions, events, nominations and the summary lines of a pass; claims are not written yet. */
export function recordPlacements(deps: RecordDeps, solved: Solved, snapshot: Snapshot, log: Logger): void {
  for (const { pod, reason } of solved.relaxed) {
    log.debug(
      { Pod: podField(pod), reason },
      'relaxing soft constraints for pod since it previously failed to schedule',
    )
  }
  for (const failure of solved.failed) recordFailure(deps, failure, log)
  const healthy = new Set(
    snapshot.nodePools
      .filter((pool) => isConditionTrue(pool, 'NodeRegistrationHealthy'))
      .map((pool) => pool.metadata.name),
  )
  for (const { key, pods } of solved.existing) nominate(deps, key, pods, healthy)
  for (const { nodePool, pods } of solved.claims) {
    for (const pod of pods) decide(deps, pod, 'placed', healthy.has(nodePool))
  }
  logSummary(solved, log)
}

/** Each pod of a claim that now exists is told where it will run. */
export function publishNominations(recorder: EventRecorder, planned: PlannedClaim, claim: NodeClaim): void {
  for (const pod of planned.pods) publishNomination(recorder, pod, { claim: claim.metadata.name })
}

/** What is refused by rights or a policy is refused again with every pass; of its pods nobody else would say why they wait. */
export function recordRefusedClaim(recorder: EventRecorder, { nodePool, pods }: PlannedClaim, error: unknown): void {
  if (!isRefusal(error)) return
  const why = `a NodeClaim of nodepool ${JSON.stringify(nodePool)} was refused, ${truncated(messageOf(error))}`
  for (const pod of pods) publishFailure(recorder, pod, why)
}

function nominate(deps: RecordDeps, key: string, pods: readonly PodInfo[], healthyPools: ReadonlySet<string>): void {
  const real = pods.filter((pod) => pod.virtualBuffer === undefined)
  const node = deps.cluster.node(key)
  if (real.length === 0) return
  const now = deps.clock.monotonicMs()
  const machine = node === undefined ? {} : machineOf(node)
  let isAwaited = false
  for (const pod of real) {
    decide(deps, pod, 'placed', healthyPools.has(node?.nodePool ?? ''))
    publishNomination(deps.recorder, pod, machine)
    // A pod that still runs elsewhere is refused by nobody.
    const waitedMs = node === undefined || pod.nodeName !== '' ? 0 : deps.promises.observeWaitMs(pod, node, now)
    if (waitedMs < patienceMs) isAwaited = true
    if (waitedMs >= refusedMs) publishRefusal(deps, pod, node?.name ?? '')
  }
  if (isAwaited) deps.cluster.nominate(key)
}

/** Nodes that did not take the pods that they were launched for. */
export function recordVain(
  {
    recorder,
    metrics,
  }: Pick<RecordDeps, 'recorder'> & { readonly metrics: Pick<ControllerMetrics, 'nodesLaunchedInVain'> },
  found: readonly VainLaunch[],
): void {
  for (const { claim, pool, pod, because, isFirst } of found) {
    if (isFirst) metrics.nodesLaunchedInVain.increment({ nodepool: pool })
    const node = claim.status?.nodeName
    recorder.publish({
      object: claim,
      type: 'Warning',
      reason: 'LaunchedInVain',
      message: `${node === undefined ? 'The node' : `Node ${node}`} was launched for pod ${podKey(pod)} and did not take it${because === undefined ? '' : `: ${because}`}`,
      dedupeValues: [claim.metadata.uid],
    })
  }
}

function publishRefusal({ recorder, schedulerWords }: RecordDeps, pod: PodInfo, node: string): void {
  const words = schedulerWords(pod)
  recorder.publish({
    object: podReference(pod),
    type: 'Warning',
    reason: 'PlannedNodeRefused',
    message: `Node ${node} is ready and was planned for the pod, but kube-scheduler does not place it there${words === undefined ? '' : `: ${words}`}`,
    dedupeValues: [pod.uid],
    dedupeMs: 900_000,
  })
}

function recordFailure(deps: RecordDeps, { pod, error, kind }: FailedPod, log: Logger): void {
  if (kind === 'deferred' || kind === 'waiting') return
  decide(deps, pod, 'failed')
  publishFailure(deps.recorder, pod, error)
  const fields = { Pod: podField(pod), err: { message: error } }
  if (kind === 'unsupported') {
    log.info(fields, 'skipping pod with Dynamic Resource Allocation requirements, not yet supported by Karpenter')
  } else {
    log.error(fields, 'could not schedule pod')
  }
}

function publishFailure(recorder: EventRecorder, pod: PodInfo, error: string): void {
  recorder.publish({
    object: podReference(pod),
    type: 'Warning',
    reason: 'FailedScheduling',
    message: `Failed to schedule pod, ${error}`,
    dedupeValues: [pod.uid],
    dedupeMs: 300_000,
  })
}

function decide(deps: RecordDeps, pod: PodInfo, outcome: 'placed' | 'failed', healthyPool = false): void {
  if (pod.virtualBuffer !== undefined) return
  const tookMs = deps.cluster.podTimes.decide({ key: podKey(pod), outcome, healthyPool }, deps.clock.now())
  if (tookMs !== undefined) deps.metrics.podSchedulingDecisionDuration.observe({}, tookMs / 1_000)
}

function logSummary({ claims, existing, failed, cost }: Solved, log: Logger): void {
  const deferred = failed.filter(({ kind }) => kind === 'deferred')
  if (deferred.length > 0) {
    log.debug(
      { Pods: podsText(deferred.map(({ pod }) => pod)) },
      'deferring scheduling decision for provisionable pod(s) to future simulation due to limited reserved offering capacity',
    )
  }
  const newPods = claims.reduce((sum, { pods }) => sum + pods.length, 0)
  if (newPods === 0) return
  const priced =
    cost === undefined
      ? {}
      : { 'price-per-hour': rounded(cost.pricePerHour), 'price-lower-bound': rounded(cost.lowerBound) }
  log.info({ nodeclaims: claims.length, pods: newPods, ...priced }, 'computed new nodeclaim(s) to fit pod(s)')
  const taken = existing.filter(({ pods }) => pods.length > 0)
  const takenPods = taken.reduce((sum, { pods }) => sum + pods.length, 0)
  if (takenPods > 0) {
    log.info({ nodes: taken.length, pods: takenPods }, 'computed unready node(s) will fit pod(s)')
  }
}

/** To hundredths of a cent. */
function rounded(price: number): number {
  return Math.round(price * 10_000) / 10_000
}

export function podsText(pods: readonly PodInfo[]): string {
  return listText(pods.map(podKey))
}

function podField({ namespace, name }: PodInfo): object {
  return { namespace, name }
}
