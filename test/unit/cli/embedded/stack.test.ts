import { expect, test } from 'vitest'
import { startStack } from '../../../../src/cli/embedded/stack.ts'
import { leases } from '../../../../src/kube/kinds.ts'

const lease = { namespace: 'kube-system', name: 'karpenter-leader-election' }

test.each([
  { supervised: true, operators: 2 },
  { supervised: undefined, operators: 1 },
] as const)('of an operator that loses its lease a supervised one ($supervised) is started again', async (want) => {
  const { supervised, operators } = want
  const stack = await startStack({ seed: 1, region: 'us-west-2', ...(supervised && { supervised }) })
  const { client, clock } = stack.cluster
  await clock.run({ until: () => stack.operator.lifecycle.state === 'running', withinMs: 60_000 })
  await client.patch(leases, lease, { kind: 'merge', body: { spec: { holderIdentity: 'somebody' } } })
  await clock.run({ forMs: 120_000 })
  expect(stack.operators).toBe(operators)
  expect(stack.operator.lifecycle.state).toBe(supervised ? 'running' : 'stopped')
  await stack.stop()
})
