import { expect, test } from 'vitest'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import type { SimulationRequest } from '../../../../src/disruption/simulation.ts'
import type { PodInfo } from '../../../../src/model/pod.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aRunningPod, aType, aWorld, condition } from '../../../support/disruption-builders.ts'
import { aStoredNode, disruptionDeps } from '../../../support/disruption-deps.ts'
import { aReconcileContext } from '../../../support/reconcile-context.ts'

/** A node that consolidation wants to delete, in a cluster where only pods named `small` fit elsewhere. */
async function aNode(before: readonly PodInfo[], after: readonly PodInfo[], stopAfterMs?: number) {
  const world = aControllerWorld()
  const state = await aStoredNode(world, 'a', { pods: [...before], conditions: [condition('Consolidatable')] })
  const types = [aType('m5.large', { price: 0.1 })]
  const started = world.clock.monotonicMs()
  const marked: string[] = []
  const simulated: (readonly string[])[] = []
  const seen = {
    snapshot: () => {
      const pods = [...(world.clock.monotonicMs() - started < 10_000 ? before : after)]
      return aWorld({ nodes: [{ ...state, pods }], types, now: world.clock.now() })
    },
    markForDeletion: (key: string) => void marked.push(key),
  }
  const deps = disruptionDeps(world, seen, {
    simulatorFor: () =>
      function* simulate({ candidates }: SimulationRequest) {
        yield undefined
        const names = candidates.flatMap(({ reschedulablePods }) => reschedulablePods.map(({ name }) => name))
        simulated.push(names)
        const unplaced = names.every((name) => name === 'small') ? undefined : 'not all pods would schedule'
        return { kind: 'placed', replacements: [], destinations: [], unplaced }
      },
  })
  const controller = disruptionController(deps, new OrchestrationQueue(deps), new VerdictBook())
  if (stopAfterMs === undefined) {
    await world.start(controller)
    await world.run(16_000)
    return { marked, simulated, stopped: undefined }
  }
  const stop = new AbortController()
  const context = { ...aReconcileContext(world.log), stopping: stop.signal }
  const stopped = controller.reconcile(context).catch((error: unknown) => error)
  await world.run(stopAfterMs)
  stop.abort(new Error('stopped'))
  return { marked, simulated, stopped: await stopped }
}

const [small, large] = [aRunningPod({ name: 'small' }), aRunningPod({ name: 'large' })]

test('a node stays to which a pod came during the wait that fits nowhere else', async () => {
  const { marked, simulated } = await aNode([small], [small, large])
  expect(simulated.slice(0, 2)).toEqual([['small'], ['small', 'large']])
  expect(marked).toEqual([])
})

test('a stop does not wait until it may go', async () => {
  const { marked, stopped } = await aNode([small], [small], 5_000)
  expect(stopped).toEqual(new Error('stopped'))
  expect(marked).toEqual([])
})

test('a node goes whose pods are those that were there before, or some of them', async () => {
  expect((await aNode([small], [small])).marked).toHaveLength(1)
  const { marked, simulated } = await aNode([small, small], [small])
  expect(simulated.slice(0, 2)).toEqual([['small', 'small'], ['small']])
  expect(marked).toHaveLength(1)
})
