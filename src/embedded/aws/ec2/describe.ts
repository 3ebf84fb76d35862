import type * as ec2 from '@aws-sdk/client-ec2'
import type { EC2Client } from '../../../cloud/aws/clients.ts'
import type { Account } from '../account.ts'
import { dryRunOperation, notFound } from '../errors.ts'
import { matchesFilters, page, toTags } from '../filters.ts'
import { toInstanceTypeInfo } from '../instance-type-info.ts'
import type { ImageRecord, ReservationRecord } from '../state.ts'
import type { Handlers } from '../service.ts'

type DescribeCalls = Pick<
  EC2Client,
  | 'describeInstanceTypes'
  | 'describeInstanceTypeOfferings'
  | 'describeSubnets'
  | 'describeSecurityGroups'
  | 'describeImages'
  | 'describeSpotPriceHistory'
  | 'describeCapacityReservations'
  | 'describePlacementGroups'
>

/** EC2's read-only calls about what can be launched and where. */
export function describeHandlers(account: Account): Handlers<DescribeCalls> {
  return {
    describeInstanceTypes: (input) => describeInstanceTypes(account, input),
    describeInstanceTypeOfferings: (input) => describeInstanceTypeOfferings(account, input),
    describeSubnets: (input) => describeSubnets(account, input),
    describeSecurityGroups: (input) => describeSecurityGroups(account, input),
    describeImages: (input) => describeImages(account, input),
    describeSpotPriceHistory: (input) => describeSpotPriceHistory(account, input),
    describeCapacityReservations: (input) => describeCapacityReservations(account, input),
    describePlacementGroups: (input) => describePlacementGroups(account, input),
  }
}

/** Refuses ids that do not exist, as EC2 does for most resources. */
function byIDs<T>(
  records: readonly T[],
  ids: readonly string[] | undefined,
  idOf: (record: T) => string,
  missing: (id: string) => Error,
): readonly T[] {
  if (ids === undefined || ids.length === 0) return records
  return ids.map((id) => {
    const found = records.find((record) => idOf(record) === id)
    if (found === undefined) throw missing(id)
    return found
  })
}

function describeInstanceTypes(
  account: Account,
  input: ec2.DescribeInstanceTypesRequest,
): ec2.DescribeInstanceTypesResult {
  if (input.DryRun === true) throw dryRunOperation()
  const named = input.InstanceTypes?.map((name) => account.assertType(name)) ?? account.types
  const found = named.filter((facts) =>
    matchesFilters(input.Filters, {}, (name) => {
      switch (name) {
        case 'instance-type':
          return [facts.name]
        case 'supported-virtualization-type':
          return facts.virtualization
        case 'processor-info.supported-architecture':
          return facts.arch
        case 'bare-metal':
          return [String(facts.bareMetal === true)]
        case 'current-generation':
          return [String(facts.currentGeneration)]
        case 'hypervisor':
          return facts.hypervisor === undefined ? [] : [facts.hypervisor]
        case 'supported-usage-class':
          return facts.usageClasses
        default:
          return undefined
      }
    }),
  )
  const { items, nextToken } = page(found, input.MaxResults ?? 100, input.NextToken)
  return { InstanceTypes: items.map(toInstanceTypeInfo), ...nextToken }
}

function describeInstanceTypeOfferings(
  account: Account,
  input: ec2.DescribeInstanceTypeOfferingsRequest,
): ec2.DescribeInstanceTypeOfferingsResult {
  const by = input.LocationType ?? 'region'
  const locationsOf = (zones: readonly string[]) => {
    if (by === 'region') return [account.region.name]
    return by === 'availability-zone-id' ? zones.map((zone) => account.zoneID(zone)) : zones
  }
  const offerings = account.types
    .flatMap((facts) => locationsOf(account.zonesOf(facts)).map((location) => ({ type: facts.name, location })))
    .filter(({ type, location }) =>
      matchesFilters(input.Filters, {}, (name) => {
        if (name === 'instance-type') return [type]
        return name === 'location' ? [location] : undefined
      }),
    )
  const { items, nextToken } = page(offerings, input.MaxResults ?? 1000, input.NextToken)
  return {
    InstanceTypeOfferings: items.map(({ type, location }) => ({
      InstanceType: type as ec2._InstanceType,
      LocationType: by,
      Location: location,
    })),
    ...nextToken,
  }
}

