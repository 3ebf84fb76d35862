import { podKey, type PodInfo } from '../model/pod.ts'
import { and, type Bits, emptyBits, forEachBit, isEmptyBits, orInto } from './bitset.ts'
import { ClaimOrder, firstClaims } from './claim-order.ts'
import type { SolveContext } from './context.ts'
import { type DeviceAllocator, type DeviceFit, isDeviceRefusal } from './devices/allocator.ts'
import { type HeldPort, portConflict } from './host-ports.ts'
import type { PoolLimits } from './limits.ts'
import type { PodClass } from './pod-class.ts'
import type { SetID } from './requirement-space.ts'
import {
  isRefusal,
  noReservations,
  type Reservations,
  type ReservationIDs,
  type ReservedMode,
  type ReservedRefusal,
} from './reservations.ts'
import { type AttemptMemo, otherSettlements, tellsTargetsApart, refused, settle } from './settle.ts'
import type { Template } from './template.ts'
import type { Prospects, Topology } from './topology/topology.ts'

/** A node that the solve intends to make: what it can still become, and the pods that wait for it. */
export interface Claim {
  readonly index: number
  readonly template: Template
  readonly hostname: string
  /** The pods that it was opened for, when the request says which belong together; others stay away. */
  readonly bin: number | undefined
  /** Host id, past those of all nodes. */
  readonly host: number
  set: SetID
  /** That labels exist of which the set says only what they are not, since its pods need some value. */
  existing: SetID
  /** Slots of the template's catalogue that suit all its pods. */
  slots: Bits
  /** Requests of its pods, by resource index. */
  readonly totals: Float64Array
  /** Up to these totals the slots stay the same. */
  readonly floors: Float64Array
  readonly pods: PodInfo[]
  readonly ports: HeldPort[]
  reservations: ReservationIDs
}

export type OpenOutcome =
  | { readonly kind: 'opened'; readonly claim: Claim }
  | { readonly kind: 'reserved'; readonly template: Template; readonly refusal: ReservedRefusal }
  | { readonly kind: 'refused' }

/** Whether a pool's limits leave out types: explanations ask what would be without them. */
export type LimitsHeeded = 'kept' | 'lifted'

interface Fit extends Pick<Claim, 'set' | 'existing'> {
  readonly slots: Bits
  readonly reservations: ReservationIDs
  readonly minValuesRelaxed: boolean
  readonly devices: DeviceFit | undefined
}

/** Where to note that a claim is full; undefined for a claim that is about to be opened. */
type Memory = { readonly full: Uint8Array; readonly index: number } | undefined

type Draft = Pick<Claim, 'template' | 'slots' | 'totals' | 'floors' | 'ports' | 'reservations' | 'set' | 'existing'>

export interface ClaimsOptions {
  readonly topology: Topology
  readonly limits: ReadonlyMap<Template, PoolLimits>
  readonly reservations: Reservations
  readonly reservedMode: ReservedMode
  /** Undefined when no pod wants devices. */
  readonly devices: DeviceAllocator | undefined
}

/** The claims in flight of one solve. */
export class Claims {
  readonly all: Claim[] = []
  /** Whether the last opening from a template had to lower minValues: its claims share that annotation. */
  readonly minValuesRelaxed = new Map<Template, boolean>()
  work = 0
  readonly #context: SolveContext
  readonly #options: ClaimsOptions
  readonly #order = new ClaimOrder()
  readonly #memo: AttemptMemo
  /** Per request: claims without room for it. Room only shrinks, so a refusal stands. */
  readonly #full = new Map<number, Uint8Array>()
  /** Candidates of a template where pods have any room at all. */
  readonly #roomy = new Map<Template, Bits>()
  /** Requirement sets of the claims, by index. */
  #sets = new Int32Array(firstClaims)
  readonly #minValues = new Map<SetID, readonly { readonly key: string; readonly least: number }[]>()

