import type { EC2NodeClass } from '../../src/api/karpenter.ts'
import { annotationApprove } from '../../src/api/joinery-annotations.ts'
import { ec2NodeClasses, nodePools, rolloutPolicies } from '../../src/kube/karpenter-kinds.ts'
import { ignoreNotFound } from './ignore-not-found.ts'
import type { World } from './world.ts'

/** What a commit to the node class may do to its images: mostly a new one, under a policy now and then one that was there before. */
export async function chooseImage(world: World, step: number): Promise<string> {
  if (world.policy === undefined) return newImage(world, step)
  await mendGoodImages(world)
  const told = world.random.next() < 0.25 ? await earlierImage(world) : await newImage(world, step)
  if (world.policy.mode === 'Approve') {
    for (let review = 0; review < reviews; review += 1) approveLater(world, review * reviewsEveryMs)
  }
  return told
}

/** Somebody pins it in Git: `@latest` alone is looked up again within a day. Under a policy one in three does not work. */
async function newImage({ stack, random, policy }: World, step: number): Promise<string> {
  const { client, aws, behaviours } = stack.cluster
  const version = `v2026${String(step).padStart(4, '0')}`
  const broken = policy !== undefined && random.next() < 0.3
  for (const { id } of aws.publishImage('al2023', { version })) behaviours.setImage(id, broken ? { joins: false } : {})
  await pin(client, version)
  return broken ? 'a new image that does not work' : 'a new image'
}

/**
 * One of the history, which may have been good or bad; of the good ones one in three works no more. Not one that the class has been rolled
 * back to: nothing would drift by it, so that nobody could find out. Nor the last that is known to be good, as while the first rollout away
 * from it goes on: none would be left to return to.
 */
async function earlierImage({ stack, random }: World): Promise<string> {
  const { client, behaviours } = stack.cluster
  const nodeClass: EC2NodeClass = await client.get(ec2NodeClasses, { name: 'default' })
  const history = nodeClass.status?.imageHistory ?? []
  const earlier = history.slice(1)
  const chosen = earlier[random.below(Math.max(1, earlier.length))]
  const version = /v\d{8}$/.exec(chosen?.images[0]?.name ?? '')?.[0]
  if (chosen === undefined || version === undefined) return 'no earlier image to choose'
  const present = new Set(nodeClass.status?.amis?.map(({ id }) => id))
  const isPresent = chosen.images.some(({ id }) => present.has(id))
  const isLast = !history.some((other) => other !== chosen && other.outcome === 'good')
  const breaks = chosen.outcome === 'good' && random.next() < 0.3 && !isPresent && !isLast
  if (breaks) for (const { id } of chosen.images) behaviours.setImage(id, { joins: false })
  await pin(client, version)
  return `an earlier image that was ${chosen.outcome ?? 'unknown'}${breaks ? ' and works no more' : ''}`
}

/**
 * What the history still calls good was given up before anybody could find out that it works no more. A later rollback would go back to it,
 * and nobody but a person would come back from there.
 */
async function mendGoodImages({ stack }: World): Promise<void> {
  const { client, behaviours } = stack.cluster
  const nodeClass: EC2NodeClass = await client.get(ec2NodeClasses, { name: 'default' })
  const good = (nodeClass.status?.imageHistory ?? []).filter(({ outcome }) => outcome === 'good')
  for (const { id } of good.flatMap(({ images }) => images)) {
    if (behaviours.state.byImage[id]?.joins === false) behaviours.setImage(id, { joins: true })
  }
}

async function pin(client: World['stack']['cluster']['client'], version: string): Promise<void> {
  const body = { spec: { amiSelectorTerms: [{ alias: `al2023@${version}` }] } }
  await client.patch(ec2NodeClasses, { name: 'default' }, { kind: 'merge', body }).catch(ignoreNotFound)
}

const reviewMs = 60_000
/** A review may come before the operator knows of the image, which faults of a quarter of an hour may keep from it. */
const reviews = 3
const reviewsEveryMs = 10 * reviewMs

/** The targets that a review sees are approved, within ten minutes; what changes meanwhile is not. */
function approveLater({ stack, random }: World, afterMs: number): void {
  const { client, clock } = stack.cluster
  clock.schedule(afterMs + reviewMs, () => {
    const seen = client
      .list(rolloutPolicies)
      .then(({ items }) => items.flatMap(({ status }) => status?.nodePools ?? []))
    clock.schedule(random.below(9 * reviewMs), () => {
      void seen
        .then(async (pools) => {
          for (const { name, targetHash = '' } of pools) {
            const body = { metadata: { annotations: { [annotationApprove]: targetHash } } }
            await client.patch(nodePools, { name }, { kind: 'merge', body })
          }
        })
        .catch(ignoreNotFound)
    })
  })
}
