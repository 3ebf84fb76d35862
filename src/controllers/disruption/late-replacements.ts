import { isConditionTrue } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import type { VoluntaryReason } from '../../disruption/budgets.ts'
import type { Command, Replacement } from '../../disruption/command.ts'
import { type DisruptionGate, holdingGate, openGate } from '../../disruption/gate.ts'
import type { Clock } from '../../model/clock.ts'
import { ExpiringMap } from '../../model/expiring-map.ts'
import type { StateNode } from '../../model/snapshot.ts'
import { type LeftBehind, leftBehind } from './left-behind.ts'

/** From when its command was given up. A machine that comes later than that is seldom; one that is kept in vain costs no more. */
const keptMs = 30 * 60_000

/**
 * Replacements that were on their way when their command was given up: machines that take longer to come up than a command waits, or that
 * others of the same command did not follow. Taken for empty as soon as they are there, they would go just before the next plan could use
 * them, and be launched again for it, without end. So they are kept while a node is there that they were to replace.
 */
export class LateReplacements {
  readonly #kept: ExpiringMap<string, LeftBehind>

  readonly #clock: Clock
  #hasTakenOver = false

  constructor(clock: Clock) {
    this.#clock = clock
    this.#kept = new ExpiringMap({ clock, ttlMs: keptMs })
  }

  /** Whether it is known what the process before has left in the middle. */
  get hasTakenOver(): boolean {
    return this.#hasTakenOver
  }

  /** At the first look, before any mark is taken off: its commands are given up, and what they had launched comes all the same. */
  takeOver(nodes: readonly StateNode[], claims: readonly NodeClaim[]): void {
    if (this.#hasTakenOver) return
    this.#hasTakenOver = true
    for (const [name, left] of leftBehind(nodes, claims, this.#clock.now())) this.#kept.set(name, left)
  }

  /** The command was given up. */
  note({ reason, candidates }: Command<Replacement>, replacements: readonly string[]): void {
    const claims = new Set(candidates.map(({ nodeClaim }) => nodeClaim.metadata.name))
    for (const name of replacements) this.#kept.set(name, { reason, claims })
  }

  /** By the name of its claim, which of the nodes each of them is to replace still. */
  awaited(nodes: readonly StateNode[]): ReadonlyMap<string, StateNode> {
    const awaited = new Map<string, StateNode>()
    for (const [name, { reason, claims }] of this.#kept.entries()) {
      const old = nodes.find((node) => isStillToGo(node, reason, claims))
      if (old !== undefined) awaited.set(name, old)
    }
    return awaited
  }

  /** Holds them for every reason but drift. */
  gate(nodes: readonly StateNode[]): DisruptionGate {
    const awaited = this.awaited(nodes)
    if (awaited.size === 0) return openGate
    return holdingGate(({ nodeClaim }, reason) => {
      const old = reason === 'Drifted' ? undefined : awaited.get(nodeClaim.metadata.name)
      if (old === undefined) return undefined
      const message = `the command that it came for was given up, and node ${old.name} is still to go for it`
      return { code: 'LateReplacement', message }
    })
  }
}

function isStillToGo({ nodeClaim }: StateNode, reason: VoluntaryReason, claims: ReadonlySet<string>): boolean {
  if (nodeClaim === undefined || !claims.has(nodeClaim.metadata.name)) return false
  return reason !== 'Drifted' || isConditionTrue(nodeClaim, 'Drifted')
}
