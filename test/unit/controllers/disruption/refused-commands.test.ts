import { expect, test } from 'vitest'
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
