import type { EC2NodeClass, NodePoolRolloutStatus } from '../../src/api/karpenter.ts'
import type { Condition, KubeObject, Unsaved } from '../../src/api/kubernetes.ts'
import type { MethodVerdict } from '../../src/controllers/disruption/index.ts'
import { rolloutStatusControllers } from '../../src/controllers/rollout/status-controllers.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../src/kube/karpenter-kinds.ts'
import { nodes } from '../../src/kube/kinds.ts'
import type { StalledCause } from '../../src/rollout/stalled.ts'
import { aClaim, aNode, aPool, conditionOf, trueCondition } from './controller-builders.ts'
import { aControllerWorld } from './controller-world.ts'

export const key = { name: 'default' }

/** Two nodes of one pool, up to date; hashes are the text that the settings say. */
export async function aFleet({ prunes = false } = {}) {
  const world = aControllerWorld()
  const settings = {
    poolHash: '1',
    classHash: '10',
    blocks: {} as Record<string, MethodVerdict['code']>,
    stalled: [] as StalledCause[],
    classStalled: [] as StalledCause[],
    rollout: undefined as NodePoolRolloutStatus | undefined,
    /** Times that a pool or class was looked at. */
    looks: { pool: 0, nodeClass: 0 },
  }
  if (prunes) world.kube.keeps = prunedAsByKarpenter
  await world.kube.create(ec2NodeClasses, aClass())
  const ready: Condition = { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }
  await world.kube.create(nodePools, aPool('default', {}, { conditions: [ready] }))
  for (const name of ['a', 'b']) await aMachine(world, name)
  const controllersIn = (at: typeof world) =>
    rolloutStatusControllers({
      kube: at.kube,
      caches: at.caches,
      clock: at.clock,
      hashes: {
        poolVersion: 'v3',
        classVersion: 'v6',
        ofPool: () => {
          settings.looks.pool += 1
          return settings.poolHash
        },
        ofClass: () => {
          settings.looks.nodeClass += 1
          return settings.classHash
        },
      },
      labelAliases: new Map(),
      verdicts: { of: (node) => verdictsOn(node, settings.blocks[node]) },
      stalled: [{ ofPool: () => settings.stalled, ofClass: () => settings.classStalled }],
      poolRollout: () => settings.rollout,
      metrics: at.metrics,
      pauseOf: () => undefined,
      concurrency: 2,
    })
  const stop = await world.start(...controllersIn(world))
  await world.run(5_000)
  const pool = () => world.read(nodePools, key)
  const nodeClass = () => world.read(ec2NodeClasses, key)
  /** As an edit of the spec. */
  const edited = async (hash: string) => {
    const { generation = 0 } = (await pool()).metadata
    settings.poolHash = hash
    await world.kube.patch(nodePools, key, { kind: 'merge', body: { metadata: { generation: generation + 1 } } })
    await world.run(2_000)
  }
  /** The process ends, and another one begins with an empty memory. */
  const restarted = async () => {
    await stop()
    const next = aControllerWorld(world)
    await next.start(...controllersIn(next))
    await next.run(2_000)
  }
  const writes = () => world.kube.calls.filter(({ operation }) => operation === 'patch').length
  return { world, settings, pool, nodeClass, edited, restarted, writes }
}

type Fleet = Awaited<ReturnType<typeof aFleet>>

function verdictsOn(node: string, code: MethodVerdict['code'] | undefined): readonly MethodVerdict[] {
  return code === undefined ? [] : [{ node, method: 'drift', code, message: 'so it is', at: 0 }]
}

function aClass(): Unsaved<EC2NodeClass> {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: { amiSelectorTerms: [], subnetSelectorTerms: [], securityGroupSelectorTerms: [] },
    status: { amis: [{ id: 'ami-1', requirements: [] }] },
  }
}

export async function aMachine(world: Fleet['world'], name: string, hash = '1', image = 'ami-1') {
  const labels = { 'karpenter.sh/nodepool': 'default' }
  const annotations = {
    'karpenter.sh/nodepool-hash': hash,
    'karpenter.sh/nodepool-hash-version': 'v3',
    'karpenter.k8s.aws/ec2nodeclass-hash': '10',
    'karpenter.k8s.aws/ec2nodeclass-hash-version': 'v6',
  }
  const conditions = ['Launched', 'Initialized'].map((type) => trueCondition(type))
  await world.kube.create(
    nodeClaims,
    aClaim(name, { metadata: { labels, annotations }, status: { nodeName: name, imageID: image, conditions } }),
  )
  await world.kube.create(nodes, aNode(name, { metadata: { labels } }))
}

/** What the API server of a cluster with unmodified CRDs leaves of a status. */
function prunedAsByKarpenter(object: KubeObject & { status?: object }): KubeObject {
  const kept = new Set(['conditions', 'nodes', 'resources', 'amis', 'nodeName', 'imageID'])
  if (object.status === undefined) return object
  const status = Object.fromEntries(Object.entries(object.status).filter(([name]) => kept.has(name)))
  return { ...object, status } as KubeObject
}

export const told = async (fleet: Fleet, type: string) => {
  const object = await fleet.pool()
  return conditionOf(object, type)
}
