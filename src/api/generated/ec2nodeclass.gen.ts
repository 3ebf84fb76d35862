// Generated from schemas/ by `npm run generate`. Do not edit.
import type { Condition, KubeObject } from '../kubernetes.ts'

/**
 * An EC2NodeClass holds what AWS must know to launch an instance: image, network, identity, disks, user data.
 */
export interface EC2NodeClass extends KubeObject {
  spec?: EC2NodeClassSpec
  status?: EC2NodeClassStatus
}
/**
 * What is wanted.
 */
export interface EC2NodeClassSpec {
  /**
   * Subnets to launch into: those that any term selects.
   *
   * @maxItems 30
   */
  subnetSelectorTerms: SubnetSelectorTerm[]
  /**
   * Security groups of the instances: those that any term selects.
   *
   * @maxItems 30
   */
  securityGroupSelectorTerms: SecurityGroupSelectorTerm[]
  /**
   * Capacity reservations that launches may use: those that any term selects.
   *
   * @maxItems 30
   */
  capacityReservationSelectorTerms?: CapacityReservationSelectorTerm[]
  placementGroupSelector?: PlacementGroupSelector
  /**
   * Whether instances get a public IPv4 address. Absent: as the subnet says.
   */
  associatePublicIPAddress?: boolean
  /**
   * IPv4 prefixes to assign to the primary network interface at launch.
   */
  ipPrefixCount?: number
  /**
   * Images to launch: those that any term selects, the newest per kind of instance. An alias must be the only term.
   *
   * @minItems 1
   * @maxItems 30
   */
  amiSelectorTerms: AMISelectorTerm[]
  /**
   * How the instance is bootstrapped: the form of the user data and the default disks. Follows from the alias when there is one.
   */
  amiFamily?: 'AL2' | 'AL2023' | 'Bottlerocket' | 'Custom' | 'Windows2019' | 'Windows2022' | 'Windows2025'
  /**
   * User data to merge with what the AMI family generates; for Custom it is used as it stands.
   */
  userData?: string
  /**
   * IAM role of the instances; an instance profile is made for it. Exactly one of role and instanceProfile.
   */
  role?: string
  /**
   * Instance profile of the instances, made elsewhere. Exactly one of role and instanceProfile.
   */
  instanceProfile?: string
  /**
   * Tags for everything that a launch creates.
   */
  tags?: {
    [k: string]: string
  }
  /**
   * Fields of KubeletConfiguration (kubelet.config.k8s.io/v1beta1). They are checked after admission; see the condition ValidationSucceeded.
   */
  kubelet?: {
    [k: string]: unknown
  }
  /**
   * Disks of the instances. Absent: the default of the AMI family.
   *
   * @maxItems 50
   */
  blockDeviceMappings?: BlockDeviceMapping[]
  /**
   * What to do with the instance's own disks: RAID0 joins them for pods and images. Absent: nothing.
   */
  instanceStorePolicy?: 'RAID0'
  /**
   * Network interfaces of the instances. Absent: one primary interface, and EFA interfaces where pods ask for them.
   *
   * @maxItems 150
   */
  networkInterfaces?: NetworkInterface[]
  /**
   * Whether CloudWatch records the instances every minute.
   */
  detailedMonitoring?: boolean
  metadataOptions?: MetadataOptions
  connectionTracking?: ConnectionTracking
  /**
   * Reserved context identifier for CreateFleet.
   */
  context?: string
  cpuOptions?: CPUOptions
}
/**
 * Selects subnets by tags or by id.
 */
export interface SubnetSelectorTerm {
  /**
   * Tags that a resource must carry; the value * stands for any.
   */
  tags?: {
    [k: string]: string
  }
  /**
   * Id of a subnet.
   */
  id?: string
}
/**
 * Selects security groups by tags, by id or by name.
 */
export interface SecurityGroupSelectorTerm {
  /**
   * Tags that a resource must carry; the value * stands for any.
   */
  tags?: {
    [k: string]: string
  }
  /**
   * Id of a security group.
   */
  id?: string
  /**
   * Name of a security group, not its Name tag.
   */
  name?: string
}
/**
 * Selects capacity reservations by tags, by id or by match criteria.
 */
export interface CapacityReservationSelectorTerm {
  /**
   * Tags that a resource must carry; the value * stands for any.
   */
  tags?: {
    [k: string]: string
  }
  /**
   * Id of a capacity reservation.
   */
  id?: string
  /**
   * Account that owns the reservation.
   */
  ownerID?: string
  /**
   * Whether the reservation takes matching instances on its own (open) or only targeted launches.
   */
  instanceMatchCriteria?: 'open' | 'targeted'
}
/**
 * The placement group to launch into, by name or by id.
 */
export interface PlacementGroupSelector {
  /**
   * Name of the placement group.
   */
  name?: string
  /**
   * Id of the placement group.
   */
  id?: string
}
/**
 * Selects images by alias, tags, id, name or SSM parameter.
 */
