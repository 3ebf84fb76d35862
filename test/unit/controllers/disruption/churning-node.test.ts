import { expect, test } from 'vitest'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import type { SimulationRequest } from '../../../../src/disruption/simulation.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aRunningPod, aType, aWorld, condition, minute } from '../../../support/disruption-builders.ts'
import { aStoredNode, disruptionDeps } from '../../../support/disruption-deps.ts'

test('a node whose plan never holds until it is looked at again does not keep the others from their turn', async () => {
  const world = aControllerWorld()
  const node = (name: string, type: string) =>
    aStoredNode(world, name, { type, pods: [aRunningPod()], conditions: [condition('Consolidatable')] })
  // What is worth most comes first, and pods come to it all the time.
  const nodes = [await node('busy', 'large'), await node('quiet', 'small')]
  const types = [aType('large', { price: 0.4 }), aType('small', { price: 0.1 })]
  const marked: string[] = []
  const looks: string[] = []
  const seen = {
    snapshot: () => aWorld({ nodes, types, now: world.clock.now() }),
    consolidationState: () => looks.length,
    markForDeletion: (key: string) => void marked.push(key),
  }
  const deps = disruptionDeps(world, seen, {
    simulatorFor: () =>
      function* simulate({ candidates }: SimulationRequest) {
        yield undefined
        const name = candidates.map((candidate) => candidate.name).join('+')
        looks.push(name)
        const fits = name === 'quiet' || (name === 'busy' && looks.filter((look) => look === 'busy').length % 2 === 1)
        const unplaced = fits ? undefined : 'not all pods would schedule'
        return { kind: 'placed', replacements: [], destinations: [], unplaced }
      },
  })
  await world.start(disruptionController(deps, new OrchestrationQueue(deps), new VerdictBook()))
  await world.run(2 * minute)
  expect(marked).toEqual(['aws:///z1/i-quiet'])
})
