import { describe, expect, test } from 'vitest'
import { createBodyBudget } from '../../../webhooks/body-budget.ts'

const kibi = 1024

/** Bodies by name, and which of them had to go, in this order. */
function budgetOf(bytesMax: number) {
  const budget = createBodyBudget(bytesMax)
  const gone: string[] = []
  const begin = (name: string) => budget.begin(() => gone.push(name))
  return { budget, gone, begin }
}

describe('when bodies are more than may be held', () => {
  test('the one that holds most has to go, whoever asks for more', () => {
    const { budget, gone, begin } = budgetOf(100 * kibi)
    const [small, large] = [begin('small'), begin('large')]
    large.add(80 * kibi)
    small.add(10 * kibi)
    expect(gone).toEqual([])
    small.add(10 * kibi)
    expect(gone).toEqual(['large'])
    large.add(90 * kibi)
    large.end()
    expect(gone).toEqual(['large'])
    expect(budget.bytes).toBe(22 * kibi)
  })

  test('it may be the one that asks, and of two that hold as much the older one', () => {
    const { gone, begin } = budgetOf(100 * kibi)
    const [first, second, third] = [begin('first'), begin('second'), begin('third')]
    first.add(49 * kibi)
    second.add(49 * kibi)
    third.add(10 * kibi)
    expect(gone).toEqual(['first'])
    third.add(60 * kibi)
    expect(gone).toEqual(['first', 'third'])
  })
})

test('just as much as may be held is held', () => {
  const { budget, gone, begin } = budgetOf(100 * kibi)
  const body = begin('whole')
  body.add(99 * kibi)
  expect([gone, budget.bytes]).toEqual([[], 100 * kibi])
  body.add(1)
  expect([gone, budget.bytes]).toEqual([['whole'], 0])
})

test('bodies whose refusals are one function are counted each by itself', () => {
  const budget = createBodyBudget(100 * kibi)
  const refuse = (): void => undefined
  const [first, second] = [budget.begin(refuse), budget.begin(refuse)]
  first.add(10 * kibi)
  second.add(20 * kibi)
  first.end()
  expect(budget.bytes).toBe(21 * kibi)
})

test('what has ended is no longer counted, however often it is said', () => {
  const { budget, gone, begin } = budgetOf(100 * kibi)
  for (let round = 0; round < 10; round += 1) {
    const body = begin(`${round}`)
    body.add(90 * kibi)
    body.end()
    body.end()
  }
  expect([gone, budget.bytes]).toEqual([[], 0])
})

test('a piece costs more than its bytes: a body of single bytes is no cheap one', () => {
  const { gone, begin } = budgetOf(100 * kibi)
  const body = begin('crumbs')
  for (let piece = 0; piece < 200; piece += 1) body.add(1)
  expect(gone).toEqual(['crumbs'])
})
