import { parser } from '@prometheus-io/lezer-promql'
import { allMetricRows } from '../../src/controllers/metric-table.ts'

type MetricRow = Pick<ReturnType<typeof allMetricRows>[number], 'name' | 'type' | 'labels'>

/** Of kube-apiserver; `test/peers/kubernetes/webhook.test.ts` sees it there. */
const webhookRequests: MetricRow = {
  name: 'apiserver_admission_webhook_request_total',
  type: 'counter',
  labels: ['name', 'code'],
}

export const metricRows: ReadonlyMap<string, MetricRow> = new Map(
  [...allMetricRows(), webhookRequests].map((row) => [row.name, row]),
)
/** What PromQL itself has by these names. */
const functions = new Set('sum max min avg count by rate increase histogram_quantile label_values le'.split(' '))

/** What is wrong with a query: its grammar, by that of Prometheus, and metrics and labels that the table does not have. */
export function queryProblems(expr: string, legend = ''): string[] {
  const found: string[] = isPromQL(expr) ? [] : ['no PromQL']
  // Whoever scrapes several clusters adds `cluster` to whatever is exposed.
  const labels = new Set(['le', 'quantile', 'cluster'])
  const names = [...expr.matchAll(/\b(?:apiserver|karpenter|operator|joinery)_\w+/g)]
    .map(([name]) => name)
    .filter((name) => !isLabel(expr, name))
  if (names.length === 0) found.push('no metric is asked for')
  for (const name of names) {
    const row = metricRows.get(name) ?? metricRows.get(name.replace(/_(bucket|sum|count)$/, ''))
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

/** Grafana fills its variables in before the query is sent. */
function isPromQL(expr: string): boolean {
  let isSound = true
  parser.parse(expr.replaceAll(/\$__?\w+/g, '5m')).iterate({
    enter: ({ type }) => {
      if (type.isError) isSound = false
    },
  })
  return isSound
}
