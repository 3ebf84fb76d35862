import { compareText } from '../../../model/order.ts'

/** The kubelet settings that every AMI family applies; AL2023 takes the whole document besides. */
export interface ManagedKubelet {
  readonly clusterDNS?: readonly string[]
  /** A text is an expression. */
  readonly maxPods?: number | string
  readonly podsPerCore?: number
  readonly systemReserved?: Readonly<Record<string, string>>
  readonly kubeReserved?: Readonly<Record<string, string>>
  readonly evictionHard?: Readonly<Record<string, string>>
  readonly evictionSoft?: Readonly<Record<string, string>>
  /** Go durations as written. */
  readonly evictionSoftGracePeriod?: Readonly<Record<string, string>>
  readonly evictionMaxPodGracePeriod?: number
  readonly imageGCHighThresholdPercent?: number
  readonly imageGCLowThresholdPercent?: number
  readonly cpuCFSQuota?: boolean
}

export type RawKubelet = Readonly<Record<string, unknown>>

export class KubeletDecodeError extends Error {
  readonly code = 'KubeletDecode'
  constructor(field: string, wanted: string) {
    super(`parsing spec.kubelet, ${field} must be ${wanted}`)
    this.name = 'KubeletDecodeError'
  }
}

/** @throws KubeletDecodeError when a managed field has the wrong type; other fields are not looked at. */
export function parseManagedKubelet(raw: RawKubelet | undefined): ManagedKubelet {
  if (raw === undefined) return {}
  return {
    ...part('clusterDNS', textList(raw, 'clusterDNS')),
    ...part('maxPods', typeof raw['maxPods'] === 'string' ? raw['maxPods'] : integer(raw, 'maxPods')),
    ...part('podsPerCore', integer(raw, 'podsPerCore')),
    ...part('systemReserved', textMap(raw, 'systemReserved')),
    ...part('kubeReserved', textMap(raw, 'kubeReserved')),
    ...part('evictionHard', textMap(raw, 'evictionHard')),
    ...part('evictionSoft', textMap(raw, 'evictionSoft')),
    ...part('evictionSoftGracePeriod', textMap(raw, 'evictionSoftGracePeriod')),
    ...part('evictionMaxPodGracePeriod', integer(raw, 'evictionMaxPodGracePeriod')),
    ...part('imageGCHighThresholdPercent', integer(raw, 'imageGCHighThresholdPercent')),
    ...part('imageGCLowThresholdPercent', integer(raw, 'imageGCLowThresholdPercent')),
    ...part('cpuCFSQuota', boolean(raw, 'cpuCFSQuota')),
  }
}

export function sortedEntries(map: Readonly<Record<string, string>>): (readonly [string, string])[] {
  return Object.entries(map).toSorted(([a], [b]) => compareText(a, b))
}

function part<K extends keyof ManagedKubelet>(name: K, value: ManagedKubelet[K] | undefined): ManagedKubelet {
  return value === undefined ? {} : { [name]: value }
}

function integer(raw: RawKubelet, field: string): number | undefined {
  const value = raw[field]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isInteger(value)) return value
  throw new KubeletDecodeError(field, 'an integer')
}

function boolean(raw: RawKubelet, field: string): boolean | undefined {
  const value = raw[field]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'boolean') return value
  throw new KubeletDecodeError(field, 'a boolean')
}

function textList(raw: RawKubelet, field: string): readonly string[] | undefined {
  const value = raw[field]
  if (value === undefined || value === null) return undefined
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  throw new KubeletDecodeError(field, 'a list of strings')
}

function textMap(raw: RawKubelet, field: string): Readonly<Record<string, string>> | undefined {
  const value = raw[field]
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) throw new KubeletDecodeError(field, 'a map of strings')
  const entries = Object.entries(value).map(([key, item]: [string, unknown]): [string, string] => {
    if (typeof item !== 'string') throw new KubeletDecodeError(`${field}[${key}]`, 'a string')
    return [key, item]
  })
  return Object.fromEntries(entries)
}
