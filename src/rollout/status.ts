import { conditionReady, replaceCondition } from '../api/conditions.ts'
import type { Condition } from '../api/kubernetes.ts'
import { compareText } from '../model/order.ts'
import { toTimestamp } from '../model/clock.ts'
import { shortText } from '../model/short-text.ts'
import { mergeStalled, type StalledCause } from './stalled.ts'

/** A node as its pool's or class's status counts it. */
export interface CountedNode {
  /** Of the node, or of the claim while there is no node. */
  readonly name: string
  /** Why it has to be replaced, as the reason of drift. */
  readonly outdated: string | undefined
  /** Initialized, and its kubelet says that it is ready. */
  readonly ready: boolean
  readonly going: boolean
  /** What keeps it from being replaced, of those that are outdated; of those that are going, what keeps them from ending. */
  readonly blocked: StalledCause | undefined
  /** Why it has been going, or out of service, for long, outdated or not: budgets count it all the while. */
  readonly lingers?: StalledCause | undefined
}

export interface NodeCounts {
  readonly nodes: number
  readonly upToDateNodes: number
  readonly driftedNodes: number
  readonly readyNodes: number
  readonly blockedNodes: number
  readonly blockedBy: { reason: string; nodes: number; message: string }[]
}

/** As many as the status may list. */
const blockersMax = 10
const blockerMessageMax = 1_024

/** Outdated nodes count until they are gone: a rollout has not ended before. */
export function countNodes(nodes: readonly CountedNode[]): NodeCounts {
  const staying = nodes.filter(({ going }) => !going)
  return {
    nodes: staying.length,
    upToDateNodes: staying.filter(({ outdated }) => outdated === undefined).length,
    driftedNodes: nodes.filter(({ outdated }) => outdated !== undefined).length,
    readyNodes: staying.filter(({ ready }) => ready).length,
    blockedNodes: nodes.filter(({ blocked }) => blocked !== undefined).length,
    blockedBy: blockersOf(nodes),
  }
}

/** `12 NodePoolDrifted, 1 AMIDrift`: most first, then by name. */
function reasonsText(nodes: readonly CountedNode[]): string {
  const counts = new Map<string, number>()
  for (const { outdated } of nodes) {
    if (outdated !== undefined) counts.set(outdated, (counts.get(outdated) ?? 0) + 1)
  }
  return [...counts]
    .toSorted(([a, x], [b, y]) => y - x || compareText(a, b))
    .map(([reason, count]) => `${count} ${reason}`)
    .join(', ')
}

/** The reason that a policy gives for outdated nodes that stay on purpose. One that only observes lets them go. */
export const newNodesOnly = 'NewNodesOnly'

/** Reasons to replace a node that no policy leaves alone: a person asks for it by name, or its time has come. */
const neverLeftAlone: ReadonlySet<string> = new Set(['RestartRequested', 'Retiring', 'SoftExpired'])

export interface RolloutConditionsInput {
  readonly nodes: readonly CountedNode[]
  readonly target: string
  /** Set where a policy leaves outdated nodes alone on purpose: they are then no unfinished work. */
  readonly leftAlone: StalledCause | undefined
  /** Set while nothing may be replaced; who says so, and until when. */
  readonly paused?: string | undefined
  /** What the policy that governs says of the rollout, e.g. which step it is at. */
  readonly progress: string | undefined
  readonly stalled: readonly StalledCause[]
}

export interface RolloutCondition {
  readonly type: 'Reconciling' | 'Stalled' | 'Retiring' | 'PlannedChange'
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

/**
 * The two conditions that kstatus knows beside Ready. Reconciling stays True while anything has to be replaced, also when that is stuck:
 * who waits for it to become False waits for the last node. They say enough for a health check by themselves.
 */
export function rolloutConditions(input: RolloutConditionsInput): readonly RolloutCondition[] {
  const { nodes, target, leftAlone, progress, paused } = input
  const { upToDateNodes, driftedNodes, blockedBy } = countNodes(nodes)
  const stalled = mergeStalled(input.stalled)
  const blocked = blockedBy.map(({ reason, nodes: count }) => `${count} ${reason}`).join(', ')
  const parts = [
    `${driftedNodes} of ${upToDateNodes + driftedNodes} node(s) to be replaced (${reasonsText(nodes)})`,
    ...(blocked === '' ? [] : [`blocked: ${blocked}`]),
    // A policy of which all pools are paused has nothing else to say.
    ...(progress === undefined || (paused !== undefined && progress.endsWith(paused)) ? [] : [progress]),
    ...(paused === undefined ? [] : [paused]),
    `target ${target}`,
  ]
  const reconciling = ((): Omit<RolloutCondition, 'type'> => {
    if (driftedNodes === 0) {
      return { status: 'False', reason: 'UpToDate', message: `every node is as it is wanted; target ${target}` }
    }
    const goesAnyway = nodes.some(
      ({ outdated, going }) => outdated !== undefined && (going || neverLeftAlone.has(outdated)),
    )
    if (leftAlone !== undefined && !goesAnyway) {
      return { status: 'False', reason: leftAlone.reason, message: `${leftAlone.message}; target ${target}` }
    }
    const reason = paused === undefined ? 'ReplacingNodes' : 'Paused'
    return { status: 'True', reason, message: parts.join('; ') }
  })()
  return [
    { type: 'Reconciling', ...reconciling },
    stalled === undefined
      ? { type: 'Stalled', status: 'False', reason: 'NotStalled', message: '' }
      : { type: 'Stalled', status: 'True', ...stalled },
  ]
}

/** How far the pool's nodes have gone out of service; `nodes` counts those that are still there, going or not. */
export function retiringCondition(nodes: number): RolloutCondition {
  return nodes === 0
    ? { type: 'Retiring', status: 'True', reason: 'Drained', message: 'no node is left: the NodePool can be deleted' }
    : { type: 'Retiring', status: 'True', reason: 'Draining', message: `${nodes} node(s) left` }
}

/**
 * A list of conditions with some set, and all others as they are, in their places: Ready and what it sums up are others' business. New
 * ones stand before Ready, which stays last.
 */
export function withConditions(
  conditions: readonly Condition[],
  changes: readonly RolloutCondition[],
  { generation, now }: { readonly generation: number; readonly now: number },
): Condition[] {
  const lastTransitionTime = toTimestamp(now)
  return changes.reduce<Condition[]>(
    (list, { type, status, reason, message }) =>
      replaceCondition(
        list,
        { type, status, reason, message, lastTransitionTime, observedGeneration: generation },
        conditionReady,
      ),
    [...conditions],
  )
}

/** What keeps nodes from being replaced: most nodes first, then by reason; each with what is said of its first node by name. */
export function blockersOf(nodes: readonly Pick<CountedNode, 'name' | 'blocked'>[]): NodeCounts['blockedBy'] {
  const byReason = Map.groupBy(
    nodes.flatMap(({ name, blocked }) => (blocked === undefined ? [] : [{ name, ...blocked }])),
    ({ reason }) => reason,
  )
  return [...byReason]
    .map(([reason, held]) => {
      const [first] = held.toSorted((a, b) => compareText(a.name, b.name))
      const message = first === undefined ? '' : `${first.name}: ${first.message}`
      return { reason, nodes: held.length, message: shortText(message, blockerMessageMax) }
    })
    .toSorted((a, b) => b.nodes - a.nodes || compareText(a.reason, b.reason))
    .slice(0, blockersMax)
}
