import type { Controller } from '../../kube/controller.ts'
import { classStatusController } from './class-status.ts'
import { CountedFleet } from './counted-fleet.ts'
import { poolStatusController } from './pool-status.ts'
import type { RolloutStatusDeps } from './status-deps.ts'

export type { PresentHashes } from './counted-fleet.ts'

/** What tells people and delivery tools how far a change has reached the nodes. */
export function rolloutStatusControllers(deps: RolloutStatusDeps): readonly Controller[] {
  const parts = { ...deps, view: new CountedFleet(deps) }
  return [poolStatusController(parts), classStatusController(parts)]
}
