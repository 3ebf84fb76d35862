import type { EC2NodeClassSpec, NodeOverlay } from '../../api/karpenter.ts'
import type { Logger } from '../../kube/logger.ts'
import type { Metrics } from '../../kube/metrics.ts'
import type { EventRecorder } from '../../kube/recorder.ts'
import type { Clock } from '../../model/clock.ts'
import { byIdentity } from '../../model/by-identity.ts'
import type { InstanceType } from '../../model/instance-type.ts'
import type { Random } from '../../model/random.ts'
import { AMIProvider } from './ami/ami-provider.ts'
import { AWSCloudProvider, type NodeClassHash, type ObjectLookup } from './aws-cloud-provider.ts'
import { ec2NodeClassHash, ec2NodeClassHashInput, ec2NodeClassHashVersion } from '../../api/hash/index.ts'
import { ReservationProvider } from './capacity-reservation/reservation-provider.ts'
import type { AWSClients } from './clients.ts'
import { ClusterCIDR, type ClusterFacts } from './eks-cluster/cluster.ts'
import type { VersionProvider } from './eks-cluster/version-provider.ts'
import { createBatchers } from './instance/ec2-batchers.ts'
import { InstanceProvider } from './instance/instance-provider.ts'
import { Launcher } from './instance/launcher.ts'
import { InstanceProfileProvider } from './instance-profile/instance-profile-provider.ts'
import { InstanceTypeCatalogue } from './instance-types/catalogue.ts'
import { DiscoveredMemory } from './instance-types/discovered-memory.ts'
import { InstanceTypeProvider } from './instance-types/instance-type-provider.ts'
import { OverlayPrices } from './instance-types/overlay-prices.ts'
import { LaunchTemplateProvider } from './launch-template/launch-template-provider.ts'
import { type AWSMetrics, defineMetrics } from './metric-table.ts'
import { PlacementGroupProvider } from './placement-group/placement-group-provider.ts'
import { PricingProvider } from './pricing/pricing-provider.ts'
import { SecurityGroupProvider } from './security-group/security-group-provider.ts'
import type { AWSGates, AWSSettings } from './settings.ts'
import { SSMProvider } from './ssm/ssm-provider.ts'
import { SubnetProvider } from './subnet/subnet-provider.ts'
import { UnavailableOfferings } from './unavailable-offerings.ts'
import { specOf } from './wire.ts'
import { ZonalShiftProvider } from './zonal-shift/zonal-shift-provider.ts'

/**
 * Who waits longer for the lease reads again. A machine of a type that EC2 has had only since then would be taken for one whose type is
 * gone, and one in a zone that traffic was shifted away from would be ended.
 */
const oldMs = 60_000

export interface AWSDependencies {
  readonly clients: AWSClients
  readonly clock: Clock
  readonly random: Random
  readonly settings: AWSSettings
  readonly gates: AWSGates
  readonly cluster: ClusterFacts
  readonly version: VersionProvider
  /** Names the cluster at ARC; only looked at when zonal shift is enabled. */
  readonly clusterARN?: string
  readonly log: Logger
  readonly recorder: EventRecorder
  readonly metrics: Metrics
  readonly lookup: ObjectLookup
  /** Default: v6, with the cluster's CA bundle. */
  readonly hash?: NodeClassHash
  readonly minValuesPolicy: 'Strict' | 'BestEffort'
  /** With the NodeOverlay feature: a pool's overlays laid over its types, … */
  applyOverlays?(nodePool: string, types: readonly InstanceType[]): readonly InstanceType[]
  /** … and all overlays, whose prices stand in for unknown ones. */
  nodeOverlays?(): readonly NodeOverlay[]
}

/** The cloud port and the providers behind it, which the controllers of NodeClasses and of AWS's own affairs use. */
export interface AWSCloud {
  readonly provider: AWSCloudProvider
  readonly subnets: SubnetProvider
  readonly securityGroups: SecurityGroupProvider
  readonly ssm: SSMProvider
  readonly amis: AMIProvider
  readonly reservations: ReservationProvider
  readonly placementGroups: PlacementGroupProvider
  readonly instanceProfiles: InstanceProfileProvider
  readonly launchTemplates: LaunchTemplateProvider
  readonly instances: InstanceProvider
  readonly instanceTypes: InstanceTypeProvider
  readonly catalogue: InstanceTypeCatalogue
  readonly pricing: PricingProvider
  readonly unavailable: UnavailableOfferings
  readonly zonalShift: ZonalShiftProvider
  readonly discoveredMemory: DiscoveredMemory
  readonly cidr: ClusterCIDR
  readonly version: VersionProvider
  readonly metrics: AWSMetrics
  readonly hash: NodeClassHash
  /** Reads types and offerings once; rejects when that fails, since nothing can be scheduled without them. */
  start(): Promise<void>
  /** On winning leadership: what was read at the start, and may have changed since, is read again first. */
  lead(): Promise<void>
  /** Stops timers. */
  stop(): void
}

