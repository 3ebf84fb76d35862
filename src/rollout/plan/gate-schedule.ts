import { openGate } from '../../disruption/gate.ts'
import type { StateNode } from '../../model/snapshot.ts'
import type { PlanInput } from './input.ts'
import type { GateSchedule } from './timeline.ts'

/** Pauses and rollout policies, as they will hold over the time of the plan. */
export function gateSchedule(_input: PlanInput, _nodes: readonly StateNode[]): GateSchedule {
  return { at: () => openGate, changesAfter: () => undefined }
}
