import { expect, test } from 'vitest'
import { demoSettings, ownInstances, runStep, steps } from '../../../src/cli/demo/script.ts'
import { deployment, nodeClass, nodePool } from '../../../src/cli/demo/manifests.ts'
import { readFleet } from '../../../src/cli/embedded/fleet.ts'
import { type Stack, startStack } from '../../../src/cli/embedded/stack.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments } from '../../../src/kube/kinds.ts'
import { runCommand } from '../../support/command-run.ts'

const minute = 60_000

/** The operator dies at once after `afterMs` and is back a minute later, on what it left. */
function crashAfter(stack: Stack, afterMs: number): void {
  const { clock } = stack.cluster
  clock.schedule(afterMs, () => {
    stack.crashOperator()
    clock.schedule(minute, () => stack.startOperator())
  })
}

test('the demo holds, and the same seed prints the same bytes', async () => {
  const first = await runCommand(['demo', '--seed', '7', '-o', 'json'])
  expect(first.code).toBe(0)
  const second = await runCommand(['demo', '--seed', '7', '-o', 'json'])
  expect(second.stdout).toBe(first.stdout)
}, 300_000)

test('an operator that crashes while nodes come and while they roll finishes the demo after a restart, with no orphan', async () => {
  const stack = await startStack({ seed: 3, region: 'us-west-2', settings: demoSettings })
  const crashes: Readonly<Record<string, number>> = { 'scale-up': 12_000, 'roll-image': 25 * minute }
  for (const step of steps) {
    const at = crashes[step.name]
    if (at !== undefined) crashAfter(stack, at)
    const result = await runStep(step, stack)
    expect(result.checks.filter(({ ok }) => !ok)).toEqual([])
  }
  expect(ownInstances(stack)).toEqual([])
  await stack.stop()
}, 300_000)

test('a thousand pending pods get nodes and run, and every instance has its claim', async () => {
  const stack = await startStack({ seed: 1, region: 'us-west-2' })
  const { cluster } = stack
  await cluster.client.create(ec2NodeClasses, nodeClass)
  await cluster.client.create(nodePools, nodePool)
  await cluster.client.create(deployments, deployment({ name: 'many', replicas: 1000, cpu: '250m', memory: '256Mi' }))
  const allRun = (): boolean => readFleet(stack).runningPods === 1000
  expect(await cluster.clock.run({ until: allRun, withinMs: 60 * minute })).toBe(true)
  const claims = stack.operator.caches.of(nodeClaims).list()
  expect(ownInstances(stack)).toHaveLength(claims.length)
  const megabytes = Math.round(process.memoryUsage().rss / 1024 / 1024)
  process.stdout.write(
    `1,000 pods on ${claims.length} nodes; longest event-loop block ${Math.round(cluster.clock.longestBlockMs)} ms; ${megabytes} MB\n`,
  )
  await stack.stop()
}, 300_000)
