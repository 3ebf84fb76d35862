import { expect, test } from 'vitest'
import type { NodeClaim } from '../../../../src/api/karpenter.ts'
import type { LaunchedInstance } from '../../../../src/cloud/provider.ts'
import type { EC2Instance } from '../../../../src/cloud/aws/instance/ec2-instance.ts'
import { instanceGarbageCollector } from '../../../../src/controllers/aws/instance-garbage-collection.ts'
import { evictionQueue, nodeTermination } from '../../../../src/controllers/node/index.ts'
import { machineLookup, nodeClaimLifecycle } from '../../../../src/controllers/nodeclaim/index.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { nodeClaims } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../../src/kube/kinds.ts'
import { aClaim, aNode, aPod, unregisteredTaint } from '../../../support/controller-builders.ts'
import { aControllerWorld, type ControllerWorld, FakeCloud } from '../../../support/controller-world.ts'

const own = { 'karpenter.sh/nodepool': 'default', 'karpenter.k8s.aws/ec2nodeclass': 'default' }

/**
 * As EC2, which launches another machine at every call: launches of many claims share one CreateFleet, so no client token ties a machine
 * to its claim. The first has a reservation, those after it are of another type in another zone.
 */
class EC2LikeCloud extends FakeCloud {
  override async create(claim: NodeClaim): Promise<LaunchedInstance> {
    const made = await super.create(claim)
    this.instances.delete(made.providerID)
    const first = this.created.length === 1
    const zone = first ? 'us-west-2a' : 'us-west-2b'
    const instance: LaunchedInstance = {
      ...made,
      providerID: `aws:///${zone}/i-${this.created.length}`,
      labels: {
        'node.kubernetes.io/instance-type': first ? 'm5.large' : 'c5.4xlarge',
        'topology.kubernetes.io/zone': zone,
        'karpenter.sh/capacity-type': first ? 'reserved' : 'on-demand',
        ...(first ? { 'karpenter.k8s.aws/capacity-reservation-id': 'cr-1' } : {}),
      },
    }
    this.instances.set(instance.providerID, instance)
    return instance
  }

  /** The same machines as DescribeInstances shows them, with the cluster's tags; of what it launched itself the process remembers nothing. */
  get ec2() {
    return {
      list: async () => [...this.instances.values()].map(asInstance),
      delete: async (id: string) => {
        const providerID = [...this.instances.keys()].find((key) => key.endsWith(`/${id}`)) ?? id
        await this.delete({ ...(aClaim() as NodeClaim), status: { providerID } })
      },
      isFreshLaunch: () => false,
      launchedFor: () => undefined,
    }
  }
}

function asInstance({ providerID, createdAt, deletedAt, labels }: LaunchedInstance): EC2Instance {
  const [zone = '', id = ''] = providerID.split('/').slice(-2)
  return {
    id,
    zone,
    launchedAt: createdAt,
    state: deletedAt === undefined ? 'running' : 'shutting-down',
    imageID: 'ami-1',
    instanceType: labels['node.kubernetes.io/instance-type'] ?? '',
    zoneID: undefined,
    capacityType: 'on-demand',
    reservation: undefined,
    tenancy: 'default',
    securityGroupIDs: [],
    subnetID: '',
    tags: { ...own, 'eks:eks-cluster-name': 'demo', 'kubernetes.io/cluster/demo': 'owned' },
    efaCount: 0,
    placementGroupID: undefined,
    partition: 0,
  }
}

const writes = new Set(['create', 'update', 'patch', 'delete', 'evict'])
const claimKey = { name: 'c1' }

type World = ControllerWorld & { readonly cloud: EC2LikeCloud }

async function startProcess(world: World): Promise<() => Promise<void>> {
  const health = { recordSuccess: async () => undefined, recordFailure: async () => undefined }
  const evictions = evictionQueue({ ...world, lookup: machineLookup(world.caches) })
  return world.start(
    nodeClaimLifecycle({ ...world, health }),
    evictions.controller,
    nodeTermination({ ...world, evictions }),
    instanceGarbageCollector({ ...world, cloud: { instances: world.cloud.ec2 }, settings: { clusterName: 'demo' } }),
  )
}