export interface AMISelectorTerm {
  /**
   * EKS image family and version, such as al2023@v20240625 or bottlerocket@latest. latest rolls the nodes whenever AWS publishes an image.
   */
  alias?: string
  /**
   * Tags that a resource must carry; the value * stands for any.
   */
  tags?: {
    [k: string]: string
  }
  /**
   * Id of an image.
   */
  id?: string
  /**
   * Name of an image; * and ? are wildcards.
   */
  name?: string
  /**
   * Account or alias (self, amazon) that owns the image. Without it, a name matches images of this account and of Amazon only, and tags alone match images of any account.
   */
  owner?: string
  /**
   * Name or ARN of an SSM parameter that holds an image id.
   */
  ssmParameter?: string
}
/**
 * One disk.
 */
export interface BlockDeviceMapping {
  /**
   * Device name, such as /dev/xvda.
   */
  deviceName?: string
  /**
   * Whether the kubelet keeps its data on this disk; its size then counts as ephemeral storage. At most one mapping.
   */
  rootVolume?: boolean
  ebs?: BlockDevice
}
/**
 * An EBS volume.
 */
export interface BlockDevice {
  /**
   * Whether the volume goes with the instance.
   */
  deleteOnTermination?: boolean
  /**
   * Whether the volume is encrypted.
   */
  encrypted?: boolean
  /**
   * I/O operations per second, for io1, io2 and gp3.
   */
  iops?: number
  /**
   * Key to encrypt with: id, ARN or alias.
   */
  kmsKeyID?: string
  /**
   * Snapshot to start from.
   */
  snapshotID?: string
  /**
   * Throughput in MiB per second, for gp3.
   */
  throughput?: number
  /**
   * How fast the snapshot is loaded, in MiB per second.
   */
  volumeInitializationRate?: number
  /**
   * Size with a unit of Gi, G, Ti or T.
   */
  volumeSize?: string
  /**
   * Type of the volume.
   */
  volumeType?: 'standard' | 'io1' | 'io2' | 'gp2' | 'sc1' | 'st1' | 'gp3'
}
/**
 * One network interface.
 */
export interface NetworkInterface {
  /**
   * Index of the network card.
   */
  networkCardIndex: number
  /**
   * Index of the device on its card.
   */
  deviceIndex: number
  /**
   * Ordinary interface, or EFA without IP.
   */
  interfaceType: 'interface' | 'efa-only'
}
/**
 * Settings of the instance metadata service.
 */
export interface MetadataOptions {
  /**
   * Whether the service answers.
   */
  httpEndpoint?: 'enabled' | 'disabled'
  /**
   * Whether it has an IPv6 address.
   */
  httpProtocolIPv6?: 'enabled' | 'disabled'
  /**
   * How many network hops a token may travel; 1 keeps pods out that do not use the host's network.
   */
  httpPutResponseHopLimit?: number
  /**
   * Whether requests need a session token (IMDSv2).
   */
  httpTokens?: 'required' | 'optional'
}
/**
 * Idle timeouts of tracked connections, in seconds. Absent ones are as EC2 sets them.
 */
export interface ConnectionTracking {
  /**
   * Idle TCP connections.
   */
  tcpEstablishedTimeout?: number
  /**
   * UDP flows with more than one request.
   */
  udpStreamTimeout?: number
  /**
   * UDP flows with a single request.
   */
  udpTimeout?: number
}
/**
 * Processor features.
 */
export interface CPUOptions {
  /**
   * Whether the instance may run virtual machines.
   */
  nestedVirtualization?: 'enabled' | 'disabled'
}
/**
 * What was observed.
 */
export interface EC2NodeClassStatus {
  /**
   * Subnets the selector found, those with most free addresses first.
   */
  subnets?: ResolvedSubnet[]
  /**
   * Security groups the selector found, by id.
   */
  securityGroups?: ResolvedSecurityGroup[]
  /**
   * Images the selector found.
   */
  amis?: ResolvedAMI[]
  /**
   * Capacity reservations the selector found, by id.
   */
  capacityReservations?: ResolvedCapacityReservation[]
  /**
   * Instance profile in use.
   */
  instanceProfile?: string
  /**
   * Conditions of the class; Ready sums up the others.
   *
   * Items: One aspect of the observed state.
   */
  conditions?: Condition[]
  /**
   * The metadata.generation this status was computed from.
   */
  observedGeneration?: number
  /**
   * Hash of the class that the up-to-date nodes were launched from.
   */
  currentHash?: string
  /**
   * Hash of the class as it stands now.
   */
  targetHash?: string
  /**
   * What an approval has to name: the hash of the class and a digest of the images it resolves to.
   */
  target?: string
  /**
   * Ids of the images that nodes run now, sorted.
   *
   * @maxItems 100
   */
  currentImages?: string[]
  /**
   * Ids of the images that new nodes are launched with, sorted.
   *
   * @maxItems 100
   */
  targetImages?: string[]
  /**
   * Number of nodes launched from the class.
   */
  nodes?: number
  /**
   * Nodes launched from the present class.
   */
  upToDateNodes?: number
  /**
   * Nodes that differ from the present class.
   */
  driftedNodes?: number
  /**
   * Nodes of the class that are initialized and ready.
   */
  readyNodes?: number
  /**
   * Drifted nodes that something keeps from being replaced.
   */
  blockedNodes?: number
  /**
   * What keeps drifted nodes from being replaced, most nodes first.
   *
   * @maxItems 10
   */
  blockedBy?: NodeClassBlocker[]
  pinnedImages?: PinnedImages
  /**
   * Sets of images that the selector found, newest first.
   *
   * @maxItems 10
   */
  imageHistory?: ImageRevision[]
}
/**
 * A subnet.
 */
