import { taintText } from '../../../model/taints.ts'
import { compareText } from '../../../model/order.ts'
import { sortedEntries } from '../kubelet/managed-kubelet.ts'
import { goDuration } from './go-duration.ts'
import type { UserDataInputs } from './inputs.ts'
import { flagText, listItemText } from './quote.ts'

type FlagInputs = Pick<UserDataInputs, 'kubelet' | 'labels' | 'taints'>

/** Kubelet flags of the families that take flags, in the order Karpenter writes them. */
export function kubeletFlags(inputs: FlagInputs): string[] {
  const { kubelet, taints } = inputs
  const flags: string[] = []
  const map = (name: string, values: Readonly<Record<string, string>> | undefined, separator: string): void => {
    if (values === undefined || Object.keys(values).length === 0) return
    flags.push(
      `--${name}="${sortedEntries(values)
        .map(([key, value]) => `${listItemText(name, key)}${separator}${listItemText(name, value)}`)
        .join(',')}"`,
    )
  }
  const plain = (name: string, value: number | boolean | undefined): void => {
    if (value !== undefined) flags.push(`--${name}=${value}`)
  }
  const labels = nodeLabelsFlag(inputs.labels)
  if (labels !== undefined) flags.push(labels)
  if (taints.length > 0) {
    flags.push(`--register-with-taints="${taints.map((taint) => listItemText('taint', taintText(taint))).join(',')}"`)
  }
  if (typeof kubelet.maxPods === 'number') plain('max-pods', kubelet.maxPods)
  plain('pods-per-core', kubelet.podsPerCore)
  map('system-reserved', kubelet.systemReserved, '=')
  map('kube-reserved', kubelet.kubeReserved, '=')
  map('eviction-hard', kubelet.evictionHard, '<')
  map('eviction-soft', kubelet.evictionSoft, '<')
  map('eviction-soft-grace-period', withGoDurations(kubelet.evictionSoftGracePeriod), '=')
  plain('eviction-max-pod-grace-period', kubelet.evictionMaxPodGracePeriod)
  plain('image-gc-high-threshold', kubelet.imageGCHighThresholdPercent)
  plain('image-gc-low-threshold', kubelet.imageGCLowThresholdPercent)
  plain('cpu-cfs-quota', kubelet.cpuCFSQuota)
  return flags
}

export function nodeLabelsFlag(labels: Readonly<Record<string, string>>): string | undefined {
  const entries = Object.entries(labels).toSorted(([a], [b]) => compareText(a, b))
  if (entries.length === 0) return undefined
  return `--node-labels="${entries.map(([key, value]) => flagText('label', `${listItemText('label', key)}=${listItemText('label', value)}`)).join(',')}"`
}

export function withGoDurations(
  durations: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | undefined {
  if (durations === undefined) return undefined
  return Object.fromEntries(Object.entries(durations).map(([signal, text]) => [signal, goDuration(text)]))
}
