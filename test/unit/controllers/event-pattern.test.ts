import { expect, test } from 'vitest'
import { patternOf } from '../../../src/controllers/event-pattern.ts'

const cases: Record<string, { texts: readonly string[]; matches: readonly string[]; not: readonly string[] }> = {
  'what is not in brackets stands for itself, from beginning to end': {
    texts: ['score 0.50 (a+b)'],
    matches: ['score 0.50 (a+b)'],
    not: ['score 0x50 (a+b)', 'score 0.50 (aab)', 'a score 0.50 (a+b)', 'score 0.50 (a+b).'],
  },
  'a usual part has its usual form': {
    texts: ['<n> of <name>'],
    matches: ['12 of a-b'],
    not: ['x of a-b', '12 of a b'],
  },
  'an unknown part is any text, over lines too, but not none': {
    texts: ['why: <what happened>'],
    matches: ['why: it\nbroke'],
    not: ['why: '],
  },
  'alternatives are the only ones': { texts: ['<Node|NodeClaim> gone'], matches: ['Node gone'], not: ['Nodes gone'] },
  'what may be missing may hold parts': {
    texts: ['not taken[: <why>]'],
    matches: ['not taken', 'not taken: full'],
    not: ['not taken: ', 'not taken, full'],
  },
  'one of several texts is enough, each as a whole': {
    texts: ['first', 'second <n>'],
    matches: ['first', 'second 2'],
    not: ['first 2', 'the second 2', 'second'],
  },
}

test.each(Object.entries(cases))('%s', (_name, { texts, matches, not }) => {
  const pattern = patternOf(texts)
  expect(matches.filter((message) => !pattern.test(message))).toEqual([])
  expect(not.filter((message) => pattern.test(message))).toEqual([])
})

test('a row says how its parts look', () => {
  const pattern = patternOf(['<rule> at <time>'], { rule: /JN-\d+/ })
  expect(['JN-101 at noon', 'XX-1 at noon'].map((message) => pattern.test(message))).toEqual([true, false])
})