  constructor(context: SolveContext, options: ClaimsOptions) {
    this.#context = context
    this.#options = options
    this.#memo = context.attemptsOnClaims
  }

  /** Puts the pod on the first claim of the bin that takes it, those with the fewest pods first. */
  join(podClass: PodClass, pod: PodInfo, bin?: number): Claim | undefined {
    this.#order.sort()
    const { topology } = this.#options
    const { hostLimits, hostAffinity } = topology.groups.of(podClass)
    // Claims that the scarcest host limit leaves open: when all of them have been looked at, the rest need not be.
    let open = this.all.length
    let scarcest: (typeof hostLimits)[number] | undefined
    for (const limit of hostLimits) {
      const left = this.all.length - limit.group.claimsAbove(limit.most)
      if (left < open) {
        open = left
        scarcest = limit
      }
    }
    if (open === 0) return undefined
    const full = this.#fullFor(podClass.requests.id)
    const shared = !tellsTargetsApart(podClass)
    const firstHost = this.#context.cluster.hostnames.length
    this.#memo.begin()
    const order = this.#order
    next: for (let position = 0; open > 0 && position < order.length; position += 1) {
      const index = order.at(position)
      this.work += 1
      if (scarcest === undefined) open -= 1
      else if (scarcest.group.onHost(firstHost + index) > scarcest.most) continue
      else open -= 1
      if (full[index] === 1 || (shared && this.#memo.get(this.#sets[index] ?? 0) === refused)) continue
      for (const { group, most } of hostLimits) if (group.onHost(firstHost + index) > most) continue next
      const claim = this.all[index]
      if (claim === undefined || claim.bin !== bin || this.#cannotSettle(podClass, claim)) continue
      if (hostAffinity.length > 0 && !topology.joinsHost(podClass, claim.host)) continue
      const fit = this.#fitFirst(podClass, pod, claim, { full, index })
      if (fit === undefined || isReserved(fit)) continue
      this.#add(podClass, pod, claim, fit)
      order.gained(position)
      return claim
    }
    return undefined
  }

  /** Opens a claim from the first template that suits the pod. A reservation that is used up ends the search. */
  open(podClass: PodClass, pod: PodInfo, bin?: number): OpenOutcome {
    const { topology, limits } = this.#options
    const host = this.nextHost
    const hostname = this.nextHostname
    for (const template of this.#context.templates) {
      this.work += 1
      const poolLimits = limits.get(template)
      if (poolLimits?.nodesExhausted === true) continue
      const draft = this.draft(template, 'kept')
      if (draft === undefined) continue
      this.#memo.begin()
      const named = { ...draft, hostname, host }
      if (this.#cannotSettle(podClass, named)) continue
      const { hostLimits } = topology.groups.of(podClass)
      if (hostLimits.some(({ most }) => most < 0) || !topology.joinsHost(podClass, host)) continue
      const fit = this.#fitFirst(podClass, pod, named, undefined)
      if (fit === undefined) continue
      if (isReserved(fit)) return { kind: 'reserved', template, refusal: fit }
      const claim: Claim = {
        template,
        set: draft.set,
        existing: draft.existing,
        slots: draft.slots,
        totals: draft.totals,
        floors: draft.floors,
        reservations: draft.reservations,
        index: this.all.length,
        hostname,
        bin,
        host,
        pods: [],
        ports: [],
      }
      this.all.push(claim)
      this.#add(podClass, pod, claim, fit)
      this.#order.append(claim.index)
      poolLimits?.take(claim.slots)
      this.minValuesRelaxed.set(template, fit.minValuesRelaxed)
      return { kind: 'opened', claim }
    }
    return { kind: 'refused' }
  }

  /** An empty claim of the template; undefined when its limits leave no type. */
  draft(template: Template, limits: LimitsHeeded): Draft | undefined {
    const allowed = limits === 'lifted' ? undefined : this.#options.limits.get(template)?.allowed()
    const slots = allowed === undefined ? this.#rooms(template) : and(this.#rooms(template), allowed)
    if (isEmptyBits(allowed === undefined ? template.candidates : and(template.candidates, allowed))) return undefined
    return {
      template,
      set: template.set,
      existing: this.#context.requirements.empty,
      slots,
      totals: new Float64Array(this.#context.amounts.size),
      floors: new Float64Array(this.#context.amounts.size),
      ports: [],
      reservations: noReservations,
    }
  }

  #rooms(template: Template): Bits {
    let slots = this.#roomy.get(template)
    if (slots === undefined) {
      slots = and(template.candidates, template.fit.roomy)
      this.#roomy.set(template, slots)
    }
    return slots
  }

  get nextHost(): number {
    return this.#context.cluster.hostnames.length + this.all.length
  }

  get nextHostname(): string {
    return placeholderName(this.all.length)
  }

  /** Slots that are free of port conflicts with daemons and earlier pods; undefined when no port is wanted. */
  portFreeSlots(
    podClass: PodClass,
    pod: PodInfo,
    { template, ports }: Pick<Draft, 'template' | 'ports'>,
  ): Bits | undefined {
    if (podClass.hostPorts.length === 0) return undefined
    const free = emptyBits(template.catalog.size)
    for (const [group, { ports: daemonPorts }] of template.groups.entries()) {
      const slots = template.groupSlots[group]
      if (slots === undefined) continue
      if (portConflict(pod.hostPorts, podKey(pod), [...daemonPorts, ...ports]) === undefined) orInto(free, slots)
    }
    return free
  }

  minValuesOf(set: SetID): readonly { readonly key: string; readonly least: number }[] {
    let wanted = this.#minValues.get(set)
    if (wanted === undefined) {
      wanted = [...this.#context.requirements.get(set).values()].flatMap(({ key, minValues }) =>
        minValues === undefined ? [] : [{ key, least: minValues }],
      )
      this.#minValues.set(set, wanted)
    }
    return wanted
  }

  /** A quick no for a whole kind of claim: taints, or requirements that no volume alternative saves. */
  #cannotSettle(
    podClass: PodClass,
    { set, template, hostname }: Pick<Claim, 'set' | 'template' | 'hostname'>,
  ): boolean {
    if (tellsTargetsApart(podClass))
      return !this.#context.tolerations.tolerates(podClass.tolerationsID, template.taintsID)
    const known = this.#memo.get(set)
    if (known !== undefined) return known === refused
    let result = refused
    if (this.#context.tolerations.tolerates(podClass.tolerationsID, template.taintsID)) {
      for (const alternative of podClass.volumeAlternatives) {
        result = this.#settle(podClass, { set, hostname }, alternative)
        if (result !== refused) break
      }
    }
    this.#memo.put(set, result)
    return result === refused
  }

  #settle(
    podClass: PodClass,
    { set, hostname }: Pick<Claim, 'set' | 'hostname'>,
    alternative: PodClass['volumeAlternatives'][number],
    devices?: (set: SetID) => SetID,
  ): SetID {
    return settle(podClass, { set, hostname, lenient: true }, alternative, this.#settleContext(devices))
  }

  #settleContext(devices: ((set: SetID) => SetID) | undefined): Parameters<typeof settle>[3] {
    const { topology } = this.#options
    const { requirements } = this.#context
    return devices === undefined ? { requirements, topology } : { requirements, topology, devices }
  }

  /** The first volume alternative that works out; a reservation refusal only when none does and the last one failed so. */
  #fitFirst(
    podClass: PodClass,
    pod: PodInfo,
    claim: Draft & Pick<Claim, 'hostname' | 'host'>,
    memory: Memory,
  ): Fit | ReservedRefusal | undefined {
    const [only, ...others] = podClass.volumeAlternatives
    if (only !== undefined && others.length === 0 && !tellsTargetsApart(podClass)) {
      const set = this.#memo.get(claim.set) ?? refused
      if (set === refused) return undefined
      const fit = this.#fit(podClass, pod, claim, set, memory)
      return fit ?? this.#fitOtherwise(podClass, pod, claim, { set, alternative: only, memory })
    }
    let last: ReservedRefusal | undefined
    for (const alternative of podClass.volumeAlternatives) {
      let devices: DeviceFit | undefined
      const set = this.#settle(podClass, claim, alternative, (merged) => {
        devices = this.#devicesFor(podClass, pod, claim, merged)
        return devices?.set ?? refused
      })
      const fit =
        set === refused
          ? undefined
          : (this.#fit(podClass, pod, claim, set, memory, devices) ??
            this.#fitOtherwise(podClass, pod, claim, { set, alternative, memory, devices }))
      if (fit !== undefined && !isReserved(fit)) return fit
      last = fit
    }
    return last
  }

  /** Where no node can be made of what the claim would be, topology may let it be another thing: in the next zone, say. */
  #fitOtherwise(
    podClass: PodClass,
    pod: PodInfo,
    claim: Draft & Pick<Claim, 'hostname'>,
    tried: {
      readonly set: SetID
      readonly alternative: PodClass['volumeAlternatives'][number]
      readonly memory: Memory
      readonly devices?: DeviceFit | undefined
    },
  ): Fit | undefined {
    const { memory, devices } = tried
    if (this.#options.topology.groups.of(podClass).elsewhere.length === 0) return undefined
    if (memory !== undefined && memory.full[memory.index] === 1) return undefined
    const roomy = this.#withRoom(podClass, claim)
    if (roomy === undefined) return undefined
    const { set, hostname, template } = claim
    const slotsOf = (wanted: SetID): Bits => {
      this.work += 1
      return and(roomy, template.catalog.suitable(wanted))
    }
    const prospects: Prospects = {
      admits: (wanted) => !isEmptyBits(slotsOf(wanted)),
      values: (wanted, key) => template.catalog.possibleValues(key, slotsOf(wanted)),
    }
    const context = { ...this.#settleContext(devices === undefined ? undefined : () => devices.set), prospects }
    for (const other of otherSettlements(podClass, { set, hostname, lenient: true }, tried.alternative, context)) {
      if (other === tried.set) continue
      this.work += 1
      const fit = this.#fit(podClass, pod, claim, other, memory, devices)
      if (fit !== undefined && !isReserved(fit)) return fit
    }
    return undefined
  }

  #devicesFor(
    podClass: PodClass,
    pod: PodInfo,
    { host, template, slots }: Pick<Claim, 'host' | 'template' | 'slots'>,
    set: SetID,
  ): DeviceFit | undefined {
    const { devices } = this.#options
    if (!podClass.hasResourceClaims || devices === undefined) return { set, ...noDevices }
    const answer = devices.onDraft(pod, { target: host, template, slots }, set)
    return isDeviceRefusal(answer) ? undefined : answer
  }

  #fit(
    podClass: PodClass,
    pod: PodInfo,
    claim: Draft,
    set: SetID,
    memory: Memory,
    devices?: DeviceFit,
  ): Fit | ReservedRefusal | undefined {
    const { template } = claim
    let slots = this.#withRoom(podClass, claim)
    if (slots === undefined) {
      if (memory !== undefined) memory.full[memory.index] = 1
      return undefined
    }
    if (set !== claim.set) slots = and(slots, template.catalog.suitable(set))
    const { requirements } = this.#context
    const existing = requirements.merge(claim.existing, podClass.full.existing)
    if (existing !== requirements.empty && !requirements.compatible(set, existing)) return undefined
    if (existing !== claim.existing) slots = and(slots, template.catalog.compatible(existing))
    const portFree = this.portFreeSlots(podClass, pod, claim)
    if (portFree !== undefined) slots = and(slots, portFree)
    if (devices?.slots !== undefined) slots = and(slots, devices.slots)
    if (slots !== claim.slots && isEmptyBits(slots)) return undefined
    let finalSet = set
    let minValuesRelaxed = false
    for (const { key, least } of this.minValuesOf(set)) {
      const reached = template.catalog.distinctValues(key, slots)
      if (reached >= least) continue
      const isNew = memory === undefined
      if (!isNew || !template.lowersMinValues) return undefined
      finalSet = this.#lowerMinValues(finalSet, key, reached)
      minValuesRelaxed = true
    }
    const { reservations, reservedMode } = this.#options
    const ids = reservations.offered(template.catalog, slots, finalSet, claim.reservations, reservedMode)
    return isRefusal(ids) ? ids : { set: finalSet, existing, slots, reservations: ids, minValuesRelaxed, devices }
  }

