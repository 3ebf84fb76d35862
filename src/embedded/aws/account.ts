import type { Clock } from '../../model/clock.ts'
import type { SeededRandom } from '../random.ts'
import { fractionOf } from '../random.ts'
import { catalogue, onDemandPrice, type RegionFacts, type TypeFacts, zonesOffering } from './catalogue.ts'
import { AWSError } from './errors.ts'
import type { AWSState, InstanceRecord, InstanceState, SubnetRecord } from './state.ts'
import { isLive } from './state.ts'

export interface InstanceEvent {
  readonly instance: InstanceRecord
  /** The state it has just entered. */
  readonly state: InstanceState
}

export interface AWSTimings {
  /** From the launch to state running. */
  readonly pendingMs: number
  /** From the terminate call to state terminated. */
  readonly terminationMs: number
  /** How long a terminated instance is still described. */
  readonly tombstoneMs: number
  /** How long a new instance or launch template is invisible to other calls: EC2 is eventually consistent. */
  readonly visibilityMs: number
}

/** EC2's usual pace. */
export const defaultTimings: AWSTimings = {
  pendingMs: 5_000,
  terminationMs: 20_000,
  tombstoneMs: 3_600_000,
  visibilityMs: 0,
}

/** Discount assumed for types without a known one, in percent. */
const usualSpotSavingPercent = 60

/** One account in one region: the state, and what the services have in common. */
export class Account {
  readonly id = '111122223333'
  readonly region: RegionFacts
  readonly clock: Clock
  readonly random: SeededRandom
  readonly timings: AWSTimings
  /** Type names offered here, in name order. */
  readonly types: readonly TypeFacts[]
  state: AWSState
  readonly #listeners = new Set<(event: InstanceEvent) => void>()
  readonly #typeByName: ReadonlyMap<string, TypeFacts>
  /** By the monotonic clock: when the wall clock of the cluster jumps, that of EC2 does not. */
  readonly #addedAt = new Map<string, number>()
  readonly #instances = new Map<string, InstanceRecord>()

  constructor(options: {
    region: RegionFacts
    clock: Clock
    random: SeededRandom
    timings: AWSTimings
    state: AWSState
    /** Types to leave out, for a small world; all when absent. */
    offers?: (facts: TypeFacts) => boolean
  }) {
    this.region = options.region
    this.clock = options.clock
    this.random = options.random
    this.timings = options.timings
    this.state = options.state
    const offers = options.offers ?? (() => true)
    this.types = [...catalogue().values()].filter(
      (facts) => zonesOffering(facts, this.region).length > 0 && offers(facts),
    )
    this.#typeByName = new Map(this.types.map((facts) => [facts.name, facts]))
    this.#reindex()
  }

  get partition(): string {
    if (this.region.name.startsWith('us-gov-')) return 'aws-us-gov'
    return this.region.name.startsWith('cn-') ? 'aws-cn' : 'aws'
  }

  arn(service: string, resource: string): string {
    const region = service === 'iam' ? '' : this.region.name
    return `arn:${this.partition}:${service}:${region}:${this.id}:${resource}`
  }

  newID(prefix: string): string {
    return `${prefix}-0${this.random.hex(16)}`
  }

  load(state: AWSState): void {
    this.state = state
    this.#reindex()
    for (const instance of state.instances) {
      this.#arm(instance)
      this.#armReclaim(instance)
    }
  }

  type(name: string): TypeFacts | undefined {
    return this.#typeByName.get(name)
  }

  instance(id: string): InstanceRecord | undefined {
    return this.#instances.get(id)
  }

