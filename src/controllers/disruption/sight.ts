import type { BudgetMap } from '../../disruption/budgets.ts'
import type { Blocked, Candidate, CandidateSurvey, DisruptionClass } from '../../disruption/candidates.ts'
import type { DisruptionMethod } from '../../disruption/command.ts'
import { isSameList } from '../../model/same-list.ts'

/** What a method finds in the cluster. */
export interface Seen {
  readonly survey: CandidateSurvey
  readonly eligible: readonly Candidate[]
  /** By candidacy, by the method, or by the gate. */
  readonly blocked: readonly Blocked[]
  readonly budgets: BudgetMap
}

/** What the methods see of one state of the cluster. If nothing in it depends on time, every pass reuses it until the cluster changes. */
export class Sight {
  /** Whether it may serve a later pass. */
  readonly lasts: boolean
  readonly #facts: readonly unknown[]
  readonly #surveys = new Map<DisruptionClass, CandidateSurvey>()
  readonly #seen = new Map<DisruptionMethod, Seen>()
  /** Before and from then on time alone could change it, in milliseconds since the epoch. */
  #from: number
  #until = Number.POSITIVE_INFINITY

  constructor(facts: readonly unknown[], now: number, lasts: boolean) {
    this.#facts = facts
    this.#from = now
    this.lasts = lasts
  }

  isStill(facts: readonly unknown[], now: number): boolean {
    return this.lasts && this.#from <= now && now < this.#until && isSameList(this.#facts, facts)
  }

  survey(of: DisruptionClass): CandidateSurvey | undefined {
    return this.#surveys.get(of)
  }

  /** `now`: of the snapshot that was surveyed. */
  keep(of: DisruptionClass, now: number, survey: CandidateSurvey): CandidateSurvey {
    this.#surveys.set(of, survey)
    this.#from = Math.max(this.#from, now)
    this.#until = Math.min(this.#until, survey.until)
    return survey
  }

  seenBy(method: DisruptionMethod, see: () => Seen): Seen {
    let seen = this.#seen.get(method)
    if (seen === undefined) {
      seen = see()
      this.#seen.set(method, seen)
    }
    return seen
  }
}
