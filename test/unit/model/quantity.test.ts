import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseQuantity, Quantity, QuantityError, tryParseQuantity } from '../../../src/model/quantity.ts'

describe('text', () => {
  const canonical: Record<string, string> = {
    '100m': '100m',
    '0.1': '100m',
    '1500m': '1500m',
    '1': '1',
    '1000': '1k',
    '1000m': '1',
    '1024Ki': '1Mi',
    '1.5Gi': '1536Mi',
    '128974848': '128974848',
    '1e3': '1e3',
    '1E': '1E',
    '0': '0',
    '-5': '-5',
    '100M': '100M',
    '2Ti': '2Ti',
    '1n': '1n',
  }
  test.each(Object.entries(canonical))('%s is printed as %s', (text, want) => {
    expect(parseQuantity(text).toString()).toBe(want)
  })

  test.each(['', 'abc', '1.2.3', '1Kii', '5 Mi', '0x10', '--1'])('%j is no quantity', (text) => {
    expect(tryParseQuantity(text)).toBeUndefined()
    expect(() => parseQuantity(text)).toThrow(QuantityError)
  })

  test('parts below a billionth are rounded up', () => {
    expect(parseQuantity('0.0000000001').toString()).toBe('1n')
  })

  test('what is printed reads as the same amount', () => {
    const amount = fc.record({
      nano: fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
      format: fc.constantFrom('DecimalSI' as const, 'DecimalExponent' as const),
    })
    fc.assert(
      fc.property(amount, ({ nano, format }) => {
        expect(parseQuantity(new Quantity(nano, format).toString()).nano).toBe(nano)
      }),
    )
  })
})

describe('arithmetic', () => {
  test('is exact where floating point is not', () => {
    const tenths = Array.from({ length: 10 }, () => parseQuantity('0.1')).reduce((sum, part) => sum.add(part))
    expect(tenths.equals(parseQuantity('1'))).toBe(true)
  })

  test('keeps the notation of the first operand that is not zero', () => {
    expect(parseQuantity('1Gi').add(parseQuantity('1000000')).format).toBe('BinarySI')
    expect(parseQuantity('0').add(parseQuantity('1Gi')).toString()).toBe('1Gi')
  })

  test('compares by value', () => {
    expect(parseQuantity('1024Mi').compare(parseQuantity('1Gi'))).toBe(0)
    expect(parseQuantity('999m').compare(parseQuantity('1'))).toBe(-1)
  })
})
