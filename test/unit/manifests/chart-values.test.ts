import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chartValuesPage } from '../../../scripts/chart-values.ts'

test('the page of the values is that of the chart as it is', () => {
  expect(readFileSync(join(import.meta.dirname, '../../../docs/chart-values.md'), 'utf8')).toBe(chartValuesPage())
})

test('a value is told with its default and its comment', () => {
  const page = chartValuesPage()
  expect(page).toContain('| `settings.clusterName` | `""` | Required. |')
  expect(page).toContain('| `webhook.replicas` | `2` |')
  expect(page).toMatch(/\| `affinity` \| {2}\| .+ \|\n\| `affinity\.nodeAffinity/)
})
