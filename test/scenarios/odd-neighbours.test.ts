import { expect, test } from 'vitest'
import { conditionOf } from '../../src/api/conditions.ts'
import type { CapacityBuffer, NodeClaim, NodeOverlay, NodePool } from '../../src/api/karpenter.ts'
import { capacityBuffers, nodeClaims, nodeOverlays, nodePools } from '../../src/kube/karpenter-kinds.ts'
import { pods } from '../../src/kube/kinds.ts'
import type { KubeClient } from '../../src/kube/port.ts'
import { aDeployment, aFleet, anEmbeddedOperator } from '../support/embedded-operator.ts'

const minute = 60_000
const featureGates = { NodeOverlay: true, StaticCapacity: true, CapacityBuffer: true }
const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' }

type Odd = (client: KubeClient) => Promise<unknown>

/** A pool that no machine is right for. */
function pool(more: { readonly spec?: object; readonly template?: object }): Odd {
  const requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['none.such'] }]
  const template = { spec: { nodeClassRef, requirements, ...more.template } }
  return (client) =>
    client.create(nodePools, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'aaa-odd' },
      spec: { template, ...more.spec },
    } as NodePool)
}

/** A pool that is asked before the others. */
function firstPool(name: string, template: object): Odd {
  return (client) =>
    client.create(nodePools, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name },
      spec: { weight: 100, template: { spec: { nodeClassRef, requirements: [] }, ...template } },
    } as unknown as NodePool)
}

/** What the definitions of the API admit, and a webhook that is away lets through. */
const odd: Record<string, Odd> = {
  'a limit that is no quantity': pool({ spec: { limits: { cpu: '1e1.5' } } }),
  'an expireAfter beyond 64 bits': pool({ template: { expireAfter: '9999999999h' } }),
  'a terminationGracePeriod beyond 64 bits': pool({ template: { terminationGracePeriod: '9999999999h' } }),
  'a name longer than a label, of a pool that comes first,': firstPool('a'.repeat(64), {}),
  'an annotation that no object can have, of a pool that comes first,': firstPool('first', {
    metadata: { annotations: { 'not a name': 'a' } },
  }),
  'more labels than a NodeClaim takes requirements, of a pool that comes first,': firstPool('first', {
    metadata: { labels: Object.fromEntries(Array.from({ length: 97 }, (_, index) => [`l${index}`, 'a'])) },
  }),
  'a startup taint that no node can have, of a pool that comes first,': firstPool('first', {
    spec: { nodeClassRef, requirements: [], startupTaints: [{ key: 'a', value: 'b.c/d', effect: 'NoSchedule' }] },
  }),
  'an overlay with a capacity that is no quantity': (client) =>
    client.create(nodeOverlays, {
      apiVersion: 'karpenter.sh/v1alpha1',
      kind: 'NodeOverlay',
      metadata: { name: 'odd' },
      spec: {
        requirements: [{ key: 'kubernetes.io/arch', operator: 'Exists' }],
        capacity: { 'example.com/x': '1e1.5' },
      },
    } as unknown as NodeOverlay),
}

const claimOfHand: Odd = async (client) => {
  await client.create(nodeClaims, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'odd', labels: { 'karpenter.sh/nodepool': 'default' } },
    spec: { nodeClassRef, requirements: [{ key: 'team', operator: 'In', values: ['x'] }] },
  } as unknown as NodeClaim)
  const status = { providerID: 'aws:///us-west-2a/i-0123456789abcdef0', capacity: { cpu: '1e1.5' } }
  await client.patch(nodeClaims, { name: 'odd' }, { kind: 'merge', body: { status } }, { subresource: 'status' })
}

/** Of a class that is not there: it is given up at once, and stays. */
const keptClaim: Odd = (client) =>
  client.create(nodeClaims, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'odd', finalizers: ['example.com/hold'] },
    spec: { nodeClassRef: { ...nodeClassRef, name: 'none' }, requirements: [] },
  } as unknown as NodeClaim)

const claims = {
  'a claim whose capacity is no quantity': claimOfHand,
  'a claim that was never launched and that somebody keeps from going': keptClaim,
}

test.each(Object.entries({ ...odd, ...claims }))('%s keeps no other pod from its node', async (_, create) => {
  const { cluster, log, stop } = await anEmbeddedOperator({ featureGates })
  const { client, clock } = cluster
  try {
    await aFleet(cluster)
    await create(client)
    await clock.run({ forMs: minute })
    const before = log.lines.length
    await aDeployment(cluster, 3)
    await clock.run({ forMs: 5 * minute })
    const phases = (await client.list(pods, { namespace: 'default' })).items.map(({ status }) => status?.phase)
    expect(phases).toEqual(['Running', 'Running', 'Running'])
    expect(log.lines.slice(before).filter(({ message }) => message === 'Reconciler error')).toEqual([])
  } finally {
    await stop()
  }
})

/** Nobody has so many machines: what is asked for is made a part at a time, and memory holds no more than that. */
const huge: Record<string, Odd> = {
  'a static pool': pool({ spec: { replicas: 2_147_483_647 } }),
  'a buffer': (client) =>
    client.create(capacityBuffers, {
      apiVersion: 'autoscaling.x-k8s.io/v1beta1',
      kind: 'CapacityBuffer',
      metadata: { name: 'odd', namespace: 'default' },
      spec: { scalableRef: { apiGroup: 'apps', kind: 'Deployment', name: 'app' }, replicas: 2_147_483_647 },
    } as unknown as CapacityBuffer),
}

test.each(Object.entries(huge))('%s of two thousand million does not take the process down', async (_, create) => {
  const { cluster, stop } = await anEmbeddedOperator({ featureGates })
  const { client, clock } = cluster
  try {
    await aFleet(cluster)
    await client.patch(nodePools, { name: 'default' }, { kind: 'merge', body: { spec: { limits: { cpu: '64' } } } })
    await aDeployment(cluster, 3)
    await create(client)
    await clock.run({ forMs: 3 * minute })
    const phases = (await client.list(pods, { namespace: 'default' })).items.map(({ status }) => status?.phase)
    expect(phases).toEqual(['Running', 'Running', 'Running'])
    expect((await client.list(nodeClaims)).items.length).toBeLessThan(1_000)
  } finally {
    await stop()
  }
})

test('a pool whose limits cannot be read says so, and launches nothing', async () => {
  const { cluster, stop } = await anEmbeddedOperator({ featureGates })
  const { client, clock } = cluster
  try {
    await aFleet(cluster)
    await pool({ spec: { limits: { nodes: '1e1.5' }, replicas: 2 } })(client)
    await clock.run({ forMs: 2 * minute })
    const made = await client.get(nodePools, { name: 'aaa-odd' })
    expect(conditionOf(made, 'ValidationSucceeded')).toMatchObject({
      status: 'False',
      message: 'invalid value: "1e1.5" for nodes in limits, no quantity',
    })
    expect((await client.list(nodeClaims)).items).toEqual([])
  } finally {
    await stop()
  }
})
