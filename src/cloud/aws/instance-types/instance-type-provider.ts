import type { InstanceTypeInfo } from '@aws-sdk/client-ec2'
import type { EC2NodeClass } from '../../../api/karpenter.ts'
import type { Logger } from '../../../kube/logger.ts'
import type { Gauge } from '../../../kube/metrics.ts'
import type { Clock } from '../../../model/clock.ts'
import { byIdentity } from '../../../model/by-identity.ts'
import { ExpiringMap } from '../../../model/expiring-map.ts'
import { type InstanceType, type Offering, typesByName } from '../../../model/instance-type.ts'
import { compareText } from '../../../model/order.ts'
import { isSameList } from '../../../model/same-list.ts'
import { withImageLack } from '../ami/map-types.ts'
import { canonicalText, hash64 } from '../canonical.ts'
import type { ReservationProvider } from '../capacity-reservation/reservation-provider.ts'
import type { PlacementGroupProvider } from '../placement-group/placement-group-provider.ts'
import type { PricingProvider } from '../pricing/pricing-provider.ts'
import type { AWSGates, AWSSettings } from '../settings.ts'
import type { UnavailableOfferings } from '../unavailable-offerings.ts'
import { specOf } from '../wire.ts'
import type { ZonalShiftProvider } from '../zonal-shift/zonal-shift-provider.ts'
import type { InstanceTypeCatalogue } from './catalogue.ts'
import { demandsOf, typeSettingsOf } from './class-settings.ts'
import { type ClassDemands, meetsDemands } from './compatibility.ts'
import type { DiscoveredMemory } from './discovered-memory.ts'
import {
  type OfferedType,
  type OfferingInputs,
  offeringsOf,
  type RequirementsMemo,
  reservedOfferingsOf,
} from './offerings.ts'
import type { OverlayPrices } from './overlay-prices.ts'
import { usageClasses } from './requirements.ts'
import { type ResolvedType, resolveInstanceType } from './resolve.ts'
import type { TypeSettings } from './type-settings.ts'

const mebibyte = 2 ** 20
/** Entries not asked for in this time are dropped: each state of a class holds a list of a thousand types. */
const unusedMs = 5 * 60_000
/** Memory that nodes have shown lapses without an event. */
const resolveAgainMs = 24 * 3_600_000

export interface InstanceTypeOptions {
  readonly region: string
  readonly clock: Clock
  readonly settings: Pick<AWSSettings, 'reservedENIs' | 'vmMemoryOverheadPercent'>
  readonly gates: AWSGates
  readonly log: Logger
  readonly catalogue: InstanceTypeCatalogue
  readonly pricing: PricingProvider
  readonly unavailable: UnavailableOfferings
  readonly reservations: ReservationProvider
  readonly placementGroups: PlacementGroupProvider
  readonly zonalShift: ZonalShiftProvider
  readonly discoveredMemory: DiscoveredMemory
  readonly gauges: { readonly cpuCores: Gauge; readonly memoryBytes: Gauge }
  /** Prices that NodeOverlays give to types without one. */
  readonly overlayPrices: Pick<OverlayPrices, 'get' | 'period'>
}

class InstanceTypeError extends Error {
  readonly code = 'InstanceType'
  override readonly name = 'InstanceTypeError'
}

/** The last answer for a class, with all that could have changed it since. */
interface Answer {
  readonly facts: readonly unknown[]
  readonly at: number
  readonly types: readonly InstanceType[]
}

/** Types as a class sees them, and what each was resolved with that may change by itself. */
interface Resolved {
  readonly types: readonly ResolvedType[]
  /** What nodes had shown of each type. */
  readonly memoryBytes: readonly (bigint | undefined)[]
  /** When `memoryBytes` was read. */
  readonly memoryStamp: string
}

interface CachedOfferings {
  readonly sequence: string
  readonly offerings: readonly Offering[]
}

interface CachedList {
  readonly stamp: string
  readonly resolved: readonly ResolvedType[]
  readonly types: readonly InstanceType[]
}

/**
 * Instance types as a class sees them. A type's properties change rarely, its offerings with every capacity error, so offerings are kept
 * per type and rebuilt only where something moved. Results are cached under all their inputs while in use: callers that index a list get
 * the same array until something changes.
 */
