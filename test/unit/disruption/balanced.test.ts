import { describe, expect, test } from 'vitest'
import {
  approvalText,
  passesPreCheck,
  poolTotals,
  type PoolTotals,
  scoreCommand,
} from '../../../src/disruption/balanced.ts'
import type { Candidate } from '../../../src/disruption/candidates.ts'
import { isNonEmpty } from '../../../src/model/order.ts'
import { noRequirements } from '../../../src/model/requirements.ts'
import { aPool, aRunningPod, aStateNode, aType, aWorld, candidatesOf } from '../../support/disruption-builders.ts'

const balanced = (name = 'default') =>
  aPool({ name, disruption: { consolidateAfter: '0s', consolidationPolicy: 'Balanced', budgets: [{ nodes: '100%' }] } })
const wellKnown = new Set(['karpenter.sh/capacity-type', 'topology.kubernetes.io/zone'])

/** A node of given price whose pods cost `disruption` beside the node's own 1. */
function nodes(count: number, pods: number, pool = 'default') {
  return Array.from({ length: count }, (_, index) =>
    aStateNode(`${pool}-${index}`, { pool, pods: Array.from({ length: pods }, () => aRunningPod()) }),
  )
}

function scoreOf(candidates: readonly Candidate[], totals: ReadonlyMap<string, PoolTotals>, replacementPrice?: number) {
  if (!isNonEmpty(candidates)) throw new Error('expected candidates')
  const replacements =
    replacementPrice === undefined
      ? []
      : [
          {
            nodePool: 'default',
            requirements: noRequirements,
            instanceTypes: [aType('r', { price: replacementPrice })],
          },
        ]
  return scoreCommand({ candidates, replacements }, totals, wellKnown)
}

describe('the score of a move is its share of the pool’s cost over its share of the pool’s disruption', () => {
  const reference: Record<string, [poolCost: number, saved: number, moved: number, score: string, approved: boolean]> =
    {
      'much saved for little': [58.08, 7.26, 4, '2.81', true],
      fair: [58.08, 4.84, 5, '1.50', true],
      'too little for too much': [58.08, 2.42, 9, '0.42', false],
      'just enough': [48.4, 2.42, 9, '0.50', true],
    }
  test.each(Object.entries(reference))('%s', (_name, [cost, saved, moved, want, approved]) => {
    const world = aWorld({
      pools: [balanced()],
      nodes: nodes(1, moved - 1),
      types: [aType('m5.large', { price: saved })],
    })
    const [found] = scoreOf(candidatesOf(world), new Map([['default', { cost, disruptionCost: 90 }]]))
    expect(found?.score.toFixed(2)).toBe(want)
    expect(found?.approved).toBe(approved)
  })

  test('case 99: one of ten equal nodes at half its price is approved, exactly at the threshold', () => {
    const world = aWorld({ pools: [balanced()], nodes: nodes(10, 8), types: [aType('m5.large', { price: 0.1 })] })
    const candidates = candidatesOf(world)
    const totals = poolTotals({ snapshot: world, candidates, trackedCost: new Map(), trackedDisruptionCost: new Map() })
    const [found] = scoreOf(candidates.slice(0, 1), totals, 0.05)
    expect(found).toMatchObject({ score: 0.5, approved: true })
    if (found !== undefined) {
      expect(approvalText(found)).toBe('score 0.50 >= threshold 0.50 (k: 2, savings 5.0%, disruption 10.0%)')
    }
  })

  test.each([0.0029, 0.005, 0.0336, 0.0416, 0.192, 0.2268, 1.536])(
    'case 99 holds at any price, $%d here: what is just the threshold is not missed by the last digit of a binary fraction',
    (price) => {
      for (const count of [5, 7, 10, 20, 31]) {
        for (const pods of [1, 8, 11]) {
          const world = aWorld({
            pools: [balanced()],
            nodes: nodes(count, pods),
            types: [aType('m5.large', { price })],
          })
          const candidates = candidatesOf(world)
          const input = { snapshot: world, candidates, trackedCost: new Map(), trackedDisruptionCost: new Map() }
          const scores = scoreOf(candidates.slice(0, 1), poolTotals(input), price / 2)
          expect(scores, `${count} nodes with ${pods} pods each`).toMatchObject([{ score: 0.5, approved: true }])
        }
      }
    },
  )

  test('case 100: of several pools only the Balanced ones are scored, each by its share of the price', () => {
    const pools = [balanced('careful'), aPool({ name: 'plain' })]
    const world = aWorld({
      pools,
      nodes: [...nodes(1, 1, 'careful'), ...nodes(1, 1, 'plain')],
      types: [aType('m5.large', { price: 1 })],
    })
    const totals = new Map([['careful', { cost: 3, disruptionCost: 4 }]])
    const scores = scoreOf(candidatesOf(world), totals, 0.5)
    expect(scores.map(({ pool, savings, approved }) => [pool, savings, approved])).toEqual([['careful', 0.75, true]])
    const dear = new Map([['careful', { cost: 3.01, disruptionCost: 4 }]])
    expect(scoreOf(candidatesOf(world), dear, 0.5)).toMatchObject([{ pool: 'careful', approved: false }])
  })

  test('nothing saved scores nothing', () => {
    const world = aWorld({ pools: [balanced()], nodes: nodes(1, 1), types: [aType('m5.large', { price: 1 })] })
    expect(scoreOf(candidatesOf(world), new Map([['default', { cost: 4, disruptionCost: 4 }]]), 2)).toMatchObject([
      { score: 0, approved: false },
    ])
  })
})

