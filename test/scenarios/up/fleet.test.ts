import { afterEach, expect, test } from 'vitest'
import { type Stack, startStack } from '../../../src/cli/embedded/stack.ts'
import { raiseFleet } from '../../../src/cli/up/fleet.ts'
import { nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import { pods } from '../../../src/kube/kinds.ts'

const hour = 3_600_000

let running: Stack | undefined
afterEach(() => running?.stop())

test('a fleet of three is three nodes, and stays so: none of its pods takes the node of the cluster itself', async () => {
  const stack = await startStack({ seed: 1, region: 'us-west-2' })
  running = stack
  expect(await raiseFleet(stack, 3, new AbortController().signal)).toBe(true)
  await stack.cluster.clock.run({ forMs: hour })
  const nodeNames = stack.operator.caches
    .of(nodeClaims)
    .list()
    .map(({ status }) => status?.nodeName)
  expect(nodeNames).toHaveLength(3)
  const placed = (await stack.cluster.client.list(pods, { namespace: 'default' })).items.map(
    ({ spec }) => spec.nodeName,
  )
  expect(new Set(placed)).toEqual(new Set(nodeNames))
})

test('whoever stops a fleet that is still coming up does not wait for it', async () => {
  const stack = await startStack({ seed: 1, region: 'us-west-2' })
  running = stack
  const startedAt = stack.cluster.clock.now()
  expect(await raiseFleet(stack, 3, AbortSignal.abort())).toBe(false)
  expect(stack.cluster.clock.now()).toBe(startedAt)
})
