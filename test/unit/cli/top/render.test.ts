import { expect, test } from 'vitest'
import { ageText, barText, cell } from '../../../../src/cli/top/format.ts'
import { renderTop, type TopState } from '../../../../src/cli/top/render.ts'
import { type SortKey, sortKeys, sortNodes } from '../../../../src/cli/top/sort.ts'
import { aFleetView, aNodeView, aPoolView, viewedAt } from '../../../support/fleet-views.ts'

const initial: TopState = { sort: 'pool', direction: 'normal', offset: 0 }
const wide = { columns: 220, rows: undefined, colour: false }

const fleet = aFleetView(
  [
    aNodeView('a', { drifted: { reason: 'AMIDrift', message: '' } }),
    aNodeView('b', {
      state: 'NotReady',
      usdPerHour: null,
      blocked: [
        { code: 'PDBBlocked', message: 'shop/web allows none' },
        { code: 'Paused', message: 'until tomorrow' },
      ],
    }),
  ],
  [
    aPoolView('general', {
      outlook: 'Progressing',
      reason: 'NodesDrifted',
      message: '1 node differs',
      upToDateNodes: 1,
      rollout: { phase: 'Soaking', step: 0, steps: 3 },
    }),
  ],
)

test('shows totals, each pool with its rollout, and each node with what it costs and why it goes or stays', () => {
  const text = renderTop(fleet, viewedAt, initial, wide).map((line) => line.trimEnd())
  expect(text[0]).toBe('joinery top  shop  2026-03-01T12:00:00Z')
  expect(text[1]).toBe('2 nodes, 1 ready   6 pods, 1 waiting   $0.20/h')
  expect(text.find((line) => line.startsWith('general'))).toMatch(
    /Progressing .* 1\/2 new, step 1\/3, NodesDrifted: 1 node differs$/,
  )
  expect(text.find((line) => line.startsWith('a '))).toMatch(/m5\.large .* 50% .*\$0\.1000 +1h0m +AMIDrift$/)
  expect(text.find((line) => line.startsWith('b '))).toMatch(
    /NotReady .* - +1h0m +PDBBlocked: shop\/web allows none \| \+1$/,
  )
})

test('a cluster that has just begun has one node and one pod, not one nodes', () => {
  const view = aFleetView([aNodeView('a')])
  const lines = renderTop({ ...view, totals: { ...view.totals, pods: 1 } }, viewedAt, initial, { ...wide, rows: 12 })
  expect(lines[1]?.trimEnd()).toBe('1 node, 1 ready   1 pod, 1 waiting   $0.20/h')
  expect(lines.at(-1)).toMatch(/ 1 node *$/)
})

test.each([
  [40, 10],
  [60, 12],
  [80, 24],
  [120, 40],
  [300, 60],
])('a frame of %i columns and %i rows fits exactly', (columns, rows) => {
  const nodes = Array.from({ length: 100 }, (_value, index) => aNodeView(`node-${index}`))
  const pools = Array.from({ length: 30 }, (_value, index) => aPoolView(`pool-${index}`))
  const lines = renderTop(aFleetView(nodes, pools), viewedAt, initial, { columns, rows, colour: false })
  expect(lines).toHaveLength(rows)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns)
  expect(lines.at(-1)).toMatch(/^q quit/)
})

test('a narrow screen keeps the name and the state, and leaves out what matters least first', () => {
  const heading = (columns: number): string =>
    renderTop(fleet, viewedAt, initial, { columns, rows: undefined, colour: false }).find((line) =>
      line.startsWith('NODE'),
    ) ?? ''
  expect(heading(220)).toContain('ZONE')
  expect(heading(110)).not.toContain('ZONE')
  expect(heading(110)).toContain('CPU')
  expect(heading(30)).toMatch(/^NODE +STATE/)
})

test('a terminal of the usual width tells why nodes go or stay, however long their names are', () => {
  const held = { code: 'RolloutHeld', message: 'RolloutPolicy careful: step 1 of 3 soaks' }
  const nodes = [aNodeView('ip-10-0-128-111.us-west-2.compute.internal', { blocked: [held] })]
  const lines = renderTop(aFleetView(nodes), viewedAt, initial, { columns: 80, rows: 24, colour: false })
  expect(lines.find((line) => line.startsWith('ip-'))).toContain('RolloutHeld')
})

test('a column that does not fit takes no other with it that does', () => {
  const heading = (columns: number): string =>
    renderTop(fleet, viewedAt, initial, { columns, rows: undefined, colour: false })
      .find((line) => line.startsWith('NODE'))
      ?.trimEnd() ?? ''
  const counts = Array.from({ length: 200 }, (_value, index) => heading(index + 20).split(/ +/).length)
  expect(counts.toSorted((a, b) => a - b)).toEqual(counts)
  expect(new Set(counts).size).toBe(heading(220).split(/ +/).length - 1)
})

