/**
 * The fields of KubeletConfiguration (kubelet.config.k8s.io/v1beta1) of Kubernetes 1.36, and their types. b: bool, i: int32,
 * I: int64, u: uint32, s: string, d: duration text, D: duration text or nanoseconds, f: float, q: quantity.
 */
export type KubeletField =
  | 'b'
  | 'i'
  | 'I'
  | 'u'
  | 's'
  | 'd'
  | 'D'
  | 'f'
  | 'q'
  | { readonly list: KubeletField }
  | { readonly map: KubeletField }
  | { readonly fields: Readonly<Record<string, KubeletField>> }

const texts: KubeletField = { list: 's' }
const textMap: KubeletField = { map: 's' }
const loggingOptions: KubeletField = { fields: { splitStream: 'b', infoBufferSize: 'q' } }

export const kubeletFields: Readonly<Record<string, KubeletField>> = {
  apiVersion: 's',
  kind: 's',
  ...all('b', [
    'enableServer',
    'rotateCertificates',
    'serverTLSBootstrap',
    'enableDebuggingHandlers',
    'enableContentionProfiling',
    'cgroupsPerQOS',
    'singleProcessOOMKill',
    'runOnce',
    'cpuCFSQuota',
    'serializeImagePulls',
    'mergeDefaultEvictionSettings',
    'enableControllerAttachDetach',
    'protectKernelDefaults',
    'makeIPTablesUtilChains',
    'failSwapOn',
    'kernelMemcgNotification',
    'enableSystemLogHandler',
    'enableSystemLogQuery',
    'enableProfilingHandler',
    'enableDebugFlagsHandler',
    'seccompDefault',
    'registerNode',
    'localStorageCapacityIsolation',
    'failCgroupV1',
  ]),
  ...all('i', [
    'port',
    'readOnlyPort',
    'registryPullQPS',
    'registryBurst',
    'eventRecordQPS',
    'eventBurst',
    'healthzPort',
    'oomScoreAdj',
    'nodeLeaseDurationSeconds',
    'imageGCHighThresholdPercent',
    'imageGCLowThresholdPercent',
    'maxPods',
    'nodeStatusMaxImages',
    'kubeAPIQPS',
    'kubeAPIBurst',
    'maxParallelImagePulls',
    'evictionMaxPodGracePeriod',
    'podsPerCore',
    'iptablesMasqueradeBit',
    'iptablesDropBit',
    'containerLogMaxFiles',
    'containerLogMaxWorkers',
  ]),
  ...all('I', ['podPidsLimit', 'maxOpenFiles']),
  ...all('s', [
    'staticPodPath',
    'podLogsDir',
    'staticPodURL',
    'address',
    'tlsCertFile',
    'tlsPrivateKeyFile',
    'tlsMinVersion',
    'imagePullCredentialsVerificationPolicy',
    'healthzBindAddress',
    'clusterDomain',
    'kubeletCgroups',
    'systemCgroups',
    'cgroupRoot',
    'cgroupDriver',
    'cpuManagerPolicy',
    'memoryManagerPolicy',
    'topologyManagerPolicy',
    'topologyManagerScope',
    'hairpinMode',
    'podCIDR',
    'resolvConf',
    'contentType',
    'containerLogMaxSize',
    'configMapAndSecretChangeDetectionStrategy',
    'reservedSystemCPUs',
    'showHiddenMetricsForVersion',
    'systemReservedCgroup',
    'kubeReservedCgroup',
    'volumePluginDir',
    'providerID',
    'memoryReservationPolicy',
    'containerRuntimeEndpoint',
    'imageServiceEndpoint',
  ]),
  ...all('d', [
    'syncFrequency',
    'fileCheckFrequency',
    'httpCheckFrequency',
    'streamingConnectionIdleTimeout',
    'nodeStatusUpdateFrequency',
    'nodeStatusReportFrequency',
    'imageMinimumGCAge',
    'imageMaximumGCAge',
    'volumeStatsAggPeriod',
    'cpuManagerReconcilePeriod',
    'runtimeRequestTimeout',
    'cpuCFSQuotaPeriod',
    'evictionPressureTransitionPeriod',
    'containerLogMonitorInterval',
    'shutdownGracePeriod',
    'shutdownGracePeriodCriticalPods',
  ]),
  ...all(texts, [
    'tlsCipherSuites',
    'preloadedImagesVerificationAllowlist',
    'clusterDNS',
    'enforceNodeAllocatable',
    'allowedUnsafeSysctls',
  ]),
  ...all(textMap, [
    'cpuManagerPolicyOptions',
    'topologyManagerPolicyOptions',
    'qosReserved',
    'evictionHard',
    'evictionSoft',
    'evictionSoftGracePeriod',
    'evictionMinimumReclaim',
    'systemReserved',
    'kubeReserved',
  ]),
  memoryThrottlingFactor: 'f',
  staticPodURLHeader: { map: texts },
  tlsCurvePreferences: { list: 'i' },
  featureGates: { map: 'b' },
  authentication: {
    fields: {
      x509: { fields: { clientCAFile: 's' } },
      webhook: { fields: { enabled: 'b', cacheTTL: 'd' } },
      anonymous: { fields: { enabled: 'b' } },
    },
  },
  authorization: { fields: { mode: 's', webhook: { fields: { cacheAuthorizedTTL: 'd', cacheUnauthorizedTTL: 'd' } } } },
  memorySwap: { fields: { swapBehavior: 's' } },
  logging: {
    fields: {
      format: 's',
      flushFrequency: 'D',
      verbosity: 'u',
      vmodule: { list: { fields: { filePattern: 's', verbosity: 'u' } } },
      options: { fields: { text: loggingOptions, json: loggingOptions } },
    },
  },
  shutdownGracePeriodByPodPriority: { list: { fields: { priority: 'i', shutdownGracePeriodSeconds: 'I' } } },
  crashLoopBackOff: { fields: { maxContainerRestartPeriod: 'd' } },
  reservedMemory: { list: { fields: { numaNode: 'i', limits: { map: 'q' } } } },
  registerWithTaints: { list: { fields: { key: 's', value: 's', effect: 's', timeAdded: 's' } } },
  tracing: { fields: { endpoint: 's', samplingRatePerMillion: 'i' } },
  userNamespaces: { fields: { idsPerPod: 'I' } },
}

/** Fields that every AMI family applies. Only AL2023 takes the whole document. */
export const managedKubeletFields: ReadonlySet<string> = new Set([
  'clusterDNS',
  'maxPods',
  'podsPerCore',
  'systemReserved',
  'kubeReserved',
  'evictionHard',
  'evictionSoft',
  'evictionSoftGracePeriod',
  'evictionMaxPodGracePeriod',
  'imageGCHighThresholdPercent',
  'imageGCLowThresholdPercent',
  'cpuCFSQuota',
])

function all(field: KubeletField, names: readonly string[]): Record<string, KubeletField> {
  return Object.fromEntries(names.map((name) => [name, field]))
}
