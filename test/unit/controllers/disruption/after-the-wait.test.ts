import { expect, test } from 'vitest'
import { PlanLedger } from '../../../../src/cluster/plan-ledger.ts'
import type { DisruptionDeps } from '../../../../src/controllers/disruption/deps.ts'
import {
  disruptionController,
  OrchestrationQueue,
  UndoneConsolidations,
  VerdictBook,
} from '../../../../src/controllers/disruption/index.ts'
import type { Replacement } from '../../../../src/disruption/command.ts'
import { openGate } from '../../../../src/disruption/gate.ts'
import type { SimulationRequest } from '../../../../src/disruption/simulation.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import type { PodInfo } from '../../../../src/model/pod.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aRunningPod, aStateNode, aType, aWorld, condition } from '../../../support/disruption-builders.ts'
import { fixedRandom } from '../../../support/fixed-random.ts'

/** A node that consolidation wants to delete, in a cluster where only pods named `small` fit elsewhere. */
async function aNode(before: readonly PodInfo[], after: readonly PodInfo[]) {
  const world = aControllerWorld()
  const state = aStateNode('a', { pods: [...before], conditions: [condition('Consolidatable')] })
  if (state.node === undefined || state.nodeClaim === undefined) throw new Error('it has both')
  const node = await world.kube.create(nodes, state.node)
  const nodeClaim = await world.kube.create(nodeClaims, state.nodeClaim)
  const types = [aType('m5.large', { price: 0.1 })]
  const started = world.clock.monotonicMs()
  const marked: string[] = []
  const simulated: (readonly string[])[] = []
  const deps = {
    ...world,
    random: fixedRandom(),
    cluster: {
      synced: true,
      snapshot: () => {
        const pods = [...(world.clock.monotonicMs() - started < 10_000 ? before : after)]
        return Promise.resolve(aWorld({ nodes: [{ ...state, node, nodeClaim, pods }], types, now: world.clock.now() }))
      },
      plans: new PlanLedger(),
      poolCosts: new Map(),
      disruptionCosts: new Map(),
      markForDeletion: (key: string) => marked.push(key),
      nominate: () => undefined,
      hasNodeClaim: () => true,
      bufferNodes: new Set(),
      consolidationState: 1,
    },
    simulatorFor: () =>
      function* simulate({ candidates }: SimulationRequest) {
        yield undefined
        const names = candidates.flatMap(({ reschedulablePods }) => reschedulablePods.map(({ name }) => name))
        simulated.push(names)
        const unplaced = names.every((name) => name === 'small') ? undefined : 'not all pods would schedule'
        return { kind: 'placed', replacements: [], destinations: [], unplaced }
      },
    gate: () => openGate,
    undone: new UndoneConsolidations(world.clock),
    settings: { wellKnownLabels: new Set<string>(), spotToSpot: false },
  } as unknown as DisruptionDeps<Replacement>
  await world.start(disruptionController(deps, new OrchestrationQueue(deps), new VerdictBook()))
  await world.run(16_000)
  return { marked, simulated }
}

const [small, large] = [aRunningPod({ name: 'small' }), aRunningPod({ name: 'large' })]

test('a node stays to which a pod came during the wait that fits nowhere else', async () => {
  const { marked, simulated } = await aNode([small], [small, large])
  expect(simulated.slice(0, 2)).toEqual([['small'], ['small', 'large']])
  expect(marked).toEqual([])
})

test('a node goes whose pods are those that were there before, or some of them', async () => {
  expect((await aNode([small], [small])).marked).toHaveLength(1)
  const { marked, simulated } = await aNode([small, small], [small])
  expect(simulated.slice(0, 2)).toEqual([['small', 'small'], ['small']])
  expect(marked).toHaveLength(1)
})
