import { expect, test } from 'vitest'
import { blockedNow, unread } from '../../../../src/cli/top/live-fleet.ts'
import { aPool, aStateNode, aWorld, condition } from '../../../support/disruption-builders.ts'

const drifted = { conditions: [condition('Drifted')] }

test('what the status of a pool says to hold all drifted nodes is shown at each of them, and at no other', () => {
  const pool = {
    ...aPool(),
    status: {
      driftedNodes: 2,
      blockedNodes: 2,
      blockedBy: [{ reason: 'RolloutHeld', nodes: 2, message: 'a: RolloutPolicy careful: soaks until noon' }],
    },
  }
  const world = aWorld({ pools: [pool], nodes: [aStateNode('a', drifted), aStateNode('b', drifted), aStateNode('c')] })
  const block = { code: 'RolloutHeld', message: 'RolloutPolicy careful: soaks until noon' }
  expect(blockedNow(world)).toEqual(
    new Map([
      ['a', [block]],
      ['b', [block]],
    ]),
  )
})

test('what holds only some of them is told at the pool alone', () => {
  const status = { driftedNodes: 2, blockedNodes: 1, blockedBy: [{ reason: 'PDBBlocked', nodes: 1, message: 'a: x' }] }
  const world = aWorld({ pools: [{ ...aPool(), status }], nodes: [aStateNode('a', drifted), aStateNode('b', drifted)] })
  expect(blockedNow(world)).toEqual(new Map())
})

test('of several causes a node tells the one that it can be, where that is known', () => {
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' }
  const causes = [
    { reason: 'RolloutHeld', nodes: 2, message: 'b: RolloutPolicy careful: soaks until noon' },
    { reason: 'NodeDoNotDisrupt', nodes: 1, message: 'a: disruption is blocked through the annotation' },
  ]
  const nodes = [aStateNode('a', { ...drifted, annotations }), aStateNode('b', drifted), aStateNode('c', drifted)]
  const codesBy = (blockedBy: typeof causes, drifting: number) => {
    const status = { driftedNodes: drifting, blockedNodes: drifting, blockedBy }
    const blocked = blockedNow(aWorld({ pools: [{ ...aPool(), status }], nodes }))
    return Object.fromEntries([...blocked].map(([name, blocks]) => [name, blocks.map(({ code }) => code)]))
  }
  expect(codesBy(causes, 3)).toEqual({ a: ['NodeDoNotDisrupt'], b: ['RolloutHeld'], c: ['RolloutHeld'] })
  const more = [...causes, { reason: 'BudgetExhausted', nodes: 1, message: 'd: none is left' }]
  expect(codesBy(more, 4)).toEqual({ a: ['NodeDoNotDisrupt'], b: ['RolloutHeld'], c: ['Held'] })
})

test('a node tells what is about itself', () => {
  const annotations = { 'karpenter.sh/do-not-disrupt': 'true' }
  const blocked = blockedNow(
    aWorld({ nodes: [aStateNode('a', { annotations }), aStateNode('b', { ...drifted, annotations })] }),
  )
  expect([...blocked.values()].flat().map(({ code }) => code)).toEqual(['NodeDoNotDisrupt', 'NodeDoNotDisrupt'])
})

test('kinds that cannot be read for one reason are named in one line', () => {
  const refused = 'connect ECONNREFUSED 127.0.0.1:1'
  const complaints = new Map([
    ['pods', refused],
    ['nodes', 'pods is forbidden'],
    ['nodeclaims', refused],
  ])
  expect(unread(['pods', 'nodes', 'nodeclaims', 'nodepools'], complaints)).toEqual([
    `error: cannot read pods, nodeclaims: ${refused}`,
    'error: cannot read nodes: pods is forbidden',
    'error: cannot read nodepools: no answer',
  ])
})
