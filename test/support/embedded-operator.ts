import type { NodePool } from '../../src/api/karpenter.ts'
import type { AWSClients } from '../../src/cloud/aws/clients.ts'
import { createEmbeddedCluster, type EmbeddedCluster } from '../../src/embedded/index.ts'
import { ec2NodeClasses, nodePools } from '../../src/kube/karpenter-kinds.ts'
import { deployments } from '../../src/kube/kinds.ts'
import { type Operator, startOperator } from '../../src/operator/operator.ts'
import { defaultOptions, type Options } from '../../src/operator/options.ts'
import { createPrometheusMetrics, type PrometheusMetrics } from '../../src/operator/prometheus.ts'
import { containerOf, deploymentOf } from './deployments.ts'
import { type RecordingLogger, recordingLogger } from './recording-logger.ts'

interface RunningOperator {
  readonly operator: Operator
  readonly log: RecordingLogger
  readonly metrics: PrometheusMetrics
}

export interface EmbeddedOperator extends RunningOperator {
  readonly cluster: EmbeddedCluster
  stop(): Promise<void>
}

/** The whole operator beside an embedded cluster, with nothing in it. `aws` may stand between it and the simulated account. */
export async function anEmbeddedOperator(
  changes: Partial<Options> = {},
  aws: (cluster: EmbeddedCluster) => AWSClients = (cluster) => cluster.aws.clients,
  seed = 1,
): Promise<EmbeddedOperator> {
  const cluster = await createEmbeddedCluster({ seed })
  const started = anOperatorOn(cluster, changes, aws(cluster))
  return {
    cluster,
    ...started,
    stop: async () => {
      void started.operator.stop()
      await cluster.clock.run({ forMs: 60_000 })
      await cluster.stop()
    },
  }
}

/** Another one beside those that the cluster has. */
export function anOperatorOn(
  cluster: EmbeddedCluster,
  changes: Partial<Options> = {},
  aws: AWSClients = cluster.aws.clients,
): RunningOperator {
  const log = recordingLogger()
  const metrics = createPrometheusMetrics({ processMetrics: false })
  const operator = startOperator({
    kube: cluster.clientFor('karpenter'),
    aws,
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
  return { operator, log, metrics }
}

/** An EC2NodeClass and a NodePool. */
export async function aFleet(
  { client, clusterName, nodeRole }: EmbeddedCluster,
  capacityTypes: readonly string[] = ['on-demand'],
): Promise<void> {
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
          requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: [...capacityTypes] }],
        },
      },
    },
  }
  await client.create(nodePools, { ...pool, metadata: { name: 'default' } })
}

export async function aDeployment({ client }: EmbeddedCluster, replicas: number): Promise<void> {
  const spec = { containers: [containerOf({ cpu: '1', memory: '1Gi' })] }
  await client.create(deployments, deploymentOf('web', replicas, spec))
}
