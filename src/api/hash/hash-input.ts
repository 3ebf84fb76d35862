import { resolvedAMIFamily } from '../ami-family.ts'
import { formatDuration, parseDuration } from '../duration.ts'
import type { EC2NodeClassSpec, NodePoolTemplate } from '../karpenter.ts'
import type { Taint } from '../kubernetes.ts'
import { sha256Hex } from '../sha256.ts'
import { goJson } from './go-json.ts'
import { canonicalQuantityText } from './volume-size.ts'

/*
 * What the hashes are made of, as JSON that can be kept and compared later, with the paths that a user knows. Two objects with equal
 * inputs have equal hashes; spelling that the hash does not see (durations, quantities, empty text in place of none) is made one.
 */

type Json = Readonly<Record<string, unknown>>

/** Longer text is kept as its digest. */
const textMax = 256
/** A field whose JSON is longer is kept as its digest, so that a record stays far below the 256 KiB an object's annotations may take. */
const fieldMax = 4_096

/** Of everything that enters nodepool-hash. */
export function nodePoolHashInput(nodePool: { readonly spec: { readonly template: NodePoolTemplate } }): Json {
  const { metadata, spec } = nodePool.spec.template
  const { kind, name, group } = spec.nodeClassRef
  const template = {
    metadata: orNothing({ labels: given(metadata?.labels), annotations: given(metadata?.annotations) }),
    spec: {
      taints: given(spec.taints)?.map(taintInput),
      startupTaints: given(spec.startupTaints)?.map(taintInput),
      nodeClassRef: { kind, name, group },
      terminationGracePeriod: durationText(spec.terminationGracePeriod),
      expireAfter: spec.expireAfter === 'Never' ? undefined : durationText(spec.expireAfter),
    },
  }
  return bounded({ spec: { template: present(template) } }, 4)
}

/** Of everything that enters ec2nodeclass-hash. User data and the CA bundle only ever enter as digests. */
export function ec2NodeClassHashInput(nodeClass: { readonly spec: EC2NodeClassSpec }, caBundle: string): Json {
  const { spec } = nodeClass
  const kubelet = spec.kubelet === undefined || spec.kubelet === null || Object.keys(spec.kubelet).length === 0
  const hashed = {
    placementGroupSelector: spec.placementGroupSelector,
    associatePublicIPAddress: spec.associatePublicIPAddress,
    userData: spec.userData === undefined || spec.userData === null ? undefined : digestText(spec.userData),
    role: spec.role === '' ? undefined : spec.role,
    instanceProfile: spec.instanceProfile,
    tags: spec.tags,
    kubelet: kubelet ? undefined : spec.kubelet,
    blockDeviceMappings: given(spec.blockDeviceMappings)?.map((mapping) => ({
      ...mapping,
      rootVolume: mapping.rootVolume === true ? true : undefined,
      ebs:
        mapping.ebs === undefined || mapping.ebs === null
          ? undefined
          : {
              ...mapping.ebs,
              volumeSize: given(mapping.ebs.volumeSize) && canonicalQuantityText(mapping.ebs.volumeSize ?? ''),
            },
    })),
    instanceStorePolicy: spec.instanceStorePolicy,
    networkInterfaces: spec.networkInterfaces,
    detailedMonitoring: spec.detailedMonitoring,
    metadataOptions: spec.metadataOptions,
    connectionTracking: spec.connectionTracking,
    context: spec.context,
    cpuOptions: spec.cpuOptions,
    amiFamily: resolvedAMIFamily(spec),
  }
  return bounded({ spec: present(hashed), clusterCABundle: caBundle === '' ? undefined : digestText(caBundle) }, 2)
}

/** Tells texts apart without showing them. */
function digestText(text: string): string {
  return `sha256:${sha256Hex(text).slice(0, 16)} (${new TextEncoder().encode(text).length} bytes)`
}

function taintInput({ key, value, effect, timeAdded }: Taint): Json {
  return {
    key,
    value: value === '' ? undefined : value,
    effect,
    timeAdded: given(timeAdded) === undefined ? undefined : new Date(Date.parse(timeAdded ?? '')).toISOString(),
  }
}

/** `720h` for 720h, 43200m and 720h0m0s alike. */
function durationText(text: string | undefined): string | undefined {
  if (text === undefined || text === null) return undefined
  const parsed = parseDuration(text)
  if (parsed.kind === 'invalid') return text
  return formatDuration(parsed.nanoseconds)
    .replace(/(?<=[hm])0s$/, '')
    .replace(/(?<=h)0m$/, '')
}

function given<T>(value: T | undefined | null): T | undefined {
  return value ?? undefined
}

function orNothing(value: Json): Json | undefined {
  return Object.values(value).every((member) => member === undefined) ? undefined : value
}

/** Without absent and null members, at every level: to the hash both mean that the field is not given. */
function present(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(present)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]: [string, unknown]) =>
      member === undefined || member === null ? [] : [[key, present(member)]],
    ),
  )
}

/** Long texts, and fields at the depth given that are long in all, become digests. Each by itself, so that two inputs stay comparable. */
function bounded(value: Json, depth: number): Json {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      member === undefined ? [] : [[key, boundedField(member, depth - 1)]],
    ),
  )
}

function boundedField(value: unknown, depth: number): unknown {
  if (depth > 0 && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return bounded(Object.fromEntries(Object.entries(value)), depth)
  }
  const short = withShortTexts(value)
  const text = goJson(short)
  return text.length <= fieldMax ? short : digestText(goJson(value))
}

function withShortTexts(value: unknown): unknown {
  if (typeof value === 'string') return value.length <= textMax ? value : digestText(value)
  if (Array.isArray(value)) return value.map(withShortTexts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]: [string, unknown]) => [key, withShortTexts(member)]),
  )
}
