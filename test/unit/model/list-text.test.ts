import { expect, test } from 'vitest'
import { listText, restText } from '../../../src/model/list-text.ts'

test('a list shows its first items, and how many there are beside them', () => {
  expect(listText(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c, d, e')
  expect(listText(['a', 'b', 'c', 'd', 'e', 'f'])).toBe('a, b, c, d, e and 1 other(s)')
  expect(listText(['a', 'b', 'c'], 1, 'more')).toBe('a and 2 more')
  expect(listText([])).toBe('')
})

test('what is left out is counted for lists of another form, too', () => {
  expect([restText(5, 5, 'others'), restText(8, 5, 'others')]).toEqual(['', ' and 3 others'])
})
