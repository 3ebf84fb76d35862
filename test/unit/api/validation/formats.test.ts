import { expect, test } from 'vitest'
import { failedFormat } from '../../../../src/api/validation/formats.ts'

test.each([
  ['date-time', '2028-02-29T00:00:00Z', undefined],
  ['date-time', '2026-01-01t23:59:59.5+02:00', undefined],
  ['date-time', '2026-02-29T00:00:00Z', 'date-time'],
  ['date-time', '2026-04-31T00:00:00Z', 'date-time'],
  ['date-time', '2026-01-01T24:00:00Z', 'date-time'],
  ['date', '2028-02-29', undefined],
  ['date', '2026-02-30', 'date'],
  ['anything else', '2026-02-30', undefined],
])('%s: %s', (format, text, want) => {
  expect(failedFormat(format, text)).toBe(want)
})