/**
 * One machine from claim to nothing. The process dies at its nth write, before or after that took effect, and another one takes over
 * with nothing but what is stored. Returns how many writes the first process made, and how many machines were launched in all.
 */
async function lifeOfAMachine(diesAt: number, effect: 'lost' | 'done'): Promise<{ writes: number; launches: number }> {
  const first = aControllerWorld()
  const cloud = new EC2LikeCloud(first.clock)
  const world = { ...first, cloud }
  let count = 0
  let dead = false
  const stored = world.kube
  const dying: typeof stored = new Proxy(stored, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target)
      if (typeof value !== 'function') return value
      const call = (...args: unknown[]): unknown => Reflect.apply(value, target, args)
      if (typeof property !== 'string' || !writes.has(property)) return call
      return async (...args: unknown[]) => {
        if (dead) throw new KubeError('Network', 0, 'the process is dead')
        count++
        if (count !== diesAt) return call(...args)
        dead = true
        if (effect === 'done') await call(...args)
        throw new KubeError('Network', 0, 'the process died')
      }
    },
  })
  let current: World = { ...world, kube: dying }
  let stop = await startProcess(current)
  const pass = async (ms: number): Promise<void> => {
    for (let elapsed = 0; elapsed < ms; elapsed += 1_000) {
      await current.run(1_000)
      if (!dead || current.kube === stored) continue
      await stop()
      current = { ...aControllerWorld({ clock: world.clock, kube: stored, cloud }), cloud }
      stop = await startProcess(current)
    }
  }

  await stored.create(nodeClaims, aClaim('c1', { metadata: { labels: own } }))
  await pass(8_000)
  const providerID = (await stored.get(nodeClaims, claimKey)).status?.providerID ?? ''
  const { labels = {} } = cloud.instances.get(providerID) ?? {}
  await stored.create(nodes, aNode('n1', { providerID, taints: [unregisteredTaint], metadata: { labels } }))
  await stored.create(pods, aPod('app', { spec: { nodeName: 'n1' } }))
  await pass(20_000)
  const claim = await stored.get(nodeClaims, claimKey)
  const node = await stored.get(nodes, { name: 'n1' })
  expect(claim.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True')
  expect(claim.status?.providerID).toBe(providerID)
  expect(claim.metadata.labels).toEqual({ ...own, ...labels })
  const marks = { 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' }
  expect(node.metadata.labels).toEqual({ ...own, ...labels, ...marks })
  expect(node.spec.taints).toEqual([])
  // What was launched first, and is named by no claim, is collected; the claim keeps its own.
  await pass(30_000)
  expect([...cloud.instances.keys()]).toEqual([providerID])
  await stored.delete(nodeClaims, claimKey)
  await pass(60_000)
  expect((await stored.list(nodeClaims)).items).toEqual([])
  expect((await stored.list(nodes)).items).toEqual([])
  expect((await stored.list(pods)).items).toEqual([])
  expect(cloud.instances.size).toBe(0)
  await stop()
  return { writes: count, launches: cloud.created.length }
}

test('wherever a process dies, the next one brings the machine to life and to its end', async () => {
  const undisturbed = await lifeOfAMachine(Number.POSITIVE_INFINITY, 'done')
  expect(undisturbed.launches).toBe(1)
  expect(undisturbed.writes).toBeGreaterThan(8)
  const launches: number[] = []
  for (let n = 1; n <= undisturbed.writes; n++) {
    for (const effect of ['lost', 'done'] as const) launches.push((await lifeOfAMachine(n, effect)).launches)
  }
  // A process that dies after its launch and before the claim names the machine leaves it behind: another one is launched, once.
  expect(Math.max(...launches)).toBe(2)
})
