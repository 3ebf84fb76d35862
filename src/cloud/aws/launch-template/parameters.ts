import type {
  CreateLaunchTemplateRequest,
  LaunchTemplateBlockDeviceMappingRequest,
  LaunchTemplateInstanceMetadataOptionsRequest,
  RequestLaunchTemplateData,
  TagSpecification,
} from '@aws-sdk/client-ec2'
import { parseQuantity } from '../../../model/quantity.ts'
import { type AMIFamily, familyOf } from '../ami/family.ts'
import { canonicalText, hash64 } from '../canonical.ts'
import { isIPv6 } from '../eks-cluster/ip-family.ts'
import type { PlacementGroup } from '../instance-types/type-settings.ts'
import { type CapacityType, launchTemplatePrefix, type ReservationType } from '../keys.ts'
import { type Tags, toTagList } from '../tags.ts'
import type { BlockDeviceMapping, NodeClassSpec } from '../wire.ts'
import { networkInterfaces } from './network-interfaces.ts'

/** Everything that one template is made from. */
export interface TemplateInputs {
  readonly spec: NodeClassSpec
  readonly nodeClassName: string
  readonly region: string
  readonly clusterName: string
  readonly clusterEndpoint: string
  readonly clusterCIDR: string | undefined
  readonly dnsIP: string | undefined
  readonly ipFamily: 'IPv4' | 'IPv6'
  readonly instanceProfile: string
  readonly securityGroupIDs: readonly string[]
  readonly tags: Tags
  readonly amiID: string
  /** As text; it is sent in base64. */
  readonly userData: string
  /** What the user data was rendered from and how, taints without order: two orders of the same taints share a template. */
  readonly userDataKey: string
  readonly capacityType: CapacityType
  readonly tenancy: 'default' | 'dedicated'
  readonly efaCount: number
  readonly plainFirstCard: boolean
  readonly enclaves: boolean
  readonly reservation: TemplateReservation | undefined
  readonly reservedCapacityGate: boolean
  readonly placementGroup: PlacementGroup | undefined
  /** Undefined unless the group has partitions and the claim asks for one. */
  readonly partition: number | undefined
}

export interface TemplateReservation {
  readonly id: string
  readonly type: ReservationType
  readonly interruptible: boolean
}

/** Regions whose metadata service knows no IPv6. */
const withoutMetadataIPv6 = new Set([
  'us-iso-east-1',
  'us-iso-west-1',
  'us-isob-east-1',
  'us-isob-west-1',
  'us-isof-south-1',
  'us-isof-east-1',
])

/**
 * Says everything that the template is made from, and what it comes to: equal launches share one, and any difference makes another, also
 * one of this program's own defaults.
 */
export function templateName(inputs: TemplateInputs): string {
  const { spec, userData: _rendered, ...rest } = inputs
  // The text of the user data tells the order of taints, which makes no difference. Its key says the rest.
  const data = templateData({ ...inputs, userData: '' })
  return `${launchTemplatePrefix}${hash64(canonicalText({ ...rest, family: familyOf(spec).name, data }))}`
}

export function createTemplateRequest(name: string, inputs: TemplateInputs): CreateLaunchTemplateRequest {
  return {
    LaunchTemplateName: name,
    LaunchTemplateData: templateData(inputs),
    TagSpecifications: [{ ResourceType: 'launch-template', Tags: toTagList(inputs.tags) }],
  }
}

function templateData(inputs: TemplateInputs): RequestLaunchTemplateData {
  const { spec } = inputs
  const devices = blockDevices(spec, familyOf(spec))
  const nested = spec.cpuOptions?.nestedVirtualization
  return {
    TagSpecifications: tagSpecifications(inputs),
    ImageId: inputs.amiID,
    UserData: Buffer.from(inputs.userData, 'utf8').toString('base64'),
    IamInstanceProfile: { Name: inputs.instanceProfile },
    Monitoring: { Enabled: spec.detailedMonitoring ?? false },
    ...(devices.length === 0 ? {} : { BlockDeviceMappings: devices }),
    NetworkInterfaces: networkInterfaces(inputs),
    MetadataOptions: metadataOptions(inputs),
    ...(nested === undefined ? {} : { CpuOptions: { NestedVirtualization: nested } }),
    EnclaveOptions: { Enabled: inputs.enclaves },
    Placement: {
      Tenancy: inputs.tenancy,
      ...(inputs.placementGroup === undefined ? {} : { GroupId: inputs.placementGroup.id }),
      ...(inputs.partition === undefined || inputs.partition === 0 ? {} : { PartitionNumber: inputs.partition }),
    },
    ...reservationParts(inputs),
  }
}

