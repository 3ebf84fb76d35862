import type { Cost, NodeView, PoolView, Usage } from '../../operator/dashboard/fleet-view.ts'
import { printableText } from '../table.ts'
import { shareOf } from './sort.ts'

const barEighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const

/** A share as a bar of so many cells; what is beyond the whole fills it. */
export function barText(share: number, cells: number): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * cells * 8)
  const full = '█'.repeat(Math.floor(eighths / 8))
  return `${full}${barEighths[eighths % 8] ?? ''}`.padEnd(cells)
}

export function percentText(usage: Usage): string {
  return usage.allocatable <= 0 ? '-' : `${Math.round(shareOf(usage) * 100)}%`
}

/** The two largest units: 3d4h, 12m5s. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const [days, hours, minutes] = [Math.floor(seconds / 86_400), Math.floor(seconds / 3600), Math.floor(seconds / 60)]
  if (days > 0) return `${days}d${hours % 24}h`
  if (hours > 0) return `${hours}h${minutes % 60}m`
  return minutes > 0 ? `${minutes}m${seconds % 60}s` : `${seconds}s`
}

export function priceText(usdPerHour: number | null): string {
  return usdPerHour === null ? '-' : `$${usdPerHour.toFixed(4)}`
}

export function costText({ usdPerHour, unknownNodes }: Cost): string {
  return `$${usdPerHour.toFixed(2)}/h${unknownNodes === 0 ? '' : ` + ${unknownNodes} of unknown price`}`
}

/** What happens to the node or what keeps it: the first thing to know. */
export function whyText({ drifted, blocked }: NodeView): string {
  const parts = [
    ...(drifted === null ? [] : [drifted.reason]),
    ...blocked.slice(0, 1).map(({ code, message }) => `${code}: ${message}`),
    ...(blocked.length > 1 ? [`+${blocked.length - 1}`] : []),
  ]
  return printableText(parts.join(' | '))
}

/** Where the rollout of a pool stands, in one line. */
export function progressText(pool: PoolView): string {
  const { upToDateNodes, nodes, presentNodes, rollout, reason, message, outlook } = pool
  const counted = upToDateNodes === null ? '' : `${upToDateNodes}/${nodes ?? presentNodes} new`
  const isStepped = rollout?.step !== undefined && rollout.steps !== undefined && outlook !== 'Done'
  const step = isStepped ? `step ${(rollout.step ?? 0) + 1}/${rollout.steps}` : ''
  const said = outlook === 'Done' ? '' : `${reason}${message === '' ? '' : `: ${message}`}`
  return printableText([counted, step, said].filter((part) => part !== '').join(', '))
}

/** Cut or filled to exactly so many cells. */
export function cell(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const clean = printableText(text)
  const cut = clean.length > width ? `${clean.slice(0, Math.max(0, width - 1))}…` : clean
  return side === 'left' ? cut.padEnd(width) : cut.padStart(width)
}
