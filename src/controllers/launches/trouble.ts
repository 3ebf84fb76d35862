import type { Shortfall } from './shortfall.ts'

/** What nodes were launched in vain for pods that are alike. */
export interface Trouble {
  readonly namespace: string
  nodes: number
  /** Of these, nodes that were smaller than promised: the next is asked for with so much more room. */
  lessons: number
  shortfall: Shortfall
  learnedAt: number
  readonly pools: Set<string>
  /** Wall time of the first launch: pods that started since then did run. */
  since: number
  last: string
  pauses: number
  pausedUntil: number
  touchedAt: number
}

export const nothingShort: Shortfall = new Map()

/** With the node that was launched at that time, monotonic and by the wall. */
export function newTrouble(
  { writtenAt, writtenAtWall }: { readonly writtenAt: number; readonly writtenAtWall: number },
  namespace: string,
): Trouble {
  return {
    namespace,
    nodes: 0,
    lessons: 0,
    shortfall: nothingShort,
    learnedAt: Number.NEGATIVE_INFINITY,
    pools: new Set(),
    since: writtenAtWall,
    last: '',
    pauses: 0,
    pausedUntil: Number.NEGATIVE_INFINITY,
    touchedAt: writtenAt,
  }
}
