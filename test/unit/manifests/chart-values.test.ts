import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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

test('a severity of a rule that there is not is refused by helm, before operator and webhook refuse to start with it', () => {
  const schema = readFileSync(join(import.meta.dirname, '../../../manifests/charts/joinery/values.schema.json'), 'utf8')
  const { properties } = JSON.parse(schema) as SchemaOfValues
  expect(properties.webhook.properties.severities.propertyNames.enum).toEqual(rules.map(({ id }) => id).toSorted())
})

interface SchemaOfValues {
  readonly properties: {
    readonly webhook: {
      readonly properties: { readonly severities: { readonly propertyNames: { readonly enum: readonly string[] } } }
    }
  }
}
