import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { metricRows, queryProblems } from '../../support/promql.ts'

const folder = join(import.meta.dirname, '../../../manifests/dashboards')

interface Panel {
  readonly title: string
  readonly type: string
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[]
}

interface Dashboard {
  readonly panels: readonly Panel[]
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly type: string; readonly query: string }[]
  }
}

const files = readdirSync(folder).filter((file) => file.endsWith('.json'))

function read(file: string): Dashboard {
  return JSON.parse(readFileSync(join(folder, file), 'utf8')) as Dashboard
}

test.each(files)('every query of %s asks for metrics and labels that are exposed', (file) => {
  const wrong = read(file).panels.flatMap(({ title, targets = [] }) =>
    targets.flatMap(({ expr, legendFormat }) =>
      queryProblems(expr, legendFormat).map((problem) => `${title}: ${problem}`),
    ),
  )
  expect(wrong).toEqual([])
})

test.each(files)('whatever %s asks for, it asks of the chosen cluster alone', (file) => {
  const { panels, templating } = read(file)
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  const pools = templating.list.filter(({ name }) => name === 'nodepool').map(({ query }) => query)
  const selectors = [...queries, ...pools].flatMap((expr) => [
    ...expr.matchAll(/(?<!by \([^)]*)\b(?:karpenter|operator|joinery)_\w+\b.{0,20}/g),
  ])
  expect(selectors.length).toBeGreaterThan(40)
  expect(selectors.map(([text]) => text).filter((text) => !text.includes('{cluster=~"$cluster"'))).toEqual([])
})

test.each(files)(
  'no query of %s divides by what may be zero, as the limit of a pool that is to have no nodes',
  (file) => {
    const divisors = read(file).panels.flatMap(({ targets = [] }) =>
      targets.flatMap(({ expr }) => expr.split(' / ').slice(1)),
    )
    expect(divisors.length).toBeGreaterThan(0)
    expect(divisors.filter((divisor) => !/^\(.* > 0\)$/.test(divisor))).toEqual([])
  },
)

test.each(files)('the variables of %s are filled from metrics that are exposed', (file) => {
  const queries = read(file).templating.list.filter(({ type }) => type === 'query')
  expect(queries.length).toBeGreaterThan(0)
  for (const { query } of queries) {
    const [, metric = '', label = ''] = /^label_values\((\w+)(?:\{.*\})?, (\w+)\)$/.exec(query) ?? []
    expect([...(metricRows.get(metric)?.labels ?? []), 'cluster']).toContain(label)
    expect(metricRows.has(metric)).toBe(true)
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
  ['sum(karpenter_nodepools_limit', 'no PromQL'],
])('a wrong query is noticed: %s', (expr, problem) => {
  expect(queryProblems(expr)).toContain(problem)
})
