import { expect, test } from 'vitest'
import type { NodeClaim, RolloutPolicy } from '../../../../src/api/karpenter.ts'
import { Quantity } from '../../../../src/model/quantity.ts'
import {
  type FleetInput,
  fleetView,
  type NodePhase,
  pricesFrom,
} from '../../../../src/operator/dashboard/fleet-view.ts'
import {
  aPool,
  aRunningPod,
  aStateNode,
  aType,
  aWorld,
  condition,
  type NodeOptions,
  noon,
} from '../../../support/disruption-builders.ts'

function anInput(more: Partial<FleetInput> = {}): FleetInput {
  return {
    cluster: 'shop',
    snapshot: aWorld(),
    nodeClasses: [],
    policies: [],
    nodeClaims: [],
    priceOf: () => undefined,
    blocked: new Map(),
    ...more,
  }
}

const requests = new Map([
  ['cpu', Quantity.of(1)],
  ['memory', Quantity.of(1024)],
])

test('usage is what pods request over what they may use, and sums up by pool and in total', () => {
  const nodes = [
    aStateNode('b', { pods: [aRunningPod({ requests }), aRunningPod({ requests })] }),
    aStateNode('a', { pods: [aRunningPod({ requests })] }),
    aStateNode('c', { pool: 'other', pods: [] }),
  ]
  const snapshot = aWorld({ pools: [aPool(), aPool({ name: 'other' })], nodes })
  const view = fleetView(anInput({ snapshot }))
  expect(view.nodes.map(({ pool, name, cpu, pods }) => [pool, name, cpu, pods])).toEqual([
    ['default', 'a', { requested: 1, allocatable: 2 }, 1],
    ['default', 'b', { requested: 2, allocatable: 2 }, 2],
    ['other', 'c', { requested: 0, allocatable: 2 }, 0],
  ])
  expect(view.pools.map(({ name, presentNodes, cpu }) => [name, presentNodes, cpu])).toEqual([
    ['default', 2, { requested: 3, allocatable: 4 }],
    ['other', 1, { requested: 0, allocatable: 2 }],
  ])
  expect(view.totals).toMatchObject({ nodes: 3, pods: 3, cpu: { requested: 3, allocatable: 6 } })
})

test('a price is that of the offering the node was bought as; what has none is counted as unknown', () => {
  const types = new Map([
    ['m5.large', aType('m5.large', { price: 0.1 }, { price: 0.03, capacityType: 'spot' }, { price: 0.2, zone: 'z2' })],
  ])
  const nodes = [
    aStateNode('on-demand'),
    aStateNode('spot', { capacityType: 'spot' }),
    aStateNode('elsewhere', { zone: 'z3' }),
    aStateNode('other-type', { type: 'x.y' }),
    aStateNode('unmanaged', { pool: '', claim: 'none' }),
  ]
  const priceOf = pricesFrom((pool) => (pool === 'default' ? types : undefined))
  const { nodes: views, totals } = fleetView(anInput({ snapshot: aWorld({ nodes }), priceOf }))
  expect(Object.fromEntries(views.map(({ name, usdPerHour }) => [name, usdPerHour]))).toEqual({
    unmanaged: null,
    elsewhere: null,
    'on-demand': 0.1,
    'other-type': null,
    spot: 0.03,
  })
  expect(totals.cost).toEqual({ usdPerHour: 0.13, unknownNodes: 3 })
})

test('the sum of prices does not depend on the order of the nodes', () => {
  const nodes = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => aStateNode(name))
  const cost = (by: number): number =>
    fleetView(
      anInput({
        snapshot: aWorld({ nodes: nodes.toSorted((a, b) => by * (a.name < b.name ? -1 : 1)) }),
        priceOf: () => 0.1,
      }),
    ).totals.cost.usdPerHour
  expect(cost(1)).toBe(0.7)
  expect(cost(-1)).toBe(0.7)
})

const states: Record<string, { node: NodeOptions; want: NodePhase }> = {
  'a node that works is ready': { node: {}, want: 'Ready' },
  'a node whose kubelet is silent is not ready': { node: { ready: 'Unknown' }, want: 'NotReady' },
  'a node that is to go drains, whatever else it is': {
    node: { ready: 'False', markedForDeletion: true },
    want: 'Draining',
  },
  'a node that has not registered is registering': { node: { initialized: false }, want: 'Registering' },
}

test.each(Object.entries(states))('%s', (_name, { node, want }) => {
  const { nodes } = fleetView(anInput({ snapshot: aWorld({ nodes: [aStateNode('n', node)] }) }))
  expect(nodes[0]?.state).toBe(want)
})

