import { expect, test, vi } from 'vitest'
import { allowedTypes } from '../../../../src/admission/pool-requirements.ts'
import {
  configMaps,
  packInstanceTypes,
  publishedInstanceTypes,
  unpackInstanceTypes,
} from '../../../../src/cluster/index.ts'
import { instanceTypePublication } from '../../../../src/controllers/aws/instance-type-publication.ts'
import { KubeError } from '../../../../src/kube/errors.ts'
import { ec2NodeClasses } from '../../../../src/kube/karpenter-kinds.ts'
import { silentLogger } from '../../../../src/kube/logger.ts'
import { toRequirements } from '../../../../src/model/requirements.ts'
import { toResources } from '../../../../src/model/resources.ts'
import type { InstanceType, TypeOutline } from '../../../../src/model/instance-type.ts'
import { oneOf } from '../../../../src/model/requirement.ts'
import { readPublishedTypes } from '../../../../webhooks/published-types.ts'
import { aNodeClass, anAWSWorld, type AWSWorld, aWebPool } from '../../../support/aws-world.ts'

const namespace = 'kube-system'
const key = { namespace, name: publishedInstanceTypes }
const hour = 60 * 60_000

function named(name: string): ReturnType<typeof aNodeClass> {
  const nodeClass = aNodeClass()
  return { ...nodeClass, metadata: { ...nodeClass.metadata, name } }
}

async function aWorld({ withConfigMap = true } = {}): Promise<AWSWorld> {
  const world = await anAWSWorld({ types: ['m5.large', 'c6g.large', 'g4dn.8xlarge'] })
  await world.kube.create(ec2NodeClasses, aNodeClass())
  if (withConfigMap) {
    await world.kube.create(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...key } })
  }
  return world
}

async function publishing(world: AWSWorld): Promise<{ stop: () => Promise<void>; writes: () => number }> {
  const patch = vi.spyOn(world.kube, 'patch')
  const stop = await world.world.start(instanceTypePublication({ ...world, namespace }))
  await world.world.run(2_000)
  return { stop, writes: () => patch.mock.calls.length }
}

const published = async (world: AWSWorld) => (await world.kube.get(configMaps, key)).binaryData ?? {}

test('what a class can launch is published, and reads back as the rules see it', async () => {
  const world = await aWorld()
  await publishing(world)
  const { default: packed = '' } = await published(world)
  const read = unpackInstanceTypes(packed)
  const real = world.cloud.instanceTypes.list(aNodeClass())
  expect(read.map(({ name }) => name)).toEqual(real.map(({ name }) => name))
  for (const [index, type] of real.entries()) {
    const { requirements, capacity, offerings } = type
    expect([read[index]?.requirements, read[index]?.capacity]).toEqual([requirements, capacity])
    expect(read[index]?.offerings).toEqual(offerings.map((one) => ({ requirements: one.requirements })))
  }
  const allowed = (types: readonly TypeOutline[]) =>
    allowedTypes(aWebPool(), { catalogueOf: () => types })?.map(({ name }) => name)
  expect(allowed(read)).toEqual(allowed(real))
  expect(allowed(read)).not.toHaveLength(0)
})

test('what types of several classes have in common is in memory once: a webhook has little', async () => {
  const world = await aWorld()
  const types = world.cloud.instanceTypes.list(aNodeClass())
  const bigger = types.map((type) => ({ ...type, capacity: toResources({ 'ephemeral-storage': '99Gi' }) }))
  const [one, other] = [types, bigger].map((list) => unpackInstanceTypes(packInstanceTypes(list).toString('base64')))
  expect(one).toHaveLength(types.length)
  for (const [index, type] of (one ?? []).entries()) {
    expect(other?.[index]?.requirements).toBe(type.requirements)
    expect(other?.[index]?.capacity).toEqual(bigger[index]?.capacity)
  }
  const system = (index: number) => one?.[index]?.requirements.get('kubernetes.io/os')
  expect(system(1)).toBe(system(0))
})

test('types whose labels have become others are told by these, and so is a range, which takes two entries', async () => {
  const world = await aWorld()
  const [type] = world.cloud.instanceTypes.list(aNodeClass())
  if (type === undefined) throw new Error('there are types')
  const range = toRequirements(
    [
      { key: 'size', operator: 'Gt', values: ['3'] },
      { key: 'size', operator: 'Lt', values: ['9'] },
    ],
    new Map(),
  )
  const sets = [type.requirements, range, new Map([['size', oneOf('size', ['5'])]]), type.requirements]
  const read = sets.map((requirements) => {
    const packed = packInstanceTypes([{ ...type, requirements }])
    return unpackInstanceTypes(packed.toString('base64'))[0]?.requirements
  })
  expect(read).toEqual(sets)
})

