import {
  CreateCapacityReservationCommand,
  CreateNetworkInterfaceCommand,
  CreatePlacementGroupCommand,
  CreateSubnetCommand,
  CreateTagsCommand,
  DescribeSubnetsCommand,
  DescribeVpcsCommand,
} from '@aws-sdk/client-ec2'
import { CreateServiceLinkedRoleCommand, DeleteRoleCommand, IAMClient, ListRolesCommand } from '@aws-sdk/client-iam'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ec2NodeClasses } from '../../../src/kube/karpenter-kinds.ts'
import { events } from '../../../src/kube/kinds.ts'
import { type AWSEdge, startAWSEdge } from '../support/aws-edge.ts'
import { type CredentialsAgent, startCredentialsAgent } from '../support/credentials-agent.ts'
import { type EmbeddedWorld, startEmbeddedWorld } from '../support/embedded-world.ts'
import { eventually } from '../support/eventually.ts'
import { reportFailures } from '../support/failure-report.ts'
import { accountIsClean, type Fleet } from '../support/fleet.ts'
import { credentials, region } from '../support/moto-account.ts'
import type { OperatorProcess } from '../support/operator-process.ts'
import { describeWithPeers } from '../support/peers.ts'
import { shiftZones } from '../support/zonal-shifts.ts'

/** Sessions of the start last as long as it takes to launch something, and no longer than the other tests of the shift. */
const firstSessionsMs = 40_000
const farFuture = '2100-01-01T00:00:00Z'

