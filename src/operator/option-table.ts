import type { Severity } from '../admission/index.ts'
import { address, bool, decimal, duration, gates, integer, type OptionKind, severities, text } from './option-kinds.ts'

/** One setting: a flag, an environment variable, a default, and what it is for. */
export interface OptionRow<T> {
  readonly flag: string
  readonly env: string
  readonly kind: OptionKind<T>
  readonly default: T
  readonly help: string
  /** Whose setting it is: Karpenter's core, its AWS provider, or this project's own. */
  readonly group: 'core' | 'aws' | 'joinery'
}

export const coreGates = {
  NodeRepair: false,
  ReservedCapacity: true,
  SpotToSpotConsolidation: false,
  NodeOverlay: false,
  StaticCapacity: false,
  CapacityBuffer: false,
} as const

const awsGates = { NodeClassCEL: false } as const

/** Every setting. Flags, environment, help text and the reference page are made from this table. */
export const optionTable = {
  karpenterService: core('karpenter-service', text, '', 'Accepted for compatibility; not used.'),
  metricsPort: core('metrics-port', integer, 8080, 'Port that serves /metrics.'),
  healthProbePort: core('health-probe-port', integer, 8081, 'Port that serves /healthz and /readyz.'),
  kubeClientQPS: core('kube-client-qps', integer, 200, 'Requests a second to the API server; at least 1.'),
  kubeClientBurst: core('kube-client-burst', integer, 300, 'Requests to the API server that may go out at once.'),
  enableProfiling: core('enable-profiling', bool, false, 'Serve profiles under /debug/ on the metrics port.'),
  disableControllerWarmup: core(
    'disable-controller-warmup',
    bool,
    true,
    'Start the watches only after leadership has been won; where no lease is asked for, they start at once.',
  ),
  disableLeaderElection: core('disable-leader-election', bool, false, 'Act without holding the lease.'),
  disableClusterStateObservability: core(
    'disable-cluster-state-observability',
    bool,
    false,
    'Leave out metrics of pods, nodes and NodePools, and metrics and events of status conditions.',
  ),
  leaderElectionName: core('leader-election-name', text, 'karpenter-leader-election', 'Name of the lease.'),
  leaderElectionNamespace: core(
    'leader-election-namespace',
    text,
    '',
    'Namespace of the lease; empty: the namespace the process runs in.',
  ),
  memoryLimit: core('memory-limit', integer, -1, 'Memory limit in bytes; no limit below 1.'),
  cpuRequests: core('cpu-requests', integer, 1000, 'CPU request in thousandths of a core; sets how much runs at once.'),
  logLevel: core('log-level', text, 'info', 'debug, info or error.'),
  logOutputPaths: core('log-output-paths', text, 'stdout', 'Where log lines go, separated by commas.'),
  logErrorOutputPaths: core('log-error-output-paths', text, 'stderr', 'Accepted for compatibility; not used.'),
  batchMaxDuration: core('batch-max-duration', duration, 10_000, 'Longest time pending pods are collected.'),
  batchIdleDuration: core('batch-idle-duration', duration, 1_000, 'Time without a new pod that ends the collecting.'),
  preferencePolicy: core('preference-policy', text, 'Respect', "Pods' preferences: Respect or Ignore."),
  minValuesPolicy: core('min-values-policy', text, 'Strict', 'minValues of requirements: Strict or BestEffort.'),
  ignoreDRARequests: core('ignore-dra-requests', bool, true, 'Leave alone pods that ask for dynamic resources.'),
  featureGates: core('feature-gates', gates(coreGates), coreGates, 'Features to switch on or off: A=true,B=false.'),
  schedulerConfig: core('scheduler-config', text, '', 'Default topology spread constraints, as YAML or JSON.'),

  clusterName: aws('cluster-name', text, '', 'Name of the EKS cluster; required.'),
  clusterEndpoint: aws('cluster-endpoint', text, '', 'URL of the API server for nodes; empty: asked of EKS.'),
  clusterCABundle: aws('cluster-ca-bundle', text, '', "Base64 CA bundle for nodes; empty: this process's own."),
  isolatedVPC: aws('isolated-vpc', bool, false, 'No calls to services without a VPC endpoint: Pricing, IAM clean-up.'),
  eksControlPlane: aws('eks-control-plane', bool, false, "Ask EKS for the cluster's version."),
  vmMemoryOverheadPercent: aws(
    'vm-memory-overhead-percent',
    decimal,
    0.075,
    'Share of memory taken for the hypervisor until a node has shown the real amount.',
  ),
  interruptionQueue: aws('interruption-queue', text, '', 'SQS queue of interruption messages; empty: none.'),
  reservedENIs: aws('reserved-enis', integer, 0, 'Network interfaces that are not there for pods.'),
  disableDryRun: aws('disable-dry-run', bool, false, 'Skip the dry runs that check permissions of an EC2NodeClass.'),
  enableZonalShift: aws('enable-zonal-shift', bool, false, 'Avoid zones that ARC has shifted away from.'),
  amiRefreshInterval: aws('ami-refresh-interval', duration, 60_000, 'How often images are looked up; at least 1m.'),
  subnetRefreshInterval: aws(
    'subnet-refresh-interval',
    duration,
    60_000,
    'How often subnets are looked up; at least 1m.',
  ),
  awsFeatureGates: aws('aws-feature-gates', gates(awsGates), awsGates, 'AWS features to switch on or off.'),

  observe: own(
    'observe',
    bool,
    false,
    'Decide, log and measure, but change nothing in the cluster or the cloud: for a look before a migration.',
  ),
  shutdownGracePeriod: own(
    'shutdown-grace-period',
    duration,
    20_000,
    'How long work in progress may take to finish after a request to stop.',
  ),
  circuitBreakerFailures: own(
    'circuit-breaker-failures',
    integer,
    3,
    'Failed launches, registrations, initializations or moves in a row that open the circuit breaker of a NodePool; 0: no breakers.',
  ),
  circuitBreakerWindow: own(
    'circuit-breaker-window',
    integer,
    10,
    'A circuit breaker opens as well when half of so many outcomes are failures.',
  ),
  circuitBreakerBackOff: own(
    'circuit-breaker-back-off',
    duration,
    60_000,
    'Time until one node tries again after a circuit breaker has opened; doubled with every failed try. At least 1s.',
  ),
  circuitBreakerBackOffMax: own(
    'circuit-breaker-back-off-max',
    duration,
    480_000,
    'Longest time between two tries of an open circuit breaker; at least the back-off.',
  ),
  launchBudget: own(
    'launch-budget',
    integer,
    30,
    'Launches that may fail without a success between them before the next ones are spaced by time; 0: no budget.',
  ),
  launchBudgetRefill: own(
    'launch-budget-refill',
    duration,
    120_000,
    'How often one failed launch is forgiven: in an hour no more than the budget and so many launches fail in vain. At least 1s.',
  ),
  disruptionBrake: own(
    'disruption-brake',
    integer,
    0,
    'Most nodes that one cause (emptiness, drift, consolidation, expiry, repair) may begin to take away within the window, in all NodePools together; 0: no brake.',
  ),
  disruptionBrakeWindow: own(
    'disruption-brake-window',
    duration,
    600_000,
    'Length of time in which --disruption-brake counts. At least 1s.',
  ),
  nominatePods: own(
    'nominate-pods',
    bool,
    true,
    'Hold pending pods to their planned nodes by status.nominatedNodeName, which kube-scheduler tries first; false: leave it to chance.',
  ),
  packing: own(
    'packing',
    text,
    'improved',
    "How pods share new nodes: improved plans cheaper nodes that keep every constraint; greedy makes Karpenter's choices, also where nothing is said and pods are not nominated.",
  ),
  packingBudget: own(
    'packing-budget',
    integer,
    2_000,
    'Most work spent on improving one placement, in units of about a millisecond; batches of less than 1,000 pods get less.',
  ),
  packingLargestShare: own(
    'packing-largest-share',
    decimal,
    1,
    "Largest share of one workload's new pods that improved packing puts on one node, unless greedy put more.",
  ),
  ruleSeverities: own(
    'rule-severities',
    severities,
    {},
    'Severities of admission rules, as the webhook has them: warnings are mirrored on the objects. JN-207=off,JN-208=deny.',
  ),
  dashboardAddress: own(
    'dashboard-address',
    address,
    '',
    'Where a read-only web page of nodes, prices and rollouts is served, such as 127.0.0.1:8090; empty: nowhere.',
  ),
  kubeConfig: own('kubeconfig', text, '', 'Kubeconfig file; empty: KUBECONFIG, ~/.kube/config or the service account.'),
  kubeContext: own('context', text, '', "Context of the kubeconfig; empty: the file's current one."),
} as const satisfies Readonly<
  Record<
    string,
    | OptionRow<never>
    | OptionRow<string>
    | OptionRow<number>
    | OptionRow<boolean>
    | OptionRow<Readonly<Record<string, boolean>>>
    | OptionRow<Readonly<Record<string, Severity>>>
  >
>

export type OptionName = keyof typeof optionTable

/** The settings as values, in the units of their kinds: durations are milliseconds. */
export type OptionValues = {
  readonly [Name in OptionName]: (typeof optionTable)[Name] extends OptionRow<infer Value> ? Value : never
}

function core<T>(flag: string, kind: OptionKind<T>, value: T, help: string): OptionRow<T> {
  return { flag, env: envOf(flag), kind, default: value, help, group: 'core' }
}

function aws<T>(flag: string, kind: OptionKind<T>, value: T, help: string): OptionRow<T> {
  return { flag, env: envOf(flag), kind, default: value, help, group: 'aws' }
}

/** Our own settings are prefixed in the environment, so that they never collide with one of Karpenter's. */
function own<T>(flag: string, kind: OptionKind<T>, value: T, help: string): OptionRow<T> {
  return { flag, env: `JOINERY_${envOf(flag)}`, kind, default: value, help, group: 'joinery' }
}

function envOf(flag: string): string {
  return flag.toUpperCase().replaceAll('-', '_')
}
