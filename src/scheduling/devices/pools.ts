import type { CounterSet, NodeSelector, ResourceSlice } from '../../api/kubernetes.ts'
import type { DeviceTemplate, TemplateDevice } from '../../model/instance-type.ts'
import { compareText } from '../../model/order.ts'
import { parseQuantity } from '../../model/quantity.ts'
import type { LabelAliases, Requirements } from '../../model/requirements.ts'
import { noRequirements } from '../../model/requirements.ts'
import { isCompletePool, newestSlices, nodeNameOf } from '../../model/resource-slices.ts'
import { termRequirements } from '../pod-constraints.ts'
import type { Draw } from './ledger.ts'

/** Which nodes reach a device: one by name, or all whose labels fit. */
export type Reach =
  | { readonly kind: 'node'; readonly name: string }
  | { readonly kind: 'labels'; readonly requirements: Requirements }

export interface PooledDevice {
  /** `driver/pool/name`; of templates with a prefix that no driver has. */
  readonly key: string
  readonly driver: string
  readonly spec: TemplateDevice
  readonly reach: Reach
  /** Of counters that it shares with other devices of its pool. */
  readonly counters: readonly Draw[]
  /** Of a node that is yet to be. */
  readonly isTemplate: boolean
  /** Equal for devices that stand for each other; undefined for one of which only a part may be left. */
  readonly likeness: string | undefined
}

export interface DevicePool {
  readonly driver: string
  readonly name: string
  /** The node that alone has the pool. */
  readonly nodeName: string | undefined
  /** Of its slices, those without devices among them: which nodes the pool is of concern to. */
  readonly reaches: readonly Reach[]
  /** Whether all slices of the newest generation are there and no device occurs twice. */
  readonly isWhole: boolean
  /** None where one occurs twice: nobody knows which of them an allocation would mean, and kube-scheduler passes over the whole pool. */
  readonly devices: readonly PooledDevice[]
}

/** Pools by driver and name, their devices in the order of the slices. */
export function poolsOf(slices: readonly ResourceSlice[], aliases: LabelAliases): readonly DevicePool[] {
  const groups = Map.groupBy(slices, ({ spec }) => `${spec.driver}/${spec.pool.name}`)
  return [...groups]
    .toSorted(([a], [b]) => compareText(a, b))
    .flatMap(([key, pool]) => {
      const newest = newestSlices(pool).toSorted((a, b) => compareText(a.metadata.name, b.metadata.name))
      const [first] = newest
      if (first === undefined) return []
      const limits = counterLimits(
        key,
        newest.flatMap(({ spec }) => spec.sharedCounters ?? []),
      )
      const devices = newest.flatMap((slice) =>
        (slice.spec.devices ?? []).map((spec) => ({
          key: `${key}/${spec.name}`,
          driver: slice.spec.driver,
          spec,
          reach: slice.spec.perDeviceNodeSelection === true ? reachOf(spec, aliases) : reachOfSlice(slice, aliases),
          counters: counterDraws(key, spec, limits),
          isTemplate: false,
          likeness: likenessOf(`${key}/${slice.metadata.name}`, spec),
        })),
      )
      const isUnique = new Set(devices.map((device) => device.key)).size === devices.length
      const nodeNames = new Set(newest.map(nodeNameOf))
      return [
        {
          driver: first.spec.driver,
          name: first.spec.pool.name,
          nodeName: nodeNames.size === 1 ? nodeNameOf(first) : undefined,
          reaches: newest.flatMap((slice) => reachesOfSlice(slice, aliases)),
          isWhole: isUnique && isCompletePool(pool),
          devices: isUnique ? devices : [],
        },
      ]
    })
}

/** The pools that a node will have; meters are told apart by the node that draws on them, so `owner` has to name it. */
export function poolsOfTemplates(templates: readonly DeviceTemplate[], owner: string): readonly DevicePool[] {
  return templates
    .map(({ driver, devices, sharedCounters = [] }, index): DevicePool => {
      const name = `${owner}#${index}`
      const key = `${name}/${driver}`
      const limits = counterLimits(key, sharedCounters)
      const isUnique = new Set(devices.map((device) => device.name)).size === devices.length
      return {
        driver,
        name,
        nodeName: undefined,
        reaches: [everywhere],
        isWhole: isUnique,
        devices: (isUnique ? devices : []).map((spec) => ({
          key: `${key}/${spec.name}`,
          driver,
          spec,
          reach: everywhere,
          counters: counterDraws(key, spec, limits),
          isTemplate: true,
          likeness: likenessOf(key, spec),
        })),
      }
    })
    .toSorted((a, b) => compareText(a.driver, b.driver) || compareText(a.name, b.name))
}

/** Within what publishes them, so that they can be reached from the same nodes. */
function likenessOf(publisher: string, spec: TemplateDevice): string | undefined {
  return spec.allowMultipleAllocations === true ? undefined : `${publisher} ${JSON.stringify({ ...spec, name: '' })}`
}

const everywhere: Reach = { kind: 'labels', requirements: noRequirements }

function reachesOfSlice(slice: ResourceSlice, aliases: LabelAliases): readonly Reach[] {
  if (slice.spec.perDeviceNodeSelection !== true) return [reachOfSlice(slice, aliases)]
  return (slice.spec.devices ?? []).map((device) => reachOf(device, aliases))
}

function reachOfSlice(slice: ResourceSlice, aliases: LabelAliases): Reach {
  const name = nodeNameOf(slice)
  return name === undefined ? reachOf(slice.spec, aliases) : { kind: 'node', name }
}

function reachOf(
  { nodeName, nodeSelector }: { readonly nodeName?: string; readonly nodeSelector?: NodeSelector },
  aliases: LabelAliases,
): Reach {
  if (nodeName !== undefined && nodeName !== '') return { kind: 'node', name: nodeName }
  const [reach] = nodeSelector === undefined ? [] : reachesOf(nodeSelector, aliases)
  return reach ?? everywhere
}

/** One for each term, any of which will do. A term that names a node by its field says nothing else. */
export function reachesOf({ nodeSelectorTerms }: NodeSelector, aliases: LabelAliases): readonly Reach[] {
  return nodeSelectorTerms.map((term): Reach => {
    const named = term.matchFields?.find(({ key, operator }) => key === 'metadata.name' && operator === 'In')
    const [name] = named?.values ?? []
    return name === undefined
      ? { kind: 'labels', requirements: termRequirements(term, aliases) }
      : { kind: 'node', name }
  })
}

function counterLimits(
  pool: string,
  sets: readonly { readonly name: string; readonly counters: CounterSet['counters'] }[],
): ReadonlyMap<string, bigint> {
  const limits = new Map<string, bigint>()
  for (const { name, counters } of sets) {
    for (const [counter, { value }] of Object.entries(counters)) {
      limits.set(`counter:${pool}/${name}/${counter}`, parseQuantity(value).nano)
    }
  }
  return limits
}

function counterDraws(pool: string, device: TemplateDevice, limits: ReadonlyMap<string, bigint>): readonly Draw[] {
  return (device.consumesCounters ?? []).flatMap(({ counterSet, counters }) =>
    Object.entries(counters).map(([counter, { value }]) => {
      const meter = `counter:${pool}/${counterSet}/${counter}`
      return { meter, amount: parseQuantity(value).nano, limit: limits.get(meter) ?? 0n }
    }),
  )
}
