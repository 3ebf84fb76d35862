import { messageOf } from '../../api/error-text.ts'
import type { PlanBasis } from '../../cluster/index.ts'
import {
  type Command,
  commandText,
  consolidationTypeOf,
  decisionOf,
  estimatedSavings,
  type Replacement,
} from '../../disruption/command.ts'
import { type Candidate, isStatic, poolName } from '../../disruption/candidates.ts'
import type { Logger } from '../../kube/logger.ts'
import { machineOf, publishNomination } from '../pod-nomination.ts'
import { commandFields } from './command-fields.ts'
import type { DisruptionDeps, LaunchCause } from './deps.ts'
import { replacesAnnotation } from './left-behind.ts'
import { markDisrupted } from './marking.ts'
import type { OrchestrationQueue } from './orchestration-queue.ts'

interface StartContext {
  readonly queue: OrchestrationQueue
  readonly log: Logger
  /** Taken before the simulation that the command comes from. */
  readonly basis: PlanBasis
}

/**
 * Taints and marks the candidates, creates the replacements, and only then takes the candidates out of the cluster's capacity:
 * earlier, provisioning would launch for their pods a second time.
 * @throws when nothing could be marked or a replacement could not be created; what is left half way the next pass cleans up
 */
export async function startCommand<Plan extends Replacement>(
  command: Command<Plan>,
  deps: DisruptionDeps<Plan>,
  { queue, log, basis }: StartContext,
): Promise<void> {
  const queued = queue.queued
  const twice = command.candidates.find((candidate) => queued.has(candidate.providerID))
  if (twice !== undefined) {
    dropCommand(command, deps)
    throw new Error(`candidate is being disrupted, ${twice.name}`)
  }
  const id = deps.random.uuid()
  const savings = estimatedSavings(command, deps.settings.wellKnownLabels)
  log.info(
    { command: commandText(command, id, savings), 'command-id': id, ...commandFields(command) },
    'disrupting node(s)',
  )

  const marked = await markAll(command, deps, log).catch((error: unknown) => {
    dropCommand(command, deps)
    throw error
  })
  const reason = command.reason.toLowerCase()
  const causeOf = (replaced: readonly Candidate[]): LaunchCause => ({
    reason,
    annotations: replacesAnnotation(
      command.reason,
      replaced.map(({ nodeClaim }) => nodeClaim),
    ),
  })
  const launches = command.candidates.some((candidate) => isStatic(candidate.pool))
    ? marked.map((candidate) => () => deps.static.launch(poolName(candidate), causeOf([candidate]), log))
    : command.replacements.map((plan) => () => deps.launch(plan, causeOf(marked), basis, log))
  const results = await Promise.allSettled(launches.map((launch) => launch()))
  const replacements = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.metadata.name] : []))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) {
    // Those that were made come up all the same, and the next plan can use them.
    deps.late.note(command, replacements)
    throw new Error(`launching replacement nodeclaim, ${messageOf(failed.reason)}`, { cause: failed.reason })
  }

  deps.cluster.markForDeletion(...marked.map((candidate) => candidate.providerID))
  for (const { node, pods } of command.destinations) {
    deps.cluster.nominate(node.key)
    for (const pod of pods) publishNomination(deps.recorder, pod, machineOf(node))
  }
  const started = { ...command, candidates: marked }
  const startedAt = deps.clock.monotonicMs()
  deps.brake.begun(command.reason, marked.length, startedAt)
  queue.add({
    id,
    command: started,
    replacements,
    initialized: new Set(),
    askedToGo: new Set(),
    askedAt: new Map(),
    startedAt,
  })
  const labels = {
    decision: decisionOf(command),
    reason,
    consolidation_type: consolidationTypeOf[command.method],
  }
  deps.metrics.disruptionDecisions.increment(labels)
  for (const pool of new Set(marked.map(poolName))) {
    deps.metrics.disruptionDecisionsByNodePool.increment({ nodepool: pool, ...labels })
  }
}

/** For a command of which nothing is launched: gives back the places that were reserved for it. */
export function dropCommand<Plan extends Replacement>(
  { candidates }: Command<Plan>,
  deps: Pick<DisruptionDeps<Plan>, 'static'>,
): void {
  for (const { pool } of candidates) if (isStatic(pool)) deps.static.release(pool.metadata.name, 1)
}

/** Some nodes could not be tainted, or their claims not marked, so that nothing was started; `cause` is why not the first of them. */
export class MarkingError extends Error {
  readonly candidates: readonly Candidate[]

  constructor(cause: unknown, candidates: readonly Candidate[]) {
    super(`marking disrupted, ${messageOf(cause)}`, { cause })
    this.name = 'MarkingError'
    this.candidates = candidates
  }
}

/** All candidates of a replacement must be marked; of a deletion those that cannot be are left out. */
async function markAll<Plan extends Replacement>(
  command: Command<Plan>,
  deps: DisruptionDeps<Plan>,
  log: Logger,
): Promise<readonly [Candidate, ...Candidate[]]> {
  const results = await Promise.allSettled(
    command.candidates.map((candidate) => markDisrupted(deps, candidate.node, candidate.nodeClaim, command.reason)),
  )
  const marked = command.candidates.filter((_, index) => results[index]?.status === 'fulfilled')
  for (const candidate of marked) {
    if (isStatic(candidate.pool))
      deps.static.markPendingDisruption(poolName(candidate), candidate.nodeClaim.metadata.name)
  }
  const failure = results.find((result) => result.status === 'rejected')
  const [first, ...others] = marked
  if (first === undefined || (failure !== undefined && command.replacements.length > 0)) {
    throw new MarkingError(
      failure?.reason,
      command.candidates.filter((_, index) => results[index]?.status === 'rejected'),
    )
  }
  if (failure !== undefined) log.error({ err: failure.reason }, 'failed marking some nodes, disrupting the others')
  return [first, ...others]
}