test('it is written when it changes, not by the hour and not by every process anew', async () => {
  const world = await aWorld()
  const first = await publishing(world)
  expect(first.writes()).toBe(1)
  await world.world.run(3 * hour)
  await first.stop()
  const second = await publishing(world)
  expect(second.writes()).toBe(1)
  const before = await published(world)
  await world.kube.create(ec2NodeClasses, named('other'))
  await world.world.run(hour)
  expect([second.writes(), Object.keys(await published(world)).sort()]).toEqual([2, ['default', 'other']])
  await world.kube.delete(ec2NodeClasses, { name: 'other' })
  await world.world.run(hour)
  expect([second.writes(), await published(world)]).toEqual([3, before])
})

test('of a class whose types are not known at present, what stands stays', async () => {
  const world = await aWorld()
  const first = await publishing(world)
  const before = await published(world)
  await first.stop()
  vi.spyOn(world.cloud.instanceTypes, 'list').mockImplementation(() => {
    throw new Error('no subnets found')
  })
  const { writes } = await publishing(world)
  expect([writes(), await published(world)]).toEqual([1, before])
})

test('what does not fit beside the others is left out, by the order of names', async () => {
  const world = await aWorld()
  await world.kube.create(ec2NodeClasses, named('a'))
  const [type] = world.cloud.instanceTypes.list(aNodeClass())
  if (type === undefined) throw new Error('there is no type')
  // Names that do not compress.
  let state = 1
  const noise = (): string => String((state = (state * 48_271) % 2_147_483_647))
  const values = Array.from({ length: 50_000 }, () => noise() + noise())
  const many: InstanceType[] = [{ ...type, requirements: new Map([['noise', oneOf('noise', values)]]) }]
  vi.spyOn(world.cloud.instanceTypes, 'list').mockReturnValue(many)
  expect(packInstanceTypes(many).length).toBeGreaterThan(400 * 1024)
  await publishing(world)
  expect(Object.keys(await published(world))).toEqual(['a'])
})

test('nothing is made or written where nobody has made a place for it', async () => {
  const world = await aWorld({ withConfigMap: false })
  const { writes } = await publishing(world)
  await world.world.run(hour)
  expect(writes()).toBe(0)
  await expect(world.kube.get(configMaps, key)).rejects.toMatchObject({ code: 'NotFound' })
})

test('rights that do not speak of it are no failure', async () => {
  const world = await aWorld()
  vi.spyOn(world.kube, 'get').mockRejectedValue(new KubeError('Forbidden', 403, 'configmaps is forbidden'))
  const { writes } = await publishing(world)
  expect([writes(), world.log.lines.filter(({ level }) => level === 'error')]).toEqual([0, []])
})

test('an API server that does not answer is asked again soon', async () => {
  const world = await aWorld()
  vi.spyOn(world.kube, 'get').mockRejectedValueOnce(new KubeError('ServiceUnavailable', 503, 'try again'))
  await publishing(world)
  await world.world.run(60_000)
  expect(Object.keys(await published(world))).toEqual(['default'])
})

test('the webhook reads it, and news within minutes; what makes no sense is not believed', async () => {
  const world = await aWorld({ withConfigMap: false })
  const stop = new AbortController()
  const { kube, clock } = world
  const reader = readPublishedTypes({ kube, clock, namespace, log: silentLogger }, stop.signal)
  const names = () => reader.of(aWebPool())?.map(({ name }) => name)
  await world.world.run(1_000)
  expect(names()).toBeUndefined()
  const types = world.cloud.instanceTypes.list(aNodeClass())
  const packed = packInstanceTypes(types).toString('base64')
  await kube.create(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...key },
    binaryData: { default: packed, broken: Buffer.from('not gzip').toString('base64') },
  })
  await world.world.run(10 * 60_000)
  expect(names()).toEqual(types.map(({ name }) => name))
  expect([await reader.tellsOf('default'), await reader.tellsOf('broken')]).toEqual([true, false])
  // EKS Auto Mode calls its class by the same name.
  const foreign = aWebPool()
  foreign.spec.template.spec.nodeClassRef = { group: 'eks.amazonaws.com', kind: 'NodeClass', name: 'default' }
  expect(reader.of(foreign)).toBeUndefined()
  await kube.delete(configMaps, key)
  await world.world.run(10 * 60_000)
  expect(names()).toBeUndefined()
  stop.abort()
  await reader.stopped
})

test('reviews have their turn before each class of which there is news', async () => {
  const world = await aWorld({ withConfigMap: false })
  const packed = packInstanceTypes(world.cloud.instanceTypes.list(aNodeClass())).toString('base64')
  await world.kube.create(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...key },
    // The third can launch what the first can.
    binaryData: { default: packed, other: packInstanceTypes([]).toString('base64'), third: packed },
  })
  const stop = new AbortController()
  const { kube, clock } = world
  const sleep = vi.spyOn(clock, 'sleep')
  const pauses = () => sleep.mock.calls.filter(([ms]) => ms === 0).length
  const reader = readPublishedTypes({ kube, clock, namespace, log: silentLogger }, stop.signal)
  await world.world.run(1_000)
  expect([pauses(), reader.of(aWebPool())]).toEqual([2, expect.any(Array)])
  await world.world.run(10 * 60_000)
  expect(pauses()).toBe(2)
  stop.abort()
  await reader.stopped
})
