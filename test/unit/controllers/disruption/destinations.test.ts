import { expect, test } from 'vitest'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import type { Destination } from '../../../../src/disruption/command.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aRunningPod, aStateNode, aWorld, condition } from '../../../support/disruption-builders.ts'
import { aStoredNode, disruptionDeps } from '../../../support/disruption-deps.ts'

/** A drifted node is taken away; its pods fit on those named. */
async function whenTakenAway(destinations: (world: ReturnType<typeof aControllerWorld>) => readonly Destination[]) {
  const world = aControllerWorld()
  const pods = [aRunningPod({ name: 'moves' })]
  const state = await aStoredNode(world, 'a', { pods, conditions: [condition('Drifted')] })
  const snapshot = aWorld({ nodes: [state], now: world.clock.now() })
  const nominated: string[] = []
  const deps = disruptionDeps(
    world,
    { snapshot: () => snapshot, nominate: (key) => void nominated.push(key) },
    {
      simulatorFor: () =>
        function* simulate() {
          yield undefined
          return { kind: 'placed', replacements: [], destinations: destinations(world), unplaced: undefined }
        },
    },
  )
  await world.start(disruptionController(deps, new OrchestrationQueue(deps), new VerdictBook()))
  await world.run(20_000)
  return { ...world, nominated }
}

test('pods of a node that is taken away are told where they should go', async () => {
  const node = aStateNode('b')
  const { nominated, recorder } = await whenTakenAway(() => [{ node, pods: [aRunningPod({ name: 'moves' })] }])
  expect(nominated).toEqual([node.key])
  const told = recorder.published.filter(({ reason }) => reason === 'Nominated')
  expect(told.map(({ object, message }) => [object.kind, object.metadata.name, message])).toEqual([
    [
      'Pod',
      'moves',
      `Pod should schedule on: nodeclaim/${node.nodeClaim?.metadata.name}, node/${node.node?.metadata.name}`,
    ],
  ])
})

test('a node that nobody manages is named alone', async () => {
  const node = { ...aStateNode('b'), nodeClaim: undefined }
  const { events } = await whenTakenAway(() => [{ node, pods: [aRunningPod()] }])
  expect(events('Nominated')).toEqual([`Pod should schedule on: node/${node.node?.metadata.name}`])
})
