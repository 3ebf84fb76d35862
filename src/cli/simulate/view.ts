import { sumPrices } from '../../model/instance-type.ts'
import { printableText } from '../table.ts'
import type { DisruptionAnswer, PlannedNodeClaim, SimulationAnswer } from './answer.ts'

/** The decisions as a person reads them. */
export function answerText({ nodeClaims, existing, unschedulable, cost, disruption }: SimulationAnswer): string {
  const lines: string[] = []
  for (const [index, claim] of nodeClaims.entries()) {
    lines.push(`new node ${index + 1} of NodePool ${claim.nodePool}: ${nodeText(claim)}`, ...indented(claim.pods))
  }
  for (const { node, pods } of existing) lines.push(`existing node ${node}`, ...indented(pods))
  for (const { pod, reasons } of unschedulable) {
    lines.push(`unschedulable ${pod}`)
    for (const { nodePool, message } of reasons) lines.push(`  ${nodePool === '' ? '' : `${nodePool}: `}${message}`)
  }
  if (disruption !== undefined) lines.push(...disruptionText(disruption))
  const placed = nodeClaims.reduce((sum, { pods }) => sum + pods.length, 0)
  const price = sumPrices(nodeClaims.map((claim) => claim.price ?? 0))
  const bound = cost === undefined ? '' : ` (lower bound $${cost.lowerBound.toFixed(4)}/h)`
  const reused = existing.reduce((sum, { pods }) => sum + pods.length, 0)
  lines.push(
    `${nodeClaims.length} new node(s) for ${placed} pod(s) at $${price.toFixed(4)}/h${bound}, ${reused} pod(s) on existing nodes, ${unschedulable.length} unschedulable`,
  )
  return lines.map(printableText).join('\n')
}

function nodeText({ instanceTypes, requests, price }: PlannedNodeClaim): string {
  const [cheapest = 'any type'] = instanceTypes
  const others = instanceTypes.length > 1 ? ` or ${instanceTypes.length - 1} other type(s)` : ''
  const wanted = Object.entries(requests)
    .map(([name, amount]) => `${name} ${amount}`)
    .join(', ')
  return `${cheapest}${others}, ${price === null ? 'no price' : `$${price}/h`}; requests ${wanted}`
}

function disruptionText({ commands, blocked }: DisruptionAnswer): string[] {
  return [
    ...commands.map(({ reason, method, candidates, replacements, savingsPerHour }) => {
      const instead = replacements.length === 0 ? 'delete' : `replace by ${replacements.map(nodeText).join(' and ')}`
      return `${reason} (${method}): ${instead}: ${candidates.join(', ')}; ${savingsText(savingsPerHour)}`
    }),
    ...blocked.map(({ node, reason, message }) => `kept ${node}: ${message} (${reason})`),
  ]
}

function savingsText(perHour: number | null): string {
  if (perHour === null) return 'saves an amount not known'
  return perHour < 0 ? `costs $${(-perHour).toFixed(4)}/h more` : `saves $${perHour.toFixed(4)}/h`
}

function indented(pods: readonly string[]): string[] {
  return pods.map((pod) => `  ${pod}`)
}
