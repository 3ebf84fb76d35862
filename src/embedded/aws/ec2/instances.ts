import type * as ec2 from '@aws-sdk/client-ec2'
import type { EC2Client } from '../../../cloud/aws/clients.ts'
import type { Account } from '../account.ts'
import { AWSError, dryRunOperation, notFound } from '../errors.ts'
import { fromTags, matchesFilters, page, toTags } from '../filters.ts'
import type { Handlers } from '../service.ts'
import type { InstanceRecord, InstanceState } from '../state.ts'

type InstanceCalls = Pick<
  EC2Client,
  'describeInstances' | 'describeInstanceStatus' | 'terminateInstances' | 'createTags'
>

export function instanceHandlers(account: Account): Handlers<InstanceCalls> {
  return {
    describeInstances: (input) => describeInstances(account, input),
    describeInstanceStatus: (input) => describeInstanceStatus(account, input),
    terminateInstances: (input) => terminateInstances(account, input),
    createTags: (input) => createTags(account, input),
  }
}

function select(account: Account, ids: readonly string[] | undefined): readonly InstanceRecord[] {
  if (ids === undefined) return account.state.instances.filter((instance) => account.isVisible(instance))
  return ids.map((id) => {
    if (!id.startsWith('i-')) {
      throw new AWSError('InvalidInstanceID.Malformed', `Invalid id: "${id}" (expecting "i-...")`)
    }
    const instance = account.instance(id)
    if (instance === undefined || !account.isVisible(instance)) throw notFound.instance(id)
    return instance
  })
}

function describeInstances(account: Account, input: ec2.DescribeInstancesRequest): ec2.DescribeInstancesResult {
  const found = select(account, input.InstanceIds).filter((instance) =>
    matchesFilters(input.Filters, instance.tags, (name) => {
      switch (name) {
        case 'instance-id':
          return [instance.id]
        case 'instance-state-name':
          return [instance.state]
        case 'instance-type':
          return [instance.type]
        case 'availability-zone':
          return [instance.zone]
        case 'image-id':
          return [instance.imageID]
        case 'subnet-id':
          return [instance.subnetID]
        case 'vpc-id':
          return [instance.vpcID]
        case 'private-dns-name':
          return [privateDNSName(account, instance)]
        case 'instance-lifecycle':
          return instance.lifecycle === 'on-demand' ? [] : [instance.lifecycle]
        default:
          return undefined
      }
    }),
  )
  const { items, nextToken } = page(found, input.MaxResults, input.NextToken)
  return {
    Reservations: items.map((instance) => ({
      ReservationId: instance.fleetID.replace('fleet', 'r'),
      OwnerId: account.id,
      Instances: [toInstance(account, instance)],
    })),
    ...nextToken,
  }
}

const stateCodes: Record<InstanceState, number> = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
}

function toState(state: InstanceState): ec2.InstanceState {
  return { Name: state, Code: stateCodes[state] }
}

/** The name that EC2 gives and a node takes: from the address, or in newer subnets from the id. */
export function privateDNSName(account: Account, instance: InstanceRecord): string {
  const domain = account.region.name === 'us-east-1' ? 'ec2.internal' : `${account.region.name}.compute.internal`
  return `ip-${instance.privateIP.replaceAll('.', '-')}.${domain}`
}

function toInstance(account: Account, instance: InstanceRecord): ec2.Instance {
  const facts = account.type(instance.type)
  const groups = instance.securityGroupIDs.map((id) => ({
    GroupId: id,
    GroupName: account.state.securityGroups.find((group) => group.id === id)?.name ?? id,
  }))
  const gone = instance.state === 'terminated'
  return {
    InstanceId: instance.id,
    InstanceType: instance.type as ec2._InstanceType,
    ImageId: instance.imageID,
    State: toState(instance.state),
    ...(instance.stateReason === undefined
      ? {}
      : { StateReason: { Code: instance.stateReason, Message: instance.stateReason } }),
    Architecture: instance.architecture,
    LaunchTime: new Date(instance.launchedAt),
    Placement: {
      AvailabilityZone: instance.zone,
      AvailabilityZoneId: instance.zoneID,
      Tenancy: instance.tenancy,
      ...(instance.placementGroupID === undefined ? {} : { GroupId: instance.placementGroupID }),
      ...(instance.partition === undefined ? {} : { PartitionNumber: instance.partition }),
    },
    PrivateDnsName: gone ? '' : privateDNSName(account, instance),
    ...(gone ? {} : { PrivateIpAddress: instance.privateIP, SubnetId: instance.subnetID, VpcId: instance.vpcID }),
    ...(instance.lifecycle === 'on-demand' ? {} : { InstanceLifecycle: instance.lifecycle }),
    ...(instance.spotRequestID === undefined ? {} : { SpotInstanceRequestId: instance.spotRequestID }),
    ...(instance.reservationID === undefined ? {} : { CapacityReservationId: instance.reservationID }),
    CapacityReservationSpecification: {
      CapacityReservationPreference: instance.capacityReservationsOnly
        ? 'capacity-reservations-only'
        : instance.lifecycle === 'on-demand'
          ? 'open'
          : 'none',
    },
    ...(instance.instanceProfile === undefined
      ? {}
      : { IamInstanceProfile: { Arn: account.arn('iam', `instance-profile/${instance.instanceProfile}`) } }),
    SecurityGroups: gone ? [] : groups,
    NetworkInterfaces: gone
      ? []
      : instance.interfaces.map((entry) => ({
          NetworkInterfaceId: entry.id,
          InterfaceType: entry.type,
          SubnetId: instance.subnetID,
          VpcId: instance.vpcID,
          PrivateIpAddress: instance.privateIP,
          Groups: groups,
          Attachment: { NetworkCardIndex: entry.card, DeviceIndex: entry.device, Status: 'attached' },
        })),
    CpuOptions: { CoreCount: facts?.cores ?? 1, ThreadsPerCore: facts?.threadsPerCore ?? 1 },
    Monitoring: { State: instance.monitoring ? 'enabled' : 'disabled' },
    Hypervisor: 'xen',
    RootDeviceType: 'ebs',
    VirtualizationType: 'hvm',
    Tags: toTags(instance.tags),
  }
}

