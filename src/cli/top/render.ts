import type { FleetView, NodeView, PoolView } from '../../operator/dashboard/fleet-view.ts'
import type { Outlook } from '../../rollout/standing.ts'
import { countText } from '../count-text.ts'
import { type Paint, paintFor } from '../demo/view.ts'
import { ageText, barText, cell, costText, percentText, priceText, progressText, whyText } from './format.ts'
import { shareOf, type SortKey, sortNodes } from './sort.ts'

/** How the user wants to see it. */
export interface TopState {
  readonly sort: SortKey
  readonly direction: 'normal' | 'reversed'
  /** First node shown. */
  readonly offset: number
  /** What is wrong with what is shown. */
  readonly notice?: string | undefined
}

export interface TopScreen {
  /** Undefined: lines are as long as what they say. */
  readonly columns: number | undefined
  /** Undefined: as many lines as it takes. */
  readonly rows: number | undefined
  readonly colour: boolean
}

interface Column<T> {
  readonly title: string
  readonly side?: 'left' | 'right'
  readonly widthMax: number
  readonly text: (item: T) => string
  /** On narrow screens the highest go first, of equal ones the rightmost; 0 always stays. */
  readonly dispensable: number
}

const barCells = 10

/** The lines of one frame, each at most as wide as the screen, together at most as high. */
export function renderTop(view: FleetView, now: number, state: TopState, screen: TopScreen): readonly string[] {
  const paint = paintFor(screen.colour)
  const rows = screen.rows ?? Number.POSITIVE_INFINITY
  const width = screen.columns
  const head = headLines(view, now, width, paint)
  const foot = screen.rows === undefined ? [] : [paint.dim(wide(footText(state, view.nodes.length), width))]
  // Nodes are what people scroll through: pools get at most a third of the screen.
  const poolRoom = Math.max(2, Math.floor(rows / 3))
  const shared = { paint, width }
  const pools = tableLines(view.pools, { ...shared, columns: poolColumns(), paintOf: poolPaint, room: poolRoom })
  const nodeRoom = rows - head.length - pools.length - foot.length - 2
  const sorted = sortNodes(view.nodes, state.sort, state.direction).slice(clampOffset(state.offset, view, nodeRoom - 1))
  const nodes = tableLines(sorted, { ...shared, columns: nodeColumns(now), paintOf: nodePaint, room: nodeRoom })
  const body = [...head, '', ...pools, '', ...nodes]
  const filled =
    screen.rows === undefined ? body : [...body, ...Array<string>(Math.max(0, rows - body.length - 1)).fill('')]
  return [...filled.slice(0, rows - foot.length), ...foot].slice(0, rows)
}

/** Never scrolls past the last page. */
function clampOffset(offset: number, { nodes }: FleetView, room: number): number {
  return Math.max(0, Math.min(offset, nodes.length - Math.max(1, room)))
}

function headLines(
  { cluster, totals }: FleetView,
  now: number,
  width: number | undefined,
  paint: Paint,
): readonly string[] {
  const { nodes, readyNodes, pods, waitingPods, cpu, memory, cost } = totals
  const time = new Date(now).toISOString().slice(0, 19)
  const title = `joinery top  ${cluster === '' ? '' : `${cluster}  `}${time}Z`
  const counts = `${countText(nodes, 'node')}, ${readyNodes} ready   ${countText(pods, 'pod')}, ${waitingPods} waiting   ${costText(cost)}`
  const usage = `cpu ${barText(shareOf(cpu), 20)} ${percentText(cpu)} of ${cpu.allocatable.toFixed(0)} cores   memory ${barText(shareOf(memory), 20)} ${percentText(memory)} of ${(memory.allocatable / 2 ** 30).toFixed(0)} GiB`
  return [paint.bold(wide(title, width)), wide(counts, width), wide(usage, width)]
}

function footText({ sort, direction, notice }: TopState, count: number): string {
  if (notice !== undefined) return `not up to date: ${notice}`
  return `q quit  s sort (${sort}${direction === 'reversed' ? ', reversed' : ''})  r reverse  up/down/page scroll  ${countText(count, 'node')}`
}

function poolColumns(): readonly Column<PoolView>[] {
  return [
    { title: 'POOL', widthMax: 24, dispensable: 0, text: ({ name }) => name },
    { title: 'STATE', widthMax: 12, dispensable: 0, text: ({ outlook }) => outlook },
    { title: 'NODES', side: 'right', widthMax: 6, dispensable: 1, text: ({ presentNodes }) => String(presentNodes) },
    { title: 'CPU', side: 'right', widthMax: 5, dispensable: 3, text: ({ cpu }) => percentText(cpu) },
    { title: 'MEM', side: 'right', widthMax: 5, dispensable: 3, text: ({ memory }) => percentText(memory) },
    { title: '$/H', side: 'right', widthMax: 10, dispensable: 2, text: ({ cost }) => priceText(cost.usdPerHour) },
    { title: 'ROLLOUT', widthMax: 400, dispensable: 1, text: progressText },
  ]
}

