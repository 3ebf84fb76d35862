import { describe, expect, test } from 'vitest'
import { surveyCandidates } from '../../../src/disruption/candidates.ts'
import type { Snapshot } from '../../../src/model/snapshot.ts'
import {
  aBudget,
  aPool,
  aRunningPod,
  aStateNode,
  aType,
  aWorld,
  minute,
  noon,
} from '../../support/disruption-builders.ts'

function said(world: Snapshot, queued: readonly string[] = []): string {
  const survey = surveyCandidates(world, { disruptionClass: 'graceful', queued: new Set(queued) })
  return survey.blocked[0]?.code ?? 'candidate'
}

const until = noon + 10 * minute
const lapsing = aStateNode('n', {
  pods: [
    aRunningPod({ name: 'p', annotations: { 'karpenter.sh/do-not-disrupt': '15m' }, startedAt: until - 15 * minute }),
  ],
})
const nominated = aStateNode('n', { nominatedUntil: until })

describe('a verdict on a node that has not changed', () => {
  test.each([
    ['a pod is protected for a while', lapsing, 'PodDoNotDisrupt'],
    ['the node is promised to a pending pod', nominated, 'Nominated'],
  ])('%s: it changes at that very moment, and back when the clock jumps back', (_, node, code) => {
    const world = aWorld({ nodes: [node] })
    expect(said(world)).toBe(code)
    expect(said({ ...world, now: until - 1 })).toBe(code)
    expect(said({ ...world, now: until })).toBe('candidate')
    expect(said({ ...world, now: until + minute })).toBe('candidate')
    expect(said({ ...world, now: until - 1 })).toBe(code)
  })

  test('is the same object until something is different', () => {
    const world = aWorld({ nodes: [aStateNode('n')] })
    const candidate = (of: Snapshot) =>
      surveyCandidates(of, { disruptionClass: 'graceful', queued: new Set() }).candidates[0]
    const first = candidate(world)
    expect(first).toBeDefined()
    expect(candidate({ ...world, now: noon + minute })).toBe(first)
  })

  test('follows the queue, the budgets of its pods, its pool and its types', () => {
    const node = aStateNode('n', { pods: [aRunningPod({ name: 'p', labels: { app: 'a' } })] })
    const world = aWorld({ nodes: [node] })
    expect(said(world)).toBe('candidate')
    expect(said(world, [node.key])).toBe('InQueue')
    const spent = aBudget('pdb', { selector: { matchLabels: { app: 'a' } }, maxUnavailable: 1 }, 0)
    expect(said({ ...world, podDisruptionBudgets: [spent] })).toBe('PDBBlocked')
    expect(said({ ...world, nodePools: [aPool({ name: 'other' })] })).toBe('NodePoolNotFound')
    expect(said({ ...world, instanceTypes: new Map() })).toBe('NodePoolNotFound')
    expect(said(world)).toBe('candidate')
  })

  test('stays when a budget of other pods changes, comes or goes, and goes with one of its own', () => {
    const nodes = ['a', 'b'].map((app) => aStateNode(app, { pods: [aRunningPod({ labels: { app } })] }))
    const world = aWorld({ nodes })
    const budget = (app: string, left: number) =>
      aBudget(app, { selector: { matchLabels: { app } }, maxUnavailable: 1 }, left)
    const [a, b] = [budget('a', 1), budget('b', 1)]
    const found = (podDisruptionBudgets: Snapshot['podDisruptionBudgets']) =>
      surveyCandidates({ ...world, podDisruptionBudgets }, { disruptionClass: 'graceful', queued: new Set() })
        .candidates
    const [first, second] = found([a, b])
    expect([first?.name, second?.name]).toEqual(['a', 'b'])
    const changed = found([a, budget('b', 2)])
    expect(changed[0]).toBe(first)
    expect(changed[1]).not.toBe(second)
    expect(changed[1]?.name).toBe('b')
    expect(found([a, budget('b', 0), budget('c', 0)])).toEqual([first])
    expect(found([a, budget('b', 0), budget('c', 0)])[0]).toBe(first)
    expect(found([a])[0]).toBe(first)
    expect(found([])[0]).not.toBe(first)
    expect(found([budget('a', 0)]).map(({ name }) => name)).toEqual(['b'])
  })

  test('carries the price of today', () => {
    const node = aStateNode('n')
    const world = aWorld({ nodes: [node] })
    const priced = (price: number) =>
      surveyCandidates(
        {
          ...world,
          instanceTypes: new Map([
            [
              'default',
              { kind: 'resolved', types: [aType(node.labels['node.kubernetes.io/instance-type'] ?? '', { price })] },
            ],
          ]),
        },
        { disruptionClass: 'graceful', queued: new Set() },
      ).candidates[0]?.price
    expect([priced(1), priced(2), priced(1)]).toEqual([1, 2, 1])
  })
})
