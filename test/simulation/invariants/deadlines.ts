import type { NodeClaim } from '../../../src/api/karpenter.ts'
import { annotationTerminationTimestamp } from '../../../src/api/labels.ts'
import type { ChangeType, Look } from './look.ts'

/** When the patience with the pods of a claim's node ends, and when that was written down; by the clock that never jumps. */
export interface Deadline {
  readonly dueAt: number
  readonly writtenAt: number
}

/** The deadlines that claims carry, as they were meant when they were written: the wall clock may have been set since. */
export class Deadlines {
  readonly #look: Look
  readonly #byClaim = new Map<string, Deadline & { readonly text: string }>()

  constructor(look: Look) {
    this.#look = look
  }

  onClaim(type: ChangeType, { metadata }: NodeClaim): void {
    if (type === 'DELETED') {
      this.#byClaim.delete(metadata.uid)
      return
    }
    const text = metadata.annotations?.[annotationTerminationTimestamp]
    if (text === undefined || text === this.#byClaim.get(metadata.uid)?.text) return
    const { elapsed, now } = this.#look
    this.#byClaim.set(metadata.uid, { text, dueAt: elapsed + Date.parse(text) - now, writtenAt: elapsed })
  }

  of(claim: NodeClaim | undefined): Deadline | undefined {
    return this.#byClaim.get(claim?.metadata.uid ?? '')
  }
}
