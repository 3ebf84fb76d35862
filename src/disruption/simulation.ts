import type { Candidate } from './candidates.ts'
import type { Destination, Replacement } from './command.ts'
import type { Sliced } from '../model/sliced.ts'

/**
 * What would happen to all pods if the candidates were gone: supplied by the shell, which binds the
 * solver to one snapshot and its settings.
 */
export type Simulate<Plan extends Replacement> = (request: SimulationRequest) => Sliced<SimulationResult<Plan>>

export interface SimulationRequest {
  readonly candidates: readonly Candidate[]
  /** Consolidation does not move pods onto nodes that are themselves about to be consolidated. */
  readonly destinations: 'any' | 'stable'
}

export type SimulationResult<Plan extends Replacement> =
  /** A candidate has been marked for deletion meanwhile. */
  | { readonly kind: 'candidateDeleting' }
  | {
      readonly kind: 'placed'
      /** New nodes needed, for pending pods, too. */
      readonly replacements: readonly Plan[]
      readonly destinations: readonly Destination[]
      /** Undefined when every pod that runs today finds a place; else the spec's text of who does not. */
      readonly unplaced: string | undefined
    }
