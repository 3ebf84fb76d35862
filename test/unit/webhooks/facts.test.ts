import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../../../src/api/kubernetes.ts'
import { clientFor, createApiServer } from '../../../src/embedded/apiserver/index.ts'
import type { EC2NodeClassSpec } from '../../../src/api/karpenter.ts'
import { VirtualClock } from '../../../src/embedded/clock.ts'
import { SeededRandom } from '../../../src/embedded/random.ts'
import { createCaches } from '../../../src/kube/caches.ts'
import { ec2NodeClasses, nodeClaims, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { silentLogger } from '../../../src/kube/logger.ts'
import { cachedFacts, factProjections } from '../../../webhooks/facts.ts'
import { validateReview } from '../../../webhooks/judge-review.ts'
import type { ReviewRequest } from '../../../webhooks/review.ts'
import { aClaim, aPool } from '../../support/controller-builders.ts'
import { aClass } from '../../support/judged-objects.ts'
import { aFleetClass } from '../../support/fleet-objects.ts'
import { defineKinds } from '../../support/served-api-server.ts'
import { aType } from '../../support/disruption-builders.ts'

function review(object: object, oldObject?: object): ReviewRequest {
  return {
    uid: 'u',
    kind: { group: '', version: 'v1', kind: '' },
    operation: oldObject === undefined ? 'CREATE' : 'UPDATE',
    subResource: '',
    name: '',
    namespace: '',
    username: 'dev',
    dryRun: false,
    object: object as KubeObject,
    oldObject: oldObject as KubeObject | undefined,
  }
}

async function aCluster() {
  const clock = new VirtualClock()
  const random = new SeededRandom(1)
  const server = createApiServer({ clock, random })
  await defineKinds(server)
  const client = clientFor(server, { fieldManager: 'test' })
  const caches = createCaches({ client, clock, random, log: silentLogger, projections: factProjections })
  const validate = validateReview({ clock, facts: cachedFacts(caches) })
  return { clock, client, caches, validate }
}

test('nothing is said of what has not been read yet; then overlaps and the number of nodes that a change drifts are', async () => {
  const { clock, client, caches, validate } = await aCluster()
  await client.create(nodePools, aPool('default'))
  for (const name of ['c1', 'c2', 'c3']) await client.create(nodeClaims, aClaim(name))
  const changed = aPool('default', { template: { ...aPool().spec.template, metadata: { labels: { team: 'x' } } } })
  const warnings = async () => (await validate(review(changed, aPool('default')))).warnings ?? []
  const texts = async () => (await validate(review(aPool('other')))).warnings?.map((text) => text.slice(0, 6)) ?? []
  expect([await warnings(), await texts()]).toEqual([[], []])
  const stop = new AbortController()
  caches.start(stop.signal)
  await clock.settle()
  expect(await warnings()).toEqual(expect.arrayContaining([expect.stringMatching(/^JN-213: .*replaces 3 nodes/)]))
  expect(await texts()).toContain('JN-211')
  stop.abort()
  await clock.settle()
})

test('of claims no more is kept than that: each may name hundreds of instance types', async () => {
  const { clock, client, caches } = await aCluster()
  const values = Array.from({ length: 500 }, (_, index) => `m${index}.large`)
  const requirements = [{ key: 'node.kubernetes.io/instance-type', operator: 'In' as const, values }]
  const hashes = {
    'karpenter.sh/nodepool-hash': '1',
    'karpenter.sh/nodepool-hash-version': 'v3',
    'karpenter.k8s.aws/ec2nodeclass-hash': '2',
    'karpenter.k8s.aws/ec2nodeclass-hash-version': 'v6',
  }
  const annotations = { ...hashes, 'joinery.dev/nodeclass-hash-input': '{}' }
  const { metadata } = await client.create(
    nodeClaims,
    aClaim('c1', { metadata: { annotations }, spec: { requirements } }),
  )
  const stop = new AbortController()
  caches.start(stop.signal)
  caches.of(nodeClaims)
  await clock.settle()
  const { name, uid, resourceVersion, creationTimestamp, labels } = metadata
  expect(caches.of(nodeClaims).list()).toEqual([
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name, uid, resourceVersion, creationTimestamp, labels, annotations: hashes },
      spec: { nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' } },
    },
  ])
  stop.abort()
  await clock.settle()
})

