import { describe, expect, test } from 'vitest'
import { nextStep, nodeCount, ownNodes, presentStep, writableTerms } from '../../../../src/rollout/engine/steps.ts'

test.each([
  [3, 10, 3],
  ['3', 10, 3],
  ['10%', 25, 3],
  ['100%', 7, 7],
  ['1%', 7, 1],
  ['0%', 7, 0],
  [-1, 7, 0],
])('%s of %i nodes are %i', (value, total, want) => {
  expect(nodeCount(value, total)).toBe(want)
})

describe('steps', () => {
  const steps = [
    { nodes: 1, soak: '10m' },
    { nodes: '50%', soak: '1h' },
  ]

  test('are taken in order, and one for the rest closes', () => {
    expect(nextStep(steps, 10, 0)).toEqual({ index: 0, count: 3, goal: 1, soakMs: 600_000, isLast: false })
    expect(nextStep(steps, 10, 1)).toEqual({ index: 1, count: 3, goal: 5, soakMs: 3_600_000, isLast: false })
    expect(nextStep(steps, 10, 5)).toEqual({ index: 2, count: 3, goal: 10, soakMs: 0, isLast: true })
  })

  test('that go no further than the one before are passed over, and lend it their soak where it is longer', () => {
    expect(nextStep(steps, 2, 0)).toEqual({ index: 0, count: 3, goal: 1, soakMs: 3_600_000, isLast: false })
    expect(nextStep(steps, 2, 1)).toEqual({ index: 2, count: 3, goal: 2, soakMs: 0, isLast: true })
    const shorter = [
      { nodes: 1, soak: '2h' },
      { nodes: '10%', soak: '5m' },
      { nodes: '20%' },
      { nodes: '60%', soak: '3h' },
    ]
    expect(nextStep(shorter, 5, 0)).toEqual({ index: 0, count: 5, goal: 1, soakMs: 7_200_000, isLast: false })
    expect(presentStep(shorter, 0, 5, 1).soakMs).toBe(7_200_000)
    expect(presentStep(steps, 0, 2, 1).soakMs).toBe(3_600_000)
  })

  test('a step that took more than it was planned for soaks no shorter than those that it took with it', () => {
    expect(presentStep(steps, 0, 10, 5).soakMs).toBe(3_600_000)
    expect(presentStep(steps, 0, 10, 4).soakMs).toBe(600_000)
  })

  test('without a list there is one with all nodes', () => {
    expect(nextStep([], 10, 0)).toEqual({ index: 0, count: 1, goal: 10, soakMs: 0, isLast: true })
  })

  test('the last listed one soaks when it covers all nodes', () => {
    const all = [{ nodes: 1 }, { nodes: '100%', soak: '5m' }]
    expect(nextStep(all, 10, 1)).toEqual({ index: 1, count: 2, goal: 10, soakMs: 300_000, isLast: true })
  })

  test('more nodes than there are mean all of them', () => {
    expect(nextStep([{ nodes: 50 }], 10, 0)).toEqual({ index: 0, count: 1, goal: 10, soakMs: 0, isLast: true })
  })

  test('of a list that was changed on the way the next is found by how far it goes', () => {
    const changed = [{ nodes: 2 }, { nodes: 4, soak: '1m' }, { nodes: 6 }]
    expect(nextStep(changed, 10, 3)).toMatchObject({ index: 1, goal: 4, soakMs: 60_000 })
  })

  test('the present one keeps the goal that it began with', () => {
    expect(presentStep(steps, 1, 10, 5)).toEqual({ index: 1, count: 3, goal: 5, soakMs: 3_600_000, isLast: false })
    expect(presentStep(steps, 2, 10, 10)).toEqual({ index: 2, count: 3, goal: 10, soakMs: 0, isLast: true })
  })
})

test.each([
  ['the first', 0, 1, 1],
  ['a later one', 1, 5, 4],
  ['the closing one', 2, 10, 5],
])('%s replaces what it goes further than the one before', (_name, index, goal, want) => {
  expect(ownNodes([{ nodes: 1 }, { nodes: '50%' }], presentStep([], index, 10, goal), 10)).toBe(want)
})

test('terms that status would be refused with become none of their nodes; the rest of the gates stays', () => {
  const gates = { nodeReadyTimeout: '5m', maxFailedNodes: -1, maxUnhealthyNodes: '10%' }
  expect(writableTerms({ generation: 1, gates })).toEqual({ generation: 1, gates: { ...gates, maxFailedNodes: 0 } })
  const others = { maxFailedNodes: 2, maxUnhealthyNodes: -1 }
  expect(writableTerms({ generation: 1, gates: others }).gates).toEqual({ maxFailedNodes: 2, maxUnhealthyNodes: 0 })
  const fine = { generation: 1, gates: { maxUnhealthyNodes: 2 } }
  expect(writableTerms(fine)).toBe(fine)
})