function tagSpecifications(inputs: TemplateInputs): TagSpecification[] {
  const Tags = toTagList(inputs.tags)
  return [
    { ResourceType: 'network-interface', Tags },
    ...(inputs.capacityType === 'spot' ? [{ ResourceType: 'spot-instances-request' as const, Tags }] : []),
  ]
}

function blockDevices(spec: NodeClassSpec, family: AMIFamily): LaunchTemplateBlockDeviceMappingRequest[] {
  return (ownDevices(spec) ?? family.defaultDevices).map(toBlockDevice)
}

/** An empty list names none, as no list does. */
function ownDevices({ blockDeviceMappings = [] }: NodeClassSpec): readonly BlockDeviceMapping[] | undefined {
  return blockDeviceMappings.length === 0 ? undefined : blockDeviceMappings
}

function toBlockDevice({ deviceName, ebs }: BlockDeviceMapping): LaunchTemplateBlockDeviceMappingRequest {
  if (ebs === undefined) return { ...(deviceName === undefined ? {} : { DeviceName: deviceName }) }
  return {
    ...(deviceName === undefined ? {} : { DeviceName: deviceName }),
    Ebs: {
      ...(ebs.deleteOnTermination === undefined ? {} : { DeleteOnTermination: ebs.deleteOnTermination }),
      ...(ebs.encrypted === undefined ? {} : { Encrypted: ebs.encrypted }),
      ...(ebs.volumeType === undefined ? {} : { VolumeType: ebs.volumeType }),
      ...(ebs.iops === undefined || ebs.iops === 0 ? {} : { Iops: ebs.iops }),
      ...(ebs.throughput === undefined || ebs.throughput === 0 ? {} : { Throughput: ebs.throughput }),
      ...(ebs.kmsKeyID === undefined ? {} : { KmsKeyId: ebs.kmsKeyID }),
      ...(ebs.snapshotID === undefined ? {} : { SnapshotId: ebs.snapshotID }),
      ...(ebs.volumeInitializationRate === undefined ? {} : { VolumeInitializationRate: ebs.volumeInitializationRate }),
      ...(ebs.volumeSize === undefined ? {} : { VolumeSize: toGibibytes(ebs.volumeSize) }),
    },
  }
}

/** EC2 sizes volumes in GiB; part of one counts as a whole. */
function toGibibytes(text: string): number {
  const gibibyte = 1n << 30n
  return Number((parseQuantity(text).units + gibibyte - 1n) / gibibyte)
}

function metadataOptions(inputs: TemplateInputs): LaunchTemplateInstanceMetadataOptionsRequest {
  const v6 = inputs.dnsIP !== undefined && isIPv6(inputs.dnsIP)
  const options = inputs.spec.metadataOptions ?? {
    httpEndpoint: 'disabled' as const,
    httpProtocolIPv6: v6 ? ('enabled' as const) : ('disabled' as const),
    httpPutResponseHopLimit: 2,
    httpTokens: 'required' as const,
  }
  return {
    ...(options.httpEndpoint === undefined ? {} : { HttpEndpoint: options.httpEndpoint }),
    ...(options.httpProtocolIPv6 === undefined || withoutMetadataIPv6.has(inputs.region)
      ? {}
      : { HttpProtocolIpv6: options.httpProtocolIPv6 }),
    ...(options.httpPutResponseHopLimit === undefined
      ? {}
      : { HttpPutResponseHopLimit: options.httpPutResponseHopLimit }),
    ...(options.httpTokens === undefined ? {} : { HttpTokens: options.httpTokens }),
    InstanceMetadataTags: 'disabled',
  }
}

function reservationParts(inputs: TemplateInputs): RequestLaunchTemplateData {
  if (!inputs.reservedCapacityGate) return {}
  const { reservation } = inputs
  if (reservation === undefined || inputs.capacityType !== 'reserved') {
    return { CapacityReservationSpecification: { CapacityReservationPreference: 'none' } }
  }
  const market =
    reservation.type === 'capacity-block'
      ? ('capacity-block' as const)
      : reservation.interruptible
        ? ('interruptible-capacity-reservation' as const)
        : undefined
  return {
    CapacityReservationSpecification: {
      CapacityReservationPreference: 'capacity-reservations-only',
      CapacityReservationTarget: { CapacityReservationId: reservation.id },
    },
    ...(market === undefined ? {} : { InstanceMarketOptions: { MarketType: market } }),
  }
}