test('nodes that a change of a class replaces are counted by their claims, without those that are going', async () => {
  const { clock, client, caches, validate } = await aCluster()
  for (const name of ['c1', 'c2', 'c3']) {
    await client.create(nodeClaims, aClaim(name, { metadata: { finalizers: ['karpenter.sh/termination'] } }))
  }
  await client.delete(nodeClaims, { name: 'c3' })
  const stop = new AbortController()
  caches.start(stop.signal)
  await clock.settle()
  const [before, after] = [{}, { role: 'other' }].map((spec) => ({
    ...aClass({ tags: { a: 'b' }, ...spec }),
    metadata: { ...aClass().metadata, name: 'default' },
  }))
  const answer = await validate(review({ ...after, spec: { ...after?.spec, tags: { a: 'c' } } }, before))
  expect(answer.warnings).toContainEqual(expect.stringMatching(/^JN-213: .*replaces 2 nodes of 2/))
  stop.abort()
  await clock.settle()
})

test('a change of a class that is taken back is judged by the images of its nodes and of its history', async () => {
  const { clock, client, caches, validate } = await aCluster()
  const ofVersion = (version: string) => ({
    ...aClass({ amiSelectorTerms: [{ alias: `al2023@${version}` }] }),
    metadata: { name: 'default' },
  })
  const imageHistory = ['v2', 'v1'].map((version, index) => ({
    revision: 2 - index,
    images: [{ id: `ami-${version}`, name: `al2023-${version}` }],
    firstSeen: '2026-01-01T00:00:00Z',
    outcome: 'unknown',
  }))
  const patched = { subresource: 'status' } as const
  await client.create(ec2NodeClasses, ofVersion('v2'))
  await client.patch(
    ec2NodeClasses,
    { name: 'default' },
    { kind: 'merge', body: { status: { imageHistory } } },
    patched,
  )
  for (const [name, imageID] of Object.entries({ c1: 'ami-v1', c2: 'ami-v2', c3: 'ami-v1' })) {
    await client.create(nodeClaims, aClaim(name))
    await client.patch(nodeClaims, { name }, { kind: 'merge', body: { status: { imageID } } }, patched)
  }
  const stop = new AbortController()
  caches.start(stop.signal)
  await clock.settle()
  const answer = await validate(review(ofVersion('v1'), await client.get(ec2NodeClasses, { name: 'default' })))
  expect(answer.warnings).toContainEqual(expect.stringMatching(/^JN-213: .*this change replaces 1 node of 3/))
  stop.abort()
  await clock.settle()
})

test('a pool without its class is told so once classes have been read, and no longer when there is one', async () => {
  const { clock, client, caches, validate } = await aCluster()
  const rules = async () => (await validate(review(aPool('p')))).warnings?.map((text) => text.slice(0, 6))
  expect(await rules()).toEqual([])
  const stop = new AbortController()
  caches.start(stop.signal)
  await clock.settle()
  expect(await rules()).toEqual(['JN-214'])
  const { metadata: _stored, ...nodeClass } = aFleetClass()
  await client.create(ec2NodeClasses, { ...nodeClass, metadata: { name: 'default' } })
  await clock.settle()
  expect(await rules()).toEqual([])
  stop.abort()
  await clock.settle()
})

