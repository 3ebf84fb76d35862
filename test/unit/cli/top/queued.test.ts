import { expect, test } from 'vitest'
import { nodeClaims, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../../../src/kube/kinds.ts'
import { runCommand } from '../../../support/command-run.ts'
import { aPool, aStateNode, condition } from '../../../support/disruption-builders.ts'
import { plainAPIServer } from '../../../support/plain-api-server.ts'

test('a node whose replacement is on its way is draining, as the web page shows it', async () => {
  const fleet = [aStateNode('a', { conditions: [condition('DisruptionReason')] }), aStateNode('b')]
  const { kubeconfig } = await plainAPIServer([
    [nodePools, [aPool()]],
    [nodes, fleet.flatMap(({ node }) => node ?? [])],
    [nodeClaims, fleet.flatMap(({ nodeClaim }) => nodeClaim ?? [])],
  ])
  const { stdout, stderr } = await runCommand(['top', '--once', '-o', 'json', '--kubeconfig', kubeconfig])
  expect(stderr).toBe('')
  const view = JSON.parse(stdout) as { nodes: readonly { name: string; state: string }[] }
  expect(view.nodes.map(({ name, state }) => `${name} ${state}`)).toEqual(['claim-a Draining', 'claim-b Registering'])
})
