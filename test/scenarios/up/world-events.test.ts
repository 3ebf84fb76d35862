import { afterEach, expect, test } from 'vitest'
import { type Stack, startStack } from '../../../src/cli/embedded/stack.ts'
import { raiseFleet } from '../../../src/cli/up/fleet.ts'
import {
  faultAnnotation,
  followWorldEvents,
  interruptAnnotation,
  publishImageAnnotation,
} from '../../../src/cli/up/world-events.ts'
import { ec2NodeClasses, nodeClaims } from '../../../src/kube/karpenter-kinds.ts'
import { namespaces, nodes } from '../../../src/kube/kinds.ts'

const minute = 60_000

interface World {
  readonly stack: Stack
  readonly said: string[]
  readonly node: string
  readonly claim: string
  annotateNode(key: string, value: string | null): Promise<void>
}

let running: Stack | undefined
afterEach(() => running?.stop())

async function aWorldOfOneNode(): Promise<World> {
  const stack = await startStack({ seed: 1, region: 'us-west-2' })
  running = stack
  const said: string[] = []
  followWorldEvents(stack, (text) => said.push(text))
  await raiseFleet(stack, 1, new AbortController().signal)
  const [claim] = stack.operator.caches.of(nodeClaims).list()
  const node = claim?.status?.nodeName ?? ''
  return {
    stack,
    said,
    node,
    claim: claim?.metadata.name ?? '',
    annotateNode: async (key, value) => {
      const body = { metadata: { annotations: { [key]: value } } }
      await stack.cluster.client.patch(nodes, { name: node }, { kind: 'merge', body })
    },
  }
}

function readyStatus({ stack, node }: World): string | undefined {
  const conditions = stack.operator.caches.of(nodes).get({ name: node })?.status?.conditions ?? []
  return conditions.find(({ type }) => type === 'Ready')?.status
}

test('a spot warning that somebody asks for takes the claim away', async () => {
  const world = await aWorldOfOneNode()
  await world.annotateNode(interruptAnnotation, 'spot')
  const isGone = (): boolean => world.stack.operator.caches.of(nodeClaims).get({ name: world.claim }) === undefined
  expect(await world.stack.cluster.clock.run({ until: isGone, withinMs: 10 * minute })).toBe(true)
})

test('a machine suffers until the annotation is taken away', async () => {
  const world = await aWorldOfOneNode()
  const { clock } = world.stack.cluster
  await world.annotateNode(faultAnnotation, 'not-ready')
  expect(await clock.run({ until: () => readyStatus(world) === 'False', withinMs: 5 * minute })).toBe(true)
  await world.annotateNode(faultAnnotation, null)
  expect(await clock.run({ until: () => readyStatus(world) === 'True', withinMs: 5 * minute })).toBe(true)
})

test('a machine that falls silent and is to be not ready after that says so', async () => {
  const world = await aWorldOfOneNode()
  const { clock } = world.stack.cluster
  await world.annotateNode(faultAnnotation, 'silent')
  expect(await clock.run({ until: () => readyStatus(world) === 'Unknown', withinMs: 5 * minute })).toBe(true)
  await world.annotateNode(faultAnnotation, 'not-ready')
  expect(await clock.run({ until: () => readyStatus(world) === 'False', withinMs: 5 * minute })).toBe(true)
})

test('an image that somebody publishes is found by the class', async () => {
  const { stack } = await aWorldOfOneNode()
  const imagesOf = (): readonly string[] => {
    const [nodeClass] = stack.operator.caches.of(ec2NodeClasses).list()
    return (nodeClass?.status?.amis ?? []).map(({ name }) => name ?? '')
  }
  const body = { metadata: { annotations: { [publishImageAnnotation]: 'v20300101' } } }
  await stack.cluster.client.patch(namespaces, { name: 'kube-system' }, { kind: 'merge', body })
  const isFound = (): boolean => imagesOf().some((name) => name.includes('v20300101'))
  expect(await stack.cluster.clock.run({ until: isFound, withinMs: 20 * minute })).toBe(true)
})

