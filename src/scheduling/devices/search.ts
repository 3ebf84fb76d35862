import { untoleratedTaints } from '../../model/taints.ts'
import { drawsOf } from './consumption.ts'
import type { Draw } from './ledger.ts'
import type { DevicePool, PooledDevice } from './pools.ts'
import type { DeviceSelectors } from './selector.ts'
import { taintsOf } from './taints.ts'
import { devicesPerClaimMax, type WantedClaim, type WantedDevices, type WantedRequest } from './wanted.ts'

/** A machine as the search sees it. */
export interface SearchTarget {
  /** The pools that it reaches, in the order to try: existing ones before those of templates. */
  readonly pools: readonly DevicePool[]
  readonly reaches: (device: PooledDevice) => boolean
  /** Whether one node could reach `device` and all devices picked so far. */
  readonly joins: (picked: readonly PooledDevice[], device: PooledDevice) => boolean
  /** What is left of the draw's meter, apart from what this search takes. */
  readonly left: (draw: Draw) => bigint
}

export interface DevicePick {
  readonly claim: WantedClaim
  readonly request: string
  readonly device: PooledDevice
  readonly draws: readonly Draw[]
}

export type Found =
  | { readonly kind: 'found'; readonly picks: readonly DevicePick[] }
  | { readonly kind: 'none' }
  /** A selector failed: nothing may be concluded. */
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'gaveUp' }

/** Devices for all requests of all claims at once, depth first: requests in order, devices in order. */
export function findDevices(
  claims: readonly WantedClaim[],
  target: SearchTarget,
  selectors: DeviceSelectors,
  budget: SearchBudget,
): Found {
  const search = new Search(claims, target, selectors, budget)
  try {
    return search.place(0) ? { kind: 'found', picks: search.picks } : { kind: 'none' }
  } catch (error) {
    if (error instanceof SelectorError) return { kind: 'error', text: error.message }
    if (error instanceof SpentError) return { kind: 'gaveUp' }
    throw error
  }
}

/** Devices tried in one attempt to place a pod, over all types. Counted instead of timed; about as much as five seconds hold. */
export class SearchBudget {
  left = 1_000_000
}

/** How many devices that the target reaches match, free or not. */
export function countMatching(target: SearchTarget, wanted: WantedDevices, selectors: DeviceSelectors): number {
  let count = 0
  for (const { devices } of target.pools) {
    for (const device of devices) {
      if (!target.reaches(device)) continue
      const matches = wanted.expressions.every(
        (expression) => selectors.judge(expression, device.driver, device.spec).kind === 'matches',
      )
      if (matches) count += 1
    }
  }
  return count
}

class SelectorError extends Error {
  readonly code = 'DeviceSelector'
}
class SpentError extends Error {
  readonly code = 'SearchSpent'
}

class Search {
  readonly picks: DevicePick[] = []
  readonly #stages: readonly { readonly claim: WantedClaim; readonly request: WantedRequest }[]
  readonly #target: SearchTarget
  readonly #selectors: DeviceSelectors
  readonly #budget: SearchBudget
  readonly #matching = new Map<WantedDevices, readonly PooledDevice[]>()
  readonly #drawn = new Map<string, bigint>()

  constructor(claims: readonly WantedClaim[], target: SearchTarget, selectors: DeviceSelectors, budget: SearchBudget) {
    this.#stages = claims.flatMap((claim) => claim.requests.map((request) => ({ claim, request })))
    this.#target = target
    this.#selectors = selectors
    this.#budget = budget
  }

  place(stage: number): boolean {
    const at = this.#stages[stage]
    if (at === undefined) return true
    return at.request.alternatives.some((wanted) => {
      if (wanted.count === 'all') return this.#takeAll(stage, at, wanted)
      return this.#takeSome(stage, at, wanted, wanted.count, 0)
    })
  }

