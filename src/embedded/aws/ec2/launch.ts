import type * as ec2 from '@aws-sdk/client-ec2'
import type { Account } from '../account.ts'
import type { TypeFacts } from '../catalogue.ts'
import { AWSError, invalidParameter, notFound } from '../errors.ts'
import { fromTags } from '../filters.ts'
import type { ImageRecord, InstanceRecord, LaunchTemplateRecord, SubnetRecord } from '../state.ts'
import { availableOf } from './describe.ts'

export type InstanceLifecycle = InstanceRecord['lifecycle']

/** One way to launch an instance: everything is resolved and fits together. */
export interface LaunchPlan {
  readonly facts: TypeFacts
  readonly subnet: SubnetRecord
  readonly image: ImageRecord
  readonly template: LaunchTemplateRecord
  readonly lifecycle: InstanceLifecycle
  readonly tags: Record<string, string>
  readonly fleetID: string
}

/**
 * Resolves type, subnet and image of a launch and checks what EC2 checks before it looks for capacity.
 * @throws AWSError as EC2 answers
 */
export function planLaunch(
  account: Account,
  wanted: {
    readonly template: LaunchTemplateRecord
    readonly type: string | undefined
    readonly subnetID: string | undefined
    readonly imageID: string | undefined
    readonly lifecycle: InstanceLifecycle
    readonly tags: Record<string, string>
    readonly fleetID: string
  },
): LaunchPlan {
  const { template } = wanted
  const facts = account.assertType(wanted.type ?? template.data.InstanceType ?? '')
  const imageID = wanted.imageID ?? template.data.ImageId ?? ''
  if (!/^ami-[0-9a-z]+$/.test(imageID)) {
    throw new AWSError('InvalidAMIID.Malformed', `Invalid id: "${imageID}" (expecting "ami-...")`)
  }
  const image = account.state.images.find(({ id, state }) => id === imageID && state === 'available')
  if (image === undefined) throw notFound.image(imageID)
  if (!facts.arch.includes(image.architecture)) {
    throw invalidParameter(
      `The architecture '${facts.arch.join(',')}' of the specified instance type does not match the architecture '${image.architecture}' of the specified AMI.`,
    )
  }
  const subnet = account.state.subnets.find(({ id }) => id === (wanted.subnetID ?? ''))
  if (subnet === undefined) throw notFound.subnet(wanted.subnetID ?? '')
  for (const groupID of securityGroupsOf(template)) {
    const group = account.state.securityGroups.find(({ id }) => id === groupID)
    if (group === undefined) throw notFound.securityGroup(groupID)
    if (group.vpcID !== subnet.vpcID) {
      throw new AWSError(
        'InvalidParameter',
        `Security group ${groupID} and subnet ${subnet.id} belong to different networks.`,
      )
    }
  }
  assertInstanceProfile(account, template)
  return { facts, subnet, image, template, lifecycle: wanted.lifecycle, tags: wanted.tags, fleetID: wanted.fleetID }
}

