import { parseDuration } from '../duration.ts'
import { parseExactQuantity } from '../exact-quantity.ts'
import type { AMIFamilyName } from '../ami-family.ts'
import { decodeKubelet } from './kubelet-decode.ts'
import { managedKubeletFields } from './kubelet-fields.ts'

type Kubelet = Readonly<Record<string, unknown>>

/** Structure and meaning of `spec.kubelet`: reason InvalidKubeletConfiguration, these joined by "; ". */
export function kubeletErrors(kubelet: Kubelet | undefined): string[] {
  if (kubelet === undefined) return []
  // Text in maxPods is an expression, which has its own checks.
  const decoded = decodeKubelet(typeof kubelet['maxPods'] === 'string' ? { ...kubelet, maxPods: 0 } : kubelet)
  if (decoded.kind === 'wrong-type') return [`spec.kubelet: ${decoded.message}`]
  return [
    ...decoded.unknownFields.map((field) => `spec.kubelet: unknown field ${JSON.stringify(field)}`),
    ...registerWithTaintsErrors(kubelet),
    ...['evictionHard', 'evictionSoft', 'evictionMinimumReclaim'].flatMap((field) =>
      evictionErrors(kubelet, field, amountProblem),
    ),
    ...evictionErrors(kubelet, 'evictionSoftGracePeriod', gracePeriodProblem),
    ...evictionPairErrors(kubelet),
    ...['kubeReserved', 'systemReserved'].flatMap((field) => reservedErrors(kubelet, field)),
    ...numberErrors(kubelet),
  ]
}

/** What is written as an expression: such values are refused while the gate NodeClassCEL is off. */
export function kubeletExpressions(kubelet: Kubelet | undefined): { readonly field: string; readonly text: string }[] {
  if (kubelet === undefined) return []
  const { maxPods } = kubelet
  return [
    ...(typeof maxPods === 'string' ? [{ field: 'maxPods', text: maxPods }] : []),
    ...['kubeReserved', 'systemReserved'].flatMap((field) =>
      textEntries(kubelet, field).flatMap(([name, text]) =>
        parseExactQuantity(text) === undefined ? [{ field: `${field}[${name}]`, text }] : [],
      ),
    ),
  ]
}

/** Words of the condition for an expression that cannot be compiled: reason KubeletExpressionInvalid. */
export function kubeletExpressionMessage(field: string, text: string, problem: string): string {
  return `spec.kubelet.${field}: compiling "${text}", ${problem}`
}

/** Fields that the family would drop without a word: reason UnsupportedKubeletConfiguration, these joined by "; ". */
export function unsupportedKubeletErrors(kubelet: Kubelet | undefined, family: AMIFamilyName): string[] {
  if (kubelet === undefined || family === 'AL2023' || family === 'Custom') return []
  const dropped = Object.keys(kubelet)
    .filter((field) => !managedKubeletFields.has(field) || (family === 'Bottlerocket' && field === 'podsPerCore'))
    .sort()
  const errors =
    dropped.length === 0
      ? []
      : [
          `spec.kubelet has fields not applied by the ${family} AMI family that would be silently dropped: ${dropped.join(', ')}`,
        ]
  const clusterDNS = kubelet['clusterDNS']
  if (Array.isArray(clusterDNS) && clusterDNS.length > 1) {
    errors.push(
      `spec.kubelet.clusterDNS: the ${family} AMI family doesn't accept multiple entries, only one, but ${clusterDNS.length} were set`,
    )
  }
  return errors
}

export const kubeletExpressionsDisabledMessage =
  'spec.kubelet contains a CEL expression, but the NodeClassCEL feature gate is disabled'

const signals = [
  'memory.available',
  'nodefs.available',
  'nodefs.inodesFree',
  'imagefs.available',
  'imagefs.inodesFree',
  'pid.available',
]
const reservable = ['cpu', 'memory', 'ephemeral-storage', 'pid']

function registerWithTaintsErrors(kubelet: Kubelet): string[] {
  const taints = kubelet['registerWithTaints']
  return taints === undefined || taints === null
    ? []
    : [
        "spec.kubelet.registerWithTaints: can't be set, Karpenter sets it from the NodeClaim's taints so the node registers unschedulable until it's ready",
      ]
}

