import type { PodTemplateSpec } from '../../api/kubernetes.ts'
import type { PodInfo } from '../../model/pod.ts'
import { virtualPods } from '../../scheduling/capacity-buffer.ts'
import { keyText, type ObjectKey } from '../../kube/resource.ts'
import { compareText } from '../../model/order.ts'
import type { BufferPods } from '../provisioning/provisioner.ts'
import type { SolveOutcome } from '../provisioning/solver-port.ts'

export interface ResolvedBuffer {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly template: PodTemplateSpec
  readonly replicas: number
}

/** Where the stand-ins of one buffer went in the last pass. */
export interface BufferPlacement {
  readonly onExisting: number
  readonly onNew: number
  readonly failed: number
}

/** The buffers that are ready, and how the last provisioning pass placed their stand-ins. */
export class BufferBook implements BufferPods {
  readonly #resolved = new Map<string, ResolvedBuffer>()
  #virtualPods: readonly PodInfo[] | undefined
  #placements = new Map<string, BufferPlacement>()
  #bufferNodes: ReadonlySet<string> = new Set()
  /** By state-node key, the buffers whose stand-ins it holds. */
  #held: ReadonlyMap<string, ReadonlySet<string>> = new Map()
  readonly #listeners = new Set<(key: ObjectKey) => void>()

  resolve(buffer: ResolvedBuffer): void {
    const before = this.#resolved.get(keyText(buffer))
    if (before === undefined || !isSame(before, buffer)) {
      this.#resolved.set(keyText(buffer), buffer)
      this.#virtualPods = undefined
    }
    if (buffer.replicas === 0) this.#release(keyText(buffer))
  }

  forget(key: ObjectKey): void {
    if (this.#resolved.delete(keyText(key))) this.#virtualPods = undefined
    this.#placements.delete(keyText(key))
    this.#release(keyText(key))
  }

  /** The same ones until a buffer changes, so that what was found out for them need not be found out again. */
  virtualPods(): readonly PodInfo[] {
    this.#virtualPods ??= [...this.#resolved]
      .toSorted(([a], [b]) => compareText(a, b))
      .flatMap(([, buffer]) => virtualPods(buffer, buffer.template, buffer.replicas))
    return this.#virtualPods
  }

  /** State-node keys that hold stand-ins: emptiness spares them. */
  get bufferNodes(): ReadonlySet<string> {
    return this.#bufferNodes
  }

  /** Undefined when the last pass saw none of the buffer's pods. */
  placementOf(key: ObjectKey): BufferPlacement | undefined {
    return this.#placements.get(keyText(key))
  }

  observePass(outcome: SolveOutcome): void {
    const placements = new Map<string, { onExisting: number; onNew: number; failed: number }>()
    const count = (pods: readonly PodInfo[], where: keyof BufferPlacement): void => {
      for (const { virtualBuffer } of pods) {
        if (virtualBuffer === undefined) continue
        const key = keyText(virtualBuffer)
        const placement = placements.get(key) ?? { onExisting: 0, onNew: 0, failed: 0 }
        placement[where]++
        placements.set(key, placement)
      }
    }
    if (outcome.kind === 'solved') {
      for (const { pods } of outcome.existing) count(pods, 'onExisting')
      for (const { pods } of outcome.claims) count(pods, 'onNew')
      count(
        outcome.failed.map(({ pod }) => pod),
        'failed',
      )
      const held = outcome.existing.flatMap(({ key, pods }) => {
        const buffers = pods.flatMap(({ virtualBuffer }) =>
          virtualBuffer === undefined ? [] : [keyText(virtualBuffer)],
        )
        return buffers.length === 0 ? [] : [[key, new Set(buffers)] as const]
      })
      // Stand-ins come last: where there was no time for all, those that were not tried are still where they were.
      this.#hold(outcome.timedOut ? [...this.#held, ...held] : held)
    }
    this.#placements = placements
    for (const buffer of this.#resolved.values()) {
      for (const listener of this.#listeners) listener({ namespace: buffer.namespace, name: buffer.name })
    }
  }

  /** Where no other pod waits, no pass would notice that the stand-ins of a buffer are gone. */
  #release(buffer: string): void {
    const held = [...this.#held]
    if (!held.some(([, buffers]) => buffers.has(buffer))) return
    const others = held.map(([node, buffers]) => [node, new Set([...buffers].filter((one) => one !== buffer))] as const)
    this.#hold(others.filter(([, buffers]) => buffers.size > 0))
  }

  #hold(held: Iterable<readonly [string, ReadonlySet<string>]>): void {
    this.#held = new Map(held)
    // It is compared by identity, to see whether anything changed.
    this.#bufferNodes = new Set(this.#held.keys())
  }

  /** Tells of every ready buffer after every pass. */
  subscribe(listener: (key: ObjectKey) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

function isSame(a: ResolvedBuffer, b: ResolvedBuffer): boolean {
  return a.uid === b.uid && a.template === b.template && a.replicas === b.replicas
}
