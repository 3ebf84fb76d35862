import type {
  RolloutFailure,
  RolloutPendingNode,
  RolloutPolicySpec,
  RolloutPolicyStatus,
  RolloutTerms,
} from '../../api/karpenter.ts'
import { parseTimestamp, toTimestamp } from '../../model/clock.ts'
import type { NodeFacts, PoolFacts } from './input.ts'
import { changeNodes, refuses, type Scope } from './scope.ts'
import { nextStep, presentStep, type StepPlan, termsOf } from './steps.ts'

/** A rollout under way, as the policy's status remembers it. */
export interface Run {
  readonly revision: string
  readonly startedAt: number
  /** Nodes to be replaced that were there when it began. */
  readonly startNodes: number
  /** By pool, of those. */
  readonly covered: ReadonlyMap<string, number>
  /** Claims that were on their way out when it began: kept after all, they look like ones never touched. */
  readonly leaving: ReadonlySet<string>
  /** Classes that it takes to other images. Later no node of the earlier images may be left to tell. */
  readonly imageChanges: ReadonlySet<string>
  readonly terms: RolloutTerms
  readonly step: StepPlan
  readonly stepStartedAt: number
  /** When the nodes of the step were replaced; what it waits for then is what was there by then. */
  readonly reachedAt: number | undefined
  readonly soakedUntil: number | undefined
  readonly pending: readonly RolloutPendingNode[]
  readonly failed: number
  readonly badSince: number | undefined
  readonly failure: RolloutFailure | undefined
}

export function runOf(status: RolloutPolicyStatus | undefined): Run | undefined {
  const startedAt = parseTimestamp(status?.startTime)
  if (status === undefined || startedAt === undefined || status.revision === undefined) return undefined
  const startNodes = status.startNodes ?? 0
  const terms = status.inForce ?? {}
  return {
    revision: status.revision,
    startedAt,
    startNodes,
    covered: new Map(
      (status.nodePools ?? []).flatMap(({ name, startNodes: count }) =>
        count === undefined ? [] : [[name, count] as const],
      ),
    ),
    leaving: new Set(status.leaving ?? []),
    imageChanges: new Set(status.imageChanges ?? []),
    terms,
    step: presentStep(terms.steps ?? [], status.step ?? 0, startNodes, status.stepGoal ?? startNodes),
    stepStartedAt: parseTimestamp(status.stepStartTime) ?? startedAt,
    reachedAt: parseTimestamp(status.stepReachedTime),
    soakedUntil: parseTimestamp(status.soakedUntil),
    pending: status.pending ?? [],
    failed: status.failedNodes ?? 0,
    badSince: parseTimestamp(status.badSince),
    failure: status.failure,
  }
}

export function startRun(scope: Scope, spec: RolloutPolicySpec, generation: number, now: number): Run {
  const byPool = scope.covered.map((pool) => [pool.name, startNodesOf(pool, scope)] as const)
  const nodes = byPool.flatMap(([, ofPool]) => ofPool)
  const startNodes = nodes.length
  const terms = termsOf(spec, generation)
  return {
    revision: scope.revision,
    // Other clocks, of the API server or of the process before, may be ahead: what is there has not come or drifted since.
    startedAt: nodes.reduce(
      (latest, { createdAt, driftedAt = createdAt }) => Math.max(latest, createdAt, driftedAt),
      wholeSecond(now),
    ),
    startNodes,
    covered: new Map(byPool.map(([name, ofPool]) => [name, ofPool.length])),
    leaving: new Set(scope.covered.flatMap(leavingNodes)),
    imageChanges: new Set(scope.covered.flatMap(changedImagesClass)),
    ...freshStep(terms, nextStep(terms.steps ?? [], startNodes, 0), now),
    failure: undefined,
  }
}

/** A step that has just begun: nothing of the one before counts any more. */
export function freshStep(terms: RolloutTerms, step: StepPlan, now: number) {
  return {
    terms,
    step,
    stepStartedAt: wholeSecond(now),
    reachedAt: undefined,
    soakedUntil: undefined,
    pending: [],
    failed: 0,
    badSince: undefined,
  }
}

/** Whether a node was there when the rollout began; times of objects have whole seconds. */
export function wasThere(run: Run, createdAt: number): boolean {
  return createdAt <= run.startedAt
}

/** Whether a node is one of those that the rollout counted when it began: steps are shares of these. */
export function isCounted(run: Run, { name, createdAt, driftedAt }: NodeFacts): boolean {
  const isLate = driftedAt !== undefined && driftedAt > run.startedAt
  return wasThere(run, createdAt) && !isLate && !run.leaving.has(name)
}

/** As status holds times: what is decided from them must not change by being written. */
export function wholeSecond(ms: number): number {
  return parseTimestamp(toTimestamp(ms)) ?? ms
}

function changedImagesClass({ nodeClass, nodes }: PoolFacts): readonly string[] {
  if (nodeClass === undefined) return []
  const wanted = new Set(nodeClass.images.map(({ id }) => id))
  return nodes.some(({ image = '' }) => image !== '' && !wanted.has(image)) ? [nodeClass.name] : []
}

function leavingNodes(pool: PoolFacts): readonly string[] {
  return changeNodes(pool).flatMap(({ name, going }) => (going ? [name] : []))
}

/** As many nodes as a rollout that begins now has to replace, without some. */
export function startCount(scope: Scope, without: ReadonlySet<string> = new Set()): number {
  return scope.covered.reduce(
    (sum, pool) => sum + startNodesOf(pool, scope).filter(({ name }) => !without.has(name)).length,
    0,
  )
}

function startNodesOf(pool: PoolFacts, { refusals }: Scope): readonly NodeFacts[] {
  const refusal = refusals.get(pool.name)
  const isRefused = (node: NodeFacts): boolean => refusal !== undefined && refuses(refusal, node)
  return changeNodes(pool).filter((node) => !node.going && !isRefused(node))
}
