import { expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'
import { aFleetClass, aFleetPool, aMachine, fleetNow } from '../../../support/fleet-objects.ts'
import { labelled } from '../../../support/plan-fleet.ts'

test.each([
  ['drifted nodes go while their class is there', {}, [['n1']], []],
  [
    'a class that is being deleted keeps its drifted nodes where they are',
    { deletionTimestamp: fleetNow, finalizers: ['karpenter.k8s.aws/termination'] },
    [],
    [{ node: 'n1', reason: 'NodePoolNotFound', message: 'NodePool not found (NodePool=default)' }],
  ],
])('%s', async (_name, metadata, candidates, blocked) => {
  const pool = { replicas: 1, limits: { nodes: '2' } }
  const nodeClass = aFleetClass()
  const going = { ...nodeClass, metadata: { ...nodeClass.metadata, ...metadata } }
  const items = [aFleetPool({ ...pool, ...labelled }), going, ...aMachine('n1', aFleetPool(pool), nodeClass)]
  const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  const flags = ['--disrupt', '--region', 'us-east-1', '--now', fleetNow, '-o', 'json']
  const { code, stdout } = await runCommand(['simulate', '-', ...flags], { stdin })
  expect(code).toBe(0)
  const { disruption } = JSON.parse(stdout) as {
    disruption: { commands: { candidates: string[] }[]; blocked: object[] }
  }
  expect(disruption.commands.map((command) => command.candidates)).toEqual(candidates)
  expect(disruption.blocked).toEqual(blocked)
})
