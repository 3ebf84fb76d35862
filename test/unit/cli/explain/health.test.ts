import { expect, test } from 'vitest'
import { explained, machine, pool } from './world.ts'

const silentSince = (time: string): string =>
  `{type: Ready, status: Unknown, reason: NodeStatusUnknown, message: Kubelet stopped posting node status., lastTransitionTime: "${time}"}`
const withRepair = ['--feature-gates', 'NodeRepair=true']

test('a node that is not ready says so, and that nothing repairs it', async () => {
  const manifests = pool() + machine('n1', { ready: silentSince('2026-01-01T23:50:00Z') })
  const { summary, facts, reasons } = await explained('node', 'n1', manifests)
  expect(summary).toBe('The node is not disrupted: something holds it. It is not healthy.')
  expect(facts).toContainEqual({
    name: 'not ready',
    value: 'since 2026-01-01T23:50:00Z: Ready is Unknown, Kubelet stopped posting node status.',
  })
  expect(reasons[0]).toMatchObject({ about: 'Unhealthy', outcome: 'idle', code: 'NodeRepairDisabled' })
})

test('with NodeRepair a node that is not ready says when it is replaced', async () => {
  const repaired = async (since: string) => {
    const manifests = pool() + machine('n1', { ready: silentSince(since) })
    const { summary, reasons } = await explained('node', 'n1', manifests, withRepair)
    return { summary, first: reasons[0] }
  }
  const early = await repaired('2026-01-01T23:50:00Z')
  expect(early.first).toMatchObject({ about: 'Unhealthy', outcome: 'idle', code: 'Unhealthy' })
  expect(early.first?.message).toBe(
    'Ready is Unknown: the node is replaced at 2026-01-02T00:20:00Z, in 20m0s, unless it recovers',
  )
  const late = await repaired('2026-01-01T23:00:00Z')
  expect(late.summary).toBe('The node is replaced now: it has been unhealthy for too long.')
  expect(late.first).toMatchObject({ about: 'Unhealthy', outcome: 'allows', code: 'Unhealthy' })
})

test('with NodeRepair too many unhealthy nodes of a pool hold the repair of each', async () => {
  const names = ['n1', 'n2', 'n3']
  const nodes = names.map((name) => machine(name, { ready: silentSince('2026-01-01T23:00:00Z') }))
  const { reasons } = await explained('node', 'n1', pool() + nodes.join(''), withRepair)
  expect(reasons[0]).toMatchObject({ about: 'Unhealthy', outcome: 'blocks', code: 'NodeRepairBlocked' })
  expect(reasons[0]?.message).toMatch(/^Ready is Unknown, but 3 of 3 nodes of NodePool general are unhealthy/)
})