await describeWithPeers('the operator over HTTP where EC2 gives less than is asked for', ['moto'], () => {
  let world: EmbeddedWorld
  let edge: AWSEdge
  let agent: CredentialsAgent
  let operator: OperatorProcess
  let iam: IAMClient
  const cluster = 'arn:aws:eks:us-east-1:123456789012:cluster/demo'

  beforeAll(async () => {
    world = await startEmbeddedWorld()
    edge = await startAWSEdge(world.account.endpoint)
    iam = new IAMClient({ endpoint: world.account.endpoint, region, credentials })
    // moto has no price list.
    edge.add({ action: 'GetProducts', times: Infinity, fault: { kind: 'reset' } })
    await shiftZones(world.account.endpoint, cluster, [
      { awayFrom: await zoneID('us-east-1c'), expiryTime: farFuture, appliedStatus: 'APPLIED' },
    ])
    agent = await startCredentialsAgent(firstSessionsMs)
    operator = await world.startOperator({
      endpoint: edge.endpoint,
      env: {
        ...agent.env,
        ENABLE_ZONAL_SHIFT: 'true',
        // Signatures are checked there, and the edge does not keep what is signed.
        AWS_ENDPOINT_URL_ARC_ZONAL_SHIFT: world.account.endpoint,
      },
    })
  })
  reportFailures(() => world.report())
  afterAll(async () => {
    iam.destroy()
    await world.stop()
    await edge.stop()
    await agent.stop()
  })

  const zoneID = async (zone: string): Promise<string> => {
    const { Subnets = [] } = await world.account.ec2.send(new DescribeSubnetsCommand({}))
    return Subnets.find(({ AvailabilityZone }) => AvailabilityZone === zone)?.AvailabilityZoneId ?? ''
  }
  const zonesOf = async (fleet: Fleet) =>
    (await fleet.instances()).map(({ Placement }) => Placement?.AvailabilityZone ?? '').toSorted()
  const told = async (reason: string, about: string): Promise<readonly string[]> => {
    const { items } = await world.kube.list(events)
    return items
      .filter((event) => event.reason === reason && event.involvedObject.name?.startsWith(about) === true)
      .map(({ message = '' }) => message)
  }
  const conditionOf = async (name: string, type: string) =>
    (await world.kube.get(ec2NodeClasses, { name })).status?.conditions?.find((it) => it.type === type)
  const failures = (reason: string) =>
    operator.metric('karpenter_cloudprovider_instance_launch_failures_total', { reason })

  describe('while a zone is shifted', () => {
    test.concurrent('a zone that ARC has shifted away from gets no instance while another one has room', async () => {
      const fleet = world.fleetOf({ name: 'shifted', zones: ['us-east-1b', 'us-east-1c'] })
      await fleet.start('v20260101', 4)
      expect(await zonesOf(fleet)).toEqual(['us-east-1b', 'us-east-1b'])
      await fleet.end()
    })

    test.concurrent('a reservation is filled first, and what has no room in it is launched on demand', async () => {
      const tags = [{ Key: 'team', Value: 'web' }]
      const { CapacityReservation } = await world.account.ec2.send(
        new CreateCapacityReservationCommand({
          InstanceType: 'm5.large',
          InstancePlatform: 'Linux/UNIX',
          AvailabilityZone: 'us-east-1b',
          InstanceCount: 1,
          InstanceMatchCriteria: 'targeted',
          TagSpecifications: [{ ResourceType: 'capacity-reservation', Tags: tags }],
        }),
      )
      const id = CapacityReservation?.CapacityReservationId ?? ''
      const fleet = world.fleetOf({
        name: 'reserved',
        capacityTypes: ['reserved', 'on-demand'],
        nodeClass: { capacityReservationSelectorTerms: [{ tags: { team: 'web' } }] },
      })
      await fleet.start('v20260101', 2)
      const [first] = await fleet.instances()
      expect(first).toMatchObject({ CapacityReservationId: id, InstanceType: 'm5.large' })
      const [claim] = await fleet.claims()
      expect(claim?.metadata.labels).toMatchObject({
        'karpenter.sh/capacity-type': 'reserved',
        'karpenter.k8s.aws/capacity-reservation-id': id,
      })
      expect((await world.kube.get(ec2NodeClasses, { name: 'reserved' })).status?.capacityReservations).toMatchObject([
        { id, instanceType: 'm5.large', availabilityZone: 'us-east-1b', ownerID: '123456789012', state: 'active' },
      ])
      await fleet.scale(4)
      const reservations = (await fleet.instances()).map(({ CapacityReservationId = 'none' }) => CapacityReservationId)
      expect(reservations.toSorted()).toEqual([id, 'none'].toSorted())
      await fleet.end()
    })

    test.concurrent('a placement group that is not there is told; once it is, nodes are launched into it', async () => {
      const fleet = world.fleetOf({ name: 'grouped', nodeClass: { placementGroupSelector: { name: 'together' } } })
      await fleet.apply('v20260101', 2)
      await eventually(
        'it is told',
        async () => (await conditionOf('grouped', 'PlacementGroupReady'))?.status === 'False',
      )
      // EC2 refuses a name that it does not know.
      expect(await conditionOf('grouped', 'PlacementGroupReady')).toMatchObject({
        reason: 'PlacementGroupNotFound',
        message: 'Placement group "together" not found',
      })
      const { PlacementGroup } = await world.account.ec2.send(
        new CreatePlacementGroupCommand({ GroupName: 'together', Strategy: 'cluster' }),
      )
      await eventually('the pods run', () => fleet.allRun(2))
      const [instance] = await fleet.instances()
      expect(instance?.Placement?.GroupId).toBe(PlacementGroup?.GroupId)
      const [claim] = await fleet.claims()
      expect(claim?.metadata.labels?.['karpenter.k8s.aws/placement-group-id']).toBe(PlacementGroup?.GroupId)
      await fleet.end()
    })

    test.concurrent('a subnet without addresses is left for another zone', async () => {
      const subnet = await fullSubnet('us-east-1a')
      const { Subnets = [] } = await world.account.ec2.send(new DescribeSubnetsCommand({}))
      const other =
        Subnets.find((it) => it.AvailabilityZone === 'us-east-1b' && it.DefaultForAz === true)?.SubnetId ?? ''
      const fleet = world.fleetOf({
        name: 'crowded',
        nodeClass: { subnetSelectorTerms: [{ id: subnet }, { id: other }] },
      })
      await fleet.start('v20260101', 2)
      expect(await zonesOf(fleet)).toEqual(['us-east-1b'])
      expect(await failures('InsufficientFreeAddressesInSubnet')).toBeGreaterThan(0)
      await fleet.end()
    })

    test.concurrent('without the service-linked role of spot instances on-demand ones are launched, and the claim is told why', async () => {
      const { Roles = [] } = await iam.send(new ListRolesCommand({}))
      const RoleName = Roles.find(({ Path }) => Path?.includes('/spot.amazonaws.com/') === true)?.RoleName ?? ''
      await iam.send(new DeleteRoleCommand({ RoleName }))
      const fleet = world.fleetOf({ name: 'thrifty', capacityTypes: ['spot', 'on-demand'] })
      await fleet.start('v20260101', 2)
      expect((await fleet.instances()).map(({ InstanceLifecycle = 'on-demand' }) => InstanceLifecycle)).toEqual([
        'on-demand',
      ])
      const { items } = await world.kube.list(events)
      expect(items.map(({ message }) => message)).toContain(
        'Attempted to launch a spot instance but failed due to "AuthFailure.ServiceLinkedRoleCreationNotPermitted"',
      )
      await iam.send(new CreateServiceLinkedRoleCommand({ AWSServiceName: 'spot.amazonaws.com' }))
      await fleet.end()
    })
  })

  describe('later', () => {
    test.concurrent('sessions are renewed before they expire, and none is used afterwards', async () => {
      await eventually('the first sessions are over', async () => Date.now() > firstSessionsEnd())
      edge.expire('ASIAFIRST')
      const fleet = world.fleetOf({ name: 'renewed' })
      await fleet.start('v20260101', 2)
      await fleet.end()
      const later = edge.calls.filter(({ signedAt }) => signedAt > firstSessionsEnd())
      expect(later.length).toBeGreaterThan(5)
      expect(later.filter(({ accessKey }) => !accessKey.startsWith('ASIALATER'))).toEqual([])
      expect(edge.calls.some(({ accessKey }) => accessKey.startsWith('ASIAFIRST'))).toBe(true)
    })

    test.concurrent('when the shift is over the zone is told to be back', async () => {
      const fleet = world.fleetOf({ name: 'back', zones: ['us-east-1c'] })
      await fleet.apply('v20260101', 0)
      await eventually('the class is ready', async () => (await conditionOf('back', 'Ready'))?.status === 'True')
      await shiftZones(world.account.endpoint, cluster, [])
      await eventually('it is told', async () => (await told('ZonalShiftCleared', 'back')).length > 0)
      await fleet.scale(2)
      expect(await zonesOf(fleet)).toEqual(['us-east-1c'])
      await fleet.end()
    })
  })

  test('when all that is over nothing is left', async () => {
    await accountIsClean(world.account)
  })

  /** Who took a session just before may sign with it a moment later. */
  const momentMs = 2_000
  const firstSessionsEnd = () => (agent.sessions[0]?.expiresAt ?? Infinity) + momentMs

  /** The smallest there is, every address of it taken. */
  const fullSubnet = async (zone: string): Promise<string> => {
    const { ec2 } = world.account
    const { Vpcs = [] } = await ec2.send(new DescribeVpcsCommand({}))
    const { Subnet } = await ec2.send(
      new CreateSubnetCommand({ VpcId: Vpcs[0]?.VpcId ?? '', CidrBlock: '172.31.255.0/28', AvailabilityZone: zone }),
    )
    const SubnetId = Subnet?.SubnetId ?? ''
    await ec2.send(new CreateTagsCommand({ Resources: [SubnetId], Tags: [{ Key: 'full', Value: 'yes' }] }))
    for (let address = 0; address < 11; address += 1) await ec2.send(new CreateNetworkInterfaceCommand({ SubnetId }))
    return SubnetId
  }
})