  /** Tells of every change of an instance's state, right after it. Returns how to stop. */
  onInstance(listener: (event: InstanceEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** Whether reads show the instance: a new one may be hidden for a while. */
  isVisible({ id }: InstanceRecord): boolean {
    const addedAt = this.#addedAt.get(id) ?? Number.NEGATIVE_INFINITY
    return this.clock.monotonicMs() - addedAt >= this.timings.visibilityMs
  }

  addInstance(instance: InstanceRecord): void {
    this.state.instances.push(instance)
    this.#addedAt.set(instance.id, this.clock.monotonicMs())
    this.#instances.set(instance.id, instance)
    this.#publish(instance)
    this.#arm(instance)
  }

  enter(instance: InstanceRecord, state: InstanceState, reason?: string): void {
    if (instance.state === state) return
    instance.state = state
    instance.since = this.clock.now()
    if (reason !== undefined) instance.stateReason = reason
    this.#publish(instance)
    this.#arm(instance)
  }

  /** Announces that EC2 takes the instance away at that time. */
  reclaim(instance: InstanceRecord, at: number): void {
    instance.reclaimAt = at
    this.#armReclaim(instance)
  }

  /** The zones a type is sold in, by name. */
  zonesOf(facts: TypeFacts): readonly string[] {
    return zonesOffering(facts, this.region)
  }

  zoneID(zone: string): string {
    return this.region.zones.find(({ name }) => name === zone)?.id ?? ''
  }

  freeAddresses(subnet: SubnetRecord): number {
    let taken = 0
    for (const instance of this.state.instances) {
      if (instance.subnetID === subnet.id && instance.state !== 'terminated') taken += instance.interfaces.length
    }
    return Math.max(0, subnet.addresses - taken)
  }

  onDemandPrice(facts: TypeFacts): number | undefined {
    return onDemandPrice(facts, this.region)
  }

  hasSpotPrice(facts: TypeFacts, zone: string): boolean {
    if (this.state.spotPrices[`${facts.name}/${zone}`] !== undefined) return true
    return facts.usageClasses.includes('spot') && this.onDemandPrice(facts) !== undefined
  }

  /** A price of a zone: the type's usual saving, a little more or less by zone, unless it was set. */
  spotPrice(facts: TypeFacts, zone: string): number | undefined {
    const set = this.state.spotPrices[`${facts.name}/${zone}`]
    if (set !== undefined) return set
    const onDemand = this.onDemandPrice(facts)
    if (onDemand === undefined || !this.hasSpotPrice(facts, zone)) return undefined
    const saving = facts.spotSavings[this.region.name] ?? usualSpotSavingPercent
    const factor = 0.9 + 0.2 * fractionOf(`spot/${facts.name}/${zone}`)
    return Math.round(onDemand * (1 - saving / 100) * factor * 1e4) / 1e4
  }

  /** How deep a spot pool is, from 0 (about to be interrupted) to 1: what capacity-optimized strategies look at. */
  spotDepth(facts: TypeFacts, zone: string): number {
    return fractionOf(`depth/${facts.name}/${zone}`)
  }

  /** How many more instances the pool holds; Infinity when nothing limits it. */
  capacityLeft(type: string, zone: string, capacityType: string): number {
    const rule = this.#ruleFor(type, zone, capacityType)
    if (rule === undefined) return Number.POSITIVE_INFINITY
    const used = rule.instanceIDs.filter((id) => {
      const instance = this.instance(id)
      return instance !== undefined && instance.state !== 'terminated'
    })
    return Math.max(0, rule.limit - used.length)
  }

  takeCapacity(instance: InstanceRecord): void {
    this.#ruleFor(instance.type, instance.zone, instance.lifecycle)?.instanceIDs.push(instance.id)
  }

  runningVCPUs(lifecycle: 'on-demand' | 'spot'): number {
    let sum = 0
    for (const instance of this.state.instances) {
      if (isLive(instance) && instance.lifecycle === lifecycle) sum += this.type(instance.type)?.vcpu ?? 0
    }
    return sum
  }

  assertType(name: string): TypeFacts {
    const facts = this.type(name)
    if (facts === undefined) {
      throw new AWSError('InvalidInstanceType', `The following supplied instance types do not exist: [${name}]`)
    }
    return facts
  }

  #ruleFor(type: string, zone: string, capacityType: string) {
    return this.state.capacity.findLast(
      (rule) =>
        (rule.type === undefined || rule.type === type) &&
        (rule.zone === undefined || rule.zone === zone) &&
        (rule.capacityType === undefined || rule.capacityType === capacityType),
    )
  }

  #publish(instance: InstanceRecord): void {
    for (const listener of [...this.#listeners]) listener({ instance, state: instance.state })
  }

  /** Schedules what happens next to an instance by itself. */
  #arm(instance: InstanceRecord): void {
    const after = (ms: number, run: () => void) => {
      const { state } = instance
      this.clock.schedule(Math.max(0, instance.since + ms - this.clock.now()), () => {
        if (this.instance(instance.id) === instance && instance.state === state) run()
      })
    }
    if (instance.state === 'pending') after(this.timings.pendingMs, () => this.enter(instance, 'running'))
    if (instance.state === 'stopping') after(this.timings.terminationMs, () => this.enter(instance, 'stopped'))
    if (instance.state === 'shutting-down') {
      after(this.timings.terminationMs, () => this.enter(instance, 'terminated'))
    }
    if (instance.state === 'terminated') {
      after(this.timings.tombstoneMs, () => {
        this.state.instances = this.state.instances.filter(({ id }) => id !== instance.id)
        this.#instances.delete(instance.id)
        this.#addedAt.delete(instance.id)
      })
    }
  }

  #armReclaim(instance: InstanceRecord): void {
    if (instance.reclaimAt === undefined) return
    this.clock.schedule(instance.reclaimAt - this.clock.now(), () => {
      if (this.instance(instance.id) !== instance || !isLive(instance)) return
      this.enter(instance, 'shutting-down', 'Server.SpotInstanceTermination')
    })
  }

  #reindex(): void {
    this.#instances.clear()
    for (const instance of this.state.instances) this.#instances.set(instance.id, instance)
  }
}