test('without a terminal nothing is cut, however long', () => {
  const message = `the budget allows none: ${'and why, '.repeat(40)}`
  const fleet = aFleetView([
    aNodeView('ip-10-0-1-2.us-west-2.compute.internal', { blocked: [{ code: 'Budget', message }] }),
  ])
  const lines = renderTop(fleet, viewedAt, initial, { columns: undefined, rows: undefined, colour: false })
  expect(lines.join('\n')).toContain(message.trimEnd())
  expect(lines.join('\n')).not.toContain('…')
})

test('only text that is missing is marked as cut', () => {
  const long = { code: 'PDBBlocked', message: 'x'.repeat(300) }
  const lines = renderTop(aFleetView([aNodeView('a'), aNodeView('b', { blocked: [long] })]), viewedAt, initial, wide)
  expect(lines.find((line) => line.startsWith('a '))).not.toContain('…')
  expect(lines.find((line) => line.startsWith('b '))).toMatch(/…$/)
})

test('what does not fit is counted', () => {
  const nodes = Array.from({ length: 50 }, (_value, index) => aNodeView(`node-${String(index).padStart(2, '0')}`))
  const lines = renderTop(aFleetView(nodes), viewedAt, initial, { columns: 120, rows: 20, colour: false })
  const shown = lines.filter((line) => line.startsWith('node-')).length
  expect(shown).toBeGreaterThan(5)
  expect(lines.find((line) => line.includes(' more'))?.trim()).toBe(`${50 - shown} more`)
})

test('scrolling never goes past the last page', () => {
  const nodes = Array.from({ length: 50 }, (_value, index) => aNodeView(`node-${String(index).padStart(2, '0')}`))
  const lines = renderTop(
    aFleetView(nodes),
    viewedAt,
    { ...initial, offset: 49 },
    { columns: 120, rows: 20, colour: false },
  )
  expect(lines.filter((line) => line.startsWith('node-')).length).toBeGreaterThan(5)
  expect(lines.some((line) => line.startsWith('node-49'))).toBe(true)
})

test('without colour there is no escape sequence, with it every line still ends plain', () => {
  expect(renderTop(fleet, viewedAt, initial, wide).join('')).not.toContain('\u001b')
  const coloured = renderTop(fleet, viewedAt, initial, { ...wide, colour: true })
  for (const line of coloured.filter((text) => text.includes('\u001b'))) expect(line.endsWith('\u001b[0m')).toBe(true)
})

test('names and messages of the cluster cannot steer the terminal', () => {
  const hostile = aFleetView(
    [aNodeView('evil\u001b[2J\r\n', { drifted: { reason: '\u009b31m', message: '' } })],
    [aPoolView('p\u0007', { message: '\u001b]0;title\u0007', outlook: 'Stalled' })],
  )
  const text = renderTop(hostile, viewedAt, initial, wide).join('\n')
  // oxlint-disable-next-line no-control-regex
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
})

test('says when what it shows is old', () => {
  const lines = renderTop(
    fleet,
    viewedAt,
    { ...initial, notice: 'connection refused' },
    { columns: 80, rows: 20, colour: false },
  )
  expect(lines.at(-1)).toMatch(/^not up to date: connection refused/)
})

const sorted: Record<SortKey, string[]> = {
  pool: ['x', 'y', 'z'],
  cpu: ['y', 'x', 'z'],
  memory: ['z', 'x', 'y'],
  pods: ['y', 'x', 'z'],
  price: ['x', 'y', 'z'],
  age: ['z', 'y', 'x'],
  trouble: ['y', 'x', 'z'],
}

test.each(sortKeys)('sorted by %s', (key) => {
  const nodes = [
    aNodeView('x', { usdPerHour: 0.5, createdAt: 30, pods: 2 }),
    aNodeView('y', {
      cpu: { requested: 2, allocatable: 2 },
      pods: 9,
      state: 'NotReady',
      createdAt: 20,
      memory: { requested: 0, allocatable: 0 },
    }),
    aNodeView('z', {
      usdPerHour: null,
      cpu: { requested: 0, allocatable: 2 },
      createdAt: 10,
      pods: 0,
      memory: { requested: 3, allocatable: 4 },
    }),
  ]
  expect(sortNodes(nodes, key, 'normal').map(({ name }) => name)).toEqual(sorted[key])
  expect(sortNodes(nodes, key, 'reversed').map(({ name }) => name)).toEqual(sorted[key].toReversed())
})

test.each([
  [0, '    '],
  [0.5, '██  '],
  [1 / 32, '▏   '],
  [1, '████'],
  [1.7, '████'],
  [-1, '    '],
])('a share of %d as a bar of four', (share, want) => {
  expect(barText(share, 4)).toBe(want)
})

test.each([
  [-5, '0s'],
  [59_999, '59s'],
  [61_000, '1m1s'],
  [3_660_000, '1h1m'],
  [90_000_000, '1d1h'],
])('an age of %i ms', (ms, want) => {
  expect(ageText(ms)).toBe(want)
})

test('a cell is cut or filled to its width', () => {
  expect(cell('abcdef', 4)).toBe('abc…')
  expect(cell('ab', 4)).toBe('ab  ')
  expect(cell('ab', 4, 'right')).toBe('  ab')
})
