import { expect, test } from 'vitest'
import { annotationUndoTo } from '../../../../src/api/joinery-annotations.ts'
import type { EC2NodeClassStatus } from '../../../../src/api/karpenter.ts'
import { ec2NodeClasses } from '../../../../src/kube/karpenter-kinds.ts'
import { classTarget, imageIds } from '../../../../src/rollout/target.ts'
import { aNodeClassWorld, type NodeClassWorld } from '../../../support/node-class-world.ts'

const newer = [{ alias: 'al2023@v20260201' }]

/** A class that has seen two sets of images: revision 1, and then the newer revision 2. */
async function twoRevisions(): Promise<{ world: NodeClassWorld; first: readonly string[]; second: readonly string[] }> {
  const world = await aNodeClassWorld()
  await world.create({ amiSelectorTerms: [{ alias: 'al2023@v20260101' }] })
  const first = imageIds(await world.read())
  world.aws.publishImage('al2023', { version: 'v20260201' })
  await world.change({ amiSelectorTerms: newer }, 2)
  const second = imageIds(await world.read())
  expect(second).not.toEqual(first)
  return { world, first, second }
}

async function setStatus(world: NodeClassWorld, status: EC2NodeClassStatus): Promise<void> {
  await world.kube.patch(ec2NodeClasses, { name: 'default' }, { kind: 'merge', body: { status } })
  await world.run(2_000)
}

async function pinFirst(world: NodeClassWorld): Promise<void> {
  const nodeClass = await world.read()
  const images = nodeClass.status?.imageHistory?.[1]?.images ?? []
  const insteadOf = classTarget(world.cloud.hash.of(nodeClass), nodeClass, imageIds(nodeClass))
  await setStatus(world, { pinnedImages: { images, insteadOf, reason: 'it failed' } })
}

test('what the selector found is kept, newest first, with the age of the images', async () => {
  const { world, first, second } = await twoRevisions()
  const history = (await world.read()).status?.imageHistory ?? []
  expect(history.map(({ revision, outcome }) => ({ revision, outcome }))).toEqual([
    { revision: 2, outcome: 'unknown' },
    { revision: 1, outcome: 'unknown' },
  ])
  expect(history.map(({ images }) => images.map(({ id }) => id).toSorted())).toEqual([second, first])
  expect(history[0]?.made).toMatch(/^\d{4}-\d\d-\d\dT/)
})

test('a pin puts earlier images in the place of those that were found, with what each is for', async () => {
  const { world, first } = await twoRevisions()
  const before = (await world.read()).status?.imageHistory?.[1]?.images ?? []
  await pinFirst(world)
  const { status } = await world.read()
  expect(imageIds({ status: status ?? {} })).toEqual(first)
  expect(status?.amis?.map(({ id, requirements }) => ({ id, requirements }))).toEqual(
    before.map(({ id, requirements }) => ({ id, requirements })),
  )
  expect(await world.condition('AMIsReady')).toMatchObject({ status: 'True' })
  const { resourceVersion } = (await world.read()).metadata
  await world.run(600_000)
  expect((await world.read()).metadata.resourceVersion).toBe(resourceVersion)
})

test('a pin ends when the class is changed to something else', async () => {
  const { world } = await twoRevisions()
  await pinFirst(world)
  world.aws.publishImage('al2023', { version: 'v20260301' })
  await world.change({ amiSelectorTerms: [{ alias: 'al2023@v20260301' }] }, 3)
  const { status } = await world.read()
  expect(status?.pinnedImages).toBeUndefined()
  expect(status?.imageHistory?.[0]).toMatchObject({ revision: 3 })
  expect(imageIds({ status: status ?? {} })).toEqual(
    (status?.imageHistory?.[0]?.images ?? []).map(({ id }) => id).toSorted(),
  )
})

test('a pinned image that is gone is told, and the images in use stay as they are', async () => {
  const { world, first, second } = await twoRevisions()
  world.aws.state.images = world.aws.state.images.filter(({ id }) => !first.includes(id))
  await pinFirst(world)
  const { status } = await world.read()
  expect(imageIds({ status: status ?? {} })).toEqual(second)
  expect(status?.pinnedImages?.gone?.toSorted()).toEqual([...new Set(first)])
  expect(await world.condition('AMIsReady')).toMatchObject({ status: 'True' })
})

test('undo-to returns to a revision for as long as the annotation is there', async () => {
  const { world, first, second } = await twoRevisions()
  await world.change({}, 2, { annotations: { [annotationUndoTo]: '1' } })
  expect(imageIds(await world.read())).toEqual(first)
  expect((await world.read()).status?.pinnedImages).toMatchObject({ undoTo: 1 })
  await world.change({}, 2, { annotations: { [annotationUndoTo]: null } })
  expect(imageIds(await world.read())).toEqual(second)
  expect((await world.read()).status?.pinnedImages).toBeUndefined()
})

test('undo-to holds however many images are found meanwhile', async () => {
  const { world, first } = await twoRevisions()
  await world.change({}, 2, { annotations: { [annotationUndoTo]: '1' } })
  for (let day = 10; day < 22; day += 1) {
    world.aws.publishImage('al2023', { version: `v202603${day}` })
    await world.change({ amiSelectorTerms: [{ alias: `al2023@v202603${day}` }] }, day)
    expect(imageIds(await world.read())).toEqual(first)
  }
  const revisions = (await world.read()).status?.imageHistory?.map(({ revision }) => revision)
  expect(revisions).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 1])
})

test('undo-to a revision of another family changes nothing: no node would join', async () => {
  const { world, second } = await twoRevisions()
  const imageHistory = (await world.read()).status?.imageHistory?.map((revision) =>
    revision.revision === 1 ? { ...revision, family: 'AL2' } : revision,
  )
  await setStatus(world, { ...(imageHistory && { imageHistory }) })
  await world.change({}, 2, { annotations: { [annotationUndoTo]: '1' } })
  expect(imageIds(await world.read())).toEqual(second)
  expect((await world.read()).status?.pinnedImages).toBeUndefined()
})

test('undo-to a revision that is not known changes nothing', async () => {
  const { world, second } = await twoRevisions()
  await world.change({}, 2, { annotations: { [annotationUndoTo]: '9' } })
  expect(imageIds(await world.read())).toEqual(second)
})
