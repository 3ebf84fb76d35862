import { formatDurationMs } from '../../api/duration.ts'
import { fieldValueText } from '../../api/field-diff.ts'
import type { FieldChange } from '../../model/drift-finding.ts'
import { compareText } from '../../model/order.ts'
import type { ReplacementTiming } from '../../rollout/plan/input.ts'
import type { NodeAction, Plan, PlannedNode } from '../../rollout/plan/plan.ts'

/** Nodes of one pool that the same thing happens to for the same reason. */
export interface NodeGroup {
  readonly nodePool: string
  readonly action: NodeAction
  readonly reason: string | null
  readonly fields: readonly FieldChange[]
  readonly nodes: readonly PlannedNode[]
}

const actionOrder: readonly NodeAction[] = ['remove', 'replace', 'inPlace', 'stay']

/** By pool, what weighs most first. */
export function groupNodes(nodes: readonly PlannedNode[]): readonly NodeGroup[] {
  const groups = Map.groupBy(nodes, ({ nodePool, action, reason, fields }) =>
    JSON.stringify([nodePool, action, reason, fields]),
  )
  return [...groups]
    .flatMap(([key, members]) => {
      const [first] = members
      if (first === undefined) return []
      const { nodePool, action, reason, fields } = first
      return [{ key, group: { nodePool, action, reason, fields, nodes: members } }]
    })
    .toSorted(
      (a, b) =>
        compareText(a.group.nodePool, b.group.nodePool) ||
        actionOrder.indexOf(a.group.action) - actionOrder.indexOf(b.group.action) ||
        compareText(a.key, b.key),
    )
    .map(({ group }) => group)
}

export function fieldText({ path, old, new: wanted }: FieldChange): string {
  return `${path}: ${fieldValueText(old ?? undefined)} -> ${fieldValueText(wanted ?? undefined)}`
}

export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

export function dollarsText(amount: number): string {
  return `$${amount.toFixed(4)}/h`
}

export function durationText(seconds: number): string {
  return formatDurationMs(seconds * 1000)
}

/** One line with the numbers that matter. */
export function headline(plan: Plan): string {
  const count = (action: NodeAction): number => plan.nodes.filter((node) => node.action === action).length
  const [replaced, removed] = [count('replace'), count('remove')]
  const kept = plan.nodes.length - replaced - removed
  return `${countText(replaced, 'node')} to replace, ${removed} to remove, ${count('inPlace')} changed in place, ${kept - count('inPlace')} untouched`
}

/** What the times rest on. */
export function assumptionText({ launchMs, drainMs }: ReplacementTiming): string {
  return `Times assume that a new node is ready after ${formatDurationMs(launchMs)} and an old one gone ${formatDurationMs(drainMs)} later; prices, that the cheapest offering is had.`
}
