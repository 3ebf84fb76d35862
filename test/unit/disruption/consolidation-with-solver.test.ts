import { expect, test } from 'vitest'
import { computeConsolidation } from '../../../src/disruption/consolidation.ts'
import { decideDrift } from '../../../src/disruption/drift.ts'
import { runToEnd } from '../../../src/model/sliced.ts'
import { validateSimulation } from '../../../src/disruption/validation.ts'
import { toTimestamp } from '../../../src/model/clock.ts'
import { simulatorOn } from '../../../src/disruption/what-if.ts'
import type { InstanceType } from '../../../src/model/instance-type.ts'
import type { PodInfo } from '../../../src/model/pod.ts'
import { toResources } from '../../../src/model/resources.ts'
import type { Snapshot, StateNode } from '../../../src/model/snapshot.ts'
import { virtualPods } from '../../../src/scheduling/capacity-buffer.ts'
import { defaultSettings } from '../../../src/scheduling/index.ts'
import {
  aPool,
  aRunningPod,
  aStateNode,
  aWorld,
  candidatesOf,
  condition,
  minute,
  noon,
} from '../../support/disruption-builders.ts'
import { budgetsOf, options } from '../../support/disruption-decisions.ts'
import { anOffering, aType } from '../../support/scheduling-world.ts'

const typeOf = (name: string, cpu: string, price: number, available = true): InstanceType =>
  aType({ name, cpu, memory: '8Gi', offerings: [anOffering('z1', 'on-demand', price, { available })] })
const large = typeOf('large', '2', 1)
const small = typeOf('small', '1', 0.4)
const sold = [typeOf('large', '2', 1, false)]

const aPodOf = (name: string, cpu: string): PodInfo =>
  aRunningPod({ name, uid: name, requests: toResources({ cpu, pods: '1' }) })

/** With two cores, and as many pods as it likes. */
function aNode(name: string, pods: readonly PodInfo[] = [], more: Parameters<typeof aStateNode>[1] = {}): StateNode {
  const resources = toResources({ cpu: '2', memory: '8Gi', pods: '20' })
  return { ...aStateNode(name, { type: 'large', pods, ...more }), capacity: resources, allocatable: resources }
}

function aFleet(nodes: readonly StateNode[], types: readonly InstanceType[] = [large, small]): Snapshot {
  const pool = aPool()
  return aWorld({ pools: [{ ...pool, status: { conditions: [condition('Ready')] } }], nodes, types })
}

/** The types of what would be launched for the nodes of that name, were they taken away together; or why they stay. */
function consolidate(world: Snapshot, ...names: readonly string[]) {
  const candidates = candidatesOf(world).filter(({ name }) => names.includes(name))
  const result = runToEnd(computeConsolidation('singleNode', candidates, simulatorOn(world, defaultSettings), options))
  if (result.kind === 'nothing') return result.message
  return result.command.replacements.map(({ instanceTypes }) => instanceTypes.map(({ name }) => name))
}

test('case 73: of two nodes one goes whose pods fit on the other', () => {
  const world = aFleet([aNode('a', [aPodOf('p', '1')]), aNode('b', [aPodOf('q', '1')])])
  expect(consolidate(world, 'a')).toEqual([])
})

test('case 77: a pod that would fit nowhere holds its node, and is named', () => {
  const world = aFleet([aNode('a', [aPodOf('p', '1')]), aNode('b', [aPodOf('q', '2')])], sold)
  expect(consolidate(world, 'a')).toMatch(/^Not all pods would schedule, default\/p => \S.* $/)
})

test('case 77: of many such pods five are named', () => {
  const many = ['1', '2', '3', '4', '5', '6', '7'].map((name) => aPodOf(name, '200m'))
  expect(consolidate(aFleet([aNode('a', many)], sold), 'a')).toMatch(
    /^Not all pods would schedule, (default\/\d => .* ){5} and 2 other\(s\)$/,
  )
})

test('case 83: three nodes become one that costs less, which any one of their own kind does as well', () => {
  const nodes = ['a', 'b', 'c'].map((name) => aNode(name, [aPodOf(`p-${name}`, '250m')]))
  expect(consolidate(aFleet(nodes), 'a', 'b', 'c')).toEqual([['small', 'large']])
  expect(consolidate(aFleet(nodes.slice(0, 1)), 'a')).toEqual([['small']])
})

