import type { PodInfo } from '../model/pod.ts'
import type { Placement } from '../scheduling/index.ts'

/** The room that capacity buffers hold: what wants it, and what of that has it, by node. */
export interface HeldRoom {
  readonly standIns: readonly PodInfo[]
  /** By the key of the node, which is not taken for empty. */
  readonly onNodes: ReadonlyMap<string, readonly PodInfo[]>
}

export const noHeldRoom: HeldRoom = { standIns: [], onNodes: new Map() }

/** From a placement that the stand-ins took part in; those that need new nodes hold nothing. */
export function heldRoomOf(standIns: readonly PodInfo[], { existing }: Pick<Placement, 'existing'>): HeldRoom {
  const onNodes = existing.flatMap(({ node, pods }) => {
    const held = pods.filter(({ virtualBuffer }) => virtualBuffer !== undefined)
    return held.length === 0 ? [] : [[node.key, held] as const]
  })
  return { standIns, onNodes: new Map(onNodes) }
}
