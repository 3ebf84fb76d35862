/** How far a new node gets. A stage that fails keeps failing for the next node too, more often than not. */
export type Stage = 'capacity' | 'launch' | 'registration' | 'initialization' | 'pods'

export interface BreakerSettings {
  /** So many failures of one stage in a row open the breaker. */
  readonly failuresInARow: number
  /** Half of so many outcomes of one stage open it as well. */
  readonly window: number
  /** Time until the first try; doubled with every try that fails, up to the maximum. */
  readonly backOffMs: number
  readonly backOffMaxMs: number
}

export interface Outcome {
  readonly stage: Stage
  readonly pool: string
  readonly ok: boolean
  /** Of a failure: what went wrong. */
  readonly message: string
  /** When the node was asked for, in milliseconds since the epoch. */
  readonly bornAt: number
}

interface Remembered {
  readonly pool: string
  readonly ok: boolean
}

/** `pool` of a breaker that watches one pool only; a breaker over all pools wants failures of two. */
export type BreakerScope = 'pool' | 'cluster'

export interface ClosedBreaker {
  readonly kind: 'closed'
  /** The newest last, at most as many as the window holds. */
  readonly recent: Readonly<Partial<Record<Stage, readonly Remembered[]>>>
}

export interface OpenBreaker {
  readonly kind: 'open'
  readonly stage: Stage
  readonly message: string
  readonly openedAt: number
  /** Tries that failed since. */
  readonly failedTries: number
  /** From then on one node at a time may try. */
  readonly retryAt: number
}

export type Breaker = ClosedBreaker | OpenBreaker

export const closedBreaker: ClosedBreaker = { kind: 'closed', recent: {} }

/** In the message of an open breaker, ahead of the time: commands read from there when the next try is. */
export const triesAgainAt = 'one node tries again at'

/** As conditions and metrics name the stage that failed. */
export const stageReasons: Readonly<Record<Stage, string>> = {
  capacity: 'InsufficientCapacity',
  launch: 'LaunchFailed',
  registration: 'RegistrationFailed',
  initialization: 'InitializationFailed',
  pods: 'PodsNotReady',
}

const stageTexts: Readonly<Record<Stage, string>> = {
  capacity: 'launches found no capacity',
  launch: 'launches failed',
  registration: 'nodes did not register',
  initialization: 'nodes did not initialize',
  pods: 'moves left pods that are not ready',
}

/** The breaker after one more outcome; the very one that was given when it does not matter. */
export function record(
  breaker: Breaker,
  outcome: Outcome,
  now: number,
  settings: BreakerSettings,
  scope: BreakerScope = 'pool',
): Breaker {
  if (breaker.kind === 'open') return recordOpen(breaker, outcome, now, settings)
  const { stage, pool, ok } = outcome
  const recent = [...(breaker.recent[stage] ?? []), { pool, ok }].slice(-settings.window)
  const summary = ok ? undefined : whyOpen(recent, stage, settings, scope)
  if (summary === undefined) return { kind: 'closed', recent: { ...breaker.recent, [stage]: recent } }
  return {
    kind: 'open',
    stage,
    message: outcome.message === '' ? summary : `${summary}: ${outcome.message}`,
    openedAt: now,
    failedTries: 0,
    retryAt: now + backOff(0, settings),
  }
}

/**
 * A move that only saves money tries so much later than one that must come anyway: while its replacement does not come up, a node that
 * works takes no new pods.
 */
export const consolidationPatienceMs = 60 * 60_000

/** Whether one node may try what kept failing. */
export function isTrying(breaker: OpenBreaker, now: number): boolean {
  return now >= breaker.retryAt
}

/**
 * A breaker as it must be by now if nobody has closed it since `openedAt`: what is left of it after a restart is its condition. Every
 * try in between counts as failed, or the condition would be gone.
 */
export function restored(
  memory: { readonly stage: Stage; readonly message: string; readonly openedAt: number },
  now: number,
  settings: BreakerSettings,
): OpenBreaker {
  let failedTries = 0
  let retryAt = memory.openedAt + backOff(0, settings)
  while (failedTries < doublingsMax && retryAt <= now && backOff(failedTries, settings) < settings.backOffMaxMs) {
    failedTries += 1
    retryAt += backOff(failedTries, settings)
  }
  // A clock that was set back must not postpone the next try for longer than a full back-off.
  const latest = now + settings.backOffMaxMs
  return { kind: 'open', ...memory, failedTries, retryAt: Math.min(latest, Math.max(now, retryAt)) }
}

/** Of the reason that a condition gives for an open breaker; undefined for the reason of no stage. */
export function stageOfReason(reason: string): Stage | undefined {
  return stages.find((stage) => stageReasons[stage] === reason)
}

/**
 * Whether a pool opens new nodes one try at a time while its breaker is open for the stage. For a lack of capacity it does not: other types
 * and zones may have some. Nor for moves that leave pods not ready: a node that comes up does not tell that this is over, and nothing may be
 * left to move.
 */
export function spacesLaunches(stage: Stage | undefined): boolean {
  return stage !== undefined && stage !== 'capacity' && stage !== 'pods'
}

const stages: readonly Stage[] = ['capacity', 'launch', 'registration', 'initialization', 'pods']

/** Whoever was asked for before the breaker opened tells nothing new by failing; a success is welcome from anybody. */
function recordOpen(breaker: OpenBreaker, outcome: Outcome, now: number, settings: BreakerSettings): Breaker {
  if (outcome.ok) return outcome.stage === breaker.stage ? closedBreaker : breaker
  if (outcome.bornAt < breaker.openedAt) return breaker
  const failedTries = breaker.failedTries + 1
  return { ...breaker, failedTries, retryAt: now + backOff(failedTries, settings) }
}

function whyOpen(
  recent: readonly Remembered[],
  stage: Stage,
  { failuresInARow, window }: BreakerSettings,
  scope: BreakerScope,
): string | undefined {
  const failed = recent.filter(({ ok }) => !ok)
  if (scope === 'cluster' && new Set(failed.map(({ pool }) => pool)).size < 2) return undefined
  const row = recent.length - 1 - recent.findLastIndex(({ ok }) => ok)
  const inARow = recent.slice(recent.length - row)
  const spansPools = scope === 'pool' || new Set(inARow.map(({ pool }) => pool)).size >= 2
  if (row >= failuresInARow && spansPools) return `${row} in a row: ${stageTexts[stage]}`
  if (recent.length >= window && failed.length * 2 >= window) {
    return `${failed.length} of the last ${recent.length}: ${stageTexts[stage]}`
  }
  return undefined
}

function backOff(failedTries: number, { backOffMs, backOffMaxMs }: BreakerSettings): number {
  return Math.min(backOffMaxMs, backOffMs * 2 ** Math.min(failedTries, doublingsMax))
}

/** A millisecond doubled so often is longer than any duration that can be set. */
const doublingsMax = 53