test('an instance without a node has not registered; one that had, and lost its node, is not ready, and tells why', () => {
  const lost = aStateNode('lost', { node: 'none' })
  const { nodeClaim } = aStateNode('young', { node: 'none' })
  const status = { ...nodeClaim?.status, conditions: [condition('Launched')] }
  const young = { ...aStateNode('young', { node: 'none' }), nodeClaim: nodeClaim && { ...nodeClaim, status } }
  const block = { code: 'NoNode', message: 'Nodeclaim does not have an associated node' }
  const blocked = new Map(['lost', 'young'].map((name) => [name, [block]]))
  const { nodes } = fleetView(anInput({ snapshot: aWorld({ nodes: [lost, young] }), blocked }))
  expect(nodes.map(({ name, state, blocked: by }) => [name, state, by])).toEqual([
    ['lost', 'NotReady', [block]],
    ['young', 'Registering', []],
  ])
})

test('a cordoned node says so', () => {
  const state = aStateNode('n')
  const node =
    state.node === undefined ? undefined : { ...state.node, spec: { ...state.node.spec, unschedulable: true } }
  const { nodes } = fleetView(anInput({ snapshot: aWorld({ nodes: [{ ...state, node }] }) }))
  expect(nodes[0]?.state).toBe('Cordoned')
})

test('a claim without an instance is a node to come; one with an instance is not counted twice', () => {
  const launched = aStateNode('there')
  const claim = (name: string, status: NodeClaim['status']): NodeClaim => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name,
      uid: name,
      resourceVersion: '1',
      creationTimestamp: '2026-06-14T11:59:00Z',
      labels: { 'karpenter.sh/nodepool': 'default' },
    },
    spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }, requirements: [] },
    ...(status === undefined ? {} : { status }),
  })
  const nodeClaims = [claim('coming', undefined), claim('claim-there', { providerID: 'aws:///z1/i-there' })]
  const { nodes, pools } = fleetView(anInput({ snapshot: aWorld({ nodes: [launched] }), nodeClaims }))
  expect(nodes.map(({ name, state, createdAt }) => [name, state, createdAt])).toEqual([
    ['coming', 'Launching', noon - 60_000],
    ['there', 'Ready', Date.parse('2026-06-14T00:00:00Z')],
  ])
  expect(pools[0]?.presentNodes).toBe(2)
})

test('a drifted node tells why, and everyday answers are no blockers', () => {
  const drifted = { ...condition('Drifted'), reason: 'AMIDrift', message: 'AMIDrift: ami-1 -> ami-2' }
  const blocked = new Map([
    [
      'n',
      [
        { code: 'NotConsolidatable', message: 'too new' },
        { code: 'PDBBlocked', message: 'shop/web allows none' },
      ],
    ],
  ])
  const snapshot = aWorld({ nodes: [aStateNode('n', { conditions: [drifted] }), aStateNode('o')] })
  const { nodes } = fleetView(anInput({ snapshot, blocked }))
  expect(nodes.map(({ drifted: why, blocked: by }) => [why, by])).toEqual([
    [
      { reason: 'AMIDrift', message: 'AMIDrift: ami-1 -> ami-2' },
      [{ code: 'PDBBlocked', message: 'shop/web allows none' }],
    ],
    [null, []],
  ])
})

test('a pool whose nodes are all new is not done while the last step of its policy soaks', () => {
  const settled = { ...condition('Reconciling'), status: 'False' as const, reason: 'UpToDate' }
  const pool = { ...aPool(), status: { conditions: [condition('Ready'), settled] } }
  const policy: RolloutPolicy = {
    apiVersion: 'joinery.dev/v1alpha1',
    kind: 'RolloutPolicy',
    metadata: { name: 'careful', uid: 'p', resourceVersion: '1', creationTimestamp: '2026-06-01T00:00:00Z' },
    spec: { nodePoolSelector: { names: ['default'] } },
    status: {
      phase: 'Soaking',
      nodePools: [{ name: 'default', startNodes: 3 }],
      conditions: [condition('Reconciling')],
    },
  }
  const outlooks = [[], [policy]].map((policies) =>
    fleetView(anInput({ snapshot: aWorld({ pools: [pool] }), policies })).pools.map(({ outlook, reason }) => [
      outlook,
      reason,
    ]),
  )
  expect(outlooks).toEqual([[['Done', 'UpToDate']], [['Progressing', 'Soaking']]])
})
