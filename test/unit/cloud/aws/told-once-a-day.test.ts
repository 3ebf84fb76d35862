import { expect, test } from 'vitest'
import type { EC2NodeClassSpec } from '../../../../src/api/karpenter.ts'
import { aLaunchClaim, aNodeClass, anAWSWorld, type AWSWorld } from '../../../support/aws-world.ts'
import { aLaunchWorld } from '../../../support/launch-world.ts'

const dayMs = 24 * 3_600_000
const told = ({ log }: AWSWorld, message: string) => log.lines.filter((line) => line.message === message).length

const terms: Record<string, [terms: EC2NodeClassSpec['amiSelectorTerms'], message: string]> = {
  'a term that others could publish an image for': [[{ tags: { team: 'core' } }], 'risky ami selector term'],
  'a term that selects nothing': [
    [{ name: 'X', owner: 'self' }, { tags: {} }],
    'ignoring an ami selector term that selects nothing',
  ],
}
test.each(Object.entries(terms))('%s is told once a day, and again when the class was edited', async (_of, wanted) => {
  const [amiSelectorTerms, message] = wanted
  const world = await anAWSWorld({ types: ['m5.large'] })
  const look = (generation: number) => {
    const metadata = { uid: 'class-uid', generation }
    return world.drive(world.cloud.amis.list(aNodeClass({ amiSelectorTerms, amiFamily: 'AL2023' }, { metadata })))
  }
  for (let minute = 0; minute < 10; minute += 1) {
    await look(1)
    await world.clock.run({ forMs: 60_000 })
  }
  expect(told(world, message)).toBe(1)
  await look(2)
  expect(told(world, message)).toBe(2)
  await world.clock.run({ forMs: dayMs })
  await look(2)
  expect(told(world, message)).toBe(3)
})

test('user data that is large or has keys that are dropped is told once a day, however many nodes are launched', async () => {
  const world = await aLaunchWorld({ types: ['m5.large'] })
  const userData = `[settings]\nmotd = "${'x'.repeat(14_600)}"\n[settings.kubernetes]\nmisspelt = 1\n`
  world.nodeClasses.set(
    'default',
    aNodeClass({ amiFamily: 'Bottlerocket', amiSelectorTerms: [{ id: 'ami-amd' }], userData }),
  )
  const launch = () => world.drive(world.cloud.provider.create(aLaunchClaim()))
  const counts = () =>
    ['dropping unknown keys of settings.kubernetes', 'user data is close to the size limit of EC2'].map((message) =>
      told(world, message),
    )
  for (let node = 0; node < 5; node += 1) await launch()
  expect(counts()).toEqual([1, 1])
  await world.clock.run({ forMs: dayMs })
  await launch()
  expect(counts()).toEqual([2, 2])
})