export class InstanceTypeProvider {
  readonly #options: InstanceTypeOptions
  readonly #resolved: ExpiringMap<string, Resolved>
  readonly #offerings: ExpiringMap<string, CachedOfferings>
  readonly #lists: ExpiringMap<string, CachedList>
  readonly #memo: RequirementsMemo = new Map()
  /** Of classes without reservations, whose end is a matter of time. */
  readonly #settings = new WeakMap<EC2NodeClass, TypeSettings>()
  #answers = new WeakMap<EC2NodeClass, Answer>()

  constructor(options: InstanceTypeOptions) {
    const { clock } = options
    this.#options = options
    this.#resolved = new ExpiringMap({ clock, ttlMs: unusedMs })
    this.#offerings = new ExpiringMap({ clock, ttlMs: unusedMs })
    this.#lists = new ExpiringMap({ clock, ttlMs: unusedMs })
  }

  /**
   * All types, sorted by name, also those of which nothing is available. The same list comes back until something changed.
   * @throws InstanceTypeError when types, offerings or the class's subnets are not known; ExpressionError, KubeletDecodeError
   */
  list(nodeClass: EC2NodeClass): readonly InstanceType[] {
    const { catalogue } = this.#options
    if (catalogue.types.size === 0) throw new InstanceTypeError('no instance types found')
    if (catalogue.zonesByType.size === 0) throw new InstanceTypeError('no instance types offerings found')
    if ((nodeClass.status?.subnets ?? []).length === 0) throw new InstanceTypeError('no subnets found')
    const settings = this.settingsOf(nodeClass)
    const facts = this.#factsOf(settings)
    const now = this.#options.clock.monotonicMs()
    const last = this.#answers.get(nodeClass)
    // Every machine of a listing asks. Reusing the last answer would let the entries behind it expire as unused, so they are read at least
    // every half `unusedMs`.
    if (facts !== undefined && last !== undefined && now - last.at < unusedMs / 2 && isSameList(last.facts, facts)) {
      return last.types
    }
    const resolvedKey = resolvedKeyOf(nodeClass, settings)
    const resolved = this.#resolve(nodeClass, settings, resolvedKey)
    const types = this.#withOfferings(nodeClass, settings, resolvedKey, resolved)
    if (facts !== undefined) this.#answers.set(nodeClass, { facts, at: now, types })
    return types
  }

  get(nodeClass: EC2NodeClass, name: string): InstanceType | undefined {
    return typesByName(this.list(nodeClass)).get(name)
  }

  info(name: string): InstanceTypeInfo | undefined {
    return this.#options.catalogue.types.get(name)
  }

  /** @throws KubeletDecodeError */
  settingsOf(nodeClass: EC2NodeClass): TypeSettings {
    const { region, settings, gates, clock, placementGroups } = this.#options
    const placementGroup = placementGroups.known(nodeClass)
    const known = this.#settings.get(nodeClass)
    if (known !== undefined && known.placementGroup === placementGroup) return known
    const found = typeSettingsOf(nodeClass, { region, settings, gates, now: clock.now(), placementGroup })
    if (found.reservations.length === 0) this.#settings.set(nodeClass, found)
    return found
  }

  /** Forgets what was resolved; types and offerings are resolved anew from the catalogue. */
  flush(): void {
    this.#resolved.clear()
    this.#offerings.clear()
    this.#lists.clear()
    this.#memo.clear()
    this.#answers = new WeakMap()
  }

