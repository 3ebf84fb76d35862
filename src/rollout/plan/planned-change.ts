import { conditionOf } from '../../api/conditions.ts'
import type { NodeClaim } from '../../api/karpenter.ts'
import { compareText } from '../../model/order.ts'

/** What is about to happen to the nodes of a NodePool or node class, as its PlannedChange condition tells; undefined: nothing. */
export interface PlannedChange {
  readonly type: 'PlannedChange'
  readonly status: 'True'
  readonly reason: 'ReplacesNodes'
  readonly message: string
}

/** More causes than a line can hold are counted. */
const causesMax = 3
const messageMax = 1_024

/** `isOurs`: reasons of drift that lie in the object; of a class only those that are not its pools'. */
export function plannedChange(
  claims: readonly NodeClaim[],
  isOurs: (reason: string) => boolean = () => true,
): PlannedChange | undefined {
  const causes = new Map<string, number>()
  for (const claim of claims) {
    const { status, reason = '', message = '' } = conditionOf(claim, 'Drifted') ?? {}
    if (status !== 'True' || !isOurs(reason)) continue
    const text = message === '' ? reason : message
    causes.set(text, (causes.get(text) ?? 0) + 1)
  }
  if (causes.size === 0) return undefined
  const sorted = [...causes].toSorted(([a, x], [b, y]) => y - x || compareText(a, b))
  const drifted = sorted.reduce((sum, [, count]) => sum + count, 0)
  const shown = sorted.slice(0, causesMax).map(([text, count]) => `${count} because of ${text}`)
  const others = sorted.length - shown.length
  const more = others > 0 ? [`and ${others} other cause(s)`] : []
  const message = `replaces ${drifted} of ${claims.length} node(s): ${[...shown, ...more].join('; ')}`
  return {
    type: 'PlannedChange',
    status: 'True',
    reason: 'ReplacesNodes',
    message: message.length <= messageMax ? message : `${message.slice(0, messageMax - 1)}…`,
  }
}
