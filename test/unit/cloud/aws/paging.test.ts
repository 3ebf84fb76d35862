import { expect, test } from 'vitest'
import { isRecord } from '../../../../src/api/json.ts'
import { aLaunchClaim, aNodeClass, type AWSWorld } from '../../../support/aws-world.ts'
import { aLaunchWorld, launch } from '../../../support/launch-world.ts'
import { aReservation } from '../../../support/reservation-record.ts'

interface List {
  readonly action: string
  /** The member of the answer that holds the items. */
  readonly items: string
  /** Asks for the list, and tells how much of it arrived. */
  arrived(world: AWSWorld): Promise<number>
}

/** Lets AWS give the first item of a list by itself, and all others on a second page. */
function inTwoPages(world: AWSWorld, { action, items }: List): void {
  const rest = new Map<string, readonly unknown[]>()
  world.aws.faults.add((call) => {
    if (call.action !== action || !isRecord(call.input)) return undefined
    const { NextToken = '', Marker = NextToken, ...query } = call.input
    const key = JSON.stringify(query)
    if (Marker === 'second') return { kind: 'answer', output: { [items]: rest.get(key) } }
    return {
      kind: 'change',
      by: (output) => {
        const all: unknown = isRecord(output) ? output[items] : undefined
        const [first, ...others] = Array.isArray(all) ? all : []
        rest.set(key, others)
        return { [items]: [first], NextToken: 'second', IsTruncated: true, Marker: 'second' }
      },
    }
  })
}

const learnt = (world: AWSWorld, message: string) => Number(world.world.logged(message)[0]?.['instance-type-count'])

const lists: readonly List[] = [
  {
    action: 'DescribeSubnets',
    items: 'Subnets',
    arrived: async ({ drive, cloud }) => (await drive(cloud.subnets.list(aNodeClass()))).length,
  },
  {
    action: 'DescribeSecurityGroups',
    items: 'SecurityGroups',
    arrived: async ({ drive, cloud, aws }) => {
      const [group] = aws.state.securityGroups
      if (group !== undefined) aws.state.securityGroups.push({ ...group, id: 'sg-2' }, { ...group, id: 'sg-3' })
      return (await drive(cloud.securityGroups.list(aNodeClass()))).length
    },
  },
  {
    action: 'DescribeImages',
    items: 'Images',
    arrived: async ({ drive, cloud }) => (await drive(cloud.amis.describe(['ami-amd', 'ami-arm']))).length,
  },
  {
    action: 'DescribeInstanceTypes',
    items: 'InstanceTypes',
    arrived: async ({ drive, cloud }) => {
      await drive(cloud.catalogue.updateTypes())
      return cloud.catalogue.types.size
    },
  },
  {
    action: 'DescribeInstanceTypeOfferings',
    items: 'InstanceTypeOfferings',
    arrived: async ({ drive, cloud }) => {
      await drive(cloud.catalogue.updateOfferings())
      return cloud.catalogue.zonesByType.size
    },
  },
  {
    action: 'DescribeSpotPriceHistory',
    items: 'SpotPriceHistory',
    arrived: async (world) => {
      await world.drive(world.cloud.pricing.updateSpot())
      return learnt(world, 'updated spot pricing with instance types and offerings')
    },
  },
  {
    action: 'GetProducts',
    items: 'PriceList',
    arrived: async (world) => {
      await world.drive(world.cloud.pricing.updateOnDemand())
      return learnt(world, 'updated on-demand pricing')
    },
  },
  {
    action: 'DescribeCapacityReservations',
    items: 'CapacityReservations',
    arrived: async ({ drive, cloud, aws }) => {
      const tags = { team: 'core' }
      aws.state.reservations.push(...['cr-1', 'cr-2', 'cr-3'].map((id) => aReservation({ id, tags })))
      return (await drive(cloud.reservations.list([{ tags }]))).length
    },
  },
  {
    action: 'DescribeInstances',
    items: 'Reservations',
    arrived: async (world) => {
      for (const name of ['a', 'b', 'c']) await launch(world, aLaunchClaim([], { metadata: { name, uid: name } }))
      await world.world.run(60_000)
      return (await world.drive(world.cloud.provider.list())).length
    },
  },
  {
    action: 'DescribeLaunchTemplates',
    items: 'LaunchTemplates',
    arrived: async ({ drive, cloud, aws, world }) => {
      const tags = { 'eks:eks-cluster-name': 'demo', 'karpenter.sh/nodepool': 'web' }
      const left = ['1', '2', '3'].map((id) => ({ id, name: `karpenter.k8s.aws/${id}`, createdAt: 0, tags, data: {} }))
      aws.state.launchTemplates.push(...left)
      await drive(cloud.lead())
      await world.run(130_000)
      return left.length - aws.state.launchTemplates.length
    },
  },
  {
    action: 'ListInstanceProfiles',
    items: 'InstanceProfiles',
    arrived: async ({ drive, cloud, aws }) => {
      const profile = { path: '/karpenter/us-east-1/demo/uid/', roles: [], tags: {}, createdAt: 0 }
      aws.state.instanceProfiles.push(...['a', 'b', 'c'].map((name) => ({ ...profile, name })))
      return (await drive(cloud.instanceProfiles.list('/karpenter/us-east-1/demo/'))).length
    },
  },
]

test.each(lists)('of what AWS answers to $action every page is read', async (list) => {
  const types = ['m5.large', 'm6i.large', 'm5.metal']
  const [whole, paged] = [await aLaunchWorld({ types }), await aLaunchWorld({ types })]
  inTwoPages(paged, list)
  const all = await list.arrived(whole)
  expect(all).toBeGreaterThan(1)
  expect(await list.arrived(paged)).toBe(all)
})
