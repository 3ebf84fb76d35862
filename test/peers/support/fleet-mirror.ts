import { DescribeInstanceAttributeCommand, type Instance } from '@aws-sdk/client-ec2'
import type { SimulatedAWS } from '../../../src/embedded/aws/simulated-aws.ts'
import type { InstanceRecord } from '../../../src/embedded/aws/state.ts'
import { describeInstances, type MotoAccount } from './moto-account.ts'
import { repeat, type Repeating } from './repeat.ts'

/** moto and the reader of its answer spend a few milliseconds for every instance that ever ran. */
const pollMs = 1000

/**
 * Shows moto's instances to the embedded kubelets, which live on machines of the simulated EC2: each instance that runs in moto gets
 * a machine with the same id, address and user data; each that is gone there goes.
 */
export function mirrorFleet(account: MotoAccount, aws: SimulatedAWS): Repeating {
  return repeat(pollMs, async () => {
    for (const instance of await describeInstances(account.ec2)) {
      const known = aws.account.instance(instance.InstanceId ?? '')
      const isRunning = instance.State?.Name === 'running'
      if (known === undefined && isRunning) aws.account.addInstance(await machine(account, aws, instance))
      if (known?.state === 'running' && !isRunning) aws.account.enter(known, 'terminated')
    }
  })
}

async function machine(account: MotoAccount, aws: SimulatedAWS, instance: Instance): Promise<InstanceRecord> {
  const id = instance.InstanceId ?? ''
  const zone = instance.Placement?.AvailabilityZone ?? ''
  const { UserData } = await account.ec2.send(
    new DescribeInstanceAttributeCommand({ InstanceId: id, Attribute: 'userData' }),
  )
  const now = aws.account.clock.now()
  return {
    id,
    type: instance.InstanceType ?? '',
    zone,
    zoneID: aws.account.zoneID(zone),
    subnetID: instance.SubnetId ?? '',
    vpcID: instance.VpcId ?? '',
    privateIP: instance.PrivateIpAddress ?? '',
    imageID: instance.ImageId ?? '',
    architecture: 'x86_64',
    state: 'running',
    since: now,
    launchedAt: now,
    tags: Object.fromEntries((instance.Tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value])),
    lifecycle: instance.InstanceLifecycle === 'spot' ? 'spot' : 'on-demand',
    capacityReservationsOnly: false,
    launchTemplateID: '',
    fleetID: '',
    securityGroupIDs: [account.securityGroupID],
    userData: UserData?.Value ?? '',
    tenancy: 'default',
    interfaces: [{ id: `eni-${id}`, type: 'interface', card: 0, device: 0 }],
    volumes: [{ device: '/dev/xvda', sizeGiB: 20 }],
    monitoring: false,
    impaired: [],
    events: [],
  }
}
