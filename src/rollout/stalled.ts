import { conditionMessage } from '../api/conditions.ts'
import { compareText } from '../model/order.ts'

/** One thing that keeps a rollout from going on by itself, for the Stalled condition. */
export interface StalledCause {
  /** In one word, as the condition's reason shows it: Halted, WindowsNeverOpen, CircuitOpen, … */
  readonly reason: string
  readonly message: string
}

/** Who knows of causes tells them by name of the pool or class. Asked often: answers from memory. */
export interface StalledSource {
  ofPool(name: string): readonly StalledCause[]
  ofClass(name: string): readonly StalledCause[]
}

/**
 * All causes as one: the reason of the first by name, the messages of all. The same causes in another order give the same text, so that
 * nothing is written without a change.
 */
export function mergeStalled(causes: readonly StalledCause[]): StalledCause | undefined {
  const sorted = causes.toSorted((a, b) => compareText(a.reason, b.reason) || compareText(a.message, b.message))
  const [first] = sorted
  if (first === undefined) return undefined
  const texts = new Set(
    sorted.map(({ reason, message }) => (reason === first.reason ? message : `${reason}: ${message}`)),
  )
  return { reason: first.reason, message: conditionMessage([...texts].join('; ')) }
}
