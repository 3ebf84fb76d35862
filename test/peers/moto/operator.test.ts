import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedWorld, startEmbeddedWorld } from '../support/embedded-world.ts'
import { eventually } from '../support/eventually.ts'
import { reportFailures } from '../support/failure-report.ts'
import { accountIsClean, type Fleet } from '../support/fleet.ts'
import { clusterName } from '../support/moto-account.ts'
import type { OperatorProcess } from '../support/operator-process.ts'
import { describeWithPeers } from '../support/peers.ts'

await describeWithPeers('the whole operator over HTTP against moto, nodes by the embedded cluster', ['moto'], () => {
  let world: EmbeddedWorld
  let operator: OperatorProcess
  let fleet: Fleet

  beforeAll(async () => {
    world = await startEmbeddedWorld()
    operator = await world.startOperator()
    fleet = world.fleetOf()
  })
  reportFailures(() => world.report())
  afterAll(async () => {
    await world.stop()
  })

  test('pending pods become instances, instances become nodes, and the pods run on them', async () => {
    await fleet.start('v20260101', 6)
    await eventually('cluster and account agree', () => fleet.isBalanced())
    expect((await fleet.books()).instances.length).toBeGreaterThanOrEqual(3)
    expect(await fleet.allFrom('v20260101')).toBe(true)
  })

  test('instances carry the names of pool, claim and cluster', async () => {
    const tagsOfFirst = async () => {
      const [instance] = await world.account.liveInstances()
      return Object.fromEntries((instance?.Tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value]))
    }
    // The claim's name is tagged once its node has registered, a moment after the pods run.
    await eventually('the instance is tagged with its claim', async () =>
      (await fleet.claimNames()).includes((await tagsOfFirst())['karpenter.sh/nodeclaim'] ?? ''),
    )
    expect(await tagsOfFirst()).toMatchObject({
      'karpenter.sh/nodepool': 'peers',
      'eks:eks-cluster-name': clusterName,
      [`kubernetes.io/cluster/${clusterName}`]: 'owned',
    })
  })

  test('another AMI rolls every node, and no pod is lost', async () => {
    await fleet.release('v20260201')
    await eventually('every instance is of the new release', () => fleet.allFrom('v20260201'))
    await eventually('every pod runs again', () => fleet.allRun(6))
  })

  test('nodes that fewer pods leave behind go', async () => {
    await fleet.scale(2)
    await eventually('one node is left', async () => (await fleet.books()).instances.length === 1)
    await eventually('both pods run', () => fleet.allRun(2))
  })

  test('with the NodePool everything goes, and nothing is left in the account', async () => {
    await fleet.end()
    await accountIsClean(world.account)
  })

  test('every call shows up in the metrics', async () => {
    const metrics = await operator.metrics()
    for (const action of ['CreateFleet', 'TerminateInstances', 'DescribeInstances', 'CreateLaunchTemplate']) {
      expect(metrics).toContain(`action="${action}"`)
    }
  })
})
