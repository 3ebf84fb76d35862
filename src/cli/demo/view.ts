import type { FleetSummary } from '../embedded/fleet.ts'
import type { StepResult } from './script.ts'
import { compareText } from '../../model/order.ts'

/** Colour where somebody looks at a terminal, plain text elsewhere. */
export interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly good: (text: string) => string
  readonly bad: (text: string) => string
}

export function paintFor(isColourful: boolean): Paint {
  const wrap = (code: number) => (text: string) => (isColourful ? `\u001b[${code}m${text}\u001b[0m` : text)
  return { bold: wrap(1), dim: wrap(2), good: wrap(32), bad: wrap(31) }
}

export function stepHeading(index: number, title: string, paint: Paint): string {
  return paint.bold(`\n${index}. ${title}`)
}

/** The checks of a step and a table of what the fleet looks like now. */
export function stepReport(result: StepResult, paint: Paint): string {
  const checks = result.checks.map(({ what, ok }) => `   ${ok ? paint.good('✓') : paint.bad('✗')} ${what}`)
  return [...checks, ...fleetTable(result.fleet).map((line) => `   ${paint.dim(line)}`)].join('\n')
}

function fleetTable({ nodes, runningPods, waitingPods, costPerHour }: FleetSummary): readonly string[] {
  const byType = Map.groupBy(nodes, (node) => `${node.instanceType} ${node.capacityType}`)
  const rows = [...byType].map(([type, list]) => {
    const pods = list.reduce((sum, node) => sum + node.pods, 0)
    return [
      type,
      String(list.length),
      String(pods),
      [...new Set(list.map((node) => node.zone.slice(-1)))].toSorted().join(''),
    ]
  })
  const total = `${nodes.length} node${nodes.length === 1 ? '' : 's'}, ${runningPods} pods running, ${waitingPods} waiting, ${money(costPerHour)}/h`
  return rows.length === 0
    ? [total]
    : [
        ...columns([['TYPE', 'NODES', 'PODS', 'ZONES'], ...rows.toSorted(([a = ''], [b = '']) => compareText(a, b))]),
        total,
      ]
}

export function summaryTable(results: readonly StepResult[]): readonly string[] {
  const rows = results.map(({ name, ok, seconds, fleet }) => [
    name,
    ok ? 'ok' : 'FAILED',
    duration(seconds),
    String(fleet.nodes.length),
    String(fleet.runningPods),
    `${money(fleet.costPerHour)}/h`,
  ])
  return columns([['STEP', 'RESULT', 'TOOK', 'NODES', 'PODS', 'COST'], ...rows])
}

/** A line of the operator's log as somebody would tell it. */
export interface ToldLine {
  readonly text: string
  /** What a failure says, whenever it happened; undefined for anything else. */
  readonly failure: string | undefined
}

/** Undefined for lines that are not worth telling. */
export function tellLogLine(line: string, startMs: number): ToldLine | undefined {
  let entry: Record<string, unknown>
  try {
    entry = JSON.parse(line) as Record<string, unknown>
  } catch {
    return undefined
  }
  const event = eventOf(entry)
  const failure = event === undefined && entry['level'] === 'ERROR' ? failureOf(entry) : undefined
  const story = event ?? failure
  if (story === undefined) return undefined
  const at = Math.round((Date.parse(String(entry['time'])) - startMs) / 1000)
  return { text: `   ${duration(at).padStart(8)}  ${story}`, failure }
}

function eventOf(entry: Record<string, unknown>): string | undefined {
  const claim = nameOf(entry['NodeClaim'])
  const text = (key: string): string => String(entry[key] ?? '')
  switch (entry['message']) {
    case 'computed new nodeclaim(s) to fit pod(s)':
      return `planned ${text('nodeclaims')} node(s) for ${text('pods')} pod(s)`
    case 'launched nodeclaim':
      return `launched ${claim}: ${text('instance-type')} in ${text('zone')} (${text('capacity-type')})`
    case 'initialized nodeclaim':
      return `ready ${claim}`
    case 'disrupting node(s)':
      return text('command').replace(/\/[0-9a-f-]{36}/, '')
    case 'deleted nodeclaim':
      return `gone ${claim}`
    default:
      return undefined
  }
}

function failureOf(entry: Record<string, unknown>): string {
  const [controller = '', ...words] = ['controller', 'message', 'error'].map((key) => String(entry[key] ?? ''))
  const said = words.filter((word) => word !== '' && word !== 'Reconciler error').join(': ')
  return controller === '' ? `error: ${said}` : `error ${controller}: ${said}`
}

function nameOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'name' in value ? String(value.name) : ''
}

function money(amount: number): string {
  return `$${amount.toFixed(3)}`
}

function duration(seconds: number): string {
  const hours = Math.floor(seconds / 3600)
  const minutes = Math.floor((seconds % 3600) / 60)
  const rest = seconds % 60
  if (hours > 0) return `${hours}h${String(minutes).padStart(2, '0')}m${String(rest).padStart(2, '0')}s`
  return minutes > 0 ? `${minutes}m${String(rest).padStart(2, '0')}s` : `${rest}s`
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
