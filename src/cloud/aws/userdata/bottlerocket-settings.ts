/** How a value is checked before it is passed on; `'*'` stands for any key of a table. */
export type SettingType = 'text' | 'integer' | 'boolean' | 'list' | 'lists' | 'any' | TableType

export interface TableType {
  readonly [key: string]: SettingType
}

const map: SettingType = { '*': 'text' }

export const bootstrapCommandTypes: TableType = { '*': { commands: 'lists', mode: 'text', essential: 'boolean' } }

/** The keys of `settings.kubernetes` that a class's own settings may carry; others are dropped, as Karpenter drops them. */
export const bottlerocketKubernetesTypes: TableType = {
  'api-server': 'text',
  'cloud-provider': 'text',
  'cluster-certificate': 'text',
  'cluster-name': 'text',
  'cluster-dns-ip': 'text',
  'credential-providers': {
    '*': { enabled: 'boolean', 'cache-duration': 'text', 'image-patterns': 'list', environment: map },
  },
  'node-labels': map,
  'node-taints': { '*': 'list' },
  'max-pods': 'integer',
  'static-pods': { '*': { enabled: 'boolean', manifest: 'text' } },
  'eviction-hard': map,
  'eviction-soft': map,
  'eviction-soft-grace-period': map,
  'eviction-max-pod-grace-period': 'integer',
  'kube-reserved': map,
  'system-reserved': map,
  'allowed-unsafe-sysctls': 'list',
  'server-tls-bootstrap': 'boolean',
  'registry-qps': 'integer',
  'registry-burst': 'integer',
  'event-qps': 'integer',
  'event-burst': 'integer',
  'kube-api-qps': 'integer',
  'kube-api-burst': 'integer',
  'container-log-max-size': 'text',
  'container-log-max-files': 'integer',
  'cpu-manager-policy': 'text',
  'cpu-manager-policy-options': 'list',
  'cpu-manager-reconcile-period': 'text',
  'memory-manager-policy': 'text',
  'memory-manager-reserved-memory': {
    '*': { enabled: 'boolean', memory: 'text', 'hugepages-2Mi': 'text', 'hugepages-1Gi': 'text' },
  },
  'topology-manager-scope': 'text',
  'topology-manager-policy': 'text',
  'topology-manager-policy-options': {
    'prefer-closest-numa-nodes': 'boolean',
    'max-allowable-numa-nodes': 'integer',
  },
  'image-gc-high-threshold-percent': 'text',
  'image-gc-low-threshold-percent': 'text',
  'ids-per-pod': 'integer',
  'cpu-cfs-quota-enforced': 'boolean',
  'shutdown-grace-period': 'text',
  'shutdown-grace-period-for-critical-pods': 'text',
  'cluster-domain': 'text',
  'seccomp-default': 'boolean',
  'pod-pids-limit': 'integer',
  'device-ownership-from-security-context': 'boolean',
  'single-process-oom-kill': 'boolean',
  'container-log-max-workers': 'integer',
  'container-log-monitor-interval': 'text',
  'hostname-override-source': 'text',
  'log-level': 'any',
}
