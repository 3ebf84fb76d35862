import type { InstanceTypeInfo } from '@aws-sdk/client-ec2'
import type { Overhead } from '../../../model/instance-type.ts'
import { parseQuantity, Quantity } from '../../../model/quantity.ts'
import { noResources, type Resources, toResources } from '../../../model/resources.ts'
import type { ResolvedKubelet } from '../kubelet/resolve.ts'
import { podsOf, vcpusOf } from './capacity.ts'
import { podsByENI } from './eni.ts'
import type { TypeSettings } from './type-settings.ts'

const mebibyte = 1024 * 1024

/** Share of each slice of a machine's millicores that the kubelet and the runtime get by default. */
const cpuSlices = [
  { from: 0, to: 1_000, share: 0.06 },
  { from: 1_000, to: 2_000, share: 0.01 },
  { from: 2_000, to: 4_000, share: 0.005 },
  { from: 4_000, to: Number.POSITIVE_INFINITY, share: 0.0025 },
] as const

/** `capacity` is the estimate: a memory size learnt from a node changes what the node has, not what is held back. */
export function overheadOf(
  info: InstanceTypeInfo,
  settings: TypeSettings,
  kubelet: ResolvedKubelet,
  capacity: Resources,
): Overhead {
  return {
    kubeReserved: new Map([...defaultReserved(info, settings, kubelet), ...toResources(kubelet.kubeReserved)]),
    systemReserved: kubelet.systemReserved === undefined ? noResources : toResources(kubelet.systemReserved),
    evictionThreshold: evictionThreshold(settings, capacity),
  }
}

function defaultReserved(
  info: InstanceTypeInfo,
  settings: TypeSettings,
  kubelet: ResolvedKubelet,
): [string, Quantity][] {
  const pods =
    settings.family.reservedMemoryFollows === 'eniLimit'
      ? podsByENI(info, 0, settings.networkInterfaces)
      : podsOf(info, settings, kubelet.maxPods)
  return [
    ['cpu', Quantity.ofMilli(reservedMilliCPU(vcpusOf(info) * 1_000))],
    ['memory', Quantity.ofBytes((11 * pods + 255) * mebibyte)],
    ['ephemeral-storage', parseQuantity('1Gi')],
  ]
}

function reservedMilliCPU(milliCPU: number): number {
  let reserved = 0
  for (const { from, to, share } of cpuSlices) {
    if (milliCPU <= from) break
    reserved += Math.trunc((Math.min(milliCPU, to) - from) * share)
  }
  return reserved
}

/** Soft eviction thresholds are ignored: pods may still use that memory for a while. */
function evictionThreshold(settings: TypeSettings, capacity: Resources): Resources {
  const hard = settings.kubelet.evictionHard
  const memory = hard?.['memory.available']
  const storage = hard?.['nodefs.available']
  return new Map([
    ['memory', memory === undefined ? parseQuantity('100Mi') : signalAmount(memory, capacity.get('memory'))],
    ['ephemeral-storage', signalAmount(storage ?? '10%', capacity.get('ephemeral-storage'))],
  ])
}

/** A quantity, or a percentage of the capacity; `100%` switches the signal off. */
function signalAmount(text: string, capacity: Quantity | undefined): Quantity {
  if (!text.endsWith('%')) return parseQuantity(text)
  const percent = Number(text.slice(0, -1))
  if (percent === 100) return Quantity.zero
  const bytes = Number(capacity?.units ?? 0n)
  return Quantity.of(Math.ceil((bytes / 100) * percent), capacity?.format ?? 'BinarySI')
}
