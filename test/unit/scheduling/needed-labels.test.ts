import { describe, expect, test } from 'vitest'
import type { NodeSelectorRequirement } from '../../../src/api/kubernetes.ts'
import { aNode, aPod, aPool, aType } from '../../support/scheduling-world.ts'
import { errorsOf, podsPerPlan, solveWorld, spreadOf, typesOn, whereabouts } from '../../support/solving.ts'
import { byZone, required, webPods } from '../../support/spread-world.ts'

/*
 * A pod that wants some value of a label, but not each, by two expressions: together they come to an exclusion, for which a node without the
 * label would do, where kube-scheduler would not.
 */

/** Of the label `special`, which comes with the type, only the large one has a value. */
const types = [aType({ name: 'small', cpu: '4', memory: '4Gi' }), aType({ name: 'large', cpu: '16', memory: '64Gi' })]

function wanting(key: string): readonly NodeSelectorRequirement[] {
  return [
    { key, operator: 'Exists' },
    { key, operator: 'NotIn', values: ['x'] },
  ]
}

test('it gets no type that is without the label', () => {
  const pod = aPod(required(...wanting('special')))
  expect(typesOn(solveWorld({ types, pods: [pod] }).newNodePlans[0])).toEqual(['large'])
  const other = aPod(required({ key: 'special', operator: 'NotIn', values: ['x'] }))
  expect(typesOn(solveWorld({ types, pods: [other] }).newNodePlans[0])).toEqual(['large', 'small'])
})

describe('a pod that needs some value of a label and prefers not each', () => {
  const preferring = (key: string) => {
    const some = { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'Exists' }] }] }
    const notX = { matchExpressions: [{ key, operator: 'NotIn', values: ['x'] }] }
    return {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: some,
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: notX }],
        },
      },
    }
  }

  test('gets no type that is without the label', () => {
    const placement = solveWorld({ types, pods: [aPod(preferring('special'))] })
    expect(typesOn(placement.newNodePlans[0])).toEqual(['large'])
  })

  test('goes to no node that is without the label', () => {
    const nodes = [aNode({ name: 'plain' }), aNode({ name: 'team-y', labels: { team: 'y' } })]
    const placement = solveWorld({ types, nodes, pods: [aPod({ name: 'p', ...preferring('team') })] })
    expect(whereabouts(placement)).toEqual({ p: 'team-y' })
  })
})

test.each(['team', 'special'])('one that wants %s to be absent does not join it, nor the other way round', (key) => {
  const some = aPod({ name: 'some', requests: { cpu: '200m' }, ...required(...wanting(key)) })
  const none = (cpu: string) =>
    aPod({ name: 'none', requests: { cpu }, ...required({ key, operator: 'DoesNotExist' }) })
  const team = { key: 'team', operator: 'Exists' } as const
  for (const cpu of ['100m', '300m']) {
    const pools = [aPool(key === 'team' ? { requirements: [team] } : {})]
    const placement = solveWorld({ types, pools, pods: [some, none(cpu)] })
    expect(podsPerPlan(placement), cpu).toEqual(key === 'team' ? [1] : [1, 1])
    expect(whereabouts(placement)['some']).toMatch(/^new-/)
  }
})

test('a pool that rules the label out is told to', () => {
  const pools = [aPool({ requirements: [{ key: 'team', operator: 'DoesNotExist' }] })]
  const placement = solveWorld({ types, pools, pods: [aPod(required(...wanting('team')))] })
  expect(errorsOf(placement)).toEqual([expect.stringContaining('incompatible requirements, key team')])
})

test.each(['team', 'special'])('those that are spread over zones count for one another on new nodes: %s', (key) => {
  const pods = webPods(4, byZone, required(...wanting(key)))
  const pools = [aPool(key === 'team' ? { requirements: [{ key: 'team', operator: 'Exists' }] } : {})]
  expect(spreadOf(solveWorld({ types, pools, pods }))).toEqual([2, 1, 1])
})