/** Why EC2 has no instance for the plan just now; undefined when it has one. */
export function findShortage(account: Account, plan: LaunchPlan): { code: string; message: string } | undefined {
  const { facts, subnet, lifecycle, template } = plan
  const { zone } = subnet
  if (!account.zonesOf(facts).includes(zone)) {
    return {
      code: 'Unsupported',
      message: `Your requested instance type (${facts.name}) is not supported in your requested Availability Zone (${zone}). Please retry your request by not specifying an Availability Zone or choosing ${account.zonesOf(facts).join(', ')}.`,
    }
  }
  if (lifecycle === 'spot' && !account.state.spotServiceLinkedRole) {
    return {
      code: 'AuthFailure.ServiceLinkedRoleCreationNotPermitted',
      message:
        'The provided credentials do not have permission to create the service-linked role for EC2 Spot Instances.',
    }
  }
  if (account.freeAddresses(subnet) < Math.max(1, template.data.NetworkInterfaces?.length ?? 1)) {
    return {
      code: 'InsufficientFreeAddressesInSubnet',
      message: `The specified subnet does not have enough free addresses to satisfy the request.`,
    }
  }
  const quota = findQuotaBreach(account, facts, lifecycle)
  if (quota !== undefined) return quota
  const group = findPlacementGroup(account, template)
  if (group?.strategy === 'spread' && countInGroup(account, group.id, zone) >= spreadGroupInstancesMax) {
    return {
      code: 'InsufficientInstanceCapacity',
      message: `You have reached the limit of instances in this spread placement group in the specified Availability Zone (${zone}).`,
    }
  }
  const reservation = findReservation(account, template)
  if (reservation !== undefined) {
    const matches = reservation.instanceType === facts.name && reservation.zone === zone
    if (matches && reservation.state === 'active' && availableOf(account, reservation) > 0) return undefined
    return {
      code: 'ReservationCapacityExceeded',
      message: 'The requested reservation does not have sufficient compatible and available capacity for this request.',
    }
  }
  if (account.capacityLeft(facts.name, zone, lifecycle) > 0) return undefined
  return lifecycle === 'spot'
    ? {
        code: 'UnfulfillableCapacity',
        message:
          'Unable to fulfill capacity due to your request configuration. Please adjust your request and try again.',
      }
    : {
        code: 'InsufficientInstanceCapacity',
        message: `We currently do not have sufficient ${facts.name} capacity in the Availability Zone you requested (${zone}). Our system will be working on provisioning additional capacity.`,
      }
}

/** Starts one instance; the plan must have been found free of shortages. */
export function launch(account: Account, plan: LaunchPlan): InstanceRecord {
  const { facts, subnet, image, template, lifecycle } = plan
  const { data } = template
  const now = account.clock.now()
  const reservation = findReservation(account, template)
  const group = findPlacementGroup(account, template)
  const partition = data.Placement?.PartitionNumber
  const profile = data.IamInstanceProfile?.Name
  const instance: InstanceRecord = {
    id: account.newID('i'),
    type: facts.name,
    zone: subnet.zone,
    zoneID: subnet.zoneID,
    subnetID: subnet.id,
    vpcID: subnet.vpcID,
    privateIP: nextAddress(account, subnet),
    imageID: image.id,
    architecture: image.architecture,
    state: 'pending',
    since: now,
    launchedAt: now,
    tags: { ...plan.tags },
    lifecycle,
    ...(lifecycle === 'spot' ? { spotRequestID: `sir-${account.random.hex(8)}` } : {}),
    ...(reservation === undefined ? {} : { reservationID: reservation.id }),
    capacityReservationsOnly:
      data.CapacityReservationSpecification?.CapacityReservationPreference === 'capacity-reservations-only',
    launchTemplateID: template.id,
    fleetID: plan.fleetID,
    securityGroupIDs: securityGroupsOf(template),
    ...(profile === undefined ? {} : { instanceProfile: profile }),
    userData: data.UserData ?? '',
    ...(group === undefined ? {} : { placementGroupID: group.id }),
    ...(group?.strategy === 'partition'
      ? { partition: partition ?? (countInGroup(account, group.id, undefined) % (group.partitions ?? 1)) + 1 }
      : {}),
    tenancy: data.Placement?.Tenancy === 'dedicated' ? 'dedicated' : 'default',
    interfaces: (data.NetworkInterfaces ?? [{}]).map((entry) => ({
      id: account.newID('eni'),
      type: entry.InterfaceType ?? 'interface',
      card: entry.NetworkCardIndex ?? 0,
      device: entry.DeviceIndex ?? 0,
    })),
    volumes: (data.BlockDeviceMappings ?? []).map((mapping) => ({
      device: mapping.DeviceName ?? '',
      sizeGiB: mapping.Ebs?.VolumeSize ?? imageVolumeGiB,
    })),
    monitoring: data.Monitoring?.Enabled === true,
    impaired: [],
    events: [],
  }
  account.takeCapacity(instance)
  account.addInstance(instance)
  return instance
}

