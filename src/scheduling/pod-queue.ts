import { compareText } from '../model/order.ts'
import type { PodInfo } from '../model/pod.ts'
import { Quantity } from '../model/quantity.ts'
import type { ClassedPod } from './pod-class.ts'

/** A pod in the queue, with what became of its last attempt. */
export interface QueuedPod<Failure> extends ClassedPod {
  attempted: boolean
  failure: Failure | undefined
  /** Length of the queue after the pod was put back; 0 when it never was. */
  pushedAt: number
}

/** What a pod's place in the queue depends on first, in billionths of a core and of a byte. */
export interface PodSize {
  readonly cpu: number | bigint
  readonly memory: number | bigint
}

/** What a pod's place in the queue depends on. */
export interface QueueRank extends PodSize {
  readonly pod: PodInfo
}

export function queueRank(pod: PodInfo): QueueRank {
  return { pod, ...podSize(pod) }
}

export function podSize(pod: PodInfo): PodSize {
  return { cpu: nanoOf(pod, 'cpu'), memory: nanoOf(pod, 'memory') }
}

/** Largest CPU request first, then memory, then age, then uid: the same whatever order the pods came in. */
export function compareRanks(a: QueueRank, b: QueueRank): number {
  return (
    descending(a.cpu, b.cpu) ||
    descending(a.memory, b.memory) ||
    a.pod.createdAt - b.pod.createdAt ||
    compareText(a.pod.uid, b.pod.uid) ||
    compareText(a.pod.namespace, b.pod.namespace) ||
    compareText(a.pod.name, b.pod.name)
  )
}

/** The pods of a solve. It ends when a whole round has placed nobody. */
export class PodQueue<Failure> {
  readonly #entries: QueuedPod<Failure>[]
  #head = 0

  constructor(pods: readonly ClassedPod[], turns: ReadonlyMap<string, number>) {
    this.#entries = pods
      .map(({ pod, podClass }) => {
        const { cpu, memory } = podClass.size
        return { pod, podClass, cpu, memory, turn: turns.get(pod.uid) ?? 0 }
      })
      .sort((a, b) => a.turn - b.turn || compareRanks(a, b))
      .map(({ pod, podClass }) => ({ pod, podClass, attempted: false, failure: undefined, pushedAt: 0 }))
  }

  get length(): number {
    return this.#entries.length - this.#head
  }

  /** Undefined when the queue is empty or has gone round without progress. */
  pop(): QueuedPod<Failure> | undefined {
    const head = this.#entries[this.#head]
    if (head === undefined || head.pushedAt === this.length) return undefined
    this.#head += 1
    return head
  }

  pushBack(entry: QueuedPod<Failure>): void {
    this.#entries.push(entry)
    entry.pushedAt = this.length
    if (this.#head > compactAfter && this.#head * 2 > this.#entries.length) {
      this.#entries.splice(0, this.#head)
      this.#head = 0
    }
  }

  /** What is left, in queue order. */
  rest(): readonly QueuedPod<Failure>[] {
    return this.#entries.slice(this.#head)
  }
}

/** Entries already served that may lie before the head; bounds the memory of long queues. */
const compactAfter = 1024

function nanoOf(pod: PodInfo, name: string): number | bigint {
  const { nano } = pod.requests.get(name) ?? Quantity.zero
  return nano <= exactMax && nano >= -exactMax ? Number(nano) : nano
}

const exactMax = BigInt(Number.MAX_SAFE_INTEGER)

function descending(a: number | bigint, b: number | bigint): number {
  return a < b ? 1 : a > b ? -1 : 0
}
