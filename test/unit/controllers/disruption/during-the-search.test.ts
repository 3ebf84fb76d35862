import { expect, test } from 'vitest'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import type { SimulationRequest } from '../../../../src/disruption/simulation.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import type { Snapshot } from '../../../../src/model/snapshot.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aPool, aRunningPod, aStateNode, aType, aWorld, condition } from '../../../support/disruption-builders.ts'
import { aStoredNode, disruptionDeps } from '../../../support/disruption-deps.ts'
import { aReconcileContext } from '../../../support/reconcile-context.ts'

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

test('what has changed while one method searched is what the next one of the pass goes by', async () => {
  const world = aControllerWorld()
  const conditions = [condition('Drifted')]
  const drifting = await aStoredNode(world, 'a', { pods: [aRunningPod()], conditions })
  const costly = await aStoredNode(world, 'b', { pods: [aRunningPod()] })
  const types = [aType('m5.large', { price: 0.1 })]
  const marked: string[] = []
  let hasRoom = false
  const snapshot = () => aWorld({ nodes: [drifting, costly], types, now: world.clock.now() })
  const deps = disruptionDeps(
    world,
    { snapshot, markForDeletion: (key) => void marked.push(key) },
    {
      simulatorFor: () => {
        const isFor = hasRoom ? 'b' : 'nobody'
        return function* simulate({ candidates }: SimulationRequest) {
          hasRoom = true
          yield undefined
          const unplaced = candidates[0]?.name === isFor ? undefined : 'no room'
          return { kind: 'placed', replacements: [], destinations: [], unplaced }
        }
      },
    },
  )
  await world.start(disruptionController(deps, new OrchestrationQueue(deps), new VerdictBook()))
  await world.run(16_000)
  expect(marked).toEqual([other])
})

test('so is what has changed while empty nodes were waited for', async () => {
  const world = aControllerWorld()
  const still = await aStoredNode(world, 'a', { pods: [aRunningPod()], conditions: [] })
  const empty = await aStoredNode(world, 'b')
  const { nodeClaim } = still
  const status = { ...nodeClaim.status, conditions: [...(nodeClaim.status?.conditions ?? []), condition('Drifted')] }
  const later = [
    { ...still, nodeClaim: { ...nodeClaim, status } },
    { ...empty, pods: [aRunningPod()] },
  ]
  const startedAt = world.clock.now()
  const marked: string[] = []
  const snapshot = () => {
    const now = world.clock.now()
    return aWorld({ nodes: now - startedAt < 5_000 ? [still, empty] : later, now })
  }
  const simulatorFor = () =>
    function* simulate() {
      yield undefined
      return { kind: 'placed', replacements: [], destinations: [], unplaced: undefined }
    }
  const seen = { snapshot, markForDeletion: (key: string) => void marked.push(key) }
  const deps = disruptionDeps(world, seen, { simulatorFor })
  await world.start(disruptionController(deps, new OrchestrationQueue(deps), new VerdictBook()))
  await world.run(16_000)
  expect(marked).toEqual([drifted])
})

const steps: Record<string, readonly undefined[]> = { 'in the middle': [undefined], 'with its last step': [] }
test.each(Object.entries(steps))(
  'a stop that comes %s ends the search, and nothing is begun that nobody would finish',
  async (_when, left) => {
    const world = aControllerWorld()
    const drifted = await aStoredNode(world, 'a', { pods: [aRunningPod()], conditions: [condition('Drifted')] })
    const stop = new AbortController()
    const found: string[] = []
    const deps = disruptionDeps(
      world,
      { snapshot: () => aWorld({ nodes: [drifted], now: world.clock.now() }) },
      {
        simulatorFor: () =>
          function* simulate() {
            stop.abort(new Error('stopped'))
            yield* left
            found.push('a place')
            return { kind: 'placed', replacements: [], destinations: [], unplaced: undefined }
          },
      },
    )
    const queue = new OrchestrationQueue(deps)
    const context = { ...aReconcileContext(world.log), stopping: stop.signal }
    const stopped = disruptionController(deps, queue, new VerdictBook())
      .reconcile(context)
      .catch((error: unknown) => error)
    await world.run(1_000)
    expect(await stopped).toBe(stop.signal.reason)
    expect(found).toHaveLength(left.length === 0 ? 1 : 0)
    expect(queue.commands).toEqual([])
    expect((await world.read(nodes, { name: drifted.node.metadata.name })).spec.taints ?? []).toEqual([])
  },
)
