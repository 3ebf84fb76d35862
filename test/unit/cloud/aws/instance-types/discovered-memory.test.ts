import { expect, test } from 'vitest'
import { DiscoveredMemory } from '../../../../../src/cloud/aws/instance-types/discovered-memory.ts'
import { VirtualClock } from '../../../../../src/embedded/clock.ts'
import { archIs } from '../../../../support/aws-world.ts'

const amis = [
  { id: 'ami-1', name: 'amd', requirements: [archIs('amd64')] },
  { id: 'ami-2', name: 'arm', requirements: [archIs('arm64')] },
]
const day = 24 * 3_600_000

function aMemory() {
  const clock = new VirtualClock()
  const memory = new DiscoveredMemory(clock)
  const of = (type = 'm5.large', images: typeof amis = amis) => memory.get(type, memory.keyOf(images))
  return { clock, memory, of }
}

test('the smallest amount that a node has shown counts, and only another one is news', () => {
  const { memory, of } = aMemory()
  const news = [8n, 8n, 9n, 7n, 8n].map((bytes) => [memory.observe('m5.large', amis, bytes), of(), memory.version])
  expect(news).toEqual([
    [true, 8n, 1],
    [false, 8n, 1],
    [false, 8n, 1],
    [true, 7n, 2],
    [false, 7n, 2],
  ])
})

test('it is that of the type under the images of the class, in whatever order they stand', () => {
  const { memory, of } = aMemory()
  memory.observe('m5.large', amis, 8n)
  expect(of('m5.large', [...amis].reverse())).toBe(8n)
  expect(of('m5.xlarge')).toBeUndefined()
  expect(of('m5.large', amis.slice(1))).toBeUndefined()
})

test('it holds for sixty days since a node last showed just that', async () => {
  const { clock, memory, of } = aMemory()
  memory.observe('m5.large', amis, 8n)
  await clock.run({ forMs: 59 * day })
  memory.observe('m5.large', amis, 9n)
  await clock.run({ forMs: day - 1 })
  expect(of()).toBe(8n)
  memory.observe('m5.large', amis, 8n)
  await clock.run({ forMs: 60 * day - 1 })
  expect(of()).toBe(8n)
  await clock.run({ forMs: 1 })
  expect(of()).toBeUndefined()
})
