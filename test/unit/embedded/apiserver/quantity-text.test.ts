import { expect, test } from 'vitest'
import { canonicalQuantity } from '../../../../src/embedded/apiserver/types/quantity-text.ts'

/** Of the Kubernetes documentation: no precision is lost, no fractional digits are emitted, the suffix is as large as possible. */
const cases: Readonly<Record<string, string | undefined>> = {
  '0.5': '500m',
  '1024Mi': '1Gi',
  '1536Mi': '1536Mi',
  '1.5Gi': '1536Mi',
  '1000m': '1',
  '1500m': '1500m',
  '1000': '1k',
  '100': '100',
  '1e3': '1e3',
  '12e6': '12e6',
  '8E': '8E',
  '1000P': '1E',
  '0': '0',
  '-2000': '-2k',
  '+5': '5',
  '.25': '250m',
  '0.1n': '1n',
  '': undefined,
  '1 Gi': undefined,
  '1GiB': undefined,
  abc: undefined,
}

test.each(Object.entries(cases))('%s is stored as %s', (text, want) => {
  expect(canonicalQuantity(text)).toBe(want)
})