function describeInstanceStatus(
  account: Account,
  input: ec2.DescribeInstanceStatusRequest,
): ec2.DescribeInstanceStatusResult {
  const impairedIn = (instance: InstanceRecord, category: string) =>
    instance.impaired.find((entry) => entry.category === category)
  const statusOf = (instance: InstanceRecord, category: string) =>
    impairedIn(instance, category) === undefined ? 'ok' : 'impaired'
  const found = select(account, input.InstanceIds)
    .filter(({ state }) => input.IncludeAllInstances === true || state === 'running')
    .filter((instance) =>
      matchesFilters(input.Filters, instance.tags, (name) => {
        switch (name) {
          case 'instance-status.status':
            return [statusOf(instance, 'instance')]
          case 'system-status.status':
            return [statusOf(instance, 'system')]
          case 'event.code':
            return instance.events.map(({ code }) => code)
          case 'instance-state-name':
            return [instance.state]
          case 'availability-zone':
            return [instance.zone]
          default:
            return undefined
        }
      }),
    )
  const summary = (instance: InstanceRecord, category: string): ec2.InstanceStatusSummary => {
    const impaired = impairedIn(instance, category)
    return {
      Status: impaired === undefined ? 'ok' : 'impaired',
      Details: [
        {
          Name: 'reachability',
          Status: impaired === undefined ? 'passed' : 'failed',
          ...(impaired === undefined ? {} : { ImpairedSince: new Date(impaired.since) }),
        },
      ],
    }
  }
  const { items, nextToken } = page(found, input.MaxResults, input.NextToken)
  return {
    InstanceStatuses: items.map((instance) => ({
      InstanceId: instance.id,
      AvailabilityZone: instance.zone,
      AvailabilityZoneId: instance.zoneID,
      InstanceState: toState(instance.state),
      InstanceStatus: summary(instance, 'instance'),
      SystemStatus: summary(instance, 'system'),
      Events: instance.events.map(({ code, description, notBefore }) => ({
        Code: code as ec2.EventCode,
        Description: description,
        NotBefore: new Date(notBefore),
      })),
    })),
    ...nextToken,
  }
}

function terminateInstances(account: Account, input: ec2.TerminateInstancesRequest): ec2.TerminateInstancesResult {
  const instances = (input.InstanceIds ?? []).map((id) => {
    const instance = account.instance(id)
    if (instance === undefined) throw notFound.instance(id)
    return instance
  })
  if (input.DryRun === true) throw dryRunOperation()
  return {
    TerminatingInstances: instances.map((instance) => {
      const before = instance.state
      if (before !== 'terminated') account.enter(instance, 'shutting-down', 'Client.UserInitiatedShutdown')
      return { InstanceId: instance.id, PreviousState: toState(before), CurrentState: toState(instance.state) }
    }),
  }
}

function createTags(account: Account, input: ec2.CreateTagsRequest): object {
  const tagged = (input.Resources ?? []).map((id) => {
    const record =
      account.instance(id) ??
      [
        ...account.state.subnets,
        ...account.state.securityGroups,
        ...account.state.launchTemplates,
        ...account.state.images,
      ].find((candidate) => candidate.id === id)
    if (record === undefined) throw notFound.instance(id)
    return record
  })
  if (input.DryRun === true) throw dryRunOperation()
  for (const record of tagged) Object.assign(record.tags, fromTags(input.Tags))
  return {}
}