test('an alias of the latest image moves to one that somebody publishes, long before its day is over', async () => {
  const { stack, said } = await aWorldOfOneNode()
  const { client, clock } = stack.cluster
  const namesOf = (): readonly string[] => {
    const [nodeClass] = stack.operator.caches.of(ec2NodeClasses).list()
    return (nodeClass?.status?.amis ?? []).map(({ name }) => name ?? '')
  }
  const spec = { amiSelectorTerms: [{ alias: 'al2023@latest' }] }
  const [nodeClass] = stack.operator.caches.of(ec2NodeClasses).list()
  await client.patch(ec2NodeClasses, { name: nodeClass?.metadata.name ?? '' }, { kind: 'merge', body: { spec } })
  // Long enough for the alias to have been looked up.
  await clock.run({ forMs: 20 * minute })
  expect(namesOf().length).toBeGreaterThan(0)
  const body = { metadata: { annotations: { [publishImageAnnotation]: 'v20300101' } } }
  await client.patch(namespaces, { name: 'kube-system' }, { kind: 'merge', body })
  const isFound = (): boolean => namesOf().some((name) => name.includes('v20300101'))
  expect(await clock.run({ until: isFound, withinMs: 6 * minute })).toBe(true)
  expect(said.join()).toContain('EC2NodeClasses look within five minutes')
})

test('an image that is there already is not made again, and that is told', async () => {
  const { stack, said } = await aWorldOfOneNode()
  const { client, clock, aws } = stack.cluster
  for (const version of ['v20300101', 'v20300102', 'broken:v20300101']) {
    const body = { metadata: { annotations: { [publishImageAnnotation]: version } } }
    await client.patch(namespaces, { name: 'kube-system' }, { kind: 'merge', body })
    await clock.run({ forMs: 1_000 })
  }
  expect(said.at(-1)).toBe('AL2023 v20300101 is published already: take another version')
  const names = aws.account.state.images.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test('what means nothing is told, with what would', async () => {
  const { stack, said, annotateNode, node } = await aWorldOfOneNode()
  await annotateNode(interruptAnnotation, 'nonsense')
  await stack.cluster.clock.run({ forMs: 1_000 })
  expect(said).toEqual([
    `${interruptAnnotation} of node ${node}: expected one of spot, rebalance, scheduled-change, capacity-reservation, got "nonsense"`,
  ])
})

test('what stands where nothing looks for it is told, with where it belongs', async () => {
  const { stack, said, node, claim } = await aWorldOfOneNode()
  const { client, clock } = stack.cluster
  const written = (annotations: Readonly<Record<string, string | null>>) => ({
    kind: 'merge' as const,
    body: { metadata: { annotations } },
  })
  await client.patch(nodeClaims, { name: claim }, written({ [interruptAnnotation]: 'spot' }))
  await client.patch(namespaces, { name: 'default' }, written({ [publishImageAnnotation]: 'v20260401' }))
  await clock.run({ forMs: 1_000 })
  const told = [
    `${interruptAnnotation} of nodeclaim ${claim}: nothing looks for it there, annotate node ${node}`,
    `${publishImageAnnotation} of namespace default: nothing looks for it there, annotate namespace kube-system`,
  ]
  expect(said).toEqual(told)
  await client.patch(nodeClaims, { name: claim }, written({ [interruptAnnotation]: null }))
  await clock.run({ forMs: 1_000 })
  expect(said).toEqual(told)
})

test('a cluster that continues does not do again what its annotations asked for before, and does what they ask for next', async () => {
  const world = await aWorldOfOneNode()
  await world.annotateNode(faultAnnotation, 'not-ready')
  const publish = (stack: Stack, version: string): Promise<unknown> => {
    const body = { metadata: { annotations: { [publishImageAnnotation]: version } } }
    return stack.cluster.client.patch(namespaces, { name: 'kube-system' }, { kind: 'merge', body })
  }
  await publish(world.stack, 'v20300101')
  await world.stack.cluster.clock.run({ forMs: 5_000 })
  expect(readyStatus(world)).toBe('False')
  expect(world.said).toEqual([expect.stringContaining('published AL2023 v20300101')])
  const state = world.stack.cluster.save()
  await world.stack.stop()

  const stack = await startStack({ seed: 1, region: 'us-west-2', state })
  running = stack
  const said: string[] = []
  followWorldEvents(stack, (text) => said.push(text))
  await stack.cluster.clock.run({ until: () => readyStatus({ ...world, stack }) !== undefined, withinMs: minute })
  await stack.cluster.clock.run({ forMs: 10_000 })
  expect(said).toEqual([])
  expect(readyStatus({ ...world, stack })).toBe('False')
  await publish(stack, 'v20300102')
  await stack.cluster.clock.run({ forMs: minute })
  expect(said).toEqual([expect.stringContaining('published AL2023 v20300102')])
})

test('the world goes on acting when a new operator takes over', async () => {
  const world = await aWorldOfOneNode()
  const { stack, said } = world
  stack.crashOperator()
  stack.startOperator()
  await stack.cluster.clock.run({ forMs: minute })
  await world.annotateNode(interruptAnnotation, 'nonsense')
  await stack.cluster.clock.run({ forMs: 1_000 })
  expect(said).toEqual([expect.stringContaining('got "nonsense"')])
})
