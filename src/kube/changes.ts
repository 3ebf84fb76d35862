import type { KubeObject } from '../api/kubernetes.ts'
import type { Change } from './controller.ts'

/**
 * Which changes concern a controller. One that writes a status, and wakes by each change of it, would be answered without a pause by a second
 * process that leads for a moment and knows other things.
 */

/** Whether an object came, went, was replaced under its name, or has another spec. Changes of its status, labels and annotations alone are none. */
export function isSpecChange({ before, after }: Change<KubeObject>): boolean {
  return before?.metadata.generation !== after?.metadata.generation || before?.metadata.uid !== after?.metadata.uid
}

/** Whether an object came, went, or differs in what `factsOf` tells of it. */
export function isChangeOf<T extends KubeObject>(
  { before, after }: Change<T>,
  factsOf: (object: T) => readonly unknown[],
): boolean {
  if (before === undefined || after === undefined) return true
  return JSON.stringify(factsOf(before)) !== JSON.stringify(factsOf(after))
}
