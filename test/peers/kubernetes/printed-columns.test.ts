import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { NodeClaim, NodePool } from '../../../src/api/karpenter.ts'
import type { Condition, Unsaved } from '../../../src/api/kubernetes.ts'
import { serve } from '../../../src/embedded/apiserver/index.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { createEmbeddedCluster } from '../../../src/embedded/index.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import type { KubeClient } from '../../../src/kube/port.ts'
import { connect } from '../support/client.ts'
import { installCRDs } from '../support/crds.ts'
import { aNodeClass, aNodePool } from '../support/fleet-manifests.ts'
import { describeWithPeers } from '../support/peers.ts'
import { kubectlProgram } from '../support/programs.ts'
import { run } from '../support/run.ts'
import { useControlPlane } from '../support/use-control-plane.ts'

const ready: Condition = {
  type: 'Ready',
  status: 'True',
  reason: 'Ready',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
}

const claim: Unsaved<NodeClaim> = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: {
    name: 'peers-x7k2p',
    labels: {
      'karpenter.sh/nodepool': 'peers',
      'karpenter.sh/capacity-type': 'on-demand',
      'node.kubernetes.io/instance-type': 'm5.large',
      'topology.kubernetes.io/zone': 'us-east-1a',
    },
  },
  spec: {
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'peers' },
    requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
  },
}

/** `kubectl get … -o wide`, ages taken out, columns set apart by one space. */
const golden: Readonly<Record<string, readonly string[]>> = {
  nodepools: ['NAME NODECLASS NODES READY AGE WEIGHT CPU MEMORY', 'peers peers 1 True <age> 10 2 8Gi'],
  nodeclaims: [
    'NAME TYPE CAPACITY ZONE NODE READY AGE IMAGEID ID NODEPOOL NODECLASS DRIFTED',
    'peers-x7k2p m5.large on-demand us-east-1a ip-10-0-0-7.ec2.internal True <age> ami-0a1b2c3d4e5f60001 aws:///us-east-1a/i-0a1b2c3d4e5f60718 peers peers',
  ],
  ec2nodeclasses: ['NAME READY AGE ROLE', 'peers True <age> KarpenterNodeRole-demo'],
}

await describeWithPeers('what kubectl prints of our kinds', ['kube-apiserver', 'kubectl'], () => {
  const controlPlane = useControlPlane()
  const kubeconfigs: Record<'real' | 'embedded', string> = { real: '', embedded: '' }
  const started = new AsyncDisposableStack()

  beforeAll(async () => {
    await installCRDs(controlPlane())
    kubeconfigs.real = controlPlane().kubeconfig
    const folder = await mkdtemp(join(tmpdir(), 'joinery-columns-'))
    started.defer(() => rm(folder, { recursive: true, force: true }))
    const clock = new VirtualClock({ startMs: Date.now() })
    const pacing = new AbortController()
    const paced = clock.pace(1, pacing.signal)
    const cluster = await createEmbeddedCluster({ seed: 1, clock, systemNode: false })
    started.defer(async () => {
      await cluster.stop()
      pacing.abort()
      await paced
    })
    kubeconfigs.embedded = join(folder, 'kubeconfig')
    const server = await serve({ server: cluster.apiServer, kubeconfigPath: kubeconfigs.embedded })
    started.defer(() => server.close())
    const real = connect(kubeconfigs.real)
    started.defer(() => real.close())
    for (const client of [real, cluster.client]) await createObjects(client)
  })
  afterAll(() => started.disposeAsync())

  const cases = Object.keys(golden).flatMap((kind) => [[kind, 'real'] as const, [kind, 'embedded'] as const])
  test.each(cases)('%s, by a %s API server', async (kind, server) => {
    const { command, args } = await kubectlProgram()
    const env = { KUBECONFIG: kubeconfigs[server] }
    const { code, stdout, stderr } = await run(command, [...args, 'get', kind, '-o', 'wide'], { env })
    expect([code, stderr]).toEqual([0, ''])
    expect(linesOf(stdout)).toEqual(golden[kind])
  })
})

async function createObjects(client: KubeClient): Promise<void> {
  const pool: Unsaved<NodePool> = aNodePool()
  await client.create(ec2NodeClasses, aNodeClass('v20260101'))
  await client.create(nodePools, { ...pool, spec: { ...pool.spec, weight: 10 } } as Unsaved<NodePool>)
  await client.create(nodeClaims, claim)
  const status = async (resource: Parameters<KubeClient['patch']>[0], name: string, fields: object) => {
    const body = { status: { conditions: [ready], ...fields } }
    await client.patch(resource, { name }, { kind: 'merge', body }, { subresource: 'status' })
  }
  await status(ec2NodeClasses, 'peers', {})
  await status(nodePools, 'peers', { nodes: 1, resources: { cpu: '2', memory: '8Gi', nodes: '1' } })
  await status(nodeClaims, 'peers-x7k2p', {
    nodeName: 'ip-10-0-0-7.ec2.internal',
    providerID: 'aws:///us-east-1a/i-0a1b2c3d4e5f60718',
    imageID: 'ami-0a1b2c3d4e5f60001',
  })
}

function linesOf(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => line.replaceAll(/ {2,}/g, ' ').replace(/ (?:\d+[smh])+ /, ' <age> '))
}
