import { expect, test } from 'vitest'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import type { Snapshot } from '../../../../src/model/snapshot.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aPool, aRunningPod, aStateNode, aWorld, condition } from '../../../support/disruption-builders.ts'
import { aStoredNode, disruptionDeps } from '../../../support/disruption-deps.ts'

/** Which nodes are marked in a pool that lets one go at a time, of which `a` has drifted, when the cluster changes amid the search. */
async function markedWhen(changed: (world: Snapshot) => Snapshot): Promise<readonly string[]> {
  const world = aControllerWorld()
  const drifted = await aStoredNode(world, 'a', { pods: [aRunningPod()], conditions: [condition('Drifted')] })
  const before = aWorld({
    pools: [aPool({ disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '1' }] } })],
    nodes: [drifted, aStateNode('b')],
    now: world.clock.now(),
  })
  let seen = before
  const marked: string[] = []
  const deps = disruptionDeps(
    world,
    { snapshot: () => seen, markForDeletion: (key) => void marked.push(key) },
    {
      simulatorFor: () =>
        function* simulate() {
          seen = changed(before)
          yield undefined
          return { kind: 'placed', replacements: [], destinations: [], unplaced: undefined }
        },
    },
  )
  await world.start(disruptionController(deps, new OrchestrationQueue(deps), new VerdictBook()))
  await world.run(5_000)
  return marked
}

const [drifted, other] = ['aws:///z1/i-a', 'aws:///z1/i-b']

test('a drifted node goes when nothing has changed while a place was looked for', async () => {
  expect(await markedWhen((world) => world)).toEqual([drifted])
})

test('it stays when another one has begun to go meanwhile, which is all that the budget allows', async () => {
  const going = ({ nodes, ...world }: Snapshot): Snapshot => ({
    ...world,
    nodes: nodes.map((node) => (node.key === other ? { ...node, markedForDeletion: true } : node)),
  })
  expect(await markedWhen(going)).toEqual([])
})

test('it stays when a pod has come that must not be disrupted, or was promised a place', async () => {
  const pod = aRunningPod({ annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })
  const protecting = ({ nodes, ...world }: Snapshot): Snapshot => ({
    ...world,
    nodes: nodes.map((node) => (node.key === drifted ? { ...node, pods: [...node.pods, pod] } : node)),
  })
  expect(await markedWhen(protecting)).toEqual([])
  const promising = ({ nodes, ...world }: Snapshot): Snapshot => ({
    ...world,
    nodes: nodes.map((node) => (node.key === drifted ? { ...node, nominatedUntil: world.now + 20_000 } : node)),
  })
  expect(await markedWhen(promising)).toEqual([])
})
