import { describe, expect, test } from 'vitest'
import {
  ec2NodeClassHash,
  ec2NodeClassHashInput,
  type EC2NodeClassHashVersion,
  nodePoolHash,
  nodePoolHashInput,
  nodePoolHashVersion,
} from '../../../src/api/hash/index.ts'
import type { EC2NodeClass, EC2NodeClassSpec, NodeClaim, NodePool } from '../../../src/api/karpenter.ts'
import type { Unsaved } from '../../../src/api/kubernetes.ts'
import { staticDrift } from '../../../src/cloud/aws/drift.ts'
import { nodeClassHashController } from '../../../src/controllers/nodeclass/index.ts'
import { disruptionConditions } from '../../../src/controllers/nodeclaim/index.ts'
import { nodePoolHashController } from '../../../src/controllers/nodepool/hash.ts'
import { PoolStatusWriter } from '../../../src/controllers/nodepool/index.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { aClaim, aPool, conditionOf, trueCondition } from '../../support/controller-builders.ts'
import { aControllerWorld } from '../../support/controller-world.ts'

const caBundle = 'test-ca-bundle'
const poolHash = 'karpenter.sh/nodepool-hash'
const poolVersion = 'karpenter.sh/nodepool-hash-version'
const classHash = 'karpenter.k8s.aws/ec2nodeclass-hash'
const classVersion = 'karpenter.k8s.aws/ec2nodeclass-hash-version'

const plain: EC2NodeClassSpec = {
  role: 'nodes',
  amiSelectorTerms: [{ alias: 'al2023@v20240625' }],
  subnetSelectorTerms: [{ tags: { team: 'core' } }],
  securityGroupSelectorTerms: [{ id: 'sg-1' }],
}
/** v5 hashes a typed kubelet, v6 the open map: neither value can be had from the other. */
const withKubelet: EC2NodeClassSpec = { ...plain, kubelet: { maxPods: 50, systemReserved: { cpu: '100m' } } }

interface Writer {
  /** How the controller that wrote the fleet hashed classes, and what it called that. */
  readonly version: string
  hashOf(nodeClass: { readonly spec: EC2NodeClassSpec }): string
}

const writer = (version: EC2NodeClassHashVersion): Writer => ({
  version,
  hashOf: (nodeClass) => ec2NodeClassHash(nodeClass, caBundle, version),
})
/** The values of older versions cannot be computed any more; that they are other ones is all that counts. */
const olderWriter: Writer = { version: 'v3', hashOf: ({ spec }) => String(JSON.stringify(spec).length) }

/** A fleet as `by` left it: of each class, a claim like the class, and one that was found drifted. */
async function aFleet(by: Writer, more: (claim: Unsaved<NodeClaim>) => Unsaved<NodeClaim> = (claim) => claim) {
  const world = aControllerWorld()
  for (const [name, spec] of [
    ['plain', plain],
    ['kubelet', withKubelet],
  ] as const) {
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name }
    const pool = aPool(name, { template: { spec: { nodeClassRef, requirements: [], expireAfter: '720h' } } })
    const poolStamp = { [poolHash]: nodePoolHash(pool as NodePool), [poolVersion]: 'v3' }
    await world.kube.create(nodePools, { ...pool, metadata: { name, annotations: poolStamp } })
    const classStamp = { [classHash]: by.hashOf({ spec }), [classVersion]: by.version }
    await world.kube.create(ec2NodeClasses, {
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name, annotations: classStamp },
      spec,
    } as Unsaved<EC2NodeClass>)
    const claim = (kind: string, annotations: Record<string, string>, drifted: string | undefined) =>
      more(
        aClaim(`${name}-${kind}`, {
          metadata: { labels: { 'karpenter.sh/nodepool': name }, annotations },
          spec: { nodeClassRef },
          status: {
            conditions: [
              ...['Launched', 'Registered', 'Initialized'].map((type) => trueCondition(type)),
              ...(drifted === undefined ? [] : [{ ...trueCondition('Drifted'), reason: drifted }]),
            ],
          },
        }),
      )
    const old = { ...classStamp, [classHash]: '1' }
    await world.kube.create(nodeClaims, claim('same', { ...poolStamp, ...classStamp }, undefined))
    await world.kube.create(nodeClaims, claim('class-drifted', { ...poolStamp, ...old }, 'NodeClassDrift'))
    await world.kube.create(
      nodeClaims,
      claim('pool-drifted', { ...poolStamp, ...classStamp, [poolHash]: '1' }, 'NodePoolDrifted'),
    )
  }
  return world
}