  /** What a class's types and offerings depend on besides the class. Undefined with reservations, whose counts change with every launch. */
  #factsOf(settings: TypeSettings): readonly unknown[] | undefined {
    if (settings.reservations.length > 0) return undefined
    const { catalogue, discoveredMemory, pricing, unavailable, zonalShift } = this.#options
    return [
      settings,
      catalogue.version,
      discoveredMemory.version,
      this.#day,
      pricing.version,
      unavailable.version,
      zonalShift.shiftedZoneIDs().join(),
      this.#overlayPeriod,
    ]
  }

  get #day(): number {
    return Math.floor(this.#options.clock.monotonicMs() / resolveAgainMs)
  }

  get #overlayPeriod(): number {
    const { gates, overlayPrices } = this.#options
    return gates.nodeOverlay ? overlayPrices.period : 0
  }

  /** Only types of which nodes have shown something new are resolved again: right after a start each node tells. */
  #resolve(nodeClass: EC2NodeClass, settings: TypeSettings, classKey: string): readonly ResolvedType[] {
    const { catalogue, discoveredMemory } = this.#options
    const key = `${catalogue.version}/${classKey}`
    const memoryStamp = `${discoveredMemory.version}/${this.#day}`
    const known = this.#resolved.renewed(key)
    if (known?.memoryStamp === memoryStamp) return known.types
    const amisKey = discoveredMemory.keyOf(nodeClass.status?.amis ?? [])
    const memoryBytes = [...catalogue.types.keys()].map((name) => discoveredMemory.get(name, amisKey))
    if (known !== undefined && isSameList(known.memoryBytes, memoryBytes)) {
      this.#resolved.set(key, { ...known, memoryStamp })
      return known.types
    }
    const types = [...catalogue.types.values()].map((info, index) => {
      const before = known?.types[index]
      const bytes = memoryBytes[index]
      return before !== undefined && known?.memoryBytes[index] === bytes
        ? before
        : this.#resolveOne(nodeClass, info, settings, bytes)
    })
    this.#resolved.set(key, { types, memoryBytes, memoryStamp })
    return types
  }

  #resolveOne(
    nodeClass: EC2NodeClass,
    info: InstanceTypeInfo,
    settings: TypeSettings,
    memoryBytes: bigint | undefined,
  ): ResolvedType {
    const { catalogue, gauges, log } = this.#options
    const name = info.InstanceType ?? ''
    const zones = catalogue.zonesByType.get(name) ?? noZones
    const { type, dropped } = resolveInstanceType(info, settings, zones, memoryBytes)
    if (dropped.length > 0) {
      log.error(
        { EC2NodeClass: { name: nodeClass.metadata.name }, 'instance-type': name, fields: dropped },
        'dropping kubelet expressions that could not be evaluated',
      )
    }
    gauges.cpuCores.set({ instance_type: name }, Number(type.capacity.get('cpu')?.units ?? 0n))
    gauges.memoryBytes.set({ instance_type: name }, (info.MemoryInfo?.SizeInMiB ?? 0) * mebibyte)
    return withImageLack<ResolvedType>(type, nodeClass.status?.amis ?? [])
  }

  #withOfferings(
    nodeClass: EC2NodeClass,
    settings: TypeSettings,
    classKey: string,
    resolved: readonly ResolvedType[],
  ): readonly InstanceType[] {
    const { catalogue, pricing, unavailable, reservations, zonalShift } = this.#options
    const offeringKey = offeringKeyOf(nodeClass, settings)
    const contextKey = [
      catalogue.version,
      pricing.version,
      offeringKey,
      zonalShift.shiftedZoneIDs().join(),
      this.#overlayPeriod,
    ].join('/')
    const counts = settings.reservations.map((it) => [it.id, reservations.remaining(it.id), it.expiring])
    const stamp = `${contextKey}/${unavailable.version}/${JSON.stringify(counts)}`
    // Classes whose types resolve alike may still differ in their subnets: each keeps its own list.
    const listKey = `${classKey}/${offeringKey}`
    const listed = this.#lists.renewed(listKey)
    if (listed?.stamp === stamp && listed.resolved === resolved) return listed.types
    const inputs = this.#offeringInputs(nodeClass, settings)
    const demands = demandsOf(nodeClass, settings.placementGroup)
    const types = resolved.map((type, index): InstanceType => {
      const offered = this.#offeredType(type.name, demands, inputs.subnetIDs)
      const plain = this.#plainOfferings(offered, inputs, contextKey)
      const reserved = reservedOfferingsOf(
        offered,
        settings.reservations,
        inputs,
        (id) => reservations.remaining(id),
        this.#memo,
      )
      if (reserved.length > 0) return { ...type, offerings: [...plain, ...reserved] }
      const before = listed?.resolved[index] === type ? listed.types[index] : undefined
      return before?.offerings === plain ? before : { ...type, offerings: plain }
    })
    this.#lists.set(listKey, { stamp, resolved, types })
    return types
  }

  #plainOfferings(offered: OfferedType, inputs: OfferingInputs, contextKey: string): readonly Offering[] {
    const key = `${offered.name}/${contextKey}`
    const sequence = this.#options.unavailable.sequence(offered.name)
    const known = this.#offerings.renewed(key)
    if (known?.sequence === sequence) return known.offerings
    const offerings = offeringsOf(offered, inputs, this.#memo)
    this.#offerings.set(key, { sequence, offerings })
    return offerings
  }

  #offeredType(name: string, demands: ClassDemands, subnets: OfferingInputs['subnetIDs']): OfferedType {
    const { catalogue } = this.#options
    const info = catalogue.types.get(name)
    const zones = catalogue.zonesByType.get(name) ?? noZones
    return {
      name,
      zones: new Set([...zones].filter((zone) => subnets.has(zone))),
      capacityTypes: info === undefined ? [] : usageClasses(info),
      meetsDemands: info !== undefined && meetsDemands(info, demands),
    }
  }

  #offeringInputs(nodeClass: EC2NodeClass, settings: TypeSettings): OfferingInputs {
    const { catalogue, pricing, unavailable, zonalShift, gates } = this.#options
    const subnetIDs = new Map<string, string[]>()
    for (const subnet of nodeClass.status?.subnets ?? []) {
      subnetIDs.set(subnet.zone, [...(subnetIDs.get(subnet.zone) ?? []), subnet.id])
    }
    return {
      allZones: catalogue.allZones,
      zoneIDs: settings.zoneIDs,
      subnetIDs,
      placementGroup: settings.placementGroup,
      isShifted: (zoneID) => zonalShift.isShifted(zoneID),
      isUnavailable: (pool, ids, scope) => unavailable.isUnavailable(pool, ids, scope),
      price: (type, capacityType, zone) =>
        capacityType === 'on-demand' ? pricing.onDemandPrice(type) : pricing.spotPrice(type, zone),
      overlayPrice: (type) => (gates.nodeOverlay ? this.#options.overlayPrices.get(type) : undefined),
    }
  }
}

