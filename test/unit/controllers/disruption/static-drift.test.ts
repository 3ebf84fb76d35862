import { describe, expect, test } from 'vitest'
import { type DisruptionGate, openGate } from '../../../../src/disruption/gate.ts'
import { aPool, aRunningPod } from '../../../support/disruption-builders.ts'
import { aStaticPool } from './static-pool.ts'

test('a drifted node of a static pool is replaced, and is not asked to go again while it waits', async () => {
  const { launched, logged, queue, start, run } = await aStaticPool()
  await start()
  await run(60_000)
  expect(launched).toEqual(['default'])
  expect(queue.commands).toHaveLength(1)
  expect(logged('Reconciler error')).toEqual([])
})

test('a drifted node of a static pool is replaced also while another claim of the pool is on its way, since its place is reserved', async () => {
  const { ledger, launched, start, run } = await aStaticPool()
  ledger.begin(aPool({ replicas: 1, limits: { nodes: '2' } }), ledger.basis())
  await start()
  await run(100)
  expect(launched).toEqual(['default'])
})

test.each([
  ['none goes when the limit leaves no room', 5, []],
  ['two go at a time with room for two', 7, ['a', 'b']],
] as const)('case 137: of five nodes that have drifted %s', async (_name, limit, going) => {
  const { counts, launched, queue, start, run } = await aStaticPool(['a', 'b', 'c', 'd', 'e'], limit)
  await start()
  await run(60_000)
  expect(launched).toHaveLength(going.length)
  expect(queue.commands.map(({ command }) => command.candidates.map(({ name }) => name))).toEqual(
    going.map((name) => [name]),
  )
  expect(queue.commands.map(({ replacements }) => replacements)).toEqual(going.map((_, index) => [`new-${index + 1}`]))
  const decided = { decision: 'replace', reason: 'drifted', consolidation_type: '' }
  expect(counts.sum('karpenter_voluntary_disruption_decisions_total', decided)).toBe(going.length)
})

test('what is found of a node whose pool has no room for a replacement is that', async () => {
  const { verdicts, start, run } = await aStaticPool(['a'], 1)
  await start()
  await run(60_000)
  expect(verdicts.of('a')).toContainEqual(expect.objectContaining({ method: 'staticDrift', code: 'NodeLimit' }))
})

test('the nodes of a static pool go in the order that a policy asks for', async () => {
  const backwards: DisruptionGate = { ...openGate, driftOrder: (candidates) => candidates.toReversed() }
  const { queue, start, run } = await aStaticPool(['a', 'b', 'c'], 5, backwards)
  await start()
  await run(60_000)
  expect(queue.commands.map(({ command }) => command.candidates.map(({ name }) => name))).toEqual([['c'], ['b']])
})

test('a gate that lets no more nodes of the pool go holds them', async () => {
  const { launched, start, run } = await aStaticPool(['a', 'b'], 4, { ...openGate, limit: () => 0 })
  await start()
  await run(60_000)
  expect(launched).toEqual([])
})

test('a gate that counts what goes lets no more nodes of a static pool go than it has places', async () => {
  let left = 1
  const counting: DisruptionGate = {
    ...openGate,
    take: () => (left-- > 0 ? undefined : { code: 'RolloutHeld', message: 'others go first' }),
  }
  const { launched, queue, start, run } = await aStaticPool(['a', 'b', 'c'], 5, counting)
  await start()
  await run(100)
  expect(launched).toHaveLength(1)
  expect(queue.commands.map(({ command }) => command.candidates.map(({ name }) => name))).toEqual([['a']])
})

describe('pods that must not be disrupted', () => {
  const held = () => [aRunningPod({ annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })]

  test.each([
    ['keep a drifted node of a static pool', undefined, []],
    ['have until the end of the grace period of such a node, where it has one', '5m', ['default']],
  ])('%s', async (_what, terminationGracePeriod, want) => {
    const more = { pods: held(), ...(terminationGracePeriod === undefined ? {} : { terminationGracePeriod }) }
    const { launched, start, run } = await aStaticPool(['a'], 2, openGate, more)
    await start()
    await run(10_000)
    expect(launched).toEqual(want)
  })
})

test('a node that is to go is none that its pool has too many while its replacement comes', async () => {
  const { claims, start, run } = await aStaticPool(['a', 'b'], 3)
  await start()
  await run(100)
  // One of the old nodes, and the new one.
  expect(claims.counts('default')).toEqual({ active: 2, pendingDisruption: 1, deleting: 0 })
})

test('the place that was reserved for a plan that does not hold any more is free for the next one, and no other', async () => {
  const { claims, ledger, launched, logged, meanwhile, start, run } = await aStaticPool(['a'], 3)
  claims.reserve('default', 3, 1)
  // The first look of a pass is for its clean-up, the second for its methods.
  meanwhile.set(2, () => ledger.markTakenBack())
  await start()
  await run(1_100)
  expect(logged('a node that was to go stays, deciding anew')).toHaveLength(1)
  expect(launched).toEqual(['default'])
  expect(claims.reserve('default', 3, 1)).toBe(0)
})