function describeSubnets(account: Account, input: ec2.DescribeSubnetsRequest): ec2.DescribeSubnetsResult {
  const found = byIDs(account.state.subnets, input.SubnetIds, ({ id }) => id, notFound.subnet).filter((subnet) =>
    matchesFilters(input.Filters, subnet.tags, (name) => {
      switch (name) {
        case 'subnet-id':
          return [subnet.id]
        case 'vpc-id':
          return [subnet.vpcID]
        case 'availability-zone':
        case 'availabilityZone':
          return [subnet.zone]
        case 'availability-zone-id':
          return [subnet.zoneID]
        case 'state':
          return ['available']
        default:
          return undefined
      }
    }),
  )
  const { items, nextToken } = page(found, input.MaxResults, input.NextToken)
  return {
    Subnets: items.map((subnet) => ({
      SubnetId: subnet.id,
      VpcId: subnet.vpcID,
      State: 'available',
      AvailabilityZone: subnet.zone,
      AvailabilityZoneId: subnet.zoneID,
      CidrBlock: subnet.cidr,
      AvailableIpAddressCount: account.freeAddresses(subnet),
      MapPublicIpOnLaunch: subnet.public,
      OwnerId: account.id,
      SubnetArn: account.arn('ec2', `subnet/${subnet.id}`),
      Tags: toTags(subnet.tags),
    })),
    ...nextToken,
  }
}

function describeSecurityGroups(
  account: Account,
  input: ec2.DescribeSecurityGroupsRequest,
): ec2.DescribeSecurityGroupsResult {
  const found = byIDs(account.state.securityGroups, input.GroupIds, ({ id }) => id, notFound.securityGroup).filter(
    (group) =>
      matchesFilters(input.Filters, group.tags, (name) => {
        if (name === 'group-id') return [group.id]
        if (name === 'group-name') return [group.name]
        return name === 'vpc-id' ? [group.vpcID] : undefined
      }),
  )
  const { items, nextToken } = page(found, input.MaxResults, input.NextToken)
  return {
    SecurityGroups: items.map((group) => ({
      GroupId: group.id,
      GroupName: group.name,
      VpcId: group.vpcID,
      OwnerId: account.id,
      Description: group.name,
      Tags: toTags(group.tags),
    })),
    ...nextToken,
  }
}

function describeImages(account: Account, input: ec2.DescribeImagesRequest): ec2.DescribeImagesResult {
  const now = account.clock.now()
  const ownedBy = (image: ImageRecord, owner: string) =>
    owner === image.ownerID || owner === image.ownerAlias || (owner === 'self' && image.ownerID === account.id)
  const known = account.state.images.filter(({ state }) => state !== 'deregistered')
  const found = byIDs(known, input.ImageIds, ({ id }) => id, notFound.image).filter((image) => {
    const deprecated = image.deprecatedAt !== undefined && image.deprecatedAt <= now
    if (deprecated && input.IncludeDeprecated !== true && input.ImageIds === undefined) return false
    if (image.state === 'disabled' && input.IncludeDisabled !== true) return false
    if (input.Owners !== undefined && input.Owners.length > 0 && !input.Owners.some((owner) => ownedBy(image, owner))) {
      return false
    }
    // Another account's tags are not visible to this one.
    const tags = image.ownerID === account.id ? image.tags : {}
    return matchesFilters(input.Filters, tags, (name) => {
      switch (name) {
        case 'image-id':
          return [image.id]
        case 'name':
          return [image.name]
        case 'state':
          return [image.state]
        case 'architecture':
          return [image.architecture]
        case 'owner-id':
          return [image.ownerID]
        case 'owner-alias':
          return image.ownerAlias === undefined ? [] : [image.ownerAlias]
        case 'is-public':
          return [String(image.public)]
        default:
          return undefined
      }
    })
  })
  const { items, nextToken } = page(found, input.MaxResults, input.NextToken)
  return { Images: items.map((image) => toImage(account, image)), ...nextToken }
}

function toImage(account: Account, image: ImageRecord): ec2.Image {
  return {
    ImageId: image.id,
    Name: image.name,
    Architecture: image.architecture,
    OwnerId: image.ownerID,
    ...(image.ownerAlias === undefined ? {} : { ImageOwnerAlias: image.ownerAlias }),
    State: image.state === 'disabled' ? 'disabled' : 'available',
    Public: image.public,
    CreationDate: new Date(image.createdAt).toISOString(),
    ...(image.deprecatedAt === undefined ? {} : { DeprecationTime: new Date(image.deprecatedAt).toISOString() }),
    ...(image.platform === 'windows' ? { Platform: 'Windows' as const } : {}),
    PlatformDetails: image.platform === 'windows' ? 'Windows' : 'Linux/UNIX',
    ImageType: 'machine',
    Hypervisor: 'xen',
    VirtualizationType: 'hvm',
    RootDeviceType: 'ebs',
    RootDeviceName: image.platform === 'windows' ? '/dev/sda1' : '/dev/xvda',
    EnaSupport: true,
    Tags: image.ownerID === account.id ? toTags(image.tags) : [],
  }
}