/** A controller that hashes classes as `to` takes the fleet over; which claims it finds drifted, and with which stamps. */
async function takenOver(world: Awaited<ReturnType<typeof aFleet>>, to: EC2NodeClassHashVersion) {
  const hash = {
    version: to,
    of: (nodeClass: EC2NodeClass) => writer(to).hashOf({ spec: nodeClass.spec ?? plain }),
    inputOf: (nodeClass: EC2NodeClass) => ec2NodeClassHashInput({ spec: nodeClass.spec ?? plain }, ''),
  }
  world.cloud.drift = (claim) => {
    const nodeClass = world.caches.of(ec2NodeClasses).get({ name: claim.spec.nodeClassRef.name })
    return nodeClass === undefined ? undefined : staticDrift(claim, nodeClass, hash)?.reason
  }
  const deps = { ...world, statuses: new PoolStatusWriter(world), nodeClasses: ec2NodeClasses, concurrency: 10 }
  const instanceTypes = async () => ({ kind: 'resolved' as const, types: [] })
  await world.start(
    // The judge is started first, so that it would judge before the restamp if it could.
    disruptionConditions({ ...world, instanceTypes, labelAliases: new Map(), wellKnownLabels: new Set() }),
    nodePoolHashController(deps, { version: nodePoolHashVersion, hashOf: nodePoolHash, inputOf: nodePoolHashInput }),
    nodeClassHashController({ ...world, cloud: { hash } } as unknown as Parameters<typeof nodeClassHashController>[0]),
  )
  await world.run(600_000)
  const { items } = await world.kube.list(nodeClaims)
  return Object.fromEntries(
    items.map((claim) => [
      claim.metadata.name,
      {
        drifted: conditionOf(claim, 'Drifted') !== undefined,
        version: claim.metadata.annotations?.[classVersion],
        hash: claim.metadata.annotations?.[classHash],
        deleted: claim.metadata.deletionTimestamp !== undefined,
      },
    ]),
  )
}

describe.each([
  ['over from Karpenter 1.14 (v5 to v6)', writer('v5'), 'v6'],
  ['back to Karpenter 1.14 (v6 to v5)', writer('v6'), 'v5'],
  ['over from an older Karpenter (v3 to v6)', olderWriter, 'v6'],
] as const)('a fleet is taken %s', (_name, from, to) => {
  test('what was undrifted stays undrifted, what was drifted stays drifted, nothing is replaced', async () => {
    const claims = await takenOver(await aFleet(from), to)
    const hashes = { plain: writer(to).hashOf({ spec: plain }), kubelet: writer(to).hashOf({ spec: withKubelet }) }
    const kept = { plain: from.hashOf({ spec: plain }), kubelet: from.hashOf({ spec: withKubelet }) }
    for (const name of ['plain', 'kubelet'] as const) {
      const common = { version: to, deleted: false }
      expect(claims[`${name}-same`]).toEqual({ ...common, drifted: false, hash: hashes[name] })
      expect(claims[`${name}-class-drifted`]).toEqual({ ...common, drifted: true, hash: '1' })
      expect(claims[`${name}-pool-drifted`]).toEqual({ ...common, drifted: true, hash: kept[name] })
    }
  })

  test('a change of the class after that drifts its claims', async () => {
    const world = await aFleet(from)
    await takenOver(world, to)
    await world.kube.patch(
      ec2NodeClasses,
      { name: 'plain' },
      { kind: 'merge', body: { spec: { userData: 'echo changed' } } },
    )
    await world.run(600_000)
    const read = async (name: string) => conditionOf(await world.read(nodeClaims, { name }), 'Drifted')
    expect(await read('plain-same')).toContain('NodeClassDrift')
    expect(await read('kubelet-same')).toBeUndefined()
  })
})

test('the annotation of the kubelet settings that v1beta1 pools left on claims is kept and plays no part', async () => {
  const annotation = 'compatibility.karpenter.sh/v1beta1-kubelet-conversion'
  const driftHash = 'karpenter.sh/kubelet-drift-hash'
  const world = await aFleet(writer('v5'), (claim) => ({
    ...claim,
    metadata: {
      ...claim.metadata,
      annotations: { ...claim.metadata.annotations, [annotation]: '{}', [driftHash]: '7' },
    },
  }))
  const claims = await takenOver(world, 'v6')
  expect(claims['plain-same']).toMatchObject({ drifted: false, version: 'v6' })
  const { metadata } = await world.read(nodeClaims, { name: 'plain-same' })
  expect(metadata.annotations).toMatchObject({ [annotation]: '{}', [driftHash]: '7' })
})

test('a claim whose nodeClassRef has no group is not ours: it is neither restamped nor judged', async () => {
  const world = await aFleet(writer('v5'), (claim) => ({
    ...claim,
    spec: { ...claim.spec, nodeClassRef: { ...claim.spec.nodeClassRef, group: '' } },
  }))
  const claims = await takenOver(world, 'v6')
  for (const name of ['plain', 'kubelet']) {
    expect(claims[`${name}-same`]).toMatchObject({ drifted: false, version: 'v5', deleted: false })
    expect(claims[`${name}-class-drifted`]).toMatchObject({ drifted: true, version: 'v5', hash: '1' })
  }
})
