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

test('texts take no more room than they may together, however long each is', () => {
  const memo = new BoundedMemo<string, number>(100, 10)
  const computed: string[] = []
  const lengthOf = (text: string): number => memo.of(text, (key) => computed.push(key))
  const long = 'x'.repeat(11)
  for (const text of ['aaaa', long, long, 'bbbb', 'aaaa', 'bbbb']) lengthOf(text)
  expect(computed).toEqual(['aaaa', long, long, 'bbbb'])
  for (const text of ['cccc', 'cccc', 'bbbb', 'cccc', 'aaaa']) lengthOf(text)
  expect(computed.slice(4)).toEqual(['cccc', 'bbbb', 'aaaa'])
})

test('what has no value counts for no room', () => {
  const memo = new BoundedMemo<string, string | undefined>(100, 10)
  expect(memo.of('kept', () => 'a')).toBe('a')
  for (let index = 0; index < 5; index += 1) memo.of('unknown', () => undefined)
  expect(memo.of('kept', () => 'b')).toBe('a')
})

test('what throws is asked again', () => {
  const memo = new BoundedMemo<string, string>(3)
  const fail = (): string => {
    throw new Error('not yet')
  }
  expect(() => memo.of('a', fail)).toThrow('not yet')
  expect(memo.of('a', (key) => key)).toBe('a')
})
