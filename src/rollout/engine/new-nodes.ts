import { durationMs } from '../../api/duration.ts'
import type { RolloutGates, RolloutPendingNode } from '../../api/karpenter.ts'
import { parseTimestamp, toTimestamp } from '../../model/clock.ts'
import { compareText } from '../../model/order.ts'
import type { NodeFacts } from './input.ts'

/** What became of the nodes that were made in the new way. */
export interface NewNodes {
  /** To be remembered. */
  readonly pending: readonly RolloutPendingNode[]
  /** In this step so far. */
  readonly failed: number
  /** Names of those found to have failed just now, for the message. */
  readonly justFailed: readonly string[]
  /** Names of all that are known to have failed in this step, also of those that are gone. */
  readonly failedNames: ReadonlySet<string>
  /** Whether any of those that have failed, and are remembered, had come up before. */
  readonly someBrokeDown: boolean
  /** Were ready once and are not. */
  readonly unhealthy: readonly string[]
  /** When the next one will have waited too long; in ms since the epoch. */
  readonly nextTimeout: number | undefined
}

export interface NewNodesInput {
  /** Nodes of the new revision that are not going; an awaited one stays even if it drifts. */
  readonly nodes: readonly NodeFacts[]
  /** Names of nodes whose disappearance does not count against the revision: they came up, or the cloud takes them back. */
  readonly excused: ReadonlySet<string>
  /** Names of nodes that are taken away because they broke down in service. */
  readonly brokenDown: readonly string[]
  readonly previous: readonly RolloutPendingNode[]
  /** By name of the node. */
  readonly nodeClasses: ReadonlyMap<string, string>
  readonly failedBefore: number
  /** In ms since the epoch. */
  readonly stepStart: number
  readonly gates: RolloutGates | undefined
  readonly now: number
}

/**
 * A node that never came up leaves no trace when its claim is deleted: it is remembered from the time it was seen until it is ready, and for
 * the rest of the step if it has failed, since its class may be to blame. One that vanishes for want of capacity, which takes moments, says
 * nothing about what it was made of.
 */
export function watchNewNodes(input: NewNodesInput): NewNodes {
  const { nodes, excused, brokenDown, previous, nodeClasses, failedBefore, stepStart, gates, now } = input
  const timeoutMs = nodeReadyTimeoutMs(gates)
  const known = new Map(previous.map((entry) => [entry.name, entry]))
  const justFailed: string[] = []
  const pending: RolloutPendingNode[] = []
  const timeouts: number[] = []
  const isPending = (node: NodeFacts): boolean => !node.initialized || (!node.ready && known.has(node.name))
  for (const node of nodes) {
    if (node.ready && node.initialized) continue
    const since = node.initialized && !isPending(node) ? (node.unreadyFrom ?? now) : node.createdAt
    const alreadyFailed = known.get(node.name)?.failed === true
    const overdue = !alreadyFailed && now >= since + timeoutMs
    if (overdue) justFailed.push(node.name)
    if (!overdue && !alreadyFailed) timeouts.push(since + timeoutMs)
    if (isPending(node) || overdue || alreadyFailed) {
      pending.push({
        name: node.name,
        since: toTimestamp(since),
        ...(node.launched ? { launched: true } : {}),
        ...(overdue || alreadyFailed ? { failed: true } : {}),
        ...ofClass(nodeClasses.get(node.name)),
      })
    }
  }
  for (const name of brokenDown) {
    const before = known.get(name)
    if (before?.failed !== true) justFailed.push(name)
    const since = before?.since ?? toTimestamp(now)
    pending.push({ name, since, launched: true, failed: true, ...ofClass(nodeClasses.get(name)) })
  }
  const present = new Set([...nodes.map(({ name }) => name), ...brokenDown])
  for (const entry of previous) {
    if (present.has(entry.name)) continue
    const since = parseTimestamp(entry.since) ?? now
    if (entry.failed === true) {
      // What had had its time when this try of the step began failed an earlier one.
      if (since + timeoutMs > stepStart) pending.push(entry)
    } else if (!excused.has(entry.name) && (entry.launched === true || now - since >= launchPatienceMs)) {
      justFailed.push(entry.name)
      pending.push({ ...entry, failed: true })
    }
  }
  const failedNames = new Set(pending.flatMap(({ name, failed }) => (failed === true ? [name] : [])))
  return {
    pending: pending.toSorted((a, b) => compareText(a.name, b.name)).slice(0, pendingMax),
    failed: failedBefore + justFailed.length,
    justFailed: justFailed.toSorted(compareText),
    failedNames,
    someBrokeDown: brokenDown.length > 0 || nodes.some(({ name, initialized }) => initialized && failedNames.has(name)),
    unhealthy: nodes.filter((node) => node.initialized && !node.ready).map(({ name }) => name),
    nextTimeout: timeouts.length === 0 ? undefined : Math.min(...timeouts),
  }
}

function ofClass(nodeClass: string | undefined): Pick<RolloutPendingNode, 'nodeClass'> {
  return nodeClass === undefined ? {} : { nodeClass }
}

/** How long a node of the new revision may take until it is ready. */
export function nodeReadyTimeoutMs(gates: RolloutGates | undefined): number {
  return durationMs(gates?.nodeReadyTimeout ?? '15m')
}

/** Claims without an instance are given up after five minutes; a lack of capacity ends them at once. */
const launchPatienceMs = 4 * 60_000
/** As many as the status may hold. */
const pendingMax = 1_000