export function tagsFor(
  type: ec2.ResourceType,
  specifications: readonly { ResourceType?: ec2.ResourceType | undefined; Tags?: ec2.Tag[] | undefined }[] | undefined,
): Record<string, string> {
  return fromTags(specifications?.find((specification) => specification.ResourceType === type)?.Tags)
}

/** Size of a volume that the launch template leaves to the image. */
const imageVolumeGiB = 20
/** A spread placement group holds seven running instances per zone. */
const spreadGroupInstancesMax = 7

function findQuotaBreach(account: Account, facts: TypeFacts, lifecycle: InstanceLifecycle) {
  const kind = lifecycle === 'spot' ? 'spot' : 'on-demand'
  const limit = account.state.vcpuLimits[kind]
  if (limit === undefined || account.runningVCPUs(kind) + facts.vcpu <= limit) return undefined
  return kind === 'spot'
    ? { code: 'MaxSpotInstanceCountExceeded', message: 'Max spot instance count exceeded' }
    : {
        code: 'VcpuLimitExceeded',
        message: `You have requested more vCPU capacity than your current vCPU limit of ${limit} allows for the instance bucket that the specified instance type belongs to.`,
      }
}

function assertInstanceProfile(account: Account, template: LaunchTemplateRecord): void {
  const name = template.data.IamInstanceProfile?.Name
  if (name === undefined) return
  const profile = account.state.instanceProfiles.find((candidate) => candidate.name === name)
  if (profile !== undefined && profile.roles.length > 0) return
  throw invalidParameter(
    `Value (${name}) for parameter iamInstanceProfile.name is invalid. Invalid IAM Instance Profile name`,
  )
}

function securityGroupsOf({ data }: LaunchTemplateRecord): string[] {
  const groups = data.NetworkInterfaces?.flatMap((entry) => entry.Groups ?? []) ?? data.SecurityGroupIds ?? []
  return [...new Set(groups)].sort()
}

function findReservation(account: Account, { data }: LaunchTemplateRecord) {
  const id = data.CapacityReservationSpecification?.CapacityReservationTarget?.CapacityReservationId
  if (id === undefined) return undefined
  const found = account.state.reservations.find((reservation) => reservation.id === id)
  if (found === undefined) throw notFound.capacityReservation(id)
  return found
}

function findPlacementGroup(account: Account, { data }: LaunchTemplateRecord) {
  const { GroupId: id, GroupName: name } = data.Placement ?? {}
  if (id === undefined && name === undefined) return undefined
  const found = account.state.placementGroups.find((group) => group.id === id || group.name === name)
  if (found === undefined) throw notFound.placementGroup(id ?? name ?? '')
  return found
}

function countInGroup(account: Account, groupID: string, zone: string | undefined): number {
  return account.state.instances.filter(
    (instance) =>
      instance.placementGroupID === groupID &&
      instance.state !== 'terminated' &&
      (zone === undefined || instance.zone === zone),
  ).length
}

/** The lowest address of the subnet that no instance has; the first four and the last are AWS' own. */
function nextAddress(account: Account, subnet: SubnetRecord): string {
  const [network = '10.0.0.0', bits = '24'] = subnet.cidr.split('/')
  const base = network.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0)
  const size = 2 ** (32 - Number(bits))
  const taken = new Set(
    account.state.instances
      .filter((instance) => instance.subnetID === subnet.id && instance.state !== 'terminated')
      .map((instance) => instance.privateIP),
  )
  // Starting at a random place, as EC2 does: an address that was just given back is rarely the next one handed out.
  const first = account.random.below(Math.max(1, size - 5))
  for (let step = 0; step < size - 5; step += 1) {
    const text = addressText(base + 4 + ((first + step) % (size - 5)))
    if (!taken.has(text)) return text
  }
  return addressText(base + 4)
}

function addressText(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.')
}
