import type { NodePool } from '../api/karpenter.ts'
import type { PlannedClaim, Solver } from '../controllers/provisioning/index.ts'
import type { Replacement } from '../disruption/command.ts'
import type { Simulate } from '../disruption/simulation.ts'
import type { Snapshot } from '../model/snapshot.ts'

/** The solver as the controllers use it; `Plan` is its own idea of a node to launch. */
export interface SolverBinding<Plan extends Replacement = Replacement> {
  readonly solver: Solver
  /** For disruption: everything that simulations of one snapshot have in common is shared. */
  readonly simulatorFor: (snapshot: Snapshot) => Simulate<Plan>
  /** The claim to write for a plan. */
  readonly claimOf: (plan: Plan, snapshot: Snapshot | undefined) => Omit<PlannedClaim, 'pods'>
  /** The bare template of a static pool: no instance types, no requests. */
  readonly staticPlan: (pool: NodePool) => Plan
}
