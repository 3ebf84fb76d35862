import { expect, test } from 'vitest'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aPool, aRunningPod, aWorld, condition, minute } from '../../../support/disruption-builders.ts'
import { aStoredNode, disruptionDeps } from '../../../support/disruption-deps.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { LimitExceededError } from '../../../../src/controllers/provisioning/create-claim.ts'
import { aStaticPool } from './static-pool.ts'

test('the place that was reserved for a node that could not be marked is free for the next one', async () => {
  const { kube, launched, logged, start, run } = await aStaticPool()
  let refusals = 0
  kube.fault = ({ operation, resource }) => {
    if (operation !== 'patch' || resource !== 'nodes' || refusals > 0) return
    refusals += 1
    throw new KubeError('InternalError', 500, 'not now')
  }
  await start()
  await run(10_000)
  expect(logged('Reconciler error')).toHaveLength(1)
  expect(launched).toEqual(['default'])
})

test.each([
  ['the limits refuse', new LimitExceededError('creating node claim, resource usage exceeds limit')],
  ['a policy refuses', new KubeError('Forbidden', 403, 'admission webhook "policy.example.com" denied the request')],
])('a node whose replacement %s says why, and lets others have their turn', async (_, refusal) => {
  const { events, launched, logged, queue, refusals, start, run, verdicts } = await aStaticPool(['a', 'b'])
  const begun = () => queue.commands.flatMap(({ command }) => command.candidates.map(({ name }) => name))
  refusals.push(refusal)
  await start()
  await run(4 * 60_000)
  expect(logged('Reconciler error')).toHaveLength(1)
  expect(launched).toEqual(['default'])
  expect(begun()).toEqual(['b'])
  const what = `replacement nodeclaim, ${refusal.message}`
  expect(verdicts.of('a')).toContainEqual(
    expect.objectContaining({ code: 'LaunchRefused', message: `launching ${what}` }),
  )
  expect(events('DisruptionBlocked')).toContain(`Launching ${what}`)
})

test('a node whose replacement was refused is tried again after five minutes', async () => {
  const { launched, refusals, start, run } = await aStaticPool()
  refusals.push(new LimitExceededError('creating node claim, resource usage exceeds limit'))
  await start()
  await run(4 * 60_000)
  expect(launched).toEqual([])
  await run(2 * 60_000)
  expect(launched).toEqual(['default'])
})

test('of several commands that fail together each says why', async () => {
  const { logged, refusals, start, run } = await aStaticPool(['a', 'b'], 4)
  refusals.push(new Error('the first reason'), new Error('the second reason'))
  await start()
  await run(1_000)
  expect(logged('Reconciler error').map((fields) => String(fields['err']))).toEqual([
    expect.stringMatching(/the first reason; .*the second reason/),
  ])
})

test('a node that may not be tainted says who refuses it, and lets others have their turn', async () => {
  const { kube, launched, queue, start, run, verdicts } = await aStaticPool(['a', 'b'])
  kube.fault = ({ operation, resource, name }) => {
    if (operation !== 'patch' || resource !== 'nodes' || name !== 'a') return
    throw new KubeError('Forbidden', 403, 'a policy says no')
  }
  await start()
  await run(4 * 60_000)
  expect(launched).toEqual(['default'])
  expect(queue.commands.flatMap(({ command }) => command.candidates.map(({ name }) => name))).toEqual(['b'])
  expect(verdicts.of('a')).toContainEqual(
    expect.objectContaining({ code: 'MarkingRefused', message: 'marking disrupted, a policy says no' }),
  )
})

test('a node that others keep writing is looked at anew, without a word of failure', async () => {
  const { kube, launched, logged, start, run } = await aStaticPool()
  let conflicts = 0
  kube.fault = ({ operation, resource }) => {
    if (operation !== 'patch' || resource !== 'nodes' || conflicts >= 6) return
    conflicts += 1
    throw new KubeError('Conflict', 409, 'changed')
  }
  await start()
  await run(60_000)
  expect(conflicts).toBe(6)
  expect(logged('Reconciler error')).toEqual([])
  expect(launched).toEqual(['default'])
})

test('a node whose claim may not be deleted says who refuses it, and leaves the budget of its pool to others for an hour', async () => {
  const world = aControllerWorld()
  const options = { pods: [aRunningPod()], conditions: [condition('Drifted')] }
  const drifted = [await aStoredNode(world, 'a', options), await aStoredNode(world, 'b', options)]
  const going = new Set<string>()
  const pools = [aPool({ disruption: { consolidateAfter: '0s', budgets: [{ nodes: '1' }] } })]
  const nodesNow = () => drifted.map((node) => ({ ...node, markedForDeletion: going.has(node.key) }))
  const seen = {
    snapshot: () => aWorld({ nodes: nodesNow(), pools, now: world.clock.now() }),
    markForDeletion: (key: string) => going.add(key),
    unmarkForDeletion: (key: string) => going.delete(key),
  }
  const deps = disruptionDeps(world, seen, {
    simulatorFor: () =>
      function* simulate() {
        yield undefined
        return { kind: 'placed', replacements: [], destinations: [], unplaced: undefined }
      },
  })
  let refusedAt = 0
  world.kube.fault = ({ operation, resource, name }) => {
    if (operation !== 'delete' || resource !== 'nodeclaims' || name !== 'claim-a') return
    refusedAt = world.clock.monotonicMs()
    throw new KubeError('Forbidden', 403, 'a policy says no')
  }
  const queue = new OrchestrationQueue(deps)
  const verdicts = new VerdictBook()
  await world.start(disruptionController(deps, queue, verdicts), queue.controller())
  await world.run(9 * minute)
  expect(await world.exists(nodeClaims, { name: 'claim-b' })).toBe(true)
  await world.run(3 * minute)
  expect(await world.exists(nodeClaims, { name: 'claim-b' })).toBe(false)
  const message = 'deleting nodeclaim, a policy says no'
  expect(verdicts.of('a')).toContainEqual(expect.objectContaining({ code: 'DeletionRefused', message }))
  expect(world.events('DisruptionBlocked')).toContain('Deleting nodeclaim, a policy says no')
  going.clear()
  await world.run(50 * minute)
  expect(refusedAt).toBeLessThan(11 * minute)
  await world.run(20 * minute)
  expect(refusedAt).toBeGreaterThan(65 * minute)
})
