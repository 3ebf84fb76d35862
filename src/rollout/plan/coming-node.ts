import { allocatableOf } from '../../model/instance-type.ts'
import type { PodInfo } from '../../model/pod.ts'
import { intersects } from '../../model/requirements.ts'
import type { Resources } from '../../model/resources.ts'
import type { NodePlan } from '../../scheduling/index.ts'
import { compareRanks, type QueueRank, queueRank } from '../../scheduling/pod-queue.ts'

/**
 * A new node that is launched but not ready. The disruption loop lets no other node go whose pods would find their place on it: they are
 * put there in the order of the scheduler's queue, so before smaller pods that the node is meant for.
 */
export class ComingNode {
  readonly #plan: NodePlan
  /** The pods that it is meant for, in queue order. */
  readonly #pods: readonly QueueRank[]
  /** What the daemons leave, and after each of the pods what is left then: one more than there are pods. */
  readonly #room: readonly Amounts[]

  constructor(plan: NodePlan) {
    const [type] = plan.instanceTypes
    this.#plan = plan
    this.#pods = ranked(plan.pods)
    const amounts = this.#pods.map(({ pod }) => amountsOf(pod.requests))
    const asked = amounts.reduce(plus, nothing)
    const daemons = minus(amountsOf(plan.requests), asked)
    const all = type === undefined ? nothing : amountsOf(allocatableOf(type.capacity, type.overhead))
    const room = [minus(all, daemons)]
    for (const each of amounts) room.push(minus(room.at(-1) ?? nothing, each))
    this.#room = room
  }

  /** Whether a pod of the other plan would take a place here, had it to be found now. */
  takesFrom(other: DisplacedPlan): boolean {
    if (other.nodePool !== this.#plan.nodePool) return false
    // Both are in queue order, so no pod comes before more of ours than the one before it.
    let before = 0
    const hasRoom = other.pods.some(({ rank, amounts }) => {
      for (let own = this.#pods[before]; own !== undefined && compareRanks(rank, own) >= 0; own = this.#pods[before]) {
        before += 1
      }
      const room = this.#room[before] ?? nothing
      return amounts.cpu <= room.cpu && amounts.memory <= room.memory
    })
    return hasRoom && intersects(this.#plan.requirements, other.requirements)
  }
}

/** New nodes that a node's pods would have when it goes, made ready to be compared with nodes that come for others. */
export interface DisplacedPlan {
  readonly nodePool: string
  readonly requirements: NodePlan['requirements']
  /** In queue order. */
  readonly pods: readonly { readonly rank: QueueRank; readonly amounts: Amounts }[]
}

export function displacedPlan({ nodePool, requirements, pods }: NodePlan): DisplacedPlan {
  return {
    nodePool,
    requirements,
    pods: ranked(pods).map((rank) => ({ rank, amounts: amountsOf(rank.pod.requests) })),
  }
}

/** Cores and bytes: what else nodes may lack is left to the judgement of each node when its turn comes. */
interface Amounts {
  readonly cpu: number
  readonly memory: number
}

const nothing: Amounts = { cpu: 0, memory: 0 }

function ranked(pods: readonly PodInfo[]): readonly QueueRank[] {
  return pods.map(queueRank).toSorted(compareRanks)
}

function amountsOf(resources: Resources): Amounts {
  const amount = (name: string): number => Number(resources.get(name)?.nano ?? 0)
  return { cpu: amount('cpu'), memory: amount('memory') }
}

function plus(a: Amounts, b: Amounts): Amounts {
  return { cpu: a.cpu + b.cpu, memory: a.memory + b.memory }
}

function minus(a: Amounts, b: Amounts): Amounts {
  return { cpu: a.cpu - b.cpu, memory: a.memory - b.memory }
}
