import type { Device, DeviceRequest, DeviceSubRequest, ResourceSlice } from '../../src/api/kubernetes.ts'
import type { SeededRandom } from '../../src/embedded/random.ts'
import type { DeviceCase } from './device-cases/index.ts'
import { counters } from './device-cases/parts.ts'
import { aSlice, type ClaimOptions, driver } from './device-objects.ts'

const models = ['A', 'B'] as const
const amounts = ['10Gi', '20Gi', '40Gi'] as const
const taint = { key: 'example.com/broken', effect: 'NoSchedule' }

/** Any devices of one node and of the cluster, in all combinations of what devices can be, and claims that they may just suffice for. */
export function randomDeviceCase(random: SeededRandom): DeviceCase {
  const isPartitioned = chance(random, 0.3)
  const own = list(2 + random.below(5), (i) => aDevice(random, `gpu-${i}`, isPartitioned))
  const net = list(chance(random, 0.5) ? 1 + random.below(2) : 0, (i) => aDevice(random, `net-${i}`, false))
  const slices: ResourceSlice[] = [
    aSlice('own', own, { nodeName: 'node', pool: { name: 'own', resourceSliceCount: isPartitioned ? 2 : 1 } }),
  ]
  if (net.length > 0) slices.push(aSlice('net', net, { allNodes: true }))
  if (isPartitioned) slices.push(counters(anyOf(random, ['40Gi', '60Gi', '80Gi'])))
  const held = [...own.map((device) => ['own', device] as const), ...net.map((device) => ['net', device] as const)]
    .filter(() => chance(random, 0.15))
    .map(([pool, device]) => ({
      devices: { results: [{ request: 'main', driver, pool, ...allocated(random, device) }] },
    }))
  return { slices, claims: list(1 + random.below(2), () => aClaim(random)), held }
}

function aDevice(random: SeededRandom, name: string, isPartition: boolean): Device {
  return {
    name,
    attributes: {
      model: { string: anyOf(random, models) },
      ...(chance(random, 0.8) ? { numa: { int: random.below(2) } } : {}),
    },
    capacity: { memory: { value: anyOf(random, amounts) } },
    ...(chance(random, 0.25) ? { allowMultipleAllocations: true } : {}),
    ...(chance(random, 0.1) ? { taints: [taint] } : {}),
    ...(isPartition
      ? { consumesCounters: [{ counterSet: 'set', counters: { memory: { value: anyOf(random, amounts) } } }] }
      : {}),
  }
}

function allocated(random: SeededRandom, { name, allowMultipleAllocations }: Device) {
  if (allowMultipleAllocations !== true) return { device: name }
  return { device: name, shareID: random.uuid(), consumedCapacity: { memory: '10Gi' } }
}

function aClaim(random: SeededRandom): ClaimOptions {
  const requests = list(1 + random.below(2), (i) => aRequestOf(random, `r${i}`))
  if (!chance(random, 0.35)) return { requests }
  const named = requests.filter(() => chance(random, 0.6)).map(({ name }) => name)
  const matchAttribute = `${driver}/${anyOf(random, ['model', 'numa'])}`
  return { requests, constraints: [{ matchAttribute, ...(named.length === 0 ? {} : { requests: named }) }] }
}

function aRequestOf(random: SeededRandom, name: string): DeviceRequest {
  if (chance(random, 0.25)) {
    return { name, firstAvailable: list(2, (i) => ({ ...asked(random), name: `s${i}` })) }
  }
  return { name, exactly: { ...asked(random), ...(chance(random, 0.1) ? { adminAccess: true } : {}) } }
}

function asked(random: SeededRandom): DeviceSubRequest {
  const expression = `device.attributes["${driver}"].model == "${anyOf(random, models)}"`
  return {
    deviceClassName: 'gpu',
    ...(chance(random, 0.15) ? { allocationMode: 'All' } : { count: 1 + random.below(2) }),
    ...(chance(random, 0.5) ? { selectors: [{ cel: { expression } }] } : {}),
    ...(chance(random, 0.3) ? { capacity: { requests: { memory: anyOf(random, amounts) } } } : {}),
    ...(chance(random, 0.3) ? { tolerations: [{ key: taint.key, operator: 'Exists' }] } : {}),
  }
}

function list<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index))
}

function anyOf<T>(random: SeededRandom, values: readonly [T, ...T[]]): T {
  return values[random.below(values.length)] ?? values[0]
}

function chance(random: SeededRandom, share: number): boolean {
  return random.next() < share
}
