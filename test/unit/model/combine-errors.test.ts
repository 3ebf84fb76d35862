import { expect, test } from 'vitest'
import { throwRejections } from '../../../src/model/combine-errors.ts'

const rejected = (reason: unknown) => ({ status: 'rejected', reason }) as const
const fine = { status: 'fulfilled', value: 1 } as const

test('nothing is thrown where nothing failed', () => {
  expect(() => throwRejections([fine])).not.toThrow()
})

test('a single failure is thrown as it is, and so is the first of several that say the same', () => {
  const [first, second] = [new TypeError('full'), new TypeError('full')]
  const thrown = (results: Parameters<typeof throwRejections>[0]): unknown => {
    try {
      return throwRejections(results)
    } catch (error) {
      return error
    }
  }
  expect(thrown([fine, rejected(first)])).toBe(first)
  expect(thrown([rejected(first), fine, rejected(second)])).toBe(first)
})

test('of different failures none is lost', () => {
  expect(() => throwRejections([rejected(new Error('a')), rejected('b'), rejected(new Error('a'))])).toThrow('a; b')
})