describe('selectors of a class are held against what its status found', () => {
  const lookups = ['AMIsReady', 'SubnetsReady', 'SecurityGroupsReady', 'CapacityReservationsReady']
  function nodeClass(spec: Partial<EC2NodeClassSpec> = {}, unknown: readonly string[] = []) {
    return {
      ...aClass({ capacityReservationSelectorTerms: [{ id: 'cr-1' }], ...spec }),
      status: {
        amis: [{ id: 'ami-123', requirements: [] }],
        securityGroups: [{ id: 'sg-1' }],
        conditions: lookups.flatMap((type) =>
          unknown.includes(type)
            ? { type, status: 'Unknown', reason: 'x', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
            : { type, status: 'True', reason: type, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
        ),
      },
    }
  }
  async function warned(stored: object, object: object) {
    const { validate } = await aCluster()
    return (await validate(review(object, stored))).warnings?.map((text) => /^(JN-\d+: [^:]+)/.exec(text)?.[1])
  }
  const [subnets, reservations] = ['JN-201: spec.subnetSelectorTerms', 'JN-201: spec.capacityReservationSelectorTerms']

  test('as long as they have not changed', async () => {
    expect(await warned(nodeClass(), nodeClass({ role: 'other' }))).toEqual([subnets, reservations])
    expect(await warned(nodeClass(), nodeClass({ subnetSelectorTerms: [{ id: 'subnet-2' }] }))).toEqual([reservations])
  })

  test('and not while nobody has managed to look', async () => {
    const unknown = nodeClass({}, ['SubnetsReady'])
    expect(await warned(unknown, nodeClass({ role: 'other' }))).toEqual([reservations])
    const untouched = { ...nodeClass(), status: undefined }
    expect(await warned(untouched, nodeClass({ role: 'other' }))).toEqual([])
  })

  test('and a class without a spec against nothing', async () => {
    expect(await warned(nodeClass(), { ...nodeClass(), spec: null })).toEqual([])
    expect(await warned({ ...nodeClass(), spec: undefined }, nodeClass())).toEqual([])
  })

  test('reservations only where the gate is on, whose condition tells of it', async () => {
    const stored = nodeClass()
    const conditions = stored.status.conditions.filter(({ type }) => type !== 'CapacityReservationsReady')
    const off = { ...stored, status: { ...stored.status, conditions } }
    expect(await warned(off, nodeClass({ role: 'other' }))).toEqual([subnets])
  })
})

test('what is always known is known in a review, too', async () => {
  const { clock, caches } = await aCluster()
  const facts = cachedFacts(caches, { userDataProblem: (text, family) => `${family} takes no ${text}` })
  const answer = await validateReview({ clock, facts })(review(aClass({ userData: 'poem' })))
  expect(answer).toMatchObject({ allowed: false, message: expect.stringContaining('AL2023 takes no poem') })
})

test('instance types are asked for with the classes that have been read, none before', async () => {
  const { clock, client, caches } = await aCluster()
  const asked: string[][] = []
  const facts = cachedFacts(caches, {}, (_pool, classes) => {
    asked.push(classes.map(({ metadata }) => metadata.name))
    return undefined
  })
  const validate = validateReview({ clock, facts })
  const { metadata: _stored, ...nodeClass } = aFleetClass()
  await client.create(ec2NodeClasses, { ...nodeClass, metadata: { name: 'default' } })
  await validate(review(aPool('p')))
  const stop = new AbortController()
  caches.start(stop.signal)
  await clock.settle()
  const before = asked.splice(0)
  await validate(review(aPool('p')))
  expect([new Set(before.flat()), new Set(asked.flat())]).toEqual([new Set(), new Set(['default'])])
  expect(before.length).toBeGreaterThan(0)
  stop.abort()
  await clock.settle()
})

test('a pool is held against the instance types that the source knows for it, another kind against none', async () => {
  const { clock, caches } = await aCluster()
  const asked: string[] = []
  const facts = cachedFacts(caches, {}, (pool) => {
    asked.push(pool.metadata.name)
    return [aType('m5.large')]
  })
  const validate = validateReview({ clock, facts })
  const warnings = (await validate(review(aPool('p')))).warnings ?? []
  expect(warnings.map((text) => text.slice(0, 6))).toEqual(['JN-202'])
  await validate(review({ ...aPool('broken'), spec: { template: 1 } }))
  const nodeClass = { apiVersion: 'karpenter.k8s.aws/v1', kind: 'EC2NodeClass', metadata: { name: 'c' } }
  expect(await validate(review(nodeClass))).toEqual({ allowed: true, warnings: [] })
  expect(new Set(asked)).toEqual(new Set(['p']))
})
