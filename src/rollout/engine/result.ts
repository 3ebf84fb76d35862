import type { RolloutPolicyStatus } from '../../api/karpenter.ts'
import type { VoluntaryReason } from '../../disruption/budgets.ts'
import type { Hold } from '../../disruption/gate.ts'
import type { StalledCause } from '../stalled.ts'
import type { ImageFacts } from './input.ts'

export interface RolloutStepResult {
  /** The whole new status, to be written before the gate counts. */
  readonly status: RolloutPolicyStatus
  readonly gate: PolicyGate
  readonly transitions: readonly Transition[]
  readonly rollbacks: readonly Rollback[]
  /** What became known of the images of a class. */
  readonly verdicts: readonly ImageVerdict[]
  /** Claims whose nodes never came up, or broke down and run nothing, and are not wanted any more: to be deleted. */
  readonly discards: readonly string[]
  readonly stalled: readonly StalledCause[]
  /** When time alone may change the answer; in ms since the epoch. */
  readonly wakeAt: number | undefined
}

/** What the policy lets happen to its pools' nodes from now on. */
export interface PolicyGate {
  readonly policy: string
  /** By pool: the target this gate was made for. Once the pool's target is another, its nodes wait for the next look. */
  readonly targets: ReadonlyMap<string, string>
  readonly nodes: ReadonlyMap<string, NodeLane>
  /** How many nodes of the change, and how many at all, may go beyond those that were going when the gate was made. */
  readonly changes: number
  readonly replacements: number
  /** Nodes of the change are those that a rollback takes back: they are none of the replacements that the rate bounds. */
  readonly changesAreFree: boolean
  /** How many nodes of all the pools may be unavailable at once, a number or a percentage; undefined: no bound. */
  readonly sharedBudget: string | undefined
  /** Reasons that the shared budget bounds. */
  readonly covers: ReadonlySet<VoluntaryReason>
  /** What holds Empty and Underutilized, where the policy covers them. */
  readonly consolidation: Hold | undefined
  /** By claim: the lower goes first; equal ones in the usual order. */
  readonly rank: ReadonlyMap<string, number> | undefined
  /** When the gate closes by itself; in ms since the epoch. */
  readonly validUntil: number | undefined
}

/** A node that is to be replaced, by the name of its claim. */
export interface NodeLane {
  readonly pool: string
  /** Change: it has another revision. Maintenance: its time has come, or a person asks for it; steps do not count it. */
  readonly lane: 'change' | 'maintenance'
  readonly hold: Hold | undefined
}

export interface Transition {
  readonly kind:
    | 'Started'
    | 'StepStarted'
    | 'StepReached'
    | 'StepPassed'
    | 'Completed'
    | 'Halted'
    | 'RollingBack'
    | 'RolledBack'
    | 'Superseded'
    | 'DeadlineExceeded'
    | 'Approved'
    | 'Waiting'
    | 'Paused'
  readonly type: 'Normal' | 'Warning'
  readonly message: string
}

/** A class is to use other images than its selector finds. */
export interface Rollback {
  readonly nodeClass: string
  readonly images: readonly ImageFacts[]
  /** Target of the class that failed; the pin ends when the selector finds something else. */
  readonly insteadOf: string
  readonly reason: string
}

export interface ImageVerdict {
  readonly nodeClass: string
  readonly images: readonly string[]
  readonly outcome: 'good' | 'bad'
}