function evictionErrors(kubelet: Kubelet, field: string, problemOf: (value: string) => string | undefined): string[] {
  return textEntries(kubelet, field).flatMap(([key, value]) => {
    const errors = signals.includes(key)
      ? []
      : [
          `spec.kubelet.${field}: ${JSON.stringify(key)} isn't a valid eviction signal, must be one of ${signals.join(', ')}`,
        ]
    const problem = problemOf(value)
    if (problem !== undefined) errors.push(`spec.kubelet.${field}[${key}]: ${JSON.stringify(value)} ${problem}`)
    return errors
  })
}

function amountProblem(value: string): string | undefined {
  if (value.endsWith('%')) {
    const text = value.slice(0, -1)
    const percent = /^[+-]?(\d+(?:\.\d*)?|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : Number.NaN
    return percent >= 0 && percent <= 100 ? undefined : 'must be a percentage or a resource quantity'
  }
  const amount = parseExactQuantity(value)
  if (amount === undefined) return 'must be a percentage or a resource quantity'
  return amount.numerator < 0n ? "can't be a negative resource quantity" : undefined
}

function gracePeriodProblem(value: string): string | undefined {
  const parsed = parseDuration(value)
  if (parsed.kind === 'invalid') return 'must be a duration'
  return parsed.nanoseconds < 0n ? "can't be a negative duration" : undefined
}

function evictionPairErrors(kubelet: Kubelet): string[] {
  const soft = new Set(textEntries(kubelet, 'evictionSoft').map(([key]) => key))
  const grace = new Set(textEntries(kubelet, 'evictionSoftGracePeriod').map(([key]) => key))
  return [
    ...[...soft]
      .filter((key) => !grace.has(key))
      .map((key) => `spec.kubelet.evictionSoft[${key}]: has no matching evictionSoftGracePeriod`),
    ...[...grace]
      .filter((key) => !soft.has(key))
      .map((key) => `spec.kubelet.evictionSoftGracePeriod[${key}]: has no matching evictionSoft`),
  ]
}

function reservedErrors(kubelet: Kubelet, field: string): string[] {
  return textEntries(kubelet, field).flatMap(([key, value]) => {
    const errors = reservable.includes(key)
      ? []
      : [
          `spec.kubelet.${field}: ${JSON.stringify(key)} isn't a reservable resource, must be one of ${reservable.join(', ')}`,
        ]
    if (value.startsWith('-'))
      errors.push(`spec.kubelet.${field}[${key}]: ${JSON.stringify(value)} can't be a negative resource quantity`)
    return errors
  })
}

function numberErrors(kubelet: Kubelet): string[] {
  const high = numberAt(kubelet, 'imageGCHighThresholdPercent')
  const low = numberAt(kubelet, 'imageGCLowThresholdPercent')
  const errors = ['imageGCHighThresholdPercent', 'imageGCLowThresholdPercent'].flatMap((field) => {
    const value = numberAt(kubelet, field)
    return value === undefined || (value >= 0 && value <= 100)
      ? []
      : [`spec.kubelet.${field}: ${value} must be between 0 and 100`]
  })
  for (const field of ['podsPerCore', 'evictionMaxPodGracePeriod', 'maxPods']) {
    const value = numberAt(kubelet, field)
    if (value !== undefined && value < 0) errors.push(`spec.kubelet.${field}: ${value} can't be negative`)
  }
  if (high !== undefined && low !== undefined && high <= low) {
    errors.push(
      `spec.kubelet: imageGCHighThresholdPercent (${high}) must be greater than imageGCLowThresholdPercent (${low})`,
    )
  }
  return errors
}

function numberAt(kubelet: Kubelet, field: string): number | undefined {
  const value = kubelet[field]
  return typeof value === 'number' ? value : undefined
}

/**
 * Sorted by key, so that messages do not depend on the order in which the document was written. A key with nothing behind it is empty text
 * to Go, and so to the kubelet, which would not start with it.
 */
function textEntries(kubelet: Kubelet, field: string): [string, string][] {
  const value = kubelet[field]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value)
    .map(([key, member]: [string, unknown]): [string, unknown] => [key, member ?? ''])
    .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    .sort(([a], [b]) => (a < b ? -1 : 1))
}
