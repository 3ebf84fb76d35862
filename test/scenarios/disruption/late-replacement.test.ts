import { expect, test } from 'vitest'
import { nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { aDeployment, aFleet, anEmbeddedOperator } from '../../support/embedded-operator.ts'

const minute = 60_000

/** With the usual `consolidateAfter`, which is nothing. */
test('a drifted node is replaced though machines take longer to come up than a command waits, and none is launched twice for it', async () => {
  const { cluster, log, stop } = await anEmbeddedOperator()
  const { client, clock, behaviours } = cluster
  try {
    await aFleet(cluster)
    const requirements = [
      { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['c5.large'] },
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
    ]
    const patch = (spec: object) => client.patch(nodePools, { name: 'default' }, { kind: 'merge', body: { spec } })
    await patch({ template: { spec: { requirements } }, disruption: { consolidateAfter: '0s' } })
    await aDeployment(cluster, 3)
    await clock.run({ forMs: 5 * minute })
    const before = (await client.list(nodeClaims)).items.map(({ metadata }) => metadata.name)
    const launched = log.lines.filter(({ message }) => message === 'created nodeclaim').length
    behaviours.chooser = () => ({ readyMs: 12 * minute })
    await patch({ template: { metadata: { labels: { team: 'web' } } } })
    await clock.run({ forMs: 90 * minute })
    const after = (await client.list(nodeClaims)).items.map(({ metadata }) => metadata.name)
    expect(after.filter((name) => before.includes(name))).toEqual([])
    const created = log.lines.filter(({ message }) => message === 'created nodeclaim').slice(launched)
    expect(created).toHaveLength(before.length)
    const late = log.lines.filter(
      ({ message }) => message === 'failed terminating nodes while executing a disruption command',
    )
    expect(late).toHaveLength(before.length)
  } finally {
    await stop()
  }
})
