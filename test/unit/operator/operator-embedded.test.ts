import { afterEach, expect, test } from 'vitest'
import type { NodePool } from '../../../src/api/karpenter.ts'
import type { Deployment } from '../../../src/api/kubernetes.ts'
import { createEmbeddedCluster, type EmbeddedCluster } from '../../../src/embedded/index.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { deployments, leases, nodes, pods } from '../../../src/kube/kinds.ts'
import { type Operator, startOperator } from '../../../src/operator/operator.ts'
import { defaultOptions, type Options } from '../../../src/operator/options.ts'
import { createPrometheusMetrics } from '../../../src/operator/prometheus.ts'
import { recordingLogger } from '../../support/recording-logger.ts'

const running: { cluster: EmbeddedCluster; operator: Operator }[] = []

afterEach(async () => {
  for (const { cluster, operator } of running.splice(0)) {
    void operator.stop()
    await cluster.clock.run({ forMs: 60_000 })
    await cluster.stop()
  }
})

async function world(changes: Partial<Options> = {}) {
  const cluster = await createEmbeddedCluster({ seed: 1 })
  const log = recordingLogger()
  const metrics = createPrometheusMetrics({ processMetrics: false })
  const operator = startOperator({
    kube: cluster.clientFor('karpenter'),
    aws: cluster.aws.clients,
    clock: cluster.clock,
    random: cluster.random.fork('operator'),
    log,
    metrics,
    options: defaultOptions({
      clusterName: cluster.clusterName,
      interruptionQueue: cluster.interruptionQueue,
      ...changes,
    }),
    serverVersion: () => Promise.resolve({ major: '1', minor: '33' }),
    kubernetesCA: '',
    namespace: 'kube-system',
    identity: 'test',
    build: { version: '0', commit: 'test', goversion: '', goarch: '' },
  })
  running.push({ cluster, operator })
  return { cluster, operator, log, metrics }
}

async function aFleet({ client, clusterName, nodeRole }: EmbeddedCluster): Promise<void> {
  const tags = { 'karpenter.sh/discovery': clusterName }
  const nodeClass = {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ tags }],
      securityGroupSelectorTerms: [{ tags }],
      role: nodeRole,
    },
  }
  await client.create(ec2NodeClasses, { ...nodeClass, metadata: { name: 'default' } })
  const pool: Pick<NodePool, 'apiVersion' | 'kind' | 'spec'> = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }],
        },
      },
    },
  }
  await client.create(nodePools, { ...pool, metadata: { name: 'default' } })
}

async function aDeployment({ client }: EmbeddedCluster, replicas: number): Promise<void> {
  const deployment: Pick<Deployment, 'apiVersion' | 'kind' | 'spec'> = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image: 'web:1', resources: { requests: { cpu: '1', memory: '1Gi' } } }] },
      },
    },
  }
  await client.create(deployments, { ...deployment, metadata: { name: 'web', namespace: 'default' } })
}

test('pending pods get nodes, and the nodes go when the pods are gone', async () => {
  const { cluster, operator, log } = await world()
  await aFleet(cluster)
  await cluster.clock.run({ forMs: 60_000 })
  await operator.started
  await aDeployment(cluster, 10)
  const allRunning = async (): Promise<boolean> => {
    const { items } = await cluster.client.list(pods, { namespace: 'default' })
    return items.length === 10 && items.every((pod) => pod.status?.phase === 'Running')
  }
  await cluster.clock.run({ forMs: 300_000 })
  const errors = log.lines
    .filter(({ level }) => level === 'error')
    .map(({ message, fields }) => [fields['controller'], message, String(fields['err'])])
  expect(errors).toEqual([])
  expect(await allRunning()).toBe(true)
  const claims = (await cluster.client.list(nodeClaims)).items
  expect(claims.length).toBeGreaterThan(0)
  expect((await cluster.client.list(nodes, { labelSelector: 'karpenter.sh/nodepool=default' })).items).toHaveLength(
    claims.length,
  )

  await cluster.client.patch(
    deployments,
    { namespace: 'default', name: 'web' },
    { kind: 'merge', body: { spec: { replicas: 0 } } },
  )
  await cluster.clock.run({ forMs: 600_000 })
  expect((await cluster.client.list(nodeClaims)).items).toEqual([])
  expect(log.lines.map(({ message }) => message)).toContain('disrupting node(s)')
})

test('an orderly stop gives the lease back', async () => {
  const { cluster, operator } = await world()
  await aFleet(cluster)
  await cluster.clock.run({ forMs: 60_000 })
  await operator.started
  const lease = () => cluster.client.get(leases, { namespace: 'kube-system', name: 'karpenter-leader-election' })
  expect((await lease()).spec?.holderIdentity).toBe('test')
  const stopping = operator.stop()
  await cluster.clock.run({ forMs: 60_000 })
  await stopping
  expect(await operator.finished).toBe('stopped')
  expect((await lease()).spec?.holderIdentity ?? '').toBe('')
})

test('an observer decides and writes nothing', async () => {
  const { cluster, operator, log } = await world({ observe: true })
  await aFleet(cluster)
  await cluster.clock.run({ forMs: 60_000 })
  await operator.started
  const { items } = await cluster.client.list(nodePools)
  expect(items[0]?.status).toBeUndefined()
  expect(log.lines.map(({ message }) => message)).toContain('write held back in observe mode')
})