export interface ResolvedSubnet {
  /**
   * Id of the subnet.
   */
  id: string
  /**
   * Name of its zone.
   */
  zone: string
  /**
   * Id of its zone.
   */
  zoneID?: string
}
/**
 * A security group.
 */
export interface ResolvedSecurityGroup {
  /**
   * Id of the security group.
   */
  id: string
  /**
   * Name of the security group.
   */
  name?: string
}
/**
 * An image and the instance types it is for.
 */
export interface ResolvedAMI {
  /**
   * Id of the image.
   */
  id: string
  /**
   * Name of the image.
   */
  name?: string
  /**
   * Whether AWS has deprecated the image.
   */
  deprecated?: boolean
  /**
   * Constraints on the instance types that the image fits.
   */
  requirements: AMIRequirement[]
}
/**
 * One constraint on a label of instance types.
 */
export interface AMIRequirement {
  /**
   * The label.
   */
  key: string
  /**
   * How the label relates to the values.
   */
  operator: string
  /**
   * Values for the operator.
   */
  values?: string[]
}
/**
 * A capacity reservation.
 */
export interface ResolvedCapacityReservation {
  /**
   * Id of the reservation.
   */
  id: string
  /**
   * Zone of the reservation.
   */
  availabilityZone: string
  /**
   * Whether it is open or only for targeted launches.
   */
  instanceMatchCriteria: 'open' | 'targeted'
  /**
   * Instance type it reserves.
   */
  instanceType: string
  /**
   * Account that owns it.
   */
  ownerID: string
  /**
   * On-demand reservation or capacity block.
   */
  reservationType?: 'default' | 'capacity-block'
  /**
   * Whether it may be used, or is a capacity block about to end.
   */
  state?: 'active' | 'expiring'
  /**
   * When it ends.
   */
  endTime?: string
  /**
   * Whether its owner may reclaim the capacity.
   */
  interruptible?: boolean
}
/**
 * One thing that keeps drifted nodes from being replaced.
 */
export interface NodeClassBlocker {
  /**
   * What it is, in one word.
   */
  reason: string
  /**
   * How many nodes it keeps.
   */
  nodes: number
  /**
   * The same for a reader, for the first of the nodes by name.
   */
  message: string
}
/**
 * Images used in place of those that the selector finds, after a rollback or an undo.
 */
export interface PinnedImages {
  /**
   * The images used.
   *
   * @maxItems 100
   */
  images: NamedImage[]
  /**
   * The target that is not used; the pin ends when the class has another.
   */
  insteadOf: string
  /**
   * Why, for a reader.
   */
  reason: string
  /**
   * Ids of those that are not there any more: the images in use stay as they are.
   *
   * @maxItems 100
   */
  gone?: string[]
  /**
   * Revision that the annotation undo-to asked for; absent after a rollback.
   */
  undoTo?: number
}
/**
 * An image and the instance types it is for.
 */
export interface NamedImage {
  /**
   * Id of the image.
   */
  id: string
  /**
   * Name of the image.
   */
  name?: string
  /**
   * Constraints on the instance types that the image fits.
   *
   * @maxItems 100
   */
  requirements?: AMIRequirement1[]
}
/**
 * One constraint on a label of instance types.
 */
export interface AMIRequirement1 {
  /**
   * The label.
   */
  key: string
  /**
   * How the label relates to the values.
   */
  operator: string
  /**
   * Values for the operator.
   */
  values?: string[]
}
/**
 * A set of images that the selector found.
 */
export interface ImageRevision {
  /**
   * Number of the set, counted up.
   */
  revision: number
  /**
   * The images.
   *
   * @maxItems 100
   */
  images: NamedImage1[]
  /**
   * When the selector first found the set.
   */
  firstSeen: string
  /**
   * When the youngest of the images was made.
   */
  made?: string
  /**
   * AMI family of the class with these images: nodes of another family do not boot from them.
   */
  family?: string
  /**
   * How its rollout ended.
   */
  outcome: 'good' | 'bad' | 'unknown'
}
/**
 * An image and the instance types it is for.
 */
export interface NamedImage1 {
  /**
   * Id of the image.
   */
  id: string
  /**
   * Name of the image.
   */
  name?: string
  /**
   * Constraints on the instance types that the image fits.
   *
   * @maxItems 100
   */
  requirements?: AMIRequirement2[]
}
/**
 * One constraint on a label of instance types.
 */
export interface AMIRequirement2 {
  /**
   * The label.
   */
  key: string
  /**
   * How the label relates to the values.
   */
  operator: string
  /**
   * Values for the operator.
   */
  values?: string[]
}