test('case 75: nothing is consolidated onto a node that its pool leaves in peace, now or after the wait; drift does not ask', () => {
  const settling = aNode('b', [aPodOf('q', '1')])
  const { nodeClaim } = settling
  if (nodeClaim === undefined) throw new Error('it has one')
  const status = { ...nodeClaim.status, lastPodEventTime: toTimestamp(noon - minute) }
  const drifting = aNode('a', [aPodOf('p', '1')], { conditions: [condition('Drifted'), condition('Consolidatable')] })
  const calm = aFleet([drifting, { ...settling, nodeClaim: { ...nodeClaim, status } }], sold)
  const world = { ...calm, nodePools: [aPool({ disruption: { consolidateAfter: '5m' } })] }
  const [candidate] = candidatesOf(world).filter(({ name }) => name === 'a')
  if (candidate === undefined) throw new Error('it is one')
  const simulate = simulatorOn(world, defaultSettings)
  const unplaced = /^not all pods would schedule, default\/p => /i
  expect(consolidate(world, 'a')).toMatch(unplaced)
  const deletion = { reason: 'Underutilized', candidates: [candidate], replacements: [], destinations: [] } as const
  expect(runToEnd(validateSimulation({ method: 'singleNode', ...deletion }, simulate))).toMatchObject({
    failure: 'scheduling',
    message: expect.stringMatching(unplaced),
  })
  expect(runToEnd(decideDrift([candidate], budgetsOf(world, 'Drifted'), simulate)).command?.replacements).toEqual([])
})

test('case 91: a node whose pods need two new ones stays', () => {
  const world = aFleet([aNode('a', [aPodOf('p', '800m'), aPodOf('q', '800m')])], [small])
  expect(consolidate(world, 'a')).toBe("Can't remove without creating 2 candidates")
})

test('pods of a node that is on its way out may go to one that is not initialized; others may not', () => {
  const coming = aNode('coming', [], { initialized: false })
  const placed = (nodes: readonly StateNode[]) => {
    const world = aFleet([...nodes, coming], sold)
    const candidates = candidatesOf({ ...world, nodes: nodes.slice(0, 1) })
    return runToEnd(simulatorOn(world, defaultSettings)({ candidates, destinations: 'stable' }))
  }
  const leaving = aNode('leaving', [aPodOf('p', '1')], { markedForDeletion: true })
  expect(placed([aNode('a'), leaving])).toMatchObject({ kind: 'placed', unplaced: undefined })
  expect(placed([aNode('a', [aPodOf('q', '1')])])).toMatchObject({
    unplaced: expect.stringContaining(
      'default/q => would schedule against uninitialized nodeclaim/claim-coming, node/coming',
    ),
  })
})

test('nodes that get pods are named with them, but not with stand-ins of buffers', () => {
  const world = aFleet([aNode('a', [aPodOf('p', '1')]), aNode('b')], sold)
  const virtual = virtualPods({ namespace: 'shop', name: 'spare', uid: 'u' }, { spec: { containers: [] } }, 1)
  const destinationsWithout = (name: string) => {
    const candidates = candidatesOf(world).filter((candidate) => candidate.name === name)
    const result = runToEnd(simulatorOn(world, defaultSettings, { virtual })({ candidates, destinations: 'stable' }))
    return result.kind === 'placed'
      ? result.destinations.map(({ node, pods }) => [node.name, pods.map(({ uid }) => uid)])
      : result.kind
  }
  expect(destinationsWithout('a')).toEqual([['b', ['p']]])
  expect(destinationsWithout('b')).toEqual([])
})

test('pods of nodes that are on their way out want their places, too, as far as they may move', () => {
  const room = [aNode('a', [aPodOf('p', '1')]), aNode('b', [aPodOf('q', '1')])]
  const leaving = (pod: PodInfo) => aNode('leaving', [pod], { markedForDeletion: true })
  const goes = (pod: PodInfo) => {
    const world = aFleet([...room, leaving(pod)], sold)
    const candidates = candidatesOf(aFleet(room, sold)).filter(({ name }) => name === 'a')
    const result = runToEnd(
      computeConsolidation('singleNode', candidates, simulatorOn(world, defaultSettings), options),
    )
    return result.kind === 'command'
  }
  expect(goes(aPodOf('moving', '1'))).toBe(false)
  expect(goes({ ...aPodOf('held', '1'), annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })).toBe(true)
})
