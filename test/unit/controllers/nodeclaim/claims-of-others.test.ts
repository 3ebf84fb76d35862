import { expect, test } from 'vitest'
import { nodeRepair } from '../../../../src/controllers/health/index.ts'
import {
  disruptionConditions,
  nodeClaimConsistency,
  nodeClaimExpiration,
  nodeClaimGarbageCollection,
  nodeClaimHydration,
  podEvents,
} from '../../../../src/controllers/nodeclaim/index.ts'
import type { Controller, SingletonController } from '../../../../src/kube/controller.ts'
import { nodeClaims, nodePools } from '../../../../src/kube/karpenter-kinds.ts'
import { nodes, pods } from '../../../../src/kube/kinds.ts'
import { aClaim, aNode, aPod, aPool, trueCondition } from '../../../support/controller-builders.ts'
import { aControllerWorld, type ControllerWorld } from '../../../support/controller-world.ts'

const providerID = 'aws:///us-west-2a/i-1'
const key = { name: 'c1' }
const minute = 60_000

/** A claim that gives each of the controllers something to do: old, without an instance, its node small and broken, with a pod on it. */
async function aClaimInNeed(world: ControllerWorld, group: string): Promise<void> {
  const conditions = ['Launched', 'Registered', 'Initialized'].map((type) => trueCondition(type))
  const spec = {
    nodeClassRef: { group, kind: 'EC2NodeClass', name: 'default' },
    expireAfter: '35m',
    resources: { requests: { cpu: '1' } },
  }
  await world.kube.create(nodePools, aPool('default', { disruption: { consolidateAfter: '0s' } }))
  await world.kube.create(
    nodeClaims,
    aClaim('c1', { spec, status: { providerID, conditions, capacity: { cpu: '4' } } }),
  )
  const status = {
    capacity: { cpu: '1' },
    conditions: [{ type: 'Ready', status: 'False' as const, lastTransitionTime: '2026-01-01T00:00:00Z' }],
  }
  const labels = { 'karpenter.sh/nodepool': 'default' }
  await world.kube.create(nodes, aNode('n1', { metadata: { labels }, providerID, status }))
  await world.kube.create(pods, aPod('app', { spec: { nodeName: 'n1' } }))
}

const instanceTypes = () => Promise.resolve({ kind: 'resolved' as const, types: [] })
const vocabulary = { labelAliases: new Map<string, string>(), wellKnownLabels: new Set<string>() }
const controllers: Record<string, (world: ControllerWorld) => Controller | SingletonController> = {
  'Drifted and Consolidatable': (world) => disruptionConditions({ ...world, instanceTypes, ...vocabulary }),
  consistency: nodeClaimConsistency,
  expiration: nodeClaimExpiration,
  'garbage collection': nodeClaimGarbageCollection,
  'the NodeClass label': nodeClaimHydration,
  'pod events': podEvents,
  repair: (world) => {
    world.cloud.repairPolicies.push({ conditionType: 'Ready', conditionStatus: 'False', tolerationMs: 30 * minute })
    return nodeRepair(world)
  },
}

/** Whether the claim is as it was made. */
async function isUntouched(group: string, controller: (world: ControllerWorld) => Controller | SingletonController) {
  const world = aControllerWorld()
  await aClaimInNeed(world, group)
  const before = await world.read(nodeClaims, key)
  await world.start(controller(world))
  await world.run(40 * minute)
  expect(world.logged('Reconciler error')).toEqual([])
  const after = (await world.kube.list(nodeClaims)).items
  return after.length === 1 && after[0]?.metadata.resourceVersion === before.metadata.resourceVersion
}

test.each(Object.entries(controllers))(
  '%s: a claim of another provider is left as it is',
  async (_what, controller) => {
    expect(await isUntouched('example.com', controller)).toBe(true)
    expect(await isUntouched('karpenter.k8s.aws', controller)).toBe(false)
  },
)
