import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { chartValuesPage } from '../../../scripts/chart-values.ts'
import { rules } from '../../../src/admission/index.ts'

test('the page of the values is that of the chart as it is', () => {
  expect(readFileSync(join(import.meta.dirname, '../../../docs/chart-values.md'), 'utf8')).toBe(chartValuesPage())
})

test('a value is told with its default and its comment', () => {
  const page = chartValuesPage()
  expect(page).toContain('| `settings.clusterName` | `""` | Required. |')
  expect(page).toContain('| `webhook.replicas` | `2` |')
  expect(page).toMatch(/\| `affinity` \| {2}\| .+ \|\n\| `affinity\.nodeAffinity/)
})

const read = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../manifests/charts/joinery', name), 'utf8')

/** Handed on to an object as they are: what may stand there is for the API server to say. */
const handedOn = [
  'strategy',
  'podSecurityContext',
  'nodeSelector',
  'affinity',
  'controller.resources',
  'grafanaDashboard.labels',
  'webhook.resources',
]

test('every group of values that the chart reads by name is closed: a misspelt value is refused, not passed over', () => {
  expect(openGroups(JSON.parse(read('values.schema.json')) as Schema, parse(read('values.yaml')))).toEqual(handedOn)
})

test('a severity of a rule that there is not is refused by helm, before operator and webhook refuse to start with it', () => {
  const { properties } = JSON.parse(read('values.schema.json')) as SchemaOfValues
  expect(properties.webhook.properties.severities.propertyNames.enum).toEqual(rules.map(({ id }) => id).toSorted())
})

interface SchemaOfValues {
  readonly properties: {
    readonly webhook: {
      readonly properties: { readonly severities: { readonly propertyNames: { readonly enum: readonly string[] } } }
    }
  }
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: unknown
}

function openGroups(schema: Schema | undefined, values: unknown, path: readonly string[] = []): readonly string[] {
  if (typeof values !== 'object' || values === null || Array.isArray(values)) return []
  const entries = Object.entries(values)
  if (entries.length === 0) return []
  if (schema?.additionalProperties !== false) return [path.join('.')]
  return entries.flatMap(([name, each]) => openGroups(schema.properties?.[name], each, [...path, name]))
}
