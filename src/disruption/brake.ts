import type { VoluntaryReason } from './budgets.ts'
import { type DisruptionGate, type Hold, openGate } from './gate.ts'

/** Why we take nodes away. What EC2 takes, and what people delete, is none of ours. */
export type BrakeCause = VoluntaryReason | 'Expired' | 'Unhealthy'

/** Most nodes that one cause may begin to take away within any window of this length. */
export interface BrakeLimit {
  readonly nodes: number
  readonly windowMs: number
}

/** What one cause has begun, and what it may still begin. Times are monotonic, in ms. */
export interface BrakeState {
  /** Of nodes that count still, the oldest first. */
  readonly begunAt: readonly number[]
  readonly room: number
  /** Until there is room for one; 0 where there is. */
  readonly waitMs: number
}

/** `begunAt`: the oldest first. Each counts for `windowMs`, at whose end it no longer does. */
export function brakeState(begunAt: readonly number[], { nodes, windowMs }: BrakeLimit, now: number): BrakeState {
  const counted = begunAt.filter((at) => at > now - windowMs)
  const room = Math.max(nodes - counted.length, 0)
  const oldest = counted[counted.length - nodes]
  return { begunAt: counted, room, waitMs: oldest === undefined ? 0 : oldest + windowMs - now }
}

/**
 * What is assumed of the time before a start, of which nothing is remembered: as many as may go, all of them just now. So the bound holds
 * across restarts, too.
 */
export function begunBeforeStart({ nodes }: BrakeLimit, startedAt: number): readonly number[] {
  return Array.from({ length: nodes }, () => startedAt)
}

/** Bounds what all pools begin between them. `stateOf` and `holdOf` are asked once for each reason. */
export function brakeGate(
  stateOf: (reason: VoluntaryReason) => BrakeState,
  holdOf: (reason: VoluntaryReason, waitMs: number) => Hold,
): DisruptionGate {
  const states = new Map<VoluntaryReason, BrakeState>()
  const taken = new Map<VoluntaryReason, number>()
  const at = (reason: VoluntaryReason): BrakeState => {
    const state = states.get(reason) ?? stateOf(reason)
    states.set(reason, state)
    return state
  }
  const heldAt = (reason: VoluntaryReason, begun: number): Hold | undefined => {
    const { room, waitMs } = at(reason)
    return begun < room ? undefined : holdOf(reason, waitMs)
  }
  return {
    ...openGate,
    hold: (_candidate, reason) => heldAt(reason, 0),
    take: (_candidate, reason) => {
      const begun = taken.get(reason) ?? 0
      const hold = heldAt(reason, begun)
      if (hold === undefined) taken.set(reason, begun + 1)
      return hold
    },
    limit: (_pool, reason) => at(reason).room,
    common: (_pool, reason) => [{ name: 'brake', nodes: at(reason).room }],
  }
}