describe('before simulating', () => {
  const world = aWorld({ pools: [balanced()], nodes: nodes(1, 8), types: [aType('m5.large', { price: 1 })] })
  const [candidate] = candidatesOf(world)
  test('a node whose outright deletion would not pay is skipped', () => {
    expect(candidate && passesPreCheck(candidate, new Map([['default', { cost: 100, disruptionCost: 20 }]]))).toBe(
      false,
    )
    expect(candidate && passesPreCheck(candidate, new Map([['default', { cost: 3, disruptionCost: 20 }]]))).toBe(true)
  })
  test('without totals it is not', () => {
    expect(candidate && passesPreCheck(candidate, new Map())).toBe(true)
  })
  test('nor is one of a pool of another policy, however little it would save', () => {
    const plain = aWorld({ pools: [aPool()], nodes: nodes(1, 8), types: [aType('m5.large', { price: 1 })] })
    const [other] = candidatesOf(plain)
    expect(other && passesPreCheck(other, new Map([['default', { cost: 100, disruptionCost: 20 }]]))).toBe(true)
  })
  test('a node at just the threshold is not', () => {
    expect(candidate && passesPreCheck(candidate, new Map([['default', { cost: 2, disruptionCost: 9 }]]))).toBe(true)
    expect(candidate && passesPreCheck(candidate, new Map([['default', { cost: 2.001, disruptionCost: 9 }]]))).toBe(
      false,
    )
  })
})

test('totals take what the shell tracks for nodes that are no candidates, and 1 for those it knows nothing of', () => {
  const world = aWorld({
    pools: [balanced()],
    nodes: [...nodes(1, 2), aStateNode('new', { initialized: false }), aStateNode('out', { initialized: false })],
    types: [aType('m5.large', { price: 1 })],
  })
  const candidates = candidatesOf({ ...world, nodes: world.nodes.slice(0, 1) })
  const input = { snapshot: world, candidates, trackedDisruptionCost: new Map([['aws:///z1/i-new', 4]]) }
  expect(poolTotals({ ...input, trackedCost: new Map() }).get('default')).toEqual({
    cost: 1,
    disruptionCost: 3 + 4 + 1,
  })
  expect(poolTotals({ ...input, trackedCost: new Map([['default', 7]]) }).get('default')?.cost).toBe(7)
})
