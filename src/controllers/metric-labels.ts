/**
 * Well-known label keys by which node metrics are broken down. They are kept here in the order in which series show them; the
 * metric label is the last path segment with `-` turned into `_`.
 */
const wellKnownNodeLabels: readonly string[] = [
  'karpenter.sh/nodepool',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'karpenter.sh/capacity-type',
  'node.kubernetes.io/windows-build',
  'topology.k8s.aws/zone-id',
  ...[
    'accelerator-count',
    'accelerator-manufacturer',
    'accelerator-name',
    'capability-flex',
    'category',
    'cpu',
    'cpu-manufacturer',
    'cpu-sustained-clock-speed-mhz',
    'ebs-bandwidth',
    'encryption-in-transit-supported',
    'family',
    'generation',
    'gpu-count',
    'gpu-manufacturer',
    'gpu-memory',
    'gpu-name',
    'hypervisor',
    'local-nvme',
    'memory',
    'network-bandwidth',
    'size',
    'tenancy',
  ].map((attribute) => `karpenter.k8s.aws/instance-${attribute}`),
  'karpenter.k8s.aws/nitro-sandbox',
  'karpenter.k8s.aws/capacity-reservation-id',
  'karpenter.k8s.aws/capacity-reservation-interruptible',
  'karpenter.k8s.aws/capacity-reservation-type',
  'karpenter.k8s.aws/placement-group-id',
  'karpenter.k8s.aws/placement-group-partition',
]

function metricLabelOf(labelKey: string): string {
  return labelKey.slice(labelKey.lastIndexOf('/') + 1).replaceAll('-', '_')
}

export const nodeMetricLabels: readonly string[] = wellKnownNodeLabels.map(metricLabelOf)

/** Values of the node metric labels as a node's labels give them; a label that is not there is empty. */
export function nodeMetricLabelValues(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(wellKnownNodeLabels.map((key) => [metricLabelOf(key), labels[key] ?? '']))
}
