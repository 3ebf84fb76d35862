import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { allMetricRows } from '../../../src/controllers/metric-table.ts'

const folder = join(import.meta.dirname, '../../../manifests/dashboards')
const rows = new Map(allMetricRows().map((row) => [row.name, row]))
/** What PromQL itself has by these names. */
const functions = new Set('sum max min avg count by rate increase histogram_quantile label_values le'.split(' '))

interface Panel {
  readonly title: string
  readonly type: string
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

interface Dashboard {
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly type: string; readonly query: string }[] }
}

const files = readdirSync(folder).filter((file) => file.endsWith('.json'))

function read(file: string): Dashboard {
  return JSON.parse(readFileSync(join(folder, file), 'utf8')) as Dashboard
}

/** What is wrong with a query: metrics and labels that the table does not have. */
function problems(expr: string, legend = ''): string[] {
  const found: string[] = []
  const labels = new Set(['le', 'quantile'])
  const names = [...expr.matchAll(/\b(?:karpenter|operator|joinery)_\w+/g)]
    .map(([name]) => name)
    .filter((name) => !isLabel(expr, name))
  if (names.length === 0) found.push('no metric is asked for')
  for (const name of names) {
    const row = rows.get(name) ?? rows.get(name.replace(/_(bucket|sum|count)$/, ''))
    if (row === undefined) found.push(`unknown metric ${name}`)
    else if (name.endsWith('_bucket') && row.type !== 'histogram') found.push(`${name} is no histogram`)
    else if (row.type === 'counter' && !/(increase|rate)\(/.test(expr)) found.push(`${name} as it is`)
    for (const label of row?.labels ?? []) labels.add(label)
  }
  const used = [
    ...[...expr.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label),
    ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/)),
    ...[...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label),
  ]
  for (const label of used) if (!labels.has(label) && !functions.has(label)) found.push(`unknown label ${label}`)
  return found
}

/** `karpenter_sh_nodepool` is a label that looks like a metric. */
function isLabel(expr: string, name: string): boolean {
  return name === 'karpenter_sh_nodepool' && expr.includes('operator_')
}

test.each(files)('every query of %s asks for metrics and labels that are exposed', (file) => {
  const wrong = read(file).panels.flatMap(({ title, targets = [] }) =>
    targets.flatMap(({ expr, legendFormat }) => problems(expr, legendFormat).map((problem) => `${title}: ${problem}`)),
  )
  expect(wrong).toEqual([])
})

test.each(files)('the variables of %s are filled from metrics that are exposed', (file) => {
  const queries = read(file).templating.list.filter(({ type }) => type === 'query')
  expect(queries.length).toBeGreaterThan(0)
  for (const { query } of queries) {
    const [, metric = '', label = ''] = /^label_values\((\w+), (\w+)\)$/.exec(query) ?? []
    expect(rows.get(metric)?.labels).toContain(label)
  }
})

test('the dashboard has a row for each subject that a person on call asks about', () => {
  const titles = read('joinery-nodes.json')
    .panels.filter(({ type }) => type === 'row')
    .map(({ title }) => title)
  expect(titles).toEqual([
    'Capacity',
    'Pending pods',
    'Launches',
    'Disruption',
    'Budgets',
    'Drift, interruption, repair',
    'Cost',
    'Rollouts',
  ])
})

test.each([
  ['sum(karpenter_nodes_count)', 'unknown metric karpenter_nodes_count'],
  ['max by (pool) (karpenter_nodepools_limit)', 'unknown label pool'],
  ['karpenter_nodepools_limit{pool="a"}', 'unknown label pool'],
  ['sum(karpenter_nodeclaims_disrupted_total)', 'karpenter_nodeclaims_disrupted_total as it is'],
  ['up', 'no metric is asked for'],
])('a wrong query is noticed: %s', (expr, problem) => {
  expect(problems(expr)).toContain(problem)
})
