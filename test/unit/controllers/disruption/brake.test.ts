import { describe, expect, test } from 'vitest'
import { DisruptionBrake } from '../../../../src/controllers/disruption-brake.ts'
import { disruptionController, OrchestrationQueue, VerdictBook } from '../../../../src/controllers/disruption/index.ts'
import { LimitExceededError } from '../../../../src/controllers/provisioning/create-claim.ts'
import { openGate } from '../../../../src/disruption/gate.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { silentLogger } from '../../../../src/kube/logger.ts'
import { aControllerWorld } from '../../../support/controller-world.ts'
import { aPool, aWorld, condition } from '../../../support/disruption-builders.ts'
import { aStoredNode, disruptionDeps } from '../../../support/disruption-deps.ts'
import { aReconcileContext } from '../../../support/reconcile-context.ts'
import { aQueue } from './queue-world.ts'
import { aStaticPool } from './static-pool.ts'

const minute = 60_000
const names = ['a', 'b', 'c', 'd', 'e']

/** Empty nodes of two pools, all of which may go by their budgets; those that go are gone at once. */
async function emptyNodes(nodes: number) {
  const world = aControllerWorld()
  const brake = new DisruptionBrake(world.clock, { nodes, windowMs: 10 * minute })
  const poolOf = (name: string) => (name < 'c' ? 'p' : 'q')
  const states = await Promise.all(
    names.map((name) => aStoredNode(world, name, { pool: poolOf(name), conditions: [condition('Consolidatable')] })),
  )
  const gone = new Map<string, number>()
  const verdicts = new VerdictBook()
  const pools = ['p', 'q'].map((name) =>
    aPool({ name, disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] } }),
  )
  const deps = disruptionDeps(
    world,
    {
      snapshot: () => aWorld({ nodes: states.filter(({ name }) => !gone.has(name)), pools, now: world.clock.now() }),
      consolidationState: () => world.clock.now(),
      markForDeletion: (...keys: string[]) => {
        for (const key of keys) {
          const state = states.find(({ node }) => node.spec.providerID === key)
          if (state !== undefined) gone.set(state.name, world.clock.now())
        }
      },
    },
    { brake },
  )
  await world.start(disruptionController(deps, new OrchestrationQueue(deps), verdicts))
  return { ...world, gone, verdicts }
}

test('without a brake all that budgets allow go at once', async () => {
  const { gone, run } = await emptyNodes(0)
  await run(minute)
  expect(gone.size).toBe(5)
})

test('a brake bounds what all pools begin between them within its window, also where a process has just begun', async () => {
  const { gone, run, verdicts } = await emptyNodes(2)
  await run(9 * minute)
  expect(gone.size).toBe(0)
  expect(verdicts.of('a').find(({ method }) => method === 'emptiness')).toMatchObject({
    code: 'Braked',
    message:
      'no more than 2 node(s) within 10m0s are removed as empty (--disruption-brake); the next may go at 2026-01-01T00:10:00Z',
  })
  await run(60 * minute)
  const at = [...gone.values()].toSorted((one, other) => one - other)
  expect(at).toHaveLength(5)
  for (const [index, moment] of at.entries())
    expect((at[index + 2] ?? Infinity) - moment).toBeGreaterThanOrEqual(10 * minute)
})

describe('a brake counts no node that stays', () => {
  const oneIn10m = { nodes: 1, windowMs: 10 * minute }

  test('since its replacement could not be made', async () => {
    const { launched, refusals, run, start } = await aStaticPool(['a', 'b'], 3, openGate, {}, oneIn10m)
    refusals.push(new LimitExceededError('creating node claim, resource usage exceeds limit'))
    await start()
    await run(12 * minute)
    expect([refusals.length, launched.length]).toEqual([0, 1])
  })

  test('since its replacement was taken away again', async () => {
    const world = await aStaticPool(['a', 'b'], 3, openGate, {}, oneIn10m)
    await world.start()
    const { claims, kube, launched, queue, run } = world
    await run(10 * minute + 30_000)
    expect(launched).toHaveLength(1)
    await kube.patch(
      nodeClaims,
      { name: 'new-1' },
      { kind: 'merge', body: { metadata: { finalizers: ['karpenter.sh/termination'] } } },
    )
    await kube.delete(nodeClaims, { name: 'new-1' })
    await queue.controller().reconcile(aReconcileContext(silentLogger))
    claims.remove('new-1')
    claims.setActive('default', 'claim-a')
    await run(minute)
    expect(launched).toHaveLength(2)
  })
})

test('a node of a command that is given up counts on when nobody answered whether its claim is deleted, as it may be', async () => {
  const { world, queue, brake, begin } = await aQueue(['a', 'b'], { nodes: 2, windowMs: 60 * minute })
  const hasRoom = (): boolean => brake.take('Drifted') === undefined
  expect(hasRoom()).toBe(false)
  await world.run(60 * minute)
  await begin([])
  brake.begun('Drifted', 2, world.clock.monotonicMs())
  world.kube.fault = ({ operation, resource, name = '' }) => {
    if (operation !== 'delete' || resource !== 'nodeclaims') return
    if (name === 'claim-a') throw new KubeError('Timeout', 504, 'no answer')
    throw new KubeError('Forbidden', 403, 'no')
  }
  await world.start(queue.controller())
  await world.run(11 * minute)
  expect(queue.queued.size).toBe(0)
  expect([hasRoom(), hasRoom()]).toEqual([true, false])
})

test('what became of one command of a node says nothing of the next', async () => {
  const { world, queue, brake, known, begin } = await aQueue(['a'], { nodes: 1, windowMs: 60 * minute })
  const hasRoom = (): boolean => brake.take('Drifted') === undefined
  let asked = 0
  world.kube.fault = ({ operation, resource }) => {
    if (operation !== 'delete' || resource !== 'nodeclaims') return
    asked += 1
    throw asked === 1 ? new KubeError('Timeout', 504, 'no answer') : new KubeError('Forbidden', 403, 'no')
  }
  hasRoom()
  await world.run(60 * minute)
  await begin([])
  brake.begun('Drifted', 1, world.clock.monotonicMs())
  await world.start(queue.controller())
  await world.run(11 * minute)
  expect([queue.commands.length, queue.setBack.gate() === openGate]).toEqual([0, false])
  world.kube.fault = () => undefined
  await world.run(61 * minute)
  expect(queue.setBack.gate()).toBe(openGate)
  await begin(['new'])
  brake.begun('Drifted', 1, world.clock.monotonicMs())
  known.delete('new')
  await world.kube.delete(nodeClaims, { name: 'new' })
  await world.run(5_000)
  expect(queue.commands).toEqual([])
  expect(queue.setBack.gate()).toBe(openGate)
  expect(hasRoom()).toBe(true)
})