  /** All that match, or nothing: a pool that is not whole might hide one. */
  #takeAll(stage: number, at: { claim: WantedClaim; request: WantedRequest }, wanted: WantedDevices): boolean {
    const devices = this.#matchingOf(wanted)
    if (devices.length === 0 || this.#target.pools.some(({ isWhole }) => !isWhole)) return false
    const before = this.picks.length
    if (devices.every((device) => this.#take(at, wanted, device)) && this.place(stage + 1)) return true
    while (this.picks.length > before) this.#giveBack()
    return false
  }

  #takeSome(
    stage: number,
    at: { claim: WantedClaim; request: WantedRequest },
    wanted: WantedDevices,
    missing: number,
    from: number,
  ): boolean {
    if (missing === 0) return this.place(stage + 1)
    const devices = this.#matchingOf(wanted)
    const failed = new Set<string>()
    for (let index = from; index + missing <= devices.length; index += 1) {
      const device = devices[index]
      if (device === undefined || failed.has(device.likeness ?? '') || !this.#take(at, wanted, device)) continue
      if (this.#takeSome(stage, at, wanted, missing - 1, index + 1)) return true
      this.#giveBack()
      if (device.likeness !== undefined) failed.add(device.likeness)
    }
    return false
  }

  #take(
    { claim, request }: { readonly claim: WantedClaim; readonly request: WantedRequest },
    wanted: WantedDevices,
    device: PooledDevice,
  ): boolean {
    this.#budget.left -= 1
    if (this.#budget.left < 0) throw new SpentError('too many devices were tried')
    if (this.picks.filter((pick) => pick.claim === claim).length >= devicesPerClaimMax) return false
    const name = wanted.name === '' ? request.name : `${request.name}/${wanted.name}`
    if (!this.#keepsConstraints(claim, name, device)) return false
    const reached = this.picks.map((pick) => pick.device)
    if (!this.#target.joins(reached, device)) return false
    const draws = request.adminAccess ? [] : drawsOf(device, wanted.capacity)
    if (draws === undefined) return false
    for (const draw of draws) {
      if (this.#target.left(draw) - (this.#drawn.get(draw.meter) ?? 0n) < draw.amount) return false
    }
    for (const { meter, amount } of draws) this.#drawn.set(meter, (this.#drawn.get(meter) ?? 0n) + amount)
    this.picks.push({ claim, request: name, device, draws })
    return true
  }

  #giveBack(): void {
    for (const { meter, amount } of this.picks.pop()?.draws ?? []) {
      this.#drawn.set(meter, (this.#drawn.get(meter) ?? 0n) - amount)
    }
  }

  #keepsConstraints(claim: WantedClaim, request: string, device: PooledDevice): boolean {
    return claim.constraints.every(({ attribute, requests }) => {
      if (!covers(requests, request)) return true
      const value = attributeText(device, attribute)
      if (value === undefined) return false
      const other = this.picks.find((pick) => pick.claim === claim && covers(requests, pick.request))
      return other === undefined || attributeText(other.device, attribute) === value
    })
  }

  #matchingOf(wanted: WantedDevices): readonly PooledDevice[] {
    const known = this.#matching.get(wanted)
    if (known !== undefined) return known
    const devices = this.#target.pools.flatMap((pool) =>
      pool.devices.filter((device) => this.#target.reaches(device) && this.#matches(wanted, device)),
    )
    this.#matching.set(wanted, devices)
    return devices
  }

  #matches({ expressions, tolerations }: WantedDevices, { driver, spec }: PooledDevice): boolean {
    const isRight = expressions.every((expression) => {
      const verdict = this.#selectors.judge(expression, driver, spec)
      if (verdict.kind === 'error') throw new SelectorError(verdict.text)
      return verdict.kind === 'matches'
    })
    return isRight && untoleratedTaints(taintsOf(spec), tolerations).length === 0
  }
}

/** A constraint without requests concerns all; one that names a request concerns each of its alternatives. */
function covers(requests: readonly string[], name: string): boolean {
  const [main = ''] = name.split('/')
  return requests.length === 0 || requests.includes(name) || requests.includes(main)
}

/** Names without a domain belong to the driver's. */
function attributeText({ driver, spec }: PooledDevice, attribute: string): string | undefined {
  const short = attribute.startsWith(`${driver}/`) ? attribute.slice(driver.length + 1) : attribute
  const value = spec.attributes?.[attribute] ?? spec.attributes?.[short]
  if (value !== undefined) return JSON.stringify(value)
  const binding = spec.bindings?.[attribute] ?? spec.bindings?.[short]
  return binding === undefined ? undefined : `binding ${binding}`
}
