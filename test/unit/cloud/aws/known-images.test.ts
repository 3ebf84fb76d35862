import { describe, expect, test } from 'vitest'
import type { AMI } from '../../../../src/cloud/aws/ami/choose.ts'
import { KnownImages } from '../../../../src/cloud/aws/ami/known-images.ts'
import { VirtualClock } from '../../../../src/embedded/clock.ts'

const ami = (id: string, more: Partial<AMI> = {}): AMI => ({
  id,
  name: `name of ${id}`,
  ownerID: '1',
  createdAt: Date.parse('2025-06-01T12:00:00.789Z'),
  deprecated: false,
  requirements: [],
  ...more,
})

function aBook(describeImages: (id: string) => readonly AMI[]) {
  const asked: string[] = []
  const clock = new VirtualClock()
  const images = new KnownImages(clock, async ([id = '']) => {
    asked.push(id)
    return describeImages(id)
  })
  return { images, asked, clock }
}

describe('an image', () => {
  test('that was seen is never asked for', async () => {
    const { images, asked } = aBook(() => [])
    images.remember([ami('ami-1')])
    expect(await images.identify('ami-1')).toEqual({
      id: 'ami-1',
      name: 'name of ami-1',
      creationDate: '2025-06-01T12:00:00Z',
    })
    expect(asked).toEqual([])
  })

  test('that was not is asked for once', async () => {
    const { images, asked } = aBook((id) => [ami(id, { name: '', createdAt: Number.NEGATIVE_INFINITY })])
    for (let times = 0; times < 3; times += 1) expect(await images.identify('ami-1')).toEqual({ id: 'ami-1' })
    expect(asked).toEqual(['ami-1'])
  })

  test('that many nodes run is asked for once, also where all of them ask at the same time', async () => {
    const { images, asked } = aBook((id) => [ami(id)])
    const found = await Promise.all(Array.from({ length: 500 }, () => images.identify('ami-1')))
    expect(new Set(found.map(({ name }) => name))).toEqual(new Set(['name of ami-1']))
    expect(asked).toEqual(['ami-1'])
  })

  test.each<[string, (id: string) => readonly AMI[]]>([
    ['is gone', () => []],
    [
      'cannot be described now',
      () => {
        throw new Error('throttled')
      },
    ],
  ])('that %s is just its id, and is asked for again after an hour', async (_name, describeImages) => {
    const { images, asked, clock } = aBook(describeImages)
    await images.identify('ami-1')
    expect(await images.identify('ami-1')).toEqual({ id: 'ami-1' })
    expect(asked).toHaveLength(1)
    await clock.run({ forMs: 3_600_001 })
    await images.identify('ami-1')
    expect(asked).toHaveLength(2)
  })

  test('is forgotten when there are too many, the oldest first', async () => {
    const { images, asked } = aBook(() => [])
    images.remember(Array.from({ length: 2_001 }, (_, index) => ami(`ami-${index}`)))
    await images.identify('ami-2000')
    expect(asked).toEqual([])
    await images.identify('ami-0')
    expect(asked).toEqual(['ami-0'])
  })
})
