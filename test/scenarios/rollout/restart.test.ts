import { expect, test } from 'vitest'
import { createRolloutWorld, hour, minute, newVersion, watchFleet } from './world.ts'

test('an operator that is killed in the soak loses no step, no soak timer and no token', async () => {
  const world = await createRolloutWorld({
    policy: {
      steps: [{ nodes: 1, soak: '30m' }],
      rate: { nodes: 2, per: '1h' },
    },
  })
  const { stack } = world
  await world.editAlias(newVersion)
  expect(await world.until(() => world.status().phase === 'Soaking', 2 * hour)).toBe(true)
  const before = world.status()

  await world.run(10 * minute)
  stack.crashOperator()
  await world.run(5 * minute)
  stack.startOperator()
  await world.run(5 * minute)
  const after = world.status()
  expect(after).toMatchObject({
    phase: 'Soaking',
    revision: before.revision,
    step: 0,
    startTime: before.startTime,
    stepStartTime: before.stepStartTime,
    soakedUntil: before.soakedUntil,
    startNodes: 6,
    replacedNodes: 1,
  })
  expect(after.rate).toEqual(before.rate)
  const watch = watchFleet(world)

  // The soak ends when it was to end before the crash; one token is left of two, the next one came with time.
  const soakedUntil = Date.parse(before.soakedUntil ?? '')
  expect(await world.until(() => watch.touched.size > 0, 2 * hour)).toBe(true)
  const { clock } = stack.cluster
  expect(clock.now()).toBeGreaterThanOrEqual(soakedUntil)
  expect(clock.now()).toBeLessThanOrEqual(soakedUntil + 5 * minute)
  expect(await world.until(() => world.status().phase === 'Completed', 8 * hour)).toBe(true)
  const hours = (clock.now() - Date.parse(before.startTime ?? '')) / hour
  // Two at once and one each half hour: six nodes need two hours at least.
  expect(hours).toBeGreaterThanOrEqual(2)
  await stack.stop()
}, 180_000)

test('an operator that is killed while the canary is replaced still replaces only one', async () => {
  const world = await createRolloutWorld({ policy: { steps: [{ nodes: 1, soak: '30m' }] } })
  const { stack } = world
  await world.editAlias(newVersion)
  const hasBegun = (): boolean => world.claims().length === 7
  expect(await world.until(hasBegun, hour)).toBe(true)
  stack.crashOperator()
  await world.run(minute)
  stack.startOperator()
  await world.run(minute)
  const watch = watchFleet(world)
  expect(await world.until(() => world.status().phase === 'Soaking', 2 * hour)).toBe(true)
  await world.run(20 * minute)
  expect(world.status().replacedNodes).toBe(1)
  expect(watch.touched.size).toBeLessThanOrEqual(2)
  await stack.stop()
}, 180_000)
