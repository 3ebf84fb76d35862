import { describe, expect, test } from 'vitest'
import type { PodInfo } from '../../../src/model/pod.ts'
import { parseQuantity, Quantity } from '../../../src/model/quantity.ts'
import { aPool, aRunningPod, aType, aWorld } from '../../support/disruption-builders.ts'
import { referenceSolve } from '../../reference-scheduler/solve.ts'

const zones = ['z1', 'z2', 'z3']
const sized = (name: string, cpu: number, pods: number) => ({
  ...aType(name, ...zones.map((zone) => ({ price: cpu * 0.1, zone }))),
  requirements: new Map([
    ...aType(name).requirements,
    [
      'topology.kubernetes.io/zone',
      {
        key: 'topology.kubernetes.io/zone',
        complement: false,
        values: new Set(zones),
        lowest: undefined,
        highest: undefined,
        minValues: undefined,
      },
    ],
  ]),
  capacity: new Map([
    ['cpu', Quantity.of(cpu)],
    ['pods', Quantity.of(pods)],
  ]),
})
const readyPool = {
  ...aPool(),
  status: {
    conditions: [{ type: 'Ready', status: 'True' as const, reason: 'Ready', message: '', lastTransitionTime: '' }],
  },
}
const world = aWorld({ pools: [readyPool], types: [sized('small', 2, 5), sized('large', 8, 20)] })

function aPod(index: number, more: Partial<PodInfo> = {}): PodInfo {
  const name = `p${String(index).padStart(3, '0')}`
  const requests = new Map([
    ['cpu', parseQuantity('500m')],
    ['pods', Quantity.of(1)],
  ])
  return aRunningPod({ name, uid: name, nodeName: '', phase: 'Pending', labels: { app: 'a' }, requests, ...more })
}
const pods = (count: number, more: Partial<PodInfo> = {}) =>
  Array.from({ length: count }, (_, index) => aPod(index, more))
const selector = { matchLabels: { app: 'a' } }

describe('the reference greedy', () => {
  test('fills one claim and narrows its types', () => {
    const { claims, failed } = referenceSolve(world, pods(6))
    expect(failed).toEqual([])
    expect(claims.map((claim) => [claim.pods.length, claim.types.map(({ name }) => name)])).toEqual([[6, ['large']]])
  })
  test('spreads over zones, the fourth pod joining the first claim', () => {
    const spread = {
      maxSkew: 1,
      topologyKey: 'topology.kubernetes.io/zone',
      whenUnsatisfiable: 'DoNotSchedule' as const,
      labelSelector: selector,
    }
    const { claims } = referenceSolve(world, pods(4, { topologySpreadConstraints: [spread] }))
    expect(claims.map((claim) => claim.pods.length).toSorted()).toEqual([1, 1, 2])
  })
  test('keeps pods apart that must not share a host', () => {
    const affinity = {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'kubernetes.io/hostname', labelSelector: selector },
        ],
      },
    }
    expect(referenceSolve(world, pods(5, { affinity })).claims).toHaveLength(5)
  })
  test('reports what fits nowhere', () => {
    const requests = new Map([['cpu', Quantity.of(64)]])
    expect(referenceSolve(world, [aPod(1, { requests }), aPod(2)])).toMatchObject({
      failed: ['p001'],
      claims: [{ nodePool: 'default' }],
    })
  })
  test('drops a preference that cannot be had', () => {
    const affinity = {
      nodeAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [
          {
            weight: 1,
            preference: { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['z9'] }] },
          },
        ],
      },
    }
    expect(referenceSolve(world, pods(1, { affinity })).failed).toEqual([])
  })
})
