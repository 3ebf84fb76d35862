import type { Candidate } from '../../disruption/candidates.ts'
import type { UnplacedPod } from '../../disruption/what-if.ts'
import type { Placement } from '../../scheduling/index.ts'

/** Whether a drifted node's pods find a place elsewhere, as the disruption loop asks before it replaces the node. */
export type JudgedReplacement =
  | {
      readonly kind: 'go'
      /** US dollars per hour of what comes instead. */
      readonly addedPrice: number
      /** The pools of the nodes that come instead: none where the others have room. */
      readonly newNodes: readonly string[]
    }
  /** Its pods would take the place on a new node that is still to come: it is asked about again when that is ready. */
  | { readonly kind: 'wait' }
  | Refusal

export interface Refusal {
  readonly kind: 'refused'
  readonly message: string
  readonly unplaced: readonly UnplacedPod[]
  readonly placement: Placement
}

/** Keeps the cluster as the plan moves it on, and answers for it. */
export interface Judge {
  /** Whether an answer only holds until something begins or ends; else it holds until it is reconsidered. */
  readonly eachAnew: boolean
  /** Keys of nodes that have got pods of others since the set was last emptied. */
  readonly grown: Set<string>
  /** `upcoming`: those that will be asked for next, in order, `candidate` first. */
  judge(candidate: Candidate, upcoming: () => readonly Candidate[]): JudgedReplacement
  /** Whether what it was told to wait for is still to come. */
  waits(candidate: Candidate): boolean
  /** As the world has it by now. */
  current(candidate: Candidate): Candidate
  /** Why the candidate was refused, if it was and nothing has changed since. */
  refusal(candidate: Candidate): Refusal | undefined
  /** Forgets refusals; false when there are none. */
  reconsider(): boolean
  /** The replacement of a judged candidate, or of one of a static pool, begins. */
  begin(candidate: Candidate): void
  /** The candidate, which has no pods to move, goes without anything that comes instead. */
  remove(candidate: Candidate): void
  /** What comes instead is initialized, and the candidate is drained. Returns US dollars per hour of nodes that come for its pods only now. */
  ready(candidate: Candidate): number
  gone(candidate: Candidate): void
}
