import { expect, test } from 'vitest'
import { createRolloutWorld, hour, minute, newVersion, watchFleet } from './world.ts'
import type { MetricReading } from '../../../src/controllers/rollout/index.ts'
import { rowOf } from '../../../src/controllers/event-table.ts'
import { rolloutPolicies } from '../../../src/kube/karpenter-kinds.ts'
import { events } from '../../../src/kube/kinds.ts'

test('a canary whose nodes are ready but whose metric turns bad is replaced by the last good image', async () => {
  let reading: MetricReading = { kind: 'value', value: 0 }
  const world = await createRolloutWorld({
    policy: {
      steps: [{ nodes: 2, soak: '30m' }],
      gates: {
        prometheus: { address: 'http://prometheus', query: 'errors', operator: 'LessThan', threshold: '0.05' },
      },
      onFailure: 'Rollback',
    },
    metricQuery: () => Promise.resolve(reading),
  })
  const watch = watchFleet(world)
  await world.editAlias(newVersion)
  expect(await world.until(() => world.status().phase === 'Soaking', 2 * hour)).toBe(true)
  expect(world.onNewImage()).toHaveLength(2)

  // Silence is unknown: it neither passes the step nor fails it.
  reading = { kind: 'unknown', message: 'status 503' }
  await world.run(45 * minute)
  expect(world.status()).toMatchObject({ phase: 'Soaking', reason: 'MetricUnknown' })

  reading = { kind: 'value', value: 0.2 }
  expect(await world.until(() => world.status().failure?.state === 'RolledBack', 2 * hour)).toBe(true)
  expect(world.status().history?.[0]).toMatchObject({ outcome: 'RolledBack', updatedNodes: 2 })
  await world.run(10 * minute)
  expect(world.onNewImage()).toEqual([])
  expect(world.claims()).toHaveLength(6)
  expect(world.allRun()).toBe(true)
  expect(watch.touched.size).toBe(2)

  const { items } = await world.stack.cluster.client.list(events)
  const told = items.filter(({ involvedObject }) => involvedObject.kind === 'RolloutPolicy')
  const reasons = told.map(({ reason }) => reason)
  expect(reasons).toEqual(
    expect.arrayContaining(['RolloutStarted', 'RolloutHalted', 'RolloutRollingBack', 'RolloutRolledBack']),
  )
  const unknown = told.filter(
    ({ reason = '', type = '', message = '' }) => rowOf({ reason, type, kind: 'RolloutPolicy', message }) === undefined,
  )
  expect(unknown.map(({ reason, message }) => `${reason}: ${message}`)).toEqual([])
  await world.stack.stop()
}, 180_000)

test('a threshold that is mended lets a rollout go on that the query halted', async () => {
  const prometheus = { address: 'http://prometheus', query: 'errors', operator: 'LessThan', threshold: '0.05' } as const
  let value = 0
  const world = await createRolloutWorld({
    nodes: 3,
    policy: { steps: [{ nodes: 1, soak: '10m' }], gates: { prometheus } },
    metricQuery: () => Promise.resolve({ kind: 'value', value }),
  })
  await world.editAlias(newVersion)
  expect(await world.until(() => world.status().phase === 'Soaking', hour)).toBe(true)
  value = 0.2
  expect(await world.until(() => world.status().phase === 'Halted', hour)).toBe(true)
  const body = { spec: { gates: { prometheus: { ...prometheus, threshold: '0.5' } } } }
  await world.stack.cluster.client.patch(rolloutPolicies, { name: 'careful' }, { kind: 'merge', body })
  expect(await world.until(() => world.status().phase === 'Completed', hour)).toBe(true)
  await world.stack.stop()
}, 180_000)