export function createAWSCloudProvider(dependencies: AWSDependencies): AWSCloud {
  const { clients, clock, random, settings, gates, cluster, version, log, recorder, lookup } = dependencies
  const { ec2, region } = clients
  const { clusterName } = settings
  let readAtMs = Number.NEGATIVE_INFINITY
  const metrics = defineMetrics(dependencies.metrics)
  const hash = dependencies.hash ?? nodeClassHash(cluster.caBundle)

  const ssm = new SSMProvider({ ssm: clients.ssm, clock })
  const subnets = new SubnetProvider({ ec2, clock, refreshIntervalMs: settings.subnetRefreshIntervalMs })
  const securityGroups = new SecurityGroupProvider({ ec2, clock })
  const amis = new AMIProvider({
    clients,
    ssm,
    clock,
    log,
    refreshIntervalMs: settings.amiRefreshIntervalMs,
    clusterVersion: () => version.current(),
  })
  const reservations = new ReservationProvider({ ec2, clock })
  const placementGroups = new PlacementGroupProvider({ ec2, clock })
  const instanceProfiles = new InstanceProfileProvider({ iam: clients.iam, clock, random, log, region, clusterName })
  const unavailable = new UnavailableOfferings(clock, log)
  const zonalShift = new ZonalShiftProvider({
    client: settings.enableZonalShift ? clients.zonalShift : undefined,
    clusterARN: dependencies.clusterARN ?? '',
    clock,
  })
  const catalogue = new InstanceTypeCatalogue(ec2)
  const pricing = new PricingProvider({
    clients,
    clock,
    isolatedVPC: settings.isolatedVPC,
    log,
    typeNames: () => catalogue.names,
  })
  const discoveredMemory = new DiscoveredMemory(clock)
  const overlayPrices = new OverlayPrices(clock, () => dependencies.nodeOverlays?.() ?? [])
  const instanceTypes = new InstanceTypeProvider({
    region,
    clock,
    settings,
    gates,
    log,
    catalogue,
    pricing,
    unavailable,
    reservations,
    placementGroups,
    zonalShift,
    discoveredMemory,
    gauges: metrics,
    overlayPrices,
  })
  const cidr = new ClusterCIDR(clients.eks, clusterName)
  const launchTemplates = new LaunchTemplateProvider({
    clients,
    clock,
    log,
    cluster,
    cidr,
    instanceTypes,
    reservedCapacityGate: gates.reservedCapacity,
    userDataBytes: metrics.userDataBytes,
  })
  const batchers = createBatchers({ ec2, clock, metrics })
  const instances = new InstanceProvider({
    ec2,
    batchers,
    clock,
    log,
    clusterName,
    reservedCapacityGate: gates.reservedCapacity,
    zonalShift,
    terminationFailures: metrics.terminationFailures,
  })
  const launcher = new Launcher({
    clock,
    log,
    recorder,
    batchers,
    templates: launchTemplates,
    addresses: subnets.addresses,
    unavailable,
    reservations,
    placementGroups,
    profiles: instanceProfiles,
    launchFailures: metrics.launchFailures,
    minValuesPolicy: dependencies.minValuesPolicy,
  })
  const provider = new AWSCloudProvider({
    clock,
    recorder,
    clusterName,
    instanceTypes,
    instances,
    launcher,
    reservations,
    placementGroups,
    images: amis,
    lookup,
    hash,
    applyOverlays: (nodePool, types) =>
      gates.nodeOverlay && dependencies.applyOverlays !== undefined
        ? dependencies.applyOverlays(nodePool, types)
        : types,
  })
  return {
    provider,
    subnets,
    securityGroups,
    ssm,
    amis,
    reservations,
    placementGroups,
    instanceProfiles,
    launchTemplates,
    instances,
    instanceTypes,
    catalogue,
    pricing,
    unavailable,
    zonalShift,
    discoveredMemory,
    cidr,
    version,
    metrics,
    hash,
    start: async () => {
      await zonalShift.update()
      await catalogue.update()
      readAtMs = clock.monotonicMs()
    },
    lead: async () => {
      version.distrust()
      const isOld = clock.monotonicMs() - readAtMs >= oldMs
      await Promise.all([
        launchTemplates.hydrate(),
        ...(isOld ? [orLog(zonalShift.update(), log, 'failed to look for zonal shifts')] : []),
        ...(isOld ? [orLog(catalogue.update(), log, 'failed to look for instance types')] : []),
      ])
    },
    stop: () => {
      launchTemplates.stop()
      unavailable.stop()
    },
  }
}

/** Its controller looks again soon; until then what is known has to do. */
async function orLog(update: Promise<void>, log: Logger, failure: string): Promise<void> {
  try {
    await update
  } catch (error) {
    log.error({ err: error }, failure)
  }
}

/** What static drift compares. */
function nodeClassHash(caBundle: string): NodeClassHash {
  const ofSpec = byIdentity((spec: EC2NodeClassSpec) => ec2NodeClassHash({ spec }, caBundle))
  return {
    version: ec2NodeClassHashVersion,
    of: (nodeClass) => ofSpec(specOf(nodeClass)),
    inputOf: (nodeClass) => ec2NodeClassHashInput({ spec: specOf(nodeClass) }, caBundle),
  }
}