function describeSpotPriceHistory(
  account: Account,
  input: ec2.DescribeSpotPriceHistoryRequest,
): ec2.DescribeSpotPriceHistoryResult {
  const named = input.InstanceTypes?.map((name) => account.assertType(name)) ?? account.types
  const pools = named.flatMap((facts) =>
    account
      .zonesOf(facts)
      .filter((zone) => input.AvailabilityZone === undefined || input.AvailabilityZone === zone)
      .filter((zone) => account.hasSpotPrice(facts, zone))
      .map((zone) => ({ facts, zone })),
  )
  const { items, nextToken } = page(pools, input.MaxResults ?? 1000, input.NextToken)
  // A price stands since some hour before now; EC2 answers the record in force at StartTime, too.
  const at = new Date(account.clock.now() - 3_600_000)
  return {
    SpotPriceHistory: items.map(({ facts, zone }) => ({
      InstanceType: facts.name as ec2._InstanceType,
      AvailabilityZone: zone,
      AvailabilityZoneId: account.zoneID(zone),
      ProductDescription: 'Linux/UNIX',
      SpotPrice: account.spotPrice(facts, zone)?.toFixed(6),
      Timestamp: at,
    })),
    ...nextToken,
  }
}

/** Instances of the reservation that are not in use. */
export function availableOf(account: Account, reservation: ReservationRecord): number {
  let used = 0
  for (const instance of account.state.instances) {
    if (instance.reservationID === reservation.id && instance.state !== 'terminated') used += 1
  }
  return Math.max(0, reservation.total - used)
}

function describeCapacityReservations(
  account: Account,
  input: ec2.DescribeCapacityReservationsRequest,
): ec2.DescribeCapacityReservationsResult {
  const found = byIDs(
    account.state.reservations,
    input.CapacityReservationIds,
    ({ id }) => id,
    notFound.capacityReservation,
  ).filter((reservation) =>
    matchesFilters(input.Filters, reservation.tags, (name) => {
      switch (name) {
        case 'instance-type':
          return [reservation.instanceType]
        case 'owner-id':
          return [reservation.ownerID]
        case 'availability-zone':
          return [reservation.zone]
        case 'state':
          return [reservation.state]
        case 'instance-match-criteria':
          return [reservation.matchCriteria]
        default:
          return undefined
      }
    }),
  )
  const { items, nextToken } = page(found, input.MaxResults, input.NextToken)
  return {
    CapacityReservations: items.map((reservation) => ({
      CapacityReservationId: reservation.id,
      CapacityReservationArn: account.arn('ec2', `capacity-reservation/${reservation.id}`),
      OwnerId: reservation.ownerID,
      InstanceType: reservation.instanceType,
      InstancePlatform: 'Linux/UNIX',
      AvailabilityZone: reservation.zone,
      AvailabilityZoneId: reservation.zoneID,
      Tenancy: 'default',
      TotalInstanceCount: reservation.total,
      AvailableInstanceCount: availableOf(account, reservation),
      State: reservation.state,
      StartDate: new Date(reservation.startAt),
      ...(reservation.endAt === undefined ? {} : { EndDate: new Date(reservation.endAt) }),
      EndDateType: reservation.endAt === undefined ? 'unlimited' : 'limited',
      InstanceMatchCriteria: reservation.matchCriteria,
      ReservationType: reservation.type,
      Interruptible: reservation.interruptible,
      Tags: toTags(reservation.tags),
    })),
    ...nextToken,
  }
}

function describePlacementGroups(
  account: Account,
  input: ec2.DescribePlacementGroupsRequest,
): ec2.DescribePlacementGroupsResult {
  const groups = account.state.placementGroups
  const named =
    input.GroupNames !== undefined
      ? byIDs(groups, input.GroupNames, ({ name }) => name, notFound.placementGroup)
      : byIDs(groups, input.GroupIds, ({ id }) => id, notFound.placementGroup)
  const found = named.filter((group) =>
    matchesFilters(input.Filters, group.tags, (name) => {
      if (name === 'state') return ['available']
      if (name === 'group-name') return [group.name]
      return name === 'strategy' ? [group.strategy] : undefined
    }),
  )
  return {
    PlacementGroups: found.map((group) => ({
      GroupId: group.id,
      GroupName: group.name,
      GroupArn: account.arn('ec2', `placement-group/${group.name}`),
      State: 'available',
      Strategy: group.strategy,
      ...(group.partitions === undefined ? {} : { PartitionCount: group.partitions }),
      ...(group.spreadLevel === undefined ? {} : { SpreadLevel: group.spreadLevel }),
      Tags: toTags(group.tags),
    })),
  }
}