function nodeColumns(now: number): readonly Column<NodeView>[] {
  return [
    { title: 'NODE', widthMax: 44, dispensable: 0, text: ({ name }) => name },
    { title: 'POOL', widthMax: 20, dispensable: 2, text: ({ pool }) => (pool === '' ? '-' : pool) },
    { title: 'STATE', widthMax: 12, dispensable: 0, text: ({ state }) => state },
    { title: 'TYPE', widthMax: 18, dispensable: 3, text: ({ instanceType }) => instanceType },
    { title: 'ZONE', widthMax: 16, dispensable: 6, text: ({ zone }) => zone },
    { title: 'CAPACITY', widthMax: 9, dispensable: 6, text: ({ capacityType }) => capacityType },
    { title: 'CPU', widthMax: barCells + 6, dispensable: 2, text: ({ cpu }) => usageText(cpu) },
    { title: 'MEMORY', widthMax: barCells + 6, dispensable: 4, text: ({ memory }) => usageText(memory) },
    { title: 'PODS', side: 'right', widthMax: 5, dispensable: 4, text: ({ pods }) => String(pods) },
    { title: '$/H', side: 'right', widthMax: 10, dispensable: 3, text: ({ usdPerHour }) => priceText(usdPerHour) },
    { title: 'AGE', side: 'right', widthMax: 7, dispensable: 2, text: ({ createdAt }) => ageText(now - createdAt) },
    { title: 'WHY', widthMax: 400, dispensable: 1, text: whyText },
  ]
}

function usageText(usage: NodeView['cpu']): string {
  return `${barText(shareOf(usage), barCells)} ${percentText(usage).padStart(5)}`
}

/** A whole line. */
function wide(text: string, width: number | undefined): string {
  return cell(text, width ?? text.length)
}

interface TableLayout<T> {
  readonly columns: readonly Column<T>[]
  readonly paint: Paint
  readonly paintOf: (item: T, paint: Paint) => (text: string) => string
  /** In characters; undefined: without end. */
  readonly width: number | undefined
  /** In lines. */
  readonly room: number
}

function tableLines<T>(
  items: readonly T[],
  { columns, paint, paintOf, width, room }: TableLayout<T>,
): readonly string[] {
  // One line is the heading, and one says how many more there are.
  const shown = items.length + 1 <= room ? items : items.slice(0, Math.max(0, room - 2))
  const texts = shown.map((item) => columns.map((column) => column.text(item)))
  const widths = columns.map(({ title, widthMax }, index) =>
    Math.min(
      width === undefined ? Number.POSITIVE_INFINITY : widthMax,
      Math.max(title.length, ...texts.map((row) => (row[index] ?? '').length)),
    ),
  )
  const kept = fitting(columns, widths, width ?? Number.POSITIVE_INFINITY)
  const line = (cells: readonly string[]): string => {
    const joined = kept.map((index) => cell(cells[index] ?? '', widths[index] ?? 0, columns[index]?.side)).join('  ')
    // Blanks at the end are nothing that a cut would have to show.
    return wide(joined.trimEnd(), width)
  }
  const hidden = items.length - shown.length
  return [
    paint.bold(line(columns.map(({ title }) => title))),
    ...shown.map((item, row) => paintOf(item, paint)(line(texts[row] ?? []))),
    ...(hidden === 0 || room < 2 ? [] : [paint.dim(wide(`${hidden} more`, width))]),
  ]
}

/** Leaves out columns, one after another, until what must be seen of the rest fits; the last one is cut anyway. */
function fitting<T>(columns: readonly Column<T>[], widths: readonly number[], width: number): readonly number[] {
  const minimum = (index: number): number => Math.min(widths[index] ?? 0, index === columns.length - 1 ? 20 : 100)
  let kept = columns.map((_column, index) => index)
  for (;;) {
    const needed = kept.reduce((sum, index) => sum + minimum(index) + 2, -2)
    const worst = Math.max(0, ...kept.map((index) => columns[index]?.dispensable ?? 0))
    if (needed <= width || worst === 0) return kept
    const goes = kept.findLast((index) => columns[index]?.dispensable === worst)
    kept = kept.filter((index) => index !== goes)
  }
}

const outlookPaint: Readonly<Record<Outlook, keyof Paint>> = {
  Done: 'good',
  Progressing: 'bold',
  Waiting: 'bold',
  Stalled: 'bad',
  Unknown: 'dim',
}

function poolPaint({ outlook }: PoolView, paint: Paint): (text: string) => string {
  return paint[outlookPaint[outlook]]
}

function nodePaint({ state, drifted, blocked }: NodeView, paint: Paint): (text: string) => string {
  if (state === 'NotReady') return paint.bad
  if (state !== 'Ready') return paint.dim
  return drifted === null && blocked.length === 0 ? (text) => text : paint.bold
}
