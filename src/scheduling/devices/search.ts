import { untoleratedTaints } from '../../model/taints.ts'
import { capacityDraws, deviceMeter, drawsOf, isShareable, sharesMeter } from './consumption.ts'
import type { Draw } from './ledger.ts'
import type { DevicePool, PooledDevice, Reach } from './pools.ts'
import type { DeviceSelectors, SelectorVerdict } from './selector.ts'
import { taintsOf } from './taints.ts'
import { devicesPerClaimMax, type WantedClaim, type WantedDevices, type WantedRequest } from './wanted.ts'

/** A machine as the search sees it. */
export interface SearchTarget {
  /** The pools that it reaches, in the order to try: existing ones before those of templates. */
  readonly pools: readonly DevicePool[]
  readonly reaches: (reach: Reach) => boolean
  /** Whether one node could reach `device` and all devices picked so far. */
  readonly joins: (picked: readonly PooledDevice[], device: PooledDevice) => boolean
  /** What is left of the draw's meter, apart from what this search takes. */
  readonly left: (draw: Draw) => bigint
  /** Whether anything of the meter is gone, apart from what this search takes, for this machine or by claims that are allocated. */
  readonly isDrawn: (meter: string) => boolean
}

export interface DevicePick {
  readonly claim: WantedClaim
  readonly request: string
  readonly device: PooledDevice
  /** None of administrators: what they look at stays free for others. */
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

/** Devices that may still be tried. Counted instead of timed: two hundred thousand take about half a second. */
export interface SearchBudget {
  left: number
}

/** How many devices that the target reaches match, free or not. */
export function countMatching(target: SearchTarget, wanted: WantedDevices, selectors: DeviceSelectors): number {
  let count = 0
  for (const { devices } of target.pools) {
    for (const device of devices) {
      if (!target.reaches(device.reach)) continue
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
  readonly #matching = new Map<WantedDevices, Matching>()
  readonly #drawn = new Map<string, bigint>()
  /** What each pick has drawn, those of administrators included: what they look at is free for other pods, not for their own. */
  readonly #drawnBy: (readonly Draw[])[] = []

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

  /** All that match, or nothing: a pool that is not whole might hide one, and one that keeps the request away is not free. */
  #takeAll(stage: number, at: { claim: WantedClaim; request: WantedRequest }, wanted: WantedDevices): boolean {
    const { devices: matching, failure } = this.#matchingOf(wanted)
    if (failure !== undefined) throw failure
    const devices = matching.filter((device) => this.#isLargeEnough(device, wanted))
    if (devices.length === 0 || this.#target.pools.some((pool) => this.#mayHideDevices(pool))) return false
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
    const { devices, failure } = this.#matchingOf(wanted)
    const failed = new Set<string>()
    for (let index = from; index + missing <= devices.length; index += 1) {
      const device = devices[index]
      if (device === undefined || failed.has(device.likeness ?? '') || !this.#take(at, wanted, device)) continue
      if (this.#takeSome(stage, at, wanted, missing - 1, index + 1)) return true
      this.#giveBack()
      // To an administrator one in use is as good as a free one, to whom the free one is left it is not.
      if (device.likeness !== undefined && !at.request.adminAccess) failed.add(device.likeness)
    }
    if (failure !== undefined) throw failure
    return false
  }

  /** Devices that never had enough of a capacity, or have not enough of it left by now, are none of those that all are. */
  #isLargeEnough(device: PooledDevice, { capacity }: WantedDevices): boolean {
    return capacityDraws(device, capacity)?.every((draw) => this.#target.left(draw) >= draw.amount) ?? false
  }

  #mayHideDevices({ isWhole, reaches }: DevicePool): boolean {
    return !isWhole && reaches.some((reach) => this.#target.reaches(reach))
  }

  #take(
    { claim, request }: { readonly claim: WantedClaim; readonly request: WantedRequest },
    wanted: WantedDevices,
    device: PooledDevice,
  ): boolean {
    this.#budget.left -= 1
    if (this.#budget.left < 0) throw new SpentError('too many devices were tried')
    if (untoleratedTaints(taintsOf(device.spec), wanted.tolerations).length > 0) return false
    const ofClaim = this.picks.filter((pick) => pick.claim === claim)
    if (ofClaim.length >= devicesPerClaimMax) return false
    // Not even an administrator has the same device twice in one claim.
    if (!isShareable(device) && ofClaim.some((pick) => pick.device === device)) return false
    const name = wanted.name === '' ? request.name : `${request.name}/${wanted.name}`
    if (!this.#keepsConstraints(claim, name, device)) return false
    const reached = this.picks.map((pick) => pick.device)
    if (!this.#target.joins(reached, device)) return false
    const draws = this.#drawsOf(device, wanted)
    if (draws === undefined) return false
    for (const draw of draws) {
      // Administrators do not need the device to be free, but all else.
      if (request.adminAccess && draw.meter === deviceMeter(device.key)) continue
      if (this.#target.left(draw) - (this.#drawn.get(draw.meter) ?? 0n) < draw.amount) return false
    }
    for (const { meter, amount } of draws) this.#drawn.set(meter, (this.#drawn.get(meter) ?? 0n) + amount)
    this.picks.push({ claim, request: name, device, draws: request.adminAccess ? [] : draws })
    this.#drawnBy.push(draws)
    return true
  }

  #drawsOf(device: PooledDevice, wanted: WantedDevices): readonly Draw[] | undefined {
    const shares = sharesMeter(device.key)
    const isShared = this.#target.isDrawn(shares) || (this.#drawn.get(shares) ?? 0n) > 0n
    return drawsOf(device, wanted.capacity, isShared)
  }

  #giveBack(): void {
    this.picks.pop()
    for (const { meter, amount } of this.#drawnBy.pop() ?? []) {
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

  /** In the order to try, up to the first of which a selector cannot be judged: as long as the search does not come so far, all is well. */
  #matchingOf(wanted: WantedDevices): Matching {
    const known = this.#matching.get(wanted)
    if (known !== undefined) return known
    const devices: PooledDevice[] = []
    const matching: { devices: PooledDevice[]; failure?: SelectorError } = { devices }
    this.#matching.set(wanted, matching)
    for (const pool of this.#target.pools) {
      for (const device of pool.devices) {
        if (!this.#target.reaches(device.reach)) continue
        const verdict = this.#judge(wanted, device)
        if (verdict.kind === 'error') return Object.assign(matching, { failure: new SelectorError(verdict.text) })
        if (verdict.kind === 'matches') devices.push(device)
      }
    }
    return matching
  }

  /** The first selector that does not match decides; the class's come first. */
  #judge({ expressions }: WantedDevices, { driver, spec }: PooledDevice): SelectorVerdict {
    for (const expression of expressions) {
      const verdict = this.#selectors.judge(expression, driver, spec)
      if (verdict.kind !== 'matches') return verdict
    }
    return { kind: 'matches' }
  }
}

interface Matching {
  readonly devices: readonly PooledDevice[]
  /** Of the next one, which nobody can judge. */
  readonly failure?: SelectorError
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
