import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
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

test('the page for whoever is on call lists every alert with its severity, and no other', () => {
  const listed = [...read('docs/troubleshooting.md').matchAll(/^\| `(Joinery\w+)` \| (\w+) \|/gm)]
  expect(listed.map(([, name, severity]) => `${name} ${severity}`)).toEqual(
    alerts.map(({ alert, labels }) => `${alert} ${labels.severity}`),
  )
})
