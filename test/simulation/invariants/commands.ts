import { conditionOf, isConditionTrue } from '../../../src/api/conditions.ts'
import { labelNodePool, taintDisruptedKey } from '../../../src/api/labels.ts'
import { currentController } from '../../../src/kube/current-controller.ts'
import { minute } from '../world.ts'
import { isReadyNode, type Look, type LogLine, taintKeys, type Watcher } from './look.ts'

interface Command {
  readonly candidates: readonly string[]
  readonly wanted: number
  readonly replacements: string[]
}

/** What these end does not wait for anybody, whatever is under way with it. */
const forceful: ReadonlySet<string> = new Set(['interruption', 'nodeclaim.expiration', 'node.health'])

/** From a write to its line no timer runs. */
const cutOffMs = 1_000

/** I24: an old node stays until its replacements are initialized. I34: what is launched or disrupted has a line that says why. */
export function commandWatcher(look: Look): Watcher {
  const byCandidate = new Map<string, Command>()
  const explained = new Set<string>()
  const initialized = new Set<string>()
  const bornAt = new Map<string, number>()
  let latest: Command | undefined
  /** A process that was killed between the write and the line has not said it. */
  const isCutOff = (at: number): boolean =>
    look.allowances.crashes.some((crash) => at <= crash && crash - at <= cutOffMs)

  return {
    onLog(line, text) {
      if (text.includes('"disrupting node(s)"')) {
        latest = commandOf(line)
        for (const name of latest.candidates) byCandidate.set(name, latest)
      } else if (text.includes('"created nodeclaim"')) {
        const name = nameIn(line['NodeClaim'])
        explained.add(name)
        const isReplacement = line['controller'] === 'disruption' && latest !== undefined
        if (isReplacement && latest !== undefined && latest.replacements.length < latest.wanted)
          latest.replacements.push(name)
      }
    },
    onClaim(type, claim) {
      const { name } = claim.metadata
      // What people make themselves is of no pool, and nobody else has to explain it.
      if (type === 'ADDED' && claim.metadata.labels?.[labelNodePool] !== undefined) bornAt.set(name, look.elapsed)
      // The answer to the creation may have been lost to the fault, and with it the line.
      if (type === 'ADDED' && look.faultAtWork) explained.add(name)
      if (isConditionTrue(claim, 'Initialized')) initialized.add(name)
      if (type !== 'DELETED') return
      byCandidate.delete(name)
      bornAt.delete(name)
    },
    onCall({ resource, verb, name = '' }) {
      if (resource.plural !== 'nodeclaims' || verb !== 'delete' || forceful.has(currentController())) return
      const claim = look.claim(name)
      if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return
      if (conditionOf(claim, 'DisruptionReason')?.status !== 'True') return
      const node = look.nodeOf(claim)
      if (node === undefined || !isReadyNode(node) || !taintKeys(node).has(taintDisruptedKey)) return
      const command = byCandidate.get(name)
      if (command === undefined) {
        look.report('I34', name, 'is disrupted without a line that says why')
        return
      }
      const late = command.replacements.filter((replacement) => !initialized.has(replacement))
      if (late.length > 0 || command.replacements.length < command.wanted) {
        look.report(
          'I24',
          name,
          `goes before its replacements ${late.join(', ')} (${command.wanted} wanted) are initialized`,
        )
      }
    },
    tick() {
      for (const [name, at] of bornAt) {
        if (look.elapsed - at > 2 * minute && !explained.has(name) && !isCutOff(at))
          look.report('I34', name, 'was made without a line that says for what')
      }
    },
  }
}

const driftMethods: ReadonlySet<string> = new Set(['drift', 'staticDrift'])

/** I35: a node that has drifted is looked at: it is disrupted, or something says what holds it. */
export function attentionWatcher(look: Look): Watcher {
  return {
    tick() {
      for (const claim of look.claims) {
        const node = look.nodeOf(claim)
        const waits =
          node !== undefined &&
          isConditionTrue(claim, 'Drifted') &&
          isConditionTrue(claim, 'Initialized') &&
          claim.metadata.deletionTimestamp === undefined &&
          !taintKeys(node).has(taintDisruptedKey)
        const verdicts = waits ? look.world.stack.operator.verdicts.of(node.metadata.name) : []
        const seen = verdicts.some(({ method, at }) => driftMethods.has(method) && look.now - at < 10 * minute)
        look.since(
          'I35',
          claim.metadata.name,
          waits && !seen && !isPoolBusy(claim),
          10 * minute,
          'has drifted, and nobody looks at it',
        )
      }
    },
  }

  /** Others of its pool go first: its turn comes. */
  function isPoolBusy(claim: { readonly metadata: { readonly labels?: Record<string, string> } }): boolean {
    const pool = claim.metadata.labels?.['karpenter.sh/nodepool']
    return look.claims.some((other) => {
      if (other.metadata.labels?.['karpenter.sh/nodepool'] !== pool) return false
      const node = look.nodeOf(other)
      return (
        other.metadata.deletionTimestamp !== undefined ||
        node === undefined ||
        !isReadyNode(node) ||
        taintKeys(node).has(taintDisruptedKey)
      )
    })
  }
}

function commandOf(line: LogLine): Command {
  const disrupted = line['disrupted-nodes']
  const candidates = Array.isArray(disrupted)
    ? disrupted.map((each: unknown) => (isRecord(each) ? nameIn(each['NodeClaim']) : ''))
    : []
  return { candidates, wanted: Number(line['replacement-node-count'] ?? 0), replacements: [] }
}

function nameIn(value: unknown): string {
  return isRecord(value) && typeof value['name'] === 'string' ? value['name'] : ''
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
