import { expect, test } from 'vitest'
import {
  disruptionController,
  OrchestrationQueue,
  UndoneConsolidations,
  VerdictBook,
} from '../../../../src/controllers/disruption/index.ts'
import { holdingGate, openGate } from '../../../../src/disruption/gate.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { aClaim } from '../../../support/controller-builders.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import {
  aPool,
  aRunningPod,
  aStateNode,
  aType,
  aWorld,
  candidatesOf,
  condition,
} from '../../../support/disruption-builders.ts'
import { aStoredNode, disruptionDeps, replacement } from '../../../support/disruption-deps.ts'
import { recordingLogger } from '../../../support/recording-logger.ts'
import { aStillCluster } from './still-cluster.ts'

test('a node is not asked to go again while it waits for its replacement, though nothing else has changed', async () => {
  const world = aControllerWorld()
  const state = await aStoredNode(world, 'a', { pods: [aRunningPod()], conditions: [condition('Drifted')] })
  const simulatorFor = () =>
    function* simulate() {
      yield undefined
      return { kind: 'placed', replacements: [replacement], destinations: [], unplaced: undefined }
    }
  let launches = 0
  const launch = () => world.kube.create(nodeClaims, aClaim(`new-${(launches += 1)}`))
  const { logged, queue, run, start } = await aStillCluster([state], { simulatorFor, launch }, world)
  await start()
  await run(60_000)
  expect([queue.commands.length, launches]).toEqual([1, 1])
  expect(logged('Reconciler error')).toEqual([])
})

test('an empty node that holds room for a buffer goes when it holds none any more', async () => {
  const world = aControllerWorld()
  const state = await aStoredNode(world, 'a', { conditions: [condition('Consolidatable')] })
  const { known, queue, run, start } = await aStillCluster([state], {}, world)
  known.bufferNodes = new Set([state.key])
  await start()
  await run(60_000)
  expect(queue.commands).toEqual([])
  known.bufferNodes = new Set()
  await run(26_000)
  expect(queue.commands).toHaveLength(1)
})

test('a node that came of a consolidation which did not hold goes when it is held no longer', async () => {
  const world = aControllerWorld()
  const worthless = { 'controller.kubernetes.io/pod-deletion-cost': '-2147483647' }
  const pods = [aRunningPod({ annotations: worthless })]
  const state = await aStoredNode(world, 'a', { pods, conditions: [condition('Consolidatable')] })
  let gate = holdingGate(() => ({ code: 'ConsolidationUndone', message: 'it did not hold' }))
  const undone = { observe: () => undefined, carriedOut: () => undefined, gate: openGate }
  Object.defineProperty(undone, 'gate', { get: () => gate })
  const { queue, run, start } = await aStillCluster([state], { undone }, world)
  await start()
  await run(60_000)
  expect(queue.commands).toEqual([])
  gate = openGate
  await run(26_000)
  expect(queue.commands).toHaveLength(1)
})

test('so is the end of the time for which a consolidation that did not hold is not repeated', async () => {
  const world = aControllerWorld()
  const undone = new UndoneConsolidations(world.clock, () => new Map())
  const [gone] = candidatesOf(aWorld({ nodes: [aStateNode('gone', { pods: [aRunningPod()] })] }))
  if (gone === undefined) throw new Error('expected a candidate')
  const command = { method: 'singleNode', reason: 'Underutilized', replacements: [], destinations: [] } as const
  undone.carriedOut({ ...command, candidates: [gone] }, [])
  undone.provisioned([aRunningPod({ nodeName: '' })], 'claim-a', recordingLogger())
  const worthless = { 'controller.kubernetes.io/pod-deletion-cost': '-2147483647' }
  const pods = [aRunningPod({ annotations: worthless })]
  const state = await aStoredNode(world, 'a', { pods, conditions: [condition('Consolidatable')] })
  const { queue, run, start } = await aStillCluster([state], { undone }, world)
  await start()
  await run(59 * 60_000)
  expect(queue.commands).toEqual([])
  await run(2 * 60_000)
  expect(queue.commands).toHaveLength(1)
})

test('the end of a window is noticed in a cluster in which nothing changes', async () => {
  const world = aControllerWorld()
  const budgets = [{ nodes: '0', schedule: '0 0 * * *', duration: '1h' }]
  const state = await aStoredNode(world, 'a', { conditions: [condition('Consolidatable')] })
  const pools = [aPool({ disruption: { consolidateAfter: '0s', budgets } })]
  const snapshot = aWorld({ nodes: [state], pools, types: [aType('m5.large', { price: 0.1 })], now: 0 })
  const deps = disruptionDeps(world, { snapshot: () => ({ ...snapshot, now: world.clock.now() }) })
  const queue = new OrchestrationQueue(deps)
  await world.start(disruptionController(deps, queue, new VerdictBook()))
  await world.run(59 * 60_000)
  expect(queue.commands).toEqual([])
  await world.run(2 * 60_000)
  expect(queue.commands).toHaveLength(1)
})