const noZones: ReadonlySet<string> = new Set()

/** All that decides how a class's types resolve. */
function resolvedKeyOf(nodeClass: EC2NodeClass, { placementGroup }: TypeSettings): string {
  return `${ownKeyOf(nodeClass)}/${placementGroup === undefined ? '' : canonicalText(placementGroup)}`
}

/** What of a class decides which offerings it may have. */
function offeringKeyOf(nodeClass: EC2NodeClass, { placementGroup }: TypeSettings): string {
  return `${ownOfferingKeyOf(nodeClass)}/${placementGroup === undefined ? '' : canonicalText(placementGroup)}`
}

/** Short, because every look at a pool's types looks them up by it. */
const ownKeyOf = byIdentity((nodeClass: EC2NodeClass) => hash64(ownText(nodeClass)))

const ownOfferingKeyOf = byIdentity((nodeClass: EC2NodeClass) =>
  hash64(canonicalText([demandsOf(nodeClass, undefined), nodeClass.status?.subnets ?? []])),
)

function ownText(nodeClass: EC2NodeClass): string {
  const spec = specOf(nodeClass)
  const zones = [...new Set((nodeClass.status?.subnets ?? []).map((it) => `${it.zone}=${it.zoneID ?? ''}`))]
  return canonicalText({
    amis: nodeClass.status?.amis ?? [],
    zones: zones.toSorted(compareText),
    reservations: nodeClass.status?.capacityReservations ?? [],
    kubelet: spec.kubelet ?? {},
    // Order matters here: the Custom family takes the size of the last mapping.
    devices: JSON.stringify(spec.blockDeviceMappings ?? []),
    interfaces: spec.networkInterfaces ?? [],
    instanceStore: spec.instanceStorePolicy ?? '',
    family: [spec.amiFamily ?? '', spec.amiSelectorTerms[0]?.alias ?? ''],
  })
}
