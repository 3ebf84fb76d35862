import {
  DescribeImagesCommand,
  DescribeInstanceTypesCommand,
  DescribeSubnetsCommand,
  EC2Client,
  RunInstancesCommand,
} from '@aws-sdk/client-ec2'
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm'
import { expect, test } from 'vitest'
import { credentials, latestParameter, nodeImage, region, releases } from '../support/moto-account.ts'
import { type MotoOptions, startMoto } from '../support/moto.ts'
import { describeWithPeers } from '../support/peers.ts'

const image = releases.v20260101
const parameter = latestParameter('1.33')
const options: MotoOptions = {
  parameters: [{ region, name: parameter, value: image }],
  images: [nodeImage(image, '1.33', 'v20260101')],
}

await describeWithPeers('moto, started by our launcher', ['moto'], () => {
  test('serves the public parameters and the images it was given, beside a default network', async () => {
    const moto = await startMoto(options)
    try {
      const client = { endpoint: moto.endpoint, region, credentials }
      const read = await new SSMClient(client).send(new GetParameterCommand({ Name: parameter }))
      expect(read.Parameter?.Value).toBe(image)
      const ec2 = new EC2Client(client)
      const images = await ec2.send(new DescribeImagesCommand({ ImageIds: [image] }))
      expect(images.Images?.map(({ Architecture }) => Architecture)).toEqual(['x86_64'])
      const subnets = await ec2.send(new DescribeSubnetsCommand({}))
      expect(subnets.Subnets?.length).toBeGreaterThanOrEqual(3)
    } finally {
      await moto.stop()
    }
  })

  test('answers each question about instance types for itself, again and again, and ends a dry run as EC2 does', async () => {
    const moto = await startMoto(options)
    try {
      const ec2 = new EC2Client({ endpoint: moto.endpoint, region, credentials })
      const named = async (name: string): Promise<unknown> =>
        (
          await ec2.send(new DescribeInstanceTypesCommand({ Filters: [{ Name: 'instance-type', Values: [name] }] }))
        ).InstanceTypes?.map(({ InstanceType }) => InstanceType)
      expect(await named('m5.large')).toEqual(['m5.large'])
      expect(await named('c5.large')).toEqual(['c5.large'])
      expect(await named('m5.large')).toEqual(['m5.large'])
      const dryRun = ec2.send(new DescribeInstanceTypesCommand({ DryRun: true }))
      await expect(dryRun).rejects.toMatchObject({ name: 'DryRunOperation' })
    } finally {
      await moto.stop()
    }
  })

  test('gives the same ids to two runs of the same seed', async () => {
    expect(await firstInstanceID(1)).toBe(await firstInstanceID(1))
    expect(await firstInstanceID(1)).not.toBe(await firstInstanceID(2))
  })
})

async function firstInstanceID(seed: number): Promise<string | undefined> {
  const moto = await startMoto({ ...options, seed })
  try {
    const ec2 = new EC2Client({ endpoint: moto.endpoint, region, credentials })
    const run = await ec2.send(
      new RunInstancesCommand({ ImageId: image, MinCount: 1, MaxCount: 1, InstanceType: 'm5.large' }),
    )
    return run.Instances?.[0]?.InstanceId
  } finally {
    await moto.stop()
  }
}
