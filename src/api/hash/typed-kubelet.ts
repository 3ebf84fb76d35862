import { parseDuration } from '../duration.ts'
import type { HashValue } from './structural-hash.ts'
import { struct } from './values.ts'

/** `spec.kubelet` as release 1.14.1 types it: twelve fields, which is why its hash differs. */
export function typedKubelet(kubelet: Readonly<Record<string, unknown>>): HashValue {
  return struct('KubeletConfiguration', {
    ClusterDNS: textSlice(kubelet['clusterDNS']),
    MaxPods: integer(kubelet['maxPods']),
    PodsPerCore: integer(kubelet['podsPerCore']),
    SystemReserved: textMap(kubelet['systemReserved']),
    KubeReserved: textMap(kubelet['kubeReserved']),
    EvictionHard: textMap(kubelet['evictionHard']),
    EvictionSoft: textMap(kubelet['evictionSoft']),
    EvictionSoftGracePeriod: durationMap(kubelet['evictionSoftGracePeriod']),
    EvictionMaxPodGracePeriod: integer(kubelet['evictionMaxPodGracePeriod']),
    ImageGCHighThresholdPercent: integer(kubelet['imageGCHighThresholdPercent']),
    ImageGCLowThresholdPercent: integer(kubelet['imageGCLowThresholdPercent']),
    CPUCFSQuota:
      typeof kubelet['cpuCFSQuota'] === 'boolean' ? { kind: 'bool', value: kubelet['cpuCFSQuota'] } : undefined,
  })
}

function textSlice(value: unknown): HashValue | undefined {
  if (!Array.isArray(value)) return undefined
  return { kind: 'slice', items: value.map((item: unknown): HashValue => ({ kind: 'text', value: String(item) })) }
}

function integer(value: unknown): HashValue | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? { kind: 'int32', value: BigInt(value) } : undefined
}

function textMap(value: unknown): HashValue | undefined {
  return mapWith(value, (item) => ({ kind: 'text', value: item }))
}

function durationMap(value: unknown): HashValue | undefined {
  return mapWith(value, (item) => {
    const parsed = parseDuration(item)
    const nanoseconds = parsed.kind === 'ok' ? parsed.nanoseconds : 0n
    return struct('Duration', { Duration: nanoseconds === 0n ? undefined : { kind: 'int64', value: nanoseconds } })
  })
}

function mapWith(value: unknown, toValue: (item: string) => HashValue): HashValue | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  return {
    kind: 'map',
    entries: Object.entries(value).map(([key, item]: [string, unknown]) => [key, toValue(String(item))] as const),
  }
}
