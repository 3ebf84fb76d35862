import { expect, test } from 'vitest'
import type { SimulationAnswer } from '../../../../src/cli/simulate/answer.ts'
import { runCommand } from '../../../support/command-run.ts'
import {
  catalogue,
  disrupted,
  disruptedFor,
  drifted,
  eveningPolicy,
  machine,
  openBreaker,
  paused,
  pausedClass,
  pausedPolicy,
  pod,
  pool,
} from '../explain/world.ts'

async function simulated(manifests: string): Promise<SimulationAnswer> {
  const args = ['simulate', '-', '--disrupt', '-o', 'json', '--now', '2026-01-02T00:00:00Z']
  const { code, stdout, stderr } = await runCommand(args, { stdin: catalogue + manifests })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout) as SimulationAnswer
}

const going = ({ disruption }: SimulationAnswer) => disruption?.commands.flatMap(({ candidates }) => candidates)
const held = ({ disruption }: SimulationAnswer) => disruption?.blocked.map(({ node, reason }) => `${node} ${reason}`)

const leaving = machine('n1', { taints: disrupted, conditions: disruptedFor('Underutilized') })
const runningOn = (node: string): string =>
  `${pod(`on-${node}`, { cpu: '5', more: `nodeName: ${node}` })}status: {phase: Running}\n`

test('a node that is under way is neither chosen anew nor room for the pods of another', async () => {
  const answer = await simulated(pool() + leaving + machine('n2') + runningOn('n2'))
  expect(going(answer)).toEqual([])
  expect(held(answer)).toContain('n1 InQueue')
  expect(held(answer)).toContain('n2 NoCheaperReplacement')
})

test('a node that is under way uses its budget up', async () => {
  const answer = await simulated(pool({ budgets: '[{nodes: "1"}]' }) + leaving + machine('n2'))
  expect(going(answer)).toEqual([])
  expect(held(answer)).toContain('n2 BudgetExhausted')
})

test('pods of a node that is under way get the place that they will have', async () => {
  const answer = await simulated(pool() + leaving + machine('n2') + runningOn('n1'))
  expect(answer.existing).toEqual([{ node: 'n2', pods: ['shop/on-n1'] }])
})

test('a node that the operator nominated for a pod stays', async () => {
  const waiting =
    pod('late', {
      metadata:
        'managedFields: [{manager: karpenter, subresource: status, fieldsV1: {"f:status": {"f:nominatedNodeName": {}}}}], ',
    }) +
    'status: {phase: Pending, nominatedNodeName: n1, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable}]}\n'
  const answer = await simulated(pool() + machine('n1') + waiting)
  expect(going(answer)).toEqual([])
  expect(held(answer)).toContain('n1 Nominated')
})

const rollout = (phase: string): string =>
  pool({ status: `{rollout: {policy: careful, phase: ${phase}, message: two nodes to go}}` })

test.each([
  ['an empty node', pool({ metadata: `{name: general, annotations: ${paused}}` }) + machine('n1')],
  ['a drifted node', pool() + pausedClass + machine('n1', { conditions: drifted }) + runningOn('n1')],
  [
    'a node that is hardly used',
    `${pool() + pausedPolicy + machine('n1')}${pod('small', { more: 'nodeName: n1' })}status: {phase: Running}\n`,
  ],
])('a pause holds %s', async (_what, manifests) => {
  const answer = await simulated(manifests)
  expect(going(answer)).toEqual([])
  expect(held(answer)).toContain('n1 Paused')
})

test.each([
  ['Soaking', [], ['n1 RolloutHeld']],
  ['Progressing', ['n1'], []],
])('a drifted node while the rollout of its pool is %s', async (phase, wanted, why) => {
  const answer = await simulated(rollout(phase) + machine('n1', { conditions: drifted }) + runningOn('n1'))
  expect(going(answer)).toEqual(wanted)
  expect(held(answer)).toEqual(expect.arrayContaining(why))
})

test('what a RolloutPolicy covers waits for its window', async () => {
  const answer = await simulated(pool() + machine('n1') + eveningPolicy('Consolidation'))
  expect(going(answer)).toEqual([])
  expect(held(answer)).toContain('n1 RolloutHeld')
  expect(going(await simulated(pool() + machine('n1') + eveningPolicy('Drift')))).toEqual(['n1'])
})

test.each([
  ['2026-01-02T00:01:00Z', [], ['n1 CircuitOpen']],
  ['2026-01-02T00:00:00Z', ['n1'], []],
])('a drifted node while the circuit breaker of its pool is open until %s', async (retryAt, wanted, why) => {
  const answer = await simulated(
    pool({ status: openBreaker(retryAt) }) + machine('n1', { conditions: drifted }) + runningOn('n1'),
  )
  expect(going(answer)).toEqual(wanted)
  expect(held(answer)).toEqual(expect.arrayContaining(why))
})

test('a pod goes to another pool while the circuit breaker of its own is open', async () => {
  const other = pool().replaceAll('general', 'another')
  const open = pool({ status: openBreaker('2026-01-02T00:01:00Z') })
  const pools = async (manifests: string): Promise<readonly string[]> =>
    (await simulated(manifests + pod('web'))).nodeClaims.map(({ nodePool }) => nodePool)
  expect(await pools(pool() + other)).toEqual(['general'])
  expect(await pools(open + other)).toEqual(['another'])
  const { nodeClaims, unschedulable } = await simulated(open + pod('web'))
  expect(nodeClaims).toEqual([])
  const message = expect.stringContaining('circuit breaker is open') as string
  expect(unschedulable).toEqual([{ pod: 'shop/web', reasons: [{ nodePool: 'general', message }] }])
  const refusing = other.replace('taints: []', 'taints: [{key: team, value: a, effect: NoSchedule}]')
  const both = await simulated(open + refusing + pod('web'))
  const reasons = [{ nodePool: 'another' }, { nodePool: 'general', message }]
  expect(both.unschedulable).toMatchObject([{ pod: 'shop/web', reasons }])
})
