import { formatDurationMs } from '../../api/duration.ts'
import { fieldValueText } from '../../api/field-diff.ts'
import type { FieldChange } from '../../model/drift-finding.ts'
import { compareText } from '../../model/order.ts'
import type { ReplacementTiming } from '../../rollout/plan/input.ts'
import type { NodeAction, Plan, PlannedNode } from '../../rollout/plan/plan.ts'
import { countText } from '../count-text.ts'

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

/** What one cause does: large fleets have few causes and many nodes. */
export interface Obstacle {
  readonly message: string
  /** By name. */
  readonly nodes: readonly string[]
  /** `namespace/name`; none where it is about the nodes themselves. */
  readonly pods: readonly string[]
}

/** What holds nodes back, the most frequent cause first. */
export function heldBack({ blockedBy, unplaceablePods }: Plan): readonly Obstacle[] {
  const unplaced = Map.groupBy(unplaceablePods, ({ node }) => node)
  return obstacles(
    blockedBy.map(({ node, message }) => {
      const reasons = unplaced.get(node)?.map((pod) => pod.message)
      // Which pods these are is told beside it. With their names every node would have a cause of its own.
      return { node, message: reasons === undefined ? message : noPlaceText(reasons) }
    }),
  )
}

function noPlaceText(reasons: readonly string[]): string {
  return `Not all pods would schedule: ${[...new Set(reasons)].toSorted(compareText).join('; ')}`
}

/** Why pods would fit nowhere, the most frequent cause first. */
export function unplaceable({ unplaceablePods }: Plan): readonly Obstacle[] {
  return obstacles(unplaceablePods)
}

function obstacles(
  found: readonly { readonly node: string; readonly message: string; readonly pod?: string }[],
): readonly Obstacle[] {
  const causes = Map.groupBy(found, ({ message }) => message)
  return [...causes]
    .map(([message, members]) => ({
      message,
      nodes: [...new Set(members.map(({ node }) => node))],
      pods: members.flatMap(({ pod }) => pod ?? []),
    }))
    .toSorted(
      (a, b) => b.nodes.length - a.nodes.length || b.pods.length - a.pods.length || compareText(a.message, b.message),
    )
}

/** How many, or the only one by its name. */
export function obstacleSubject({ nodes, pods }: Obstacle): string {
  const [node = '', pod] = [nodes[0], pods[0]]
  const where = nodes.length === 1 ? node : countText(nodes.length, 'node')
  if (pod === undefined) return where
  return pods.length === 1 ? `${pod} (on ${where})` : `${countText(pods.length, 'pod')} (on ${where})`
}

export function fieldText({ path, old, new: wanted }: FieldChange): string {
  return `${path}: ${fieldValueText(old ?? undefined)} -> ${fieldValueText(wanted ?? undefined)}`
}

function dollarsText(amount: number): string {
  return `$${amount.toFixed(4)}/h`
}

export function costText({ cost }: Plan): string {
  if (cost === null) return 'Cost: not known.'
  return `Cost: ${dollarsText(cost.before)} now, ${dollarsText(cost.during)} at most, ${dollarsText(cost.after)} after.`
}

function durationText(seconds: number): string {
  return formatDurationMs(seconds * 1000)
}

/** One line with the numbers that matter. */
export function headline(plan: Plan): string {
  const count = (action: NodeAction): number => plan.nodes.filter((node) => node.action === action).length
  const [replaced, removed] = [count('replace'), count('remove')]
  const kept = plan.nodes.length - replaced - removed
  const held = plan.blockedBy.length === 0 ? '' : `; ${plan.blockedBy.length} held back`
  return `${countText(replaced, 'node')} to replace, ${removed} to remove, ${count('inPlace')} changed in place, ${kept - count('inPlace')} untouched${held}`
}

/** Of a plan without an effect: a node may be on its way out all the same. */
export function noEffectText({ nodes }: Plan): string {
  const leaving = nodes.filter(({ action }) => action !== 'stay').length
  return `No changes. Every node stays as it is${leaving === 0 ? '' : `, except ${leaving} on the way out already`}.`
}

/** How long it takes, as a sentence. */
export function paceText({ waves, durationSeconds, blockedBy }: Plan): string {
  if (waves.length > 0) return `Takes ${durationText(durationSeconds)} in ${countText(waves.length, 'wave')}.`
  return blockedBy.length > 0 ? 'Nothing moves as long as it is held back.' : 'No node has to go.'
}

/** What the times rest on. */
export function assumptionText({ launchMs, drainMs }: ReplacementTiming): string {
  return `Times assume that a new node is ready after ${formatDurationMs(launchMs)} and an old one gone ${formatDurationMs(drainMs)} later; prices, that the cheapest offering is had.`
}
