import { expect, test } from 'vitest'
import { runCommand } from '../../../support/command-run.ts'
import { aFleetClass, aFleetPool, aMachine } from '../../../support/fleet-objects.ts'

test('a pool that asks for a label by its old name does not make its nodes drift', async () => {
  const requirements = [{ key: 'beta.kubernetes.io/arch', operator: 'In' as const, values: ['amd64'] }]
  const [pool, nodeClass] = [aFleetPool({ template: { requirements } }), aFleetClass()]
  const items = [pool, nodeClass, ...aMachine('n1', pool, nodeClass)]
  const stdin = JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
  const node = await runCommand(['explain', 'node', 'n1', '-f', '-'], { stdin })
  expect(node.stdout).toContain('[NotDrifted]')
  const pass = await runCommand(['simulate', '-', '--disrupt', '-o', 'json'], { stdin })
  expect(JSON.parse(pass.stdout)).toMatchObject({ disruption: { commands: [] } })
})
