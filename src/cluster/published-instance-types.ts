import { gunzipSync, gzipSync } from 'node:zlib'
import { BoundedMemo } from '../api/bounded-memo.ts'
import type { KubeObject } from '../api/kubernetes.ts'
import type { Resource } from '../kube/resource.ts'
import type { TypeOutline } from '../model/instance-type.ts'
import type { Requirement, RequirementEntry, RequirementOperator } from '../model/requirement.ts'
import { requirementFor, type Requirements, toRequirementEntries, toRequirements } from '../model/requirements.ts'
import { toResourceList, toResources } from '../model/resources.ts'

/**
 * How the webhook learns which instance types there are, without a permission at AWS and without a call to it: the operator keeps them in
 * a ConfigMap of its own namespace, which the chart creates, and writes no other. A key per EC2NodeClass, by its name.
 */
export const publishedInstanceTypes = 'joinery-instance-types'

/** All values together, before base64. A ConfigMap holds 1 MiB; a class of the largest region takes some tens of KiB. */
export const publishedBytesMax = 768 * 1024

/** Far more than any region has: what is read was perhaps not written by us. */
const unpackedBytesMax = 32 * 1024 * 1024

export interface ConfigMap extends KubeObject {
  /** Base64. */
  binaryData?: Record<string, string>
}

export const configMaps: Resource<ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
}

/** A value, compressed with gzip. The same few offerings come with hundreds of types, so each is written once. */
interface PackedTypes {
  readonly version: 1
  readonly offerings: readonly PackedRequirements[]
  readonly types: readonly (readonly [
    name: string,
    requirements: PackedRequirements,
    capacity: Readonly<Record<string, string>>,
    /** Positions in the list of offerings. */
    offerings: readonly number[],
  ])[]
}

type PackedRequirements = readonly (readonly [key: string, operator: RequirementOperator, ...values: string[]])[]

/**
 * Equal types give equal bytes. Takes some tens of milliseconds for a region, at once: an answer from zlib's own thread would come at
 * no known time.
 */
export function packInstanceTypes(types: readonly TypeOutline[]): Buffer {
  const positions = new Map<string, number>()
  const offerings: PackedRequirements[] = []
  /** Offerings are shared between types, and so are their requirements. */
  const known = new Map<Requirements, number>()
  const positionOf = (requirements: Requirements): number => {
    const shared = known.get(requirements)
    if (shared !== undefined) return shared
    const packed = packRequirements(requirements)
    const text = JSON.stringify(packed)
    const position = positions.get(text) ?? offerings.push(packed) - 1
    positions.set(text, position)
    known.set(requirements, position)
    return position
  }
  const packed: PackedTypes = {
    version: 1,
    types: types.map((type) => [
      type.name,
      packRequirements(type.requirements),
      toResourceList(type.capacity),
      type.offerings.map(({ requirements }) => positionOf(requirements)),
    ]),
    offerings,
  }
  return gzipSync(JSON.stringify(packed))
}

/** @throws Error where it is not what `packInstanceTypes` has made */
export function unpackInstanceTypes(base64: string): readonly TypeOutline[] {
  const text = gunzipSync(Buffer.from(base64, 'base64'), { maxOutputLength: unpackedBytesMax })
  const packed = JSON.parse(text.toString()) as PackedTypes
  if (packed.version !== 1) throw new Error('instance types of another version')
  const offerings = packed.offerings.map((requirements) => ({ requirements: unpackRequirements(requirements) }))
  return packed.types.map(([name, requirements, capacity, positions]) => ({
    name,
    requirements: likeBefore(name, unpackRequirements(requirements)),
    capacity: toResources(capacity),
    offerings: positions.flatMap((position) => offerings[position] ?? []),
  }))
}

function packRequirements(set: Requirements): PackedRequirements {
  return toRequirementEntries(set).map(({ key, operator, values = [] }) => [key, operator, ...values])
}

/**
 * A webhook has some 128 MiB for all that it knows. The thousand types of a class have a few thousand different requirements, and those of
 * another class mostly the same ones: made anew, each class took 17 MB.
 */
const shared = new BoundedMemo<string, Requirement>(20_000)
const setsBefore = new Map<string, Requirements>()
const setsBeforeMax = 5_000

/** The same set as of the type before, perhaps for another class, where it is an equal one. */
function likeBefore(name: string, set: Requirements): Requirements {
  const before = setsBefore.get(name)
  if (before?.size === set.size && [...set].every(([key, requirement]) => before.get(key) === requirement))
    return before
  if (setsBefore.size >= setsBeforeMax) setsBefore.clear()
  setsBefore.set(name, set)
  return set
}

function unpackRequirements(packed: PackedRequirements): Requirements {
  const byKey = Map.groupBy(packed, ([key]) => key)
  return new Map(
    [...byKey].map(([key, entries]) => [
      key,
      shared.of(JSON.stringify(entries), () => unpackRequirement(key, entries)),
    ]),
  )
}

function unpackRequirement(key: string, packed: PackedRequirements): Requirement {
  const entries = packed.map(([, operator, ...values]): RequirementEntry => ({ key, operator, values }))
  // What is written has been normalised.
  return requirementFor(toRequirements(entries, noAliases), key)
}

const noAliases: ReadonlyMap<string, string> = new Map()
