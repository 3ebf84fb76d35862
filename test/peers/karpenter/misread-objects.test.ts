import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { conditionOf } from '../../../src/api/conditions.ts'
import type { EC2NodeClass, NodePool } from '../../../src/api/karpenter.ts'
import type { Unsaved } from '../../../src/api/kubernetes.ts'
import { ec2NodeClasses, nodePools } from '../../../src/kube/karpenter-kinds.ts'
import { hasCompatibilityLine } from '../support/compatibility-page.ts'
import { installCRDs } from '../support/crds.ts'
import { aNodeClass, aNodePool } from '../support/fleet-manifests.ts'
import { karpenterCRDs, startKarpenter } from '../support/karpenter-process.ts'
import { likeKarpenter, startOperator } from '../support/operator-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { type EmptyWorld, startEmptyWorld } from '../support/real-world.ts'

/** Longer than either controller takes to look at a new object. */
const judgedMs = 12_000

/** What came of an object. */
interface Judged {
  /** Of the conditions that a sound object has `True` after a while, the first that it has not, with its reason. */
  readonly fails?: string
  readonly images?: readonly string[]
  /** Whether a NodePool that came after it is ready. */
  readonly goesOn: boolean
}

interface Misread {
  /** With what the line of docs/compatibility.md begins. */
  readonly line: string
  readonly object: Unsaved<EC2NodeClass> | Unsaved<NodePool>
  readonly Karpenter: Judged
  /** In the log of Karpenter. */
  readonly words?: string
  readonly Joinery: Judged
}

const misread: readonly Misread[] = [
  {
    line: 'An `amiSelectorTerms` alias with two `@`',
    object: aClass({ amiSelectorTerms: [{ alias: 'al2023@v20260101@v20260201' }] }),
    Karpenter: { goesOn: false },
    words: 'failed to parse AMI alias',
    Joinery: { fails: 'AMIsReady False UnsupportedAlias', goesOn: true },
  },
  {
    line: '`volumeSize: Ti`',
    object: aClass({
      blockDeviceMappings: [{ deviceName: '/dev/xvda', rootVolume: true, ebs: { volumeSize: 'Ti' } }],
    }),
    Karpenter: { images: ['v20260101'], goesOn: true },
    Joinery: {
      fails: 'ValidationSucceeded False InvalidBlockDeviceMappings',
      images: ['v20260101'],
      goesOn: true,
    },
  },
  {
    line: 'An image selector term without content, `tags: {}`',
    object: aClass({ amiFamily: 'AL2023', amiSelectorTerms: [{ tags: {} }] }),
    Karpenter: { images: ['v20260301'], goesOn: true },
    Joinery: { fails: 'AMIsReady False AMINotFound', goesOn: true },
  },
  {
    line: 'A limit of a NodePool or a capacity of a NodeOverlay that is no quantity (`1e1.5`)',
    object: aPool((spec) => ({ ...spec, limits: { cpu: '1e1.5' } })),
    Karpenter: { goesOn: false },
    words: 'failed to list *v1.NodePool: quantities must match the regular expression',
    Joinery: { fails: 'ValidationSucceeded False NodePoolValidationFailed', goesOn: true },
  },
  {
    line: 'A duration beyond 64 bits (`9999999999h`)',
    object: aPool((spec) => ({
      ...spec,
      template: { ...spec.template, spec: { ...spec.template.spec, expireAfter: '9999999999h' } },
    })),
    Karpenter: { goesOn: false },
    words: 'failed to list *v1.NodePool: time: invalid duration',
    Joinery: { goesOn: true },
  },
]

await describeWithPeers(
  'what docs/compatibility.md says of objects that the definitions admit and nobody can make sense of',
  ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'moto', 'karpenter'],
  () => {
    let worlds: { readonly [who in 'Karpenter' | 'Joinery']: EmptyWorld }
    beforeAll(async () => {
      const [Karpenter, Joinery] = await Promise.all([startWorld(), startWorld()])
      worlds = { Karpenter, Joinery }
    })
    afterAll(() => Promise.all(Object.values(worlds ?? {}).map((world) => world.stop())))

    test.each(misread)('$line', async ({ line, object, words = '', ...expected }) => {
      const [theirs, ours] = await Promise.all([
        tried('Karpenter', worlds.Karpenter, object),
        tried('Joinery', worlds.Joinery, object),
      ])
      expect({ Karpenter: theirs.judged, Joinery: ours.judged }).toEqual(expected)
      expect(theirs.log).toContain(words)
      expect(await hasCompatibilityLine(line)).toBe(true)
    })
  },
)

