import type { CapacityRequestPolicy } from '../../api/kubernetes.ts'
import { parseQuantity } from '../../model/quantity.ts'
import type { Draw } from './ledger.ts'
import type { PooledDevice } from './pools.ts'

/**
 * What allocating the device takes, for a request of so much of its capacities; undefined when it has not got that much. `isShared`:
 * whether somebody has a share of it already, and with it what the device takes of the counters of its pool.
 */
export function drawsOf(
  device: PooledDevice,
  wanted: ReadonlyMap<string, bigint>,
  isShared: boolean,
): readonly Draw[] | undefined {
  const shares = capacityDraws(device, wanted)
  if (shares === undefined) return undefined
  if (isShareable(device)) {
    return [
      // Somebody may have it whole from before it could be shared.
      { meter: deviceMeter(device.key), amount: 0n, limit: 0n },
      { meter: sharesMeter(device.key), amount: 1n, limit: sharesMax },
      ...shares,
      ...(isShared ? [] : device.counters),
    ]
  }
  return [{ meter: deviceMeter(device.key), amount: 1n, limit: 1n }, ...device.counters]
}

/** What is consumed of the device's capacities alone; undefined when it has not got that much. */
export function capacityDraws(device: PooledDevice, wanted: ReadonlyMap<string, bigint>): readonly Draw[] | undefined {
  const capacities = Object.entries(device.spec.capacity ?? {})
  for (const name of wanted.keys()) if (!capacities.some(([known]) => known === name)) return undefined
  const draws: Draw[] = []
  for (const [name, { value, requestPolicy }] of capacities) {
    const limit = parseQuantity(value).nano
    const amount = consumed(wanted.get(name), limit, requestPolicy)
    if (amount === undefined || amount > limit) return undefined
    draws.push({ meter: capacityMeter(device.key, name), amount, limit })
  }
  return draws
}

/** There is no limit: whatever number of claims there can be. */
const sharesMax = 2n ** 62n

export function isShareable({ spec }: PooledDevice): boolean {
  return spec.allowMultipleAllocations === true
}

export function deviceMeter(key: string): string {
  return `device:${key}`
}

/** How many have a share of the device. */
export function sharesMeter(key: string): string {
  return `shares:${key}`
}

export function capacityMeter(key: string, name: string): string {
  return `capacity:${key}/${name}`
}

/** By the policy of the capacity, rounded up to what it allows (resource.k8s.io/v1 CapacityRequestPolicy). */
function consumed(asked: bigint | undefined, limit: bigint, policy: CapacityRequestPolicy = {}): bigint | undefined {
  const fallback = policy.default === undefined ? limit : parseQuantity(policy.default).nano
  const amount = asked ?? fallback
  if (asked === undefined) return amount
  const { validValues = [], validRange } = policy
  if (validValues.length > 0) {
    return validValues.map((text) => parseQuantity(text).nano).find((value) => value >= amount)
  }
  if (validRange === undefined) return amount
  const least = parseQuantity(validRange.min).nano
  const step = validRange.step === undefined ? 0n : parseQuantity(validRange.step).nano
  let rounded = amount < least ? least : amount
  if (step > 0n && (rounded - least) % step !== 0n) rounded += step - ((rounded - least) % step)
  return validRange.max !== undefined && rounded > parseQuantity(validRange.max).nano ? undefined : rounded
}
