import type * as ec2 from '@aws-sdk/client-ec2'

/** Everything the simulated account holds, as plain JSON: it is what is saved and loaded. Times are milliseconds since the epoch. */
export interface AWSState {
  subnets: SubnetRecord[]
  securityGroups: SecurityGroupRecord[]
  images: ImageRecord[]
  launchTemplates: LaunchTemplateRecord[]
  instances: InstanceRecord[]
  reservations: ReservationRecord[]
  placementGroups: PlacementGroupRecord[]
  /** Fleets by client token, so that a repeated request gets the first one's answer. */
  fleetTokens: { token: string; request: string; result: ec2.CreateFleetResult }[]
  roles: string[]
  instanceProfiles: InstanceProfileRecord[]
  parameters: Record<string, string>
  queues: QueueRecord[]
  capacity: CapacityRule[]
  spotPrices: Record<string, number>
  /** Whether the account may use spot: without the service-linked role, spot launches are refused. */
  spotServiceLinkedRole: boolean
  /** Running vCPUs at most, by `on-demand` and `spot`; absent: no limit. */
  vcpuLimits: Partial<Record<'on-demand' | 'spot', number>>
  zonalShifts: { awayFrom: string; expiresAt: number; status: string }[]
}

export interface SubnetRecord {
  id: string
  vpcID: string
  zone: string
  zoneID: string
  cidr: string
  /** Addresses left, before those of instances are taken off. */
  addresses: number
  tags: Record<string, string>
  public: boolean
}

interface SecurityGroupRecord {
  id: string
  name: string
  vpcID: string
  tags: Record<string, string>
}

export interface ImageRecord {
  id: string
  name: string
  architecture: 'x86_64' | 'arm64'
  platform: 'linux' | 'windows'
  ownerID: string
  ownerAlias?: string
  createdAt: number
  deprecatedAt?: number
  state: 'available' | 'deregistered' | 'disabled'
  public: boolean
  tags: Record<string, string>
}

export interface LaunchTemplateRecord {
  id: string
  name: string
  createdAt: number
  tags: Record<string, string>
  data: ec2.RequestLaunchTemplateData
}

export type InstanceState = 'pending' | 'running' | 'shutting-down' | 'terminated' | 'stopping' | 'stopped'

export interface InstanceRecord {
  id: string
  type: string
  zone: string
  zoneID: string
  subnetID: string
  vpcID: string
  privateIP: string
  imageID: string
  architecture: 'x86_64' | 'arm64'
  state: InstanceState
  /** When it entered `state`. */
  since: number
  launchedAt: number
  tags: Record<string, string>
  lifecycle: 'on-demand' | 'spot' | 'capacity-block' | 'interruptible-capacity-reservation'
  spotRequestID?: string
  reservationID?: string
  capacityReservationsOnly: boolean
  launchTemplateID: string
  fleetID: string
  securityGroupIDs: string[]
  instanceProfile?: string
  /** As sent: base64. */
  userData: string
  placementGroupID?: string
  partition?: number
  tenancy: 'default' | 'dedicated'
  interfaces: { id: string; type: string; card: number; device: number }[]
  /** Block devices besides instance-store disks, sizes in GiB. */
  volumes: { device: string; sizeGiB: number }[]
  monitoring: boolean
  impaired: { category: 'instance' | 'system'; since: number }[]
  events: { code: string; description: string; notBefore: number }[]
  stateReason?: string
  /** When EC2 takes it away, once a spot interruption has been announced. */
  reclaimAt?: number
}

export interface ReservationRecord {
  id: string
  instanceType: string
  zone: string
  zoneID: string
  ownerID: string
  total: number
  matchCriteria: 'open' | 'targeted'
  type: 'default' | 'capacity-block'
  interruptible: boolean
  state: 'active' | 'expired' | 'cancelled' | 'pending'
  startAt: number
  endAt?: number
  tags: Record<string, string>
}

interface PlacementGroupRecord {
  id: string
  name: string
  strategy: 'cluster' | 'partition' | 'spread'
  partitions?: number
  spreadLevel?: 'host' | 'rack'
  tags: Record<string, string>
}

export interface InstanceProfileRecord {
  name: string
  path: string
  roles: string[]
  tags: Record<string, string>
  createdAt: number
}

export interface QueueRecord {
  name: string
  messages: QueuedMessage[]
}

interface QueuedMessage {
  id: string
  body: string
  sentAt: number
  visibleAt: number
  receipt?: string
  receives: number
}

/** How many instances a pool, or all pools that match, may hold from now on. Later rules win over earlier ones. */
interface CapacityRule {
  type?: string
  zone?: string
  capacityType?: string
  limit: number
  /** Instances launched under this rule. */
  instanceIDs: string[]
}

export function emptyState(): AWSState {
  return {
    subnets: [],
    securityGroups: [],
    images: [],
    launchTemplates: [],
    instances: [],
    reservations: [],
    placementGroups: [],
    fleetTokens: [],
    roles: [],
    instanceProfiles: [],
    parameters: {},
    queues: [],
    capacity: [],
    spotPrices: {},
    spotServiceLinkedRole: true,
    vcpuLimits: {},
    zonalShifts: [],
  }
}

export function isLive(instance: InstanceRecord): boolean {
  return instance.state !== 'terminated' && instance.state !== 'shutting-down'
}
