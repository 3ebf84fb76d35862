import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { metricsPage } from '../../../../src/controllers/metrics-page.ts'

test('the metrics page is made from the table', () => {
  expect(readFileSync(new URL('../../../../docs/metrics.md', import.meta.url), 'utf8')).toBe(metricsPage())
})
