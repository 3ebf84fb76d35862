import type { PodInfo } from '../model/pod.ts'
import type { DestinationFilter } from './existing-nodes.ts'
import type { ReservedMode } from './reservations.ts'

export interface SolveRequest {
  /** Validated pods: pending ones, those of deleting nodes, those of nodes that a simulation takes away. */
  readonly pods: readonly PodInfo[]
  /** Keys of nodes that a simulation takes away; nodes marked for deletion are left out anyway. */
  readonly excludedNodes?: ReadonlySet<string>
  /** Provisioning defers pods that would miss a reservation (`strict`); simulations do not (`fallback`). */
  readonly reservedMode?: ReservedMode
  readonly destinations?: DestinationFilter
  /** By pod UID: the key of the node that an earlier solve found for the pod; tried before the others. */
  readonly promised?: ReadonlyMap<string, string>
  /** By pod UID: pods for which no node may be made now, and why not; they may go to nodes that are there. */
  readonly held?: ReadonlyMap<string, string>
  /** By pod UID: pods with equal numbers should share a new node and leave it to themselves. A wish, dropped where it cannot be met. */
  readonly bins?: ReadonlyMap<string, number>
  /** By pod UID: pods with lower numbers are placed first, whatever their size; 0 where there is none. */
  readonly turns?: ReadonlyMap<string, number>
  /** Asked before each pod, and before each thing that it gives up; true ends the solve with what there is. */
  readonly isExpired?: () => boolean
  /** Told the length of the queue whenever control is handed back, and at the end. */
  readonly onProgress?: (queued: number) => void
}
