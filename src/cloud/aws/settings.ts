/** The provider's settings, parsed and validated by the operator. */
export interface AWSSettings {
  readonly clusterName: string
  /** Discovered by EKS DescribeCluster when empty. */
  readonly clusterEndpoint: string
  /** Base64; taken from the Kubernetes client's configuration when empty. */
  readonly clusterCABundle: string
  /** No calls to Pricing, no clean-up at IAM. */
  readonly isolatedVPC: boolean
  /** Read the cluster's version from EKS instead of from the API server. */
  readonly eksControlPlane: boolean
  /** Share of memory that the hypervisor keeps, until a node has shown the real amount. */
  readonly vmMemoryOverheadPercent: number
  /** Queue name; empty: no interruption handling. */
  readonly interruptionQueue: string
  /** Network interfaces that are not there for pods, with custom networking. */
  readonly reservedENIs: number
  /** Skip the dry runs of NodeClass validation. */
  readonly disableDryRun: boolean
  readonly enableZonalShift: boolean
  readonly amiRefreshIntervalMs: number
  readonly subnetRefreshIntervalMs: number
}

export const defaultAWSSettings: Omit<AWSSettings, 'clusterName'> = {
  clusterEndpoint: '',
  clusterCABundle: '',
  isolatedVPC: false,
  eksControlPlane: false,
  vmMemoryOverheadPercent: 0.075,
  interruptionQueue: '',
  reservedENIs: 0,
  disableDryRun: false,
  enableZonalShift: false,
  amiRefreshIntervalMs: 60_000,
  subnetRefreshIntervalMs: 60_000,
}

export interface AWSGates {
  readonly reservedCapacity: boolean
  readonly nodeOverlay: boolean
  /** AWS's own gate: expressions in `spec.kubelet`. */
  readonly nodeClassCEL: boolean
}

export const defaultAWSGates: AWSGates = { reservedCapacity: true, nodeOverlay: false, nodeClassCEL: false }
