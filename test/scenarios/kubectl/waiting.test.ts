import { expect, test } from 'vitest'
import { withConditions } from '../../../src/rollout/status.ts'
import { describeWithKubectl } from './kubectl.ts'
import { nodeClass, nodePool } from './objects.ts'

const now = Date.parse('2026-01-01T00:00:00Z')

describeWithKubectl('kubectl waits for a rollout', (world) => {
  test('by the condition Reconciling: not on the word of an older generation, and not while nodes are replaced', async () => {
    const { kubectl, file } = world()
    await kubectl(['create', '-f', await file('rolled', nodePool('rolled'))])
    const tell = async (status: 'True' | 'False', generation: number) => {
      const [reconciling] = withConditions([], [{ type: 'Reconciling', status, reason: 'R', message: '' }], {
        generation,
        now,
      })
      const patch = JSON.stringify({ status: { conditions: [reconciling] } })
      await kubectl(['patch', 'nodepool', 'rolled', '--subresource=status', '--type=merge', '-p', patch])
    }
    const wait = (timeout: string) =>
      kubectl(['wait', 'nodepools', '--all', '--for=condition=Reconciling=false', `--timeout=${timeout}`])

    await tell('False', 1)
    expect((await wait('5s')).stdout).toBe('nodepool.karpenter.sh/rolled condition met\n')
    await kubectl(['patch', 'nodepool', 'rolled', '--type=merge', '-p', '{"spec":{"weight":11}}'])
    expect((await wait('1s')).stderr).toContain('timed out waiting for the condition')
    await tell('True', 2)
    expect((await wait('1s')).stderr).toContain('timed out waiting for the condition')
    const waiting = wait('30s')
    await tell('False', 2)
    expect((await waiting).stdout).toBe('nodepool.karpenter.sh/rolled condition met\n')
  })

  test('of pools and classes: an edit of a class is in no condition of its pools until it has been looked at', async () => {
    const { kubectl, file } = world()
    await kubectl(['create', '-f', await file('wanted', nodeClass('wanted'))])
    const [reconciling] = withConditions([], [{ type: 'Reconciling', status: 'False', reason: 'R', message: '' }], {
      generation: 1,
      now,
    })
    const status = JSON.stringify({ status: { conditions: [reconciling] } })
    await kubectl(['patch', 'ec2nodeclass', 'wanted', '--subresource=status', '--type=merge', '-p', status])
    const wait = () =>
      kubectl(['wait', 'ec2nodeclasses,nodepools', '--all', '--for=condition=Reconciling=false', '--timeout=1s'])
    expect((await wait()).stdout).toContain('ec2nodeclass.karpenter.k8s.aws/wanted condition met\n')
    await kubectl(['patch', 'ec2nodeclass', 'wanted', '--type=merge', '-p', '{"spec":{"detailedMonitoring":true}}'])
    expect((await wait()).stderr).toContain('timed out waiting for the condition on ec2nodeclasses/wanted')
  })
})
