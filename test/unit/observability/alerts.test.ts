import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { metricTable } from '../../../src/controllers/metric-table.ts'
import { statusMetricTable } from '../../../src/controllers/status-metric-table.ts'
import { queryProblems } from '../../support/promql.ts'

const root = new URL('../../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, root), 'utf8')

interface Alert {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly description: string }
}

const { spec } = parse(read('manifests/components/alerts/prometheusrule.yaml')) as {
  spec: { groups: readonly { rules: readonly Alert[] }[] }
}
const alerts = spec.groups.flatMap(({ rules }) => rules)

test.each(alerts)('$alert asks for metrics and labels that are exposed', ({ expr }) => {
  expect(queryProblems(expr)).toEqual([])
})

test.each(alerts)('$alert tells only labels that its query leaves', ({ expr, annotations }) => {
  const [, left = ''] = /\bby \(([^)]*)\)/.exec(expr) ?? []
  const told = Object.values(annotations).flatMap((text) => [...text.matchAll(/\$labels\.(\w+)/g)])
  expect(told.map(([, label]) => label).filter((label = '') => !left.split(', ').includes(label))).toEqual([])
})

test('phases that are asked for are phases of a RolloutPolicy', () => {
  const [, list = ''] = /"enum": \[("Idle"[^\]]*)\]/.exec(read('schemas/joinery.dev_v1alpha1_rolloutpolicy.json')) ?? []
  const phases = JSON.parse(`[${list}]`) as string[]
  const asked = alerts.flatMap(({ expr }) => /phase=~?"([^"]*)"/.exec(expr)?.[1]?.split('|') ?? [])
  expect(asked.length).toBeGreaterThan(0)
  expect(asked.filter((phase) => !phases.includes(phase))).toEqual([])
})

const page = read('docs/troubleshooting.md')

test('the page for whoever is on call lists every alert with its severity, and no other', () => {
  const listed = [...page.matchAll(/^\| `(Joinery\w+)` \| (\w+) \|/gm)]
  expect(listed.map(([, name, severity]) => `${name} ${severity}`)).toEqual(
    alerts.map(({ alert, labels }) => `${alert} ${labels.severity}`),
  )
})

test('the same page names the alerts that stay silent without the metrics of cluster state', () => {
  const controllers = ['node', 'nodepool', 'pod']
    .map((name) => read(`src/controllers/metrics/${name}-metrics.ts`))
    .join()
  const fed = Object.entries(metricTable).filter(([key]) => new RegExp(`\\bmetrics\\.${key}\\b`).test(controllers))
  const families = [...fed.map(([, row]) => row), ...statusMetricTable].map(({ name }) => name)
  const silent = alerts.filter(({ expr }) => families.some((name) => new RegExp(`\\b${name}\\b`).test(expr)))
  const told = page.split('\n\n').find((text) => text.startsWith('With `settings.disableClusterStateObservability`'))
  expect(silent.length).toBeGreaterThan(3)
  expect([...(told ?? '').matchAll(/`(Joinery\w+)`/g)].map(([, name]) => name)).toEqual(
    silent.map(({ alert }) => alert),
  )
})
