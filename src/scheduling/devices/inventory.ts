import type { ResourceClaim, ResourceSlice } from '../../api/kubernetes.ts'
import { labelInstanceType } from '../../api/labels.ts'
import type { DeviceTemplate, InstanceType } from '../../model/instance-type.ts'
import { parseQuantity } from '../../model/quantity.ts'
import type { LabelAliases } from '../../model/requirements.ts'
import { isCompletePool, newestSlices, nodeNameOf } from '../../model/resource-slices.ts'
import type { DeviceObjects, StateNode } from '../../model/snapshot.ts'
import { capacityMeter, deviceMeter, sharesMeter } from './consumption.ts'
import { type DevicePool, type PooledDevice, poolsOf, poolsOfTemplates } from './pools.ts'
import { taintsOf } from './taints.ts'

/** The devices of one solve: what is published, what nodes to come will have, and what claims hold already. */
export class DeviceInventory {
  /** That several nodes reach. */
  readonly shared: readonly DevicePool[]
  /** By meter, what allocated claims hold. */
  readonly taken: ReadonlyMap<string, bigint>
  readonly #ofNode: ReadonlyMap<string, readonly DevicePool[]>
  readonly #learned: ReadonlyMap<string, readonly DeviceTemplate[]>
  readonly #idsByText = new Map<string, number>()
  readonly #idsByType = new WeakMap<InstanceType, number>()
  readonly #templatePools = new Map<string, readonly DevicePool[]>()

  /** `holds`: whether the claim keeps what it was allocated. `nodes`: without those that go. */
  constructor(
    { claims, slices }: DeviceObjects,
    nodes: readonly StateNode[],
    options: { readonly aliases: LabelAliases; readonly holds: (claim: ResourceClaim) => boolean },
  ) {
    const ready = new Map(
      nodes.flatMap((node) => (node.initialized && node.node !== undefined ? [[node.node.metadata.name, node]] : [])),
    )
    // Whether a pool is whole is a matter of all its slices, those of nodes that do not count among them.
    const pools = poolsOf(slices, options.aliases).map((pool) => ({
      ...pool,
      devices: pool.devices.filter(({ reach }) => reach.kind !== 'node' || ready.has(reach.name)),
    }))
    this.shared = pools.filter(({ nodeName }) => nodeName === undefined)
    this.#ofNode = Map.groupBy(
      pools.filter(({ nodeName }) => nodeName !== undefined),
      ({ nodeName = '' }) => nodeName,
    )
    this.#learned = learnTemplates(slices, ready)
    this.taken = takenBy([...claims.values()].filter(options.holds), pools)
  }

  poolsOfNode(name: string): readonly DevicePool[] {
    return this.#ofNode.get(name) ?? []
  }

  /** Equal for types whose nodes will have the same devices; 0 for none. */
  templateID(type: InstanceType): number {
    const known = this.#idsByType.get(type)
    if (known !== undefined) return known
    const templates = this.#templatesOf(type)
    const text = templates.length === 0 ? '' : JSON.stringify(templates)
    const id = text === '' ? 0 : (this.#idsByText.get(text) ?? this.#idsByText.size + 1)
    if (id > 0) this.#idsByText.set(text, id)
    this.#idsByType.set(type, id)
    return id
  }

  /** `target`: the node to be, whose devices nobody else has. */
  templatePools(type: InstanceType, target: number): readonly DevicePool[] {
    const key = `${target}/${this.templateID(type)}`
    const known = this.#templatePools.get(key) ?? poolsOfTemplates(this.#templatesOf(type), key)
    this.#templatePools.set(key, known)
    return known
  }

  /** What the type says of itself, or what a node of the type has published. */
  #templatesOf({ name, deviceTemplates }: InstanceType): readonly DeviceTemplate[] {
    return deviceTemplates ?? this.#learned.get(name) ?? []
  }
}

/**
 * By instance type, what the first of its nodes has published in whole pools, or rather the first that does not keep anybody from one of
 * its devices: a taint tells of that one machine. Slices that name a node say, by their definition, that new nodes of the same kind bring
 * such devices, too; where a type does not describe its devices this is the only source.
 */
function learnTemplates(
  slices: readonly ResourceSlice[],
  ready: ReadonlyMap<string, StateNode>,
): ReadonlyMap<string, readonly DeviceTemplate[]> {
  const learned = new Map<string, readonly DeviceTemplate[]>()
  const tainted = new Set<string>()
  const byNode = Map.groupBy(slices, (slice) => nodeNameOf(slice) ?? '')
  for (const [name, node] of ready) {
    const type = node.labels[labelInstanceType] ?? ''
    const published = byNode.get(name) ?? []
    if (type === '' || published.length === 0 || (learned.has(type) && !tainted.has(type))) continue
    const templates = wholePools(published)
    const isTainted = templates.some(({ devices }) => devices.some((device) => taintsOf(device).length > 0))
    if (templates.length === 0 || (isTainted && learned.has(type))) continue
    learned.set(type, templates)
    if (isTainted) tainted.add(type)
    else tainted.delete(type)
  }
  return learned
}

function wholePools(published: readonly ResourceSlice[]): readonly DeviceTemplate[] {
  const pools = Map.groupBy(published, ({ spec }) => `${spec.driver}/${spec.pool.name}`)
  return [...pools.values()].filter(isCompletePool).flatMap((pool): DeviceTemplate[] => {
    const newest = newestSlices(pool)
    const [first] = newest
    if (first === undefined) return []
    const devices = newest.flatMap(({ spec }) => spec.devices ?? [])
    const sharedCounters = newest.flatMap(({ spec }) => spec.sharedCounters ?? [])
    return [{ driver: first.spec.driver, devices, ...(sharedCounters.length === 0 ? {} : { sharedCounters }) }]
  })
}

function takenBy(claims: readonly ResourceClaim[], pools: readonly DevicePool[]): ReadonlyMap<string, bigint> {
  const devices = new Map<string, PooledDevice>()
  for (const pool of pools) for (const device of pool.devices) devices.set(device.key, device)
  const taken = new Map<string, bigint>()
  const take = (meter: string, amount: bigint): void => {
    taken.set(meter, (taken.get(meter) ?? 0n) + amount)
  }
  const counted = new Set<string>()
  for (const { status } of claims) {
    for (const result of status?.allocation?.devices?.results ?? []) {
      const { driver, pool, device, adminAccess, shareID, consumedCapacity } = result
      if (adminAccess === true) continue
      const key = `${driver}/${pool}/${device}`
      take(shareID === undefined && consumedCapacity === undefined ? deviceMeter(key) : sharesMeter(key), 1n)
      for (const [name, amount] of Object.entries(consumedCapacity ?? {})) {
        take(capacityMeter(key, name), parseQuantity(amount).nano)
      }
      // However many share a device, it is one partition of its pool.
      if (counted.has(key)) continue
      counted.add(key)
      for (const { meter, amount } of devices.get(key)?.counters ?? []) take(meter, amount)
    }
  }
  return taken
}
