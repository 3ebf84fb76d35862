import { expect, test } from 'vitest'
import { explained, machine, pod, pool } from './world.ts'

const waitingFor = (node: string, manager: string): string =>
  pod('late', {
    metadata: `managedFields: [{manager: ${manager}, subresource: status, fieldsV1: {"f:status": {"f:nominatedNodeName": {}}}}], `,
  }) +
  `status: {phase: Pending, nominatedNodeName: ${node}, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable}]}\n`

test.each(['node', 'nodeclaim'])(
  'a %s is held while a pod waits that the operator nominated for it',
  async (subject) => {
    const name = subject === 'node' ? 'n1' : 'claim-n1'
    const { facts, reasons, summary } = await explained(
      subject,
      name,
      pool() + machine('n1') + waitingFor('n1', 'karpenter'),
    )
    expect(summary).toBe('The node is not disrupted: something holds it.')
    expect(facts).toContainEqual({ name: 'nominated for', value: 'shop/late' })
    expect(reasons).toContainEqual(
      expect.objectContaining({ outcome: 'blocks', code: 'Nominated', message: 'Node is nominated for a pending pod' }),
    )
  },
)

test.each([
  ['of another node', waitingFor('n2', 'karpenter')],
  ['by kube-scheduler, for preemption', waitingFor('n1', 'kube-scheduler')],
])('a nomination %s holds no node', async (_whose, late) => {
  const { facts, summary } = await explained('node', 'n1', pool() + machine('n1') + late)
  expect(summary).toBe('The node can be disrupted now: Empty.')
  expect(facts.map(({ name }) => name)).not.toContain('nominated for')
})
