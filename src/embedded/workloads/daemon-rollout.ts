import type { DaemonSet, Node, Pod } from '../../api/kubernetes.ts'
import { resolvePercent } from './percent.ts'
import { isReady } from './pods.ts'

/** A node that the daemon runs on, with the pods that are there and not going: of an older template, and of the present one. */
export interface DaemonPlace {
  readonly node: Node
  readonly old: Pod | undefined
  readonly current: Pod | undefined
}

interface DaemonRollout {
  readonly remove: readonly Pod[]
  /** Nodes that get a pod of the present template beside the old one. */
  readonly surge: readonly Node[]
}

interface Availability {
  /** Nodes that the daemon should run on. */
  readonly desired: number
  readonly isUp: (pod: Pod) => boolean
}

/** How many nodes may have two pods for a while. */
export function surgeOf({ spec: { updateStrategy } }: DaemonSet, desired: number): number {
  if (updateStrategy?.type === 'OnDelete') return 0
  return resolvePercent(updateStrategy?.rollingUpdate?.maxSurge ?? 0, desired, 'up')
}

/** The next step from an older template to the present one. */
export function decideDaemonRollout(
  set: DaemonSet,
  places: readonly DaemonPlace[],
  availability: Availability,
): DaemonRollout {
  if (set.spec.updateStrategy?.type === 'OnDelete') return { remove: [], surge: [] }
  const surge = surgeOf(set, availability.desired)
  return surge > 0 ? surging(places, surge, availability) : replacing(set, places, availability)
}

/** Old pods go first, and only so many that few enough are missing. */
function replacing(
  { spec }: DaemonSet,
  places: readonly DaemonPlace[],
  { desired, isUp }: Availability,
): DaemonRollout {
  const up = places.filter(({ old, current }) => [old, current].some((pod) => pod !== undefined && isUp(pod))).length
  const limit = resolvePercent(spec.updateStrategy?.rollingUpdate?.maxUnavailable ?? 1, desired, 'up')
  let room = Math.max(1, limit) - (desired - up)
  const remove: Pod[] = []
  for (const { old } of places) {
    if (old === undefined) continue
    // A pod that is not available costs nothing more when it goes.
    if (isUp(old)) {
      if (room <= 0) continue
      room -= 1
    }
    remove.push(old)
  }
  return { remove, surge: [] }
}

/** New pods come first; the old one of a node goes when the new one is available, or is of no use itself. */
function surging(places: readonly DaemonPlace[], surgeMax: number, { isUp }: Availability): DaemonRollout {
  const remove: Pod[] = []
  const surge: Node[] = []
  const candidates: Node[] = []
  let surged = 0
  for (const { node, old, current } of places) {
    if (old === undefined) continue
    if (current === undefined) (isUp(old) ? candidates : surge).push(node)
    else if (isUp(current) || !isReady(old)) remove.push(old)
    else surged += 1
  }
  return { remove, surge: [...surge, ...candidates.slice(0, Math.max(0, surgeMax - surged))] }
}
