import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { serve } from '../../../src/embedded/apiserver/index.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { createEmbeddedCluster } from '../../../src/embedded/index.ts'
import { eventually } from '../support/eventually.ts'
import { Fleet } from '../support/fleet.ts'
import { mirrorFleet } from '../support/fleet-mirror.ts'
import { quickMachines } from '../support/kubelets.ts'
import { clusterName, type MotoAccount, region, startMotoAccount } from '../support/moto-account.ts'
import { type OperatorProcess, startOperator } from '../support/operator-process.ts'
import { describeWithPeers } from '../support/peers.ts'

const kubernetesVersion = '1.33'

await describeWithPeers('the whole operator over HTTP against moto, nodes by the embedded cluster', ['moto'], () => {
  let account: MotoAccount
  let operator: OperatorProcess
  let fleet: Fleet
  let failed = false
  const stops: (() => Promise<unknown>)[] = []

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'joinery-embedded-'))
    stops.push(() => rm(folder, { recursive: true, force: true }))
    account = await startMotoAccount(kubernetesVersion)
    stops.push(() => account.stop())
    const clock = new VirtualClock({ startMs: Date.now() })
    const pacing = new AbortController()
    const paced = clock.pace(1, pacing.signal)
    const cluster = await createEmbeddedCluster({
      seed: 1,
      clock,
      region,
      clusterName,
      kubernetesVersion,
      systemNode: false,
      machines: quickMachines,
    })
    stops.push(async () => {
      await cluster.stop()
      pacing.abort()
      await paced
    })
    const kubeconfig = join(folder, 'kubeconfig')
    const server = await serve({ server: cluster.apiServer, kubeconfigPath: kubeconfig })
    stops.push(() => server.close())
    const mirror = mirrorFleet(account, cluster.aws)
    stops.push(() => mirror.stop())
    operator = await startOperator({ kubeconfig, account, endpoint: server.url })
    stops.push(() => operator.dispose())
    fleet = new Fleet(cluster.client, account)
  })
  afterEach(({ task }) => {
    failed ||= task.result?.state === 'fail'
  })
  afterAll(async () => {
    if (failed) process.stderr.write(`${await operator.logTail(60)}\n${await account.logTail(20)}\n`)
    for (const stop of stops.toReversed()) await stop()
  })

  test('pending pods become instances, instances become nodes, and the pods run on them', async () => {
    await fleet.start('v20260101', 6)
    await eventually('cluster and account agree', () => fleet.isBalanced())
    expect((await fleet.books()).instances.length).toBeGreaterThanOrEqual(3)
    expect(await fleet.allFrom('v20260101')).toBe(true)
  })

  test('instances carry the names of pool, claim and cluster', async () => {
    const tagsOfFirst = async () => {
      const [instance] = await account.liveInstances()
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
    expect(await account.liveInstances()).toEqual([])
  })

  test('every call shows up in the metrics', async () => {
    const metrics = await operator.metrics()
    for (const action of ['CreateFleet', 'TerminateInstances', 'DescribeInstances', 'CreateLaunchTemplate']) {
      expect(metrics).toContain(`action="${action}"`)
    }
  })
})
