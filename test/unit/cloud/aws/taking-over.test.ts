import { describe, expect, test } from 'vitest'
import { publishImages } from '../../../../src/embedded/aws/images.ts'
import { aNodeClass, anAWSWorld, type AWSWorld } from '../../../support/aws-world.ts'

const waitMs = 7 * 24 * 3_600_000

/** The cluster is upgraded from 1.33 while the process waits for the lease. */
async function anUpgradedWorld(): Promise<AWSWorld> {
  const world = await anAWSWorld({ types: ['m5.large'] })
  await world.world.run(waitMs)
  publishImages(world.aws.account, 'al2023', { version: 'v20260101', kubernetesVersion: '1.34' })
  world.aws.faults.add(({ action }) =>
    action === 'DescribeCluster'
      ? {
          kind: 'change',
          by: (output) => ({ cluster: { ...(output as { cluster: object }).cluster, version: '1.34' } }),
        }
      : undefined,
  )
  return world
}

describe('who takes over after a long wait', () => {
  test('looks for images of the version that the cluster has now: others would be drift of every node', async () => {
    const world = await anUpgradedWorld()
    await world.drive(world.cloud.lead())
    const classes = ['a', 'b'].map((uid) => aNodeClass({}, { metadata: { uid } }))
    await world.drive(Promise.all(classes.map((nodeClass) => world.cloud.amis.list(nodeClass))))
    const names = world.callsOf('ssm:GetParameter').map(({ Name = '' }) => Name)
    expect(names).not.toEqual([])
    expect(names.filter((name) => !name.includes('/1.34/'))).toEqual([])
    expect(world.countOf('eks:DescribeCluster')).toBe(1)
  })

  test('looks for none while it cannot be told', async () => {
    const world = await anUpgradedWorld()
    await world.drive(world.cloud.lead())
    world.aws.deny('eks:DescribeCluster')
    await world.failure(world.cloud.amis.list(aNodeClass()))
    expect(world.countOf('ssm:GetParameter')).toBe(0)
  })

  test('knows of a zonal shift before it ends any instance', async () => {
    const world = await anAWSWorld({ types: ['m5.large'], settings: { enableZonalShift: true } })
    await world.world.run(waitMs)
    world.aws.setZonalShift('use1-az1', 600_000)
    await world.drive(world.cloud.lead())
    expect(world.cloud.zonalShift.isShifted('use1-az1')).toBe(true)
  })

  test('knows the types that EC2 has had since: their machines would be taken for drifted', async () => {
    const world = await anAWSWorld({ types: ['m5.large'] })
    await world.world.run(waitMs)
    world.aws.faults.add(({ action }) =>
      action === 'DescribeInstanceTypes'
        ? {
            kind: 'answer',
            output: { InstanceTypes: ['m5.large', 'm99.large'].map((InstanceType) => ({ InstanceType })) },
          }
        : undefined,
    )
    await world.drive(world.cloud.lead())
    expect([...world.cloud.catalogue.names]).toEqual(['m5.large', 'm99.large'])
  })

  test('goes on when AWS does not answer', async () => {
    const world = await anAWSWorld({ types: ['m5.large'], settings: { enableZonalShift: true } })
    await world.world.run(waitMs)
    world.aws.deny('arc-zonal-shift:GetManagedResource')
    world.aws.deny('ec2:DescribeInstanceTypes')
    await world.drive(world.cloud.lead())
    const messages = world.log.lines.map(({ message }) => message)
    expect(messages).toEqual(
      expect.arrayContaining(['failed to look for zonal shifts', 'failed to look for instance types']),
    )
    expect([...world.cloud.catalogue.names]).toEqual(['m5.large'])
  })
})

test('who need not wait for the lease reads nothing twice but the version', async () => {
  const world = await anAWSWorld({ types: ['m5.large'], settings: { enableZonalShift: true } })
  await world.drive(world.cloud.lead())
  expect(world.calls.map(({ name }) => name)).toEqual(['ec2:DescribeLaunchTemplates'])
})