async function startWorld(): Promise<EmptyWorld> {
  const world = await startEmptyWorld()
  await installCRDs(world.controlPlane, await karpenterCRDs())
  await world.kube.create(ec2NodeClasses, aNodeClass('v20260101'))
  return world
}

/** By a process of its own, since it may end. */
async function tried(who: 'Karpenter' | 'Joinery', world: EmptyWorld, object: Misread['object']) {
  const controller = await start(who, world)
  try {
    await create(world, object)
    await sleep(judgedMs)
    await world.kube.create(nodePools, aNodePoolCalled('after'))
    await sleep(judgedMs)
    return { judged: await judged(world, object), log: await controller.logTail(2_000) }
  } finally {
    await controller.dispose()
    await remove(world)
  }
}

function start(who: 'Karpenter' | 'Joinery', { controlPlane: { kubeconfig, url: endpoint }, account }: EmptyWorld) {
  const options = { kubeconfig, endpoint, account }
  return who === 'Karpenter' ? startKarpenter(options) : startOperator({ ...options, flags: likeKarpenter })
}

async function create({ kube }: EmptyWorld, object: Misread['object']): Promise<void> {
  if (isPool(object)) await kube.create(nodePools, object)
  else await kube.create(ec2NodeClasses, object)
}

async function judged({ kube }: EmptyWorld, object: Misread['object']): Promise<Judged> {
  const pools = (await kube.list(nodePools)).items
  const classes = (await kube.list(ec2NodeClasses)).items
  const found = [...pools, ...classes].find(({ metadata }) => metadata.name === 'misread')
  const after = pools.find(({ metadata }) => metadata.name === 'after')
  const failing = isPool(object) ? ['ValidationSucceeded'] : ['AMIsReady', 'ValidationSucceeded']
  const fails = failing
    .map((type) => found && conditionOf(found, type))
    .find((condition) => condition?.status === 'False')
  const images = classes
    .filter(({ metadata }) => metadata.name === 'misread')
    .flatMap(({ status }) => status?.amis ?? [])
    .map(({ name = '' }) => name.slice(name.lastIndexOf('-') + 1))
  return {
    ...(fails === undefined ? {} : { fails: [fails.type, fails.status, fails.reason].join(' ') }),
    ...(images.length === 0 ? {} : { images }),
    goesOn: after !== undefined && conditionOf(after, 'Ready')?.status === 'True',
  }
}

/** With the controller gone nobody takes finalizers off. */
async function remove({ kube }: EmptyWorld): Promise<void> {
  const body = { metadata: { finalizers: null } }
  for (const { metadata } of (await kube.list(nodePools)).items) {
    await kube.patch(nodePools, metadata, { kind: 'merge', body })
    await kube.delete(nodePools, metadata)
  }
  for (const { metadata } of (await kube.list(ec2NodeClasses)).items.filter(
    (each) => each.metadata.name === 'misread',
  )) {
    await kube.patch(ec2NodeClasses, metadata, { kind: 'merge', body })
    await kube.delete(ec2NodeClasses, metadata)
  }
}

function isPool(object: Misread['object']): object is Unsaved<NodePool> {
  return object.kind === 'NodePool'
}

function aClass(nodeClass: Partial<EC2NodeClass['spec']>): Unsaved<EC2NodeClass> {
  return aNodeClass('v20260101', { name: 'misread', nodeClass })
}

function aPool(change: (spec: NodePool['spec']) => NodePool['spec']): Unsaved<NodePool> {
  const pool = aNodePoolCalled('misread')
  return { ...pool, spec: change(pool.spec) }
}

/** Of the class that every fleet of tests has. */
function aNodePoolCalled(name: string): Unsaved<NodePool> {
  const pool = aNodePool()
  return { ...pool, metadata: { ...pool.metadata, name } }
}
