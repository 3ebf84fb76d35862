import type { Node, Pod } from '../../../src/api/kubernetes.ts'
import type { NodeClaim, NodePool } from '../../../src/api/karpenter.ts'
import { ClusterState } from '../../../src/cluster/cluster-state.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { createCaches } from '../../../src/kube/caches.ts'
import { nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../src/kube/kinds.ts'
import { FakeKubeClient } from '../../support/fake-kube-client.ts'
import { fixedRandom } from '../../support/fixed-random.ts'
import { recordingLogger } from '../../support/recording-logger.ts'

const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }

/** A cluster state over a fake API server, whose watches have yet to start; `settle` lets every one catch up. */
export function aWorldToStart() {
  const clock = new VirtualClock()
  const client = new FakeKubeClient(() => new Date(clock.now()).toISOString())
  const log = recordingLogger()
  const caches = createCaches({ client, clock, random: fixedRandom(), log })
  const state = new ClusterState({
    caches,
    clock,
    log,
    cloud: { nodeClassKinds: [{ group: 'karpenter.k8s.aws', kind: 'EC2NodeClass' }] },
    instanceTypes: () => Promise.resolve({ kind: 'resolved', types: [] }),
    nominationMs: 20_000,
    evictionCost: () => 1,
  })
  const stop = new AbortController()
  const start = (): Promise<void> => {
    caches.start(stop.signal)
    return clock.settle()
  }
  return { clock, client, log, caches, state, stop, start, settle: () => clock.settle() }
}

/** The same, with everything that there is delivered. */
export async function aWorld() {
  const world = aWorldToStart()
  await world.start()
  return world
}

export type World = Awaited<ReturnType<typeof aWorld>>

export function aClaim(
  name: string,
  more: { pool?: string; providerID?: string; kind?: string } & Partial<NodeClaim['spec']> = {},
): NodeClaim {
  const { pool = 'default', providerID, kind = 'EC2NodeClass', ...spec } = more
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, labels: { 'karpenter.sh/nodepool': pool } } as unknown as NodeClaim['metadata'],
    spec: { nodeClassRef: { ...nodeClassRef, kind }, requirements: [], ...spec },
    ...(providerID === undefined
      ? {}
      : {
          status: { providerID, capacity: { cpu: '4', memory: '8Gi' }, allocatable: { cpu: '3900m', memory: '7Gi' } },
        }),
  }
}

export function aNode(
  name: string,
  more: {
    providerID?: string
    labels?: Record<string, string>
    status?: Node['status']
    taints?: Node['spec']['taints']
  } = {},
): Node {
  const { providerID, labels = {}, status, taints } = more
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels } as unknown as Node['metadata'],
    spec: { ...(providerID === undefined ? {} : { providerID }), ...(taints === undefined ? {} : { taints }) },
    ...(status === undefined ? {} : { status }),
  }
}

export const managedLabels = (more: Record<string, string> = {}): Record<string, string> => ({
  'karpenter.sh/nodepool': 'default',
  'node.kubernetes.io/instance-type': 'm5.xlarge',
  ...more,
})

export const readyLabels = managedLabels({ 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' })

export function aPod(
  name: string,
  more: { node?: string; cpu?: string; phase?: string; owner?: Pod['metadata']['ownerReferences'] } = {},
): Pod {
  const { node, cpu = '1', phase = 'Pending', owner } = more
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'default',
      ...(owner === undefined ? {} : { ownerReferences: owner }),
    } as unknown as Pod['metadata'],
    spec: {
      containers: [{ name: 'main', resources: { requests: { cpu } } }],
      ...(node === undefined ? {} : { nodeName: node }),
    },
    status: { phase: phase as 'Pending' },
  }
}

export function aPool(name: string, more: { kind?: string } & Partial<NodePool['spec']> = {}): NodePool {
  const { kind = 'EC2NodeClass', ...spec } = more
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name, generation: 1 } as unknown as NodePool['metadata'],
    spec: { template: { spec: { nodeClassRef: { ...nodeClassRef, kind }, requirements: [] } }, ...spec },
  }
}

export const put = {
  claim: (world: World, claim: NodeClaim) => world.client.create(nodeClaims, claim),
  node: (world: World, node: Node) => world.client.create(nodes, node),
  pod: (world: World, pod: Pod) => world.client.create(pods, pod),
  pool: (world: World, pool: NodePool) => world.client.create(nodePools, pool),
}