  /** Slots with room for one more pod; undefined when none has, whatever the requirements. */
  #withRoom({ requests }: PodClass, { template, slots, totals, floors }: Draft): Bits | undefined {
    let roomy = slots
    const { indexes, amounts } = requests
    for (let i = 0; i < indexes.length; i += 1) {
      const resource = indexes[i] ?? 0
      const need = (totals[resource] ?? 0) + (amounts[i] ?? 0)
      if (need <= (floors[resource] ?? 0)) continue
      const enough = template.fit.atLeast(resource, need)
      if (enough === undefined) return undefined
      roomy = and(roomy, enough)
    }
    return isEmptyBits(roomy) ? undefined : roomy
  }

  #add(podClass: PodClass, pod: PodInfo, claim: Claim, fit: Fit): void {
    const { topology, reservations } = this.#options
    claim.pods.push(pod)
    claim.set = fit.set
    claim.existing = fit.existing
    if (claim.index >= this.#sets.length) {
      const larger = new Int32Array(this.#sets.length * 2)
      larger.set(this.#sets)
      this.#sets = larger
    }
    this.#sets[claim.index] = fit.set
    claim.slots = fit.slots
    const { indexes, amounts } = podClass.requests
    for (const [position, resource] of indexes.entries()) {
      const total = (claim.totals[resource] ?? 0) + (amounts[position] ?? 0)
      claim.totals[resource] = total
      claim.floors[resource] = claim.template.fit.nextThreshold(resource, total)
    }
    this.#holdDevices(claim, fit.devices)
    reservations.exchange(claim.reservations, fit.reservations)
    claim.reservations = fit.reservations
    for (const port of pod.hostPorts) claim.ports.push({ port, pod: podKey(pod) })
    const { set, existing, host } = claim
    topology.groups.record(podClass, { set, existing, host, taintsID: claim.template.taintsID })
  }

  #holdDevices({ host, template, slots }: Claim, fit: DeviceFit | undefined): void {
    const { devices } = this.#options
    if (devices === undefined || (fit === undefined && !devices.holdsFor(host))) return
    const types = new Set<number>()
    forEachBit(slots, (slot) => types.add(template.catalog.slots[slot]?.typeIndex ?? 0))
    devices.keepTypes(host, types)
    if (fit !== undefined && fit.claims.length > 0) devices.commit(fit, host, types)
  }

  #lowerMinValues(set: SetID, key: string, reached: number): SetID {
    const { requirements } = this.#context
    const requirement = requirements.requirement(set, key)
    return requirement === undefined ? set : requirements.replace(set, key, { ...requirement, minValues: reached })
  }

  #fullFor(requests: number): Uint8Array {
    let full = this.#full.get(requests)
    if (full === undefined || full.length < this.all.length) {
      const larger = new Uint8Array(Math.max(64, this.all.length * 2))
      if (full !== undefined) larger.set(full)
      full = larger
      this.#full.set(requests, full)
    }
    return full
  }
}

const noDevices = { slots: undefined, claims: [], outcomes: new Map<number, never>() }

export function placeholderName(index: number): string {
  return `hostname-placeholder-${String(index + 1).padStart(4, '0')}`
}

function isReserved(fit: Fit | ReservedRefusal): fit is ReservedRefusal {
  return 'kind' in fit
}
