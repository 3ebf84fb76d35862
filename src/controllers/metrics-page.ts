import type { MetricRow } from '../kube/metric-row.ts'
import { allMetricRows } from './metric-table.ts'

/** The reference page of all metrics. */
export function metricsPage(): string {
  const rows = [...allMetricRows()].toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(tableRow)
  return [
    '# Metrics',
    '',
    'Names, labels and buckets are those of Karpenter, so that dashboards and alerts carry over. Stable ones change only with a major',
    'version, beta ones with notice, alpha ones at any time. What controller-runtime, client-go and the AWS SDK publish under Karpenter is',
    'published under the same names: `controller_runtime_*`, `workqueue_*`, `client_go_request_*`, `aws_sdk_go_request_*`, `leader_election_*`.',
    '',
    '| metric | type | labels | stability | meaning |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}

function tableRow(row: MetricRow): string {
  const labels = row.labels.map((label) => `\`${label}\``).join(', ')
  return `| \`${row.name}\` | ${row.type} | ${labels} | ${row.stability} | ${row.help} |`
}
