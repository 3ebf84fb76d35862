import { expect, test } from 'vitest'
import { BoundedMemo } from '../../../src/api/bounded-memo.ts'

test('a value is computed once for each key, and anew after so many others that the memo is full', () => {
  const memo = new BoundedMemo<string, number>(3)
  const computed: string[] = []
  const lengthOf = (text: string): number => memo.of(text, (key) => computed.push(key))
  for (const text of ['a', 'b', 'a', 'c', 'b']) lengthOf(text)
  expect(computed).toEqual(['a', 'b', 'c'])
  for (const text of ['d', 'd', 'a']) lengthOf(text)
  expect(computed).toEqual(['a', 'b', 'c', 'd', 'a'])
})

test('what throws is asked again', () => {
  const memo = new BoundedMemo<string, string>(3)
  const fail = (): string => {
    throw new Error('not yet')
  }
  expect(() => memo.of('a', fail)).toThrow('not yet')
  expect(memo.of('a', (key) => key)).toBe('a')
})
