import { expect, test } from 'vitest'
import { nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, pods } from '../../../src/kube/kinds.ts'
import { containerOf, deploymentOf } from '../../support/deployments.ts'
import { aFleet, anEmbeddedOperator } from '../../support/embedded-operator.ts'

const minute = 60_000
const hour = 60 * minute

/** A node whose pods cost nothing to move is removed as if it were empty (case 49 of the lifecycle), and its pods then need another. */
test('a node with nothing but filler is removed as empty, not again and again, and holds nobody else up', async () => {
  const { cluster, log, stop } = await anEmbeddedOperator()
  const { client, clock } = cluster
  /** Commands that take nodes without launching others for them. */
  const removals = () =>
    log.lines.filter(({ message, fields }) => message === 'disrupting node(s)' && fields['decision'] === 'delete')
  const claims = async () => (await client.list(nodeClaims)).items.map(({ metadata: { name } }) => name)
  const change = (spec: object) =>
    client.patch(nodePools, { name: 'default' }, { kind: 'merge', body: { spec: { ...spec } } })
  const deploy = (name: string, cpu: string, annotations = {}) => {
    const spec = {
      nodeSelector: { 'karpenter.sh/nodepool': 'default' },
      containers: [containerOf({ cpu, memory: '1Gi' })],
    }
    return client.create(deployments, deploymentOf(name, 1, spec, { annotations }))
  }
  try {
    await aFleet(cluster)
    await change({ disruption: { consolidateAfter: '30s', budgets: [{ nodes: '100%' }] } })
    await deploy('filler', '1500m', { 'controller.kubernetes.io/pod-deletion-cost': '-2147483647' })
    await clock.run({ forMs: 30 * minute })
    expect(removals()).toHaveLength(1)
    expect(await claims()).toHaveLength(1)

    await deploy('web', '3')
    await clock.run({ forMs: 5 * minute })
    const before = await claims()
    await change({ template: { metadata: { labels: { team: 'x' } } } })
    await clock.run({ forMs: 15 * minute })
    expect((await claims()).filter((name) => before.includes(name))).toEqual([])

    await clock.run({ forMs: 6 * hour })
    expect(removals().length).toBeLessThanOrEqual(4)
    const running = (await client.list(pods, { namespace: 'default' })).items.filter(
      ({ status }) => status?.phase === 'Running',
    )
    expect(running).toHaveLength(2)
  } finally {
    await stop()
  }
})
