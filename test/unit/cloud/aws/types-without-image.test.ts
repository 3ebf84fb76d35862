import { describe, expect, test } from 'vitest'
import { aLaunchClaim, aNodeClass, type AWSWorld, capacityIn } from '../../../support/aws-world.ts'
import { aLaunchWorld, launch, overridesOf, quoteSpot, refusal } from '../../../support/launch-world.ts'

/** There is no spot below what m6g.large costs on demand (0.077) but that of m6g.large itself, which needs an image for arm64. */
async function aWorld(): Promise<AWSWorld> {
  const world = await aLaunchWorld({ types: ['m5.large', 'm6g.large'] })
  const zonesHere = ['us-east-1a', 'us-east-1b', 'us-east-1c']
  const prices = zonesHere.flatMap((zone) => [
    ['m5.large', zone, '0.09'] as const,
    ['m6g.large', zone, '0.03'] as const,
  ])
  await quoteSpot(world, prices)
  return world
}

const classWith = (...images: string[]) =>
  aNodeClass({}, { status: { amis: aNodeClass().status?.amis?.filter(({ id }) => images.includes(id)) ?? [] } })

const anyCapacity = aLaunchClaim([capacityIn('spot', 'on-demand')])

async function asked(world: AWSWorld): Promise<readonly [string | undefined, readonly (string | undefined)[]]> {
  const request = world.callsOf('ec2:CreateFleet').at(-1)
  const types = [...new Set(overridesOf(request).map(({ type }) => type))]
  return [request?.TargetCapacitySpecification?.DefaultTargetCapacityType, types]
}

describe('a launch of which the image fits some types alone', () => {
  test('is as with Karpenter where it can succeed', async () => {
    const world = await aWorld()
    await launch(world, anyCapacity, classWith('ami-amd', 'ami-arm'))
    expect(await asked(world)).toEqual(['spot', ['m6g.large']])
    await launch(world, aLaunchClaim([capacityIn('on-demand')]), classWith('ami-amd'))
    expect(await asked(world)).toEqual(['on-demand', ['m5.large']])
  })

  test('is as with Karpenter also where the others price out some of those it fits, as long as one is left', async () => {
    const world = await aLaunchWorld({ types: ['m5.large', 'm5.xlarge', 'm6g.large'] })
    await quoteSpot(world, [
      ['m5.large', 'us-east-1a', '0.07'],
      ['m5.xlarge', 'us-east-1a', '0.09'],
    ])
    await launch(world, anyCapacity, classWith('ami-amd'))
    expect(await asked(world)).toEqual(['spot', ['m5.large']])
  })

  test('is made of those where the others alone decide on what no launch template can be made for', async () => {
    const world = await aWorld()
    await launch(world, anyCapacity, classWith('ami-amd'))
    expect(await asked(world)).toEqual(['spot', ['m5.large']])
  })

  test('fails as with Karpenter where the others are all there is', async () => {
    const world = await aWorld()
    const { message } = await refusal(world, anyCapacity, classWith())
    expect(message).toContain('no amis exist given constraints')
    expect(world.callsOf('ec2:CreateFleet')).toEqual([])
  })
})

test('types that no image fits are told, once there is any image', async () => {
  const { cloud } = await aWorld()
  const lacking = (...images: string[]) =>
    cloud.instanceTypes
      .list(classWith(...images))
      .filter(({ lacksImage }) => lacksImage === true)
      .map(({ name }) => name)
  expect(lacking('ami-amd')).toEqual(['m6g.large'])
  expect(lacking('ami-amd', 'ami-arm')).toEqual([])
  expect(lacking()).toEqual([])
})
