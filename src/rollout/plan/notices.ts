import { capitalized } from '../../disruption/drift.ts'
import type { JudgedNode } from './node-verdicts.ts'

export interface NoticeFacts {
  readonly nodes: readonly JudgedNode[]
  /** Why nobody knows the types of a pool; undefined when all are known. */
  readonly typesUnknown: string | undefined
  /** How many nodes were judged in groups, not each by itself. */
  readonly grouped: number
  /** Kinds of the cluster that could not be read, by their plural names. */
  readonly unread: readonly string[]
}

/** What a plan leaves open, a sentence or two each. */
export function noticesOf({ nodes, typesUnknown, grouped, unread }: NoticeFacts): readonly string[] {
  const open = nodes.filter(({ verdict }) => verdict.kind === 'inPlace' && verdict.reason !== undefined).length
  return [
    ...(unread.length === 0
      ? []
      : [
          `Not all of the cluster could be read: ${unread.join(', ')} may not be listed. The plan is made as if there were none: what they would change, hold or refuse is not in it.`,
        ]),
    ...(typesUnknown === undefined
      ? []
      : [
          `${capitalized(typesUnknown)}. The plan takes it that new nodes can be launched where they are needed, and tells no cost.`,
        ]),
    ...(grouped === 0
      ? []
      : [
          `${grouped} nodes to replace are too many to judge each by itself: they are judged in groups, so single nodes may go sooner or later than told. --exact judges each, which takes far longer.`,
        ]),
    ...(open === 0
      ? []
      : [
          `Consolidation may from now on move the pods of ${open} node(s) together and remove or replace them: a plan does not say which.`,
        ]),
  ]
}
