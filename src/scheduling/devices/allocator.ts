import type { ResourceClaim } from '../../api/kubernetes.ts'
import { labelHostname, labelInstanceType } from '../../api/labels.ts'
import type { InstanceType } from '../../model/instance-type.ts'
import { compareText } from '../../model/order.ts'
import type { PodInfo } from '../../model/pod.ts'
import { oneValue } from '../../model/requirement.ts'
import {
  incompatibilities,
  incompatibilitiesText,
  isCompatible,
  labelRequirements,
  mergeRequirements,
  type Requirements,
  requirementsOf,
} from '../../model/requirements.ts'
import type { DeviceObjects, StateNode } from '../../model/snapshot.ts'
import { type Bits, emptyBits, forEachBit, setBit } from '../bitset.ts'
import type { SolveContext } from '../context.ts'
import type { SetID } from '../requirement-space.ts'
import type { Template } from '../template.ts'
import { DeviceInventory } from './inventory.ts'
import { type Draw, Ledger, type Variant } from './ledger.ts'
import { type PooledDevice, type Reach, reachesOf } from './pools.ts'
import {
  countMatching,
  type DevicePick,
  findDevices,
  type Found,
  type SearchBudget,
  type SearchTarget,
} from './search.ts'
import { Tries } from './tries.ts'
import { DeviceSelectors } from './selector.ts'
import { type Understood, understandClaim, type WantedClaim } from './wanted.ts'

/** What a target's devices would be given to a pod's claims; nothing is taken before `commit`. */
export interface DeviceFit {
  /** The target's requirements with those that the devices bring. */
  readonly set: SetID
  /** Slots of the target's catalogue whose nodes have the devices; undefined when all have. */
  readonly slots: Bits | undefined
  readonly claims: readonly WantedClaim[]
  readonly outcomes: ReadonlyMap<Variant, readonly DevicePick[]>
}

export interface DeviceRefusal {
  readonly kind: 'allocation' | 'requirements'
  readonly text: string
}

/** A planned node: `target` is its host id, which no other node or claim has. */
export interface DraftTarget {
  readonly target: number
  readonly template: Template
  readonly slots: Bits
}

/** Where a claim was allocated earlier in this solve. */
interface Placed {
  readonly target: number
  /** Devices that only this node will have. */
  readonly isBound: boolean
  readonly reach: SetID
}

interface Held {
  readonly draws: Draw[]
  /** Of devices that the node is expected to bring. */
  readonly drivers: Set<string>
}

/** The only variant of a node that is there. */
const asIs: Variant = -1

/** Gives devices to the resource claims of pods, in one solve. */
export class DeviceAllocator {
  readonly #context: SolveContext
  readonly #objects: DeviceObjects
  readonly #inventory: DeviceInventory
  readonly #ledger: Ledger
  readonly #selectors = new DeviceSelectors()
  readonly #leaving: ReadonlySet<string>
  readonly #understood = new Map<string, Understood>()
  readonly #placed = new Map<string, Placed>()
  readonly #tries = new Tries()
  readonly #held = new Map<number, Map<Variant, Held>>()
  readonly #reachSets = new WeakMap<Reach, SetID>()
  readonly #nodeLabels = new Map<number, Requirements>()

  /** `excluded`: positions of nodes that a simulation takes away; their pods' devices count as free. */
  constructor(context: SolveContext, objects: DeviceObjects, excluded: ReadonlySet<number>) {
    this.#context = context
    this.#objects = objects
    const { nodes } = context.cluster
    const isGoing = (node: StateNode, index: number): boolean => node.markedForDeletion || excluded.has(index)
    this.#leaving = new Set(nodes.filter(isGoing).flatMap(({ pods }) => pods.map(({ uid }) => uid)))
    this.#inventory = new DeviceInventory(
      objects,
      nodes.filter((node, index) => !isGoing(node, index)),
      { aliases: context.settings.vocabulary.aliases, holds: (claim) => this.#holds(claim) },
    )
    this.#ledger = new Ledger(this.#inventory.taken)
  }

  /** Why the pod's claims cannot be allocated anywhere now: one is not there, or asks for what is not understood. */
  problemOf(pod: PodInfo): string | undefined {
    for (const claim of pod.resourceClaims ?? []) {
      if (claim.kind === 'none') continue
      if (claim.kind === 'awaited') {
        return `resourceclaim for "${claim.name}" of pod "${pod.namespace}/${pod.name}" has not been created yet`
      }
      const key = `${pod.namespace}/${claim.claimName}`
      const object = this.#objects.claims.get(key)
      if (object === undefined) return `resourceclaim "${key}" not found`
      if (this.#holds(object)) continue
      const understood = this.#understand(key, object)
      if (understood.kind === 'problem') return understood.text
    }
    return undefined
  }

  /** On a node that is there, or is on its way. */
  onNode(pod: PodInfo, index: number): DeviceFit | undefined {
    const node = this.#context.cluster.nodes[index]
    const target = this.#context.cluster.hostIDs[index]
    if (node === undefined || target === undefined) return undefined
    const labels = this.#labelsOf(node, index)
    const reaches = (reach: Reach): boolean =>
      reach.kind === 'node' ? reach.name === node.node?.metadata.name : isCompatible(labels, reach.requirements)
    const wanted: WantedClaim[] = []
    for (const { key, object } of this.#claimsOf(pod)) {
      const placed = this.#placed.get(key)
      if (placed !== undefined) {
        if (placed.target === target) continue
        if (placed.isBound || !isCompatible(labels, this.#context.requirements.get(placed.reach))) return undefined
      } else if (this.#holds(object)) {
        if (!this.#allocatedReaches(object).some(reaches)) return undefined
      } else {
        wanted.push(this.#wanted(key, object))
      }
    }
    const none = { set: this.#context.requirements.empty, slots: undefined, claims: wanted }
    if (wanted.length === 0) return { ...none, outcomes: new Map() }
    const type = node.initialized ? undefined : this.#typeOf(node)
    const own =
      type === undefined
        ? this.#inventory.poolsOfNode(node.node?.metadata.name ?? '')
        : this.#inventory.templatePools(type, target)
    const searched: SearchTarget = {
      pools: [...this.#inventory.shared, ...own],
      reaches,
      joins: () => true,
      left: (draw) => this.#ledger.left(draw, target, asIs),
      isDrawn: (meter) => this.#ledger.isDrawn(meter, target, asIs),
    }
    const found = this.#tries.search(pod.uid, (budget) => findDevices(wanted, searched, this.#selectors, budget))
    return found.kind === 'found' ? { ...none, outcomes: new Map([[asIs, found.picks]]) } : undefined
  }

  /** On a planned node with the requirement set: for each type that it may still become, devices of its own. */
  onDraft(pod: PodInfo, draft: DraftTarget, set: SetID): DeviceFit | DeviceRefusal {
    const { requirements } = this.#context
    let merged = set
    const wanted: WantedClaim[] = []
    for (const { key, object } of this.#claimsOf(pod)) {
      const placed = this.#placed.get(key)
      if (placed === undefined && !this.#holds(object)) {
        wanted.push(this.#wanted(key, object))
        continue
      }
      if (placed !== undefined && placed.target !== draft.target && placed.isBound) {
        return { kind: 'allocation', text: 'claim is bound to a different in-flight NodeClaim' }
      }
      const reaches = placed === undefined ? this.#setsOf(this.#allocatedReaches(object)) : [placed.reach]
      const reach = reaches.find((one) => requirements.compatible(merged, one))
      if (reach === undefined) {
        const [first] = reaches
        return {
          kind: 'requirements',
          text: first === undefined ? `resourceclaim "${key}" is allocated on a node` : this.#clashText(merged, first),
        }
      }
      merged = requirements.merge(merged, reach)
    }
    if (wanted.length === 0) return { set: merged, slots: undefined, claims: [], outcomes: new Map() }
    return this.#tries.search(pod.uid, (budget) => this.#searchTypes(wanted, draft, { set: merged, budget }))
  }

  /** Takes what the fit found; for a planned node, as the types that are left of it (`types`: positions in the catalogue). */
  commit({ claims, outcomes }: DeviceFit, target: number, types?: ReadonlySet<number>): void {
    const variants = this.#held.get(target) ?? new Map<Variant, Held>()
    this.#held.set(target, variants)
    const kept = [...outcomes].filter(([variant]) => types === undefined || types.has(variant))
    for (const [variant, picks] of kept) {
      const held = variants.get(variant) ?? { draws: [], drivers: new Set<string>() }
      variants.set(variant, held)
      for (const { device, draws } of picks) {
        if (device.isTemplate) held.drivers.add(device.driver)
        for (const draw of draws) {
          this.#ledger.draw(draw, target, variant)
          held.draws.push(draw)
        }
      }
    }
    for (const claim of claims) {
      const devices = kept.flatMap(([, picks]) => picks.flatMap((pick) => (pick.claim === claim ? [pick.device] : [])))
      this.#placed.set(claim.key, {
        target,
        isBound: devices.some(({ isTemplate, reach }) => isTemplate || reach.kind === 'node'),
        reach: this.#commonReach(devices),
      })
    }
  }

  /** Narrows the planned node to these types; devices held for other types are released. */
  keepTypes(target: number, types: ReadonlySet<number>): void {
    const variants = this.#held.get(target)
    for (const [variant, { draws }] of variants ?? []) {
      if (types.has(variant)) continue
      this.#ledger.release(draws, target, variant)
      variants?.delete(variant)
    }
  }

  holdsFor(target: number): boolean {
    return this.#held.has(target)
  }

  /** Drivers whose devices the planned node is expected to bring, sorted. */
  driversOf(target: number): readonly string[] {
    const drivers = new Set([...(this.#held.get(target)?.values() ?? [])].flatMap((held) => [...held.drivers]))
    return [...drivers].toSorted(compareText)
  }

  /** What the best type lacks of the first request that none has devices enough for. */
  nearestMiss(pod: PodInfo, draft: DraftTarget, set: SetID): string | undefined {
    for (const { key, object } of this.#claimsOf(pod)) {
      if (this.#placed.has(key) || this.#holds(object)) continue
      for (const { name, alternatives } of this.#wanted(key, object).requests) {
        const [wanted] = alternatives
        if (wanted === undefined) continue
        const asked = wanted.count === 'all' ? 1 : wanted.count
        let best: { readonly type: string; readonly count: number } | undefined
        for (const type of this.#typesOf(draft)) {
          const count = countMatching(this.#searchTarget(draft, set, type.index), wanted, this.#selectors)
          if (best === undefined || count > best.count) best = { type: type.type.name, count }
        }
        if (best === undefined || best.count >= asked) continue
        const request = `request ${name} of resourceclaim ${key}`
        return best.count === 0
          ? `no instance type is known to have devices of deviceclass ${wanted.deviceClass} for ${request}`
          : `${request} wants ${asked} devices of deviceclass ${wanted.deviceClass}, ${best.type} has ${best.count}`
      }
    }
    return undefined
  }

  #searchTypes(
    wanted: readonly WantedClaim[],
    draft: DraftTarget,
    { set, budget }: { readonly set: SetID; readonly budget: SearchBudget },
  ): DeviceFit | DeviceRefusal {
    const { requirements } = this.#context
    const { catalog } = draft.template
    const answers = new Map<number, Found>()
    const outcomes = new Map<Variant, readonly DevicePick[]>()
    let merged = set
    let problem: string | undefined
    for (const { index, type } of this.#typesOf(draft)) {
      // Those that are alike in their devices have been given the same ones so far.
      const alike = this.#inventory.templateID(type)
      let found = answers.get(alike)
      if (found === undefined) {
        found = findDevices(wanted, this.#searchTarget(draft, set, index), this.#selectors, budget)
        answers.set(alike, found)
      }
      if (found.kind === 'error') problem ??= found.text
      if (found.kind === 'gaveUp') problem ??= 'too many combinations of devices were tried'
      if (found.kind !== 'found') continue
      const reach = this.#commonReach(found.picks.map(({ device }) => device))
      if (!requirements.compatible(merged, reach)) continue
      merged = requirements.merge(merged, reach)
      outcomes.set(index, found.picks)
    }
    if (outcomes.size === 0) {
      return { kind: 'allocation', text: problem ?? 'no instance type can satisfy the allocation' }
    }
    const slots = emptyBits(catalog.size)
    forEachBit(draft.slots, (slot) => {
      if (outcomes.has(catalog.slots[slot]?.typeIndex ?? -1)) setBit(slots, slot)
    })
    return { set: merged, slots, claims: wanted, outcomes }
  }

  #searchTarget({ target, template }: DraftTarget, set: SetID, typeIndex: number): SearchTarget {
    const { requirements } = this.#context
    const type = template.catalog.types[typeIndex]
    return {
      pools: [...this.#inventory.shared, ...(type === undefined ? [] : this.#inventory.templatePools(type, target))],
      reaches: (reach) => reach.kind === 'labels' && requirements.compatible(set, this.#setOf(reach)),
      joins: (picked, { reach }) =>
        requirements.compatible(requirements.merge(set, this.#commonReach(picked)), this.#setOf(reach)),
      left: (draw) => this.#ledger.left(draw, target, typeIndex),
      isDrawn: (meter) => this.#ledger.isDrawn(meter, target, typeIndex),
    }
  }

  #typesOf({ template, slots }: Pick<DraftTarget, 'template' | 'slots'>) {
    const { catalog } = template
    const found = new Map<number, InstanceType>()
    forEachBit(slots, (slot) => {
      const at = catalog.slots[slot]
      if (at !== undefined) found.set(at.typeIndex, at.type)
    })
    return [...found].map(([index, type]) => ({ index, type }))
  }

  #claimsOf(pod: PodInfo): { readonly key: string; readonly object: ResourceClaim }[] {
    return (pod.resourceClaims ?? []).flatMap((claim) => {
      const key = claim.kind === 'named' ? `${pod.namespace}/${claim.claimName}` : ''
      const object = this.#objects.claims.get(key)
      return object === undefined ? [] : [{ key, object }]
    })
  }

  /** Whether the claim keeps its devices: somebody stays who uses them. */
  #holds({ status }: ResourceClaim): boolean {
    return status?.allocation !== undefined && (status.reservedFor ?? []).some(({ uid }) => !this.#leaving.has(uid))
  }

  #understand(key: string, object: ResourceClaim): Understood {
    const known = this.#understood.get(key) ?? understandClaim(key, object, this.#objects.classes)
    this.#understood.set(key, known)
    return known
  }

  /** The same object each time; of claims that were found wanting nothing is asked. */
  #wanted(key: string, object: ResourceClaim): WantedClaim {
    const understood = this.#understand(key, object)
    return understood.kind === 'wanted' ? understood.claim : { key, requests: [], constraints: [] }
  }

  /** Where an allocation can be used; everywhere when it does not say. */
  #allocatedReaches({ status }: ResourceClaim): readonly Reach[] {
    const selector = status?.allocation?.nodeSelector
    if (selector === undefined) return [{ kind: 'labels', requirements: new Map() }]
    return reachesOf(selector, this.#context.settings.vocabulary.aliases)
  }

  #setsOf(reaches: readonly Reach[]): readonly SetID[] {
    return reaches.flatMap((reach) => (reach.kind === 'node' ? [] : [this.#setOf(reach)]))
  }

  #setOf(reach: Reach): SetID {
    if (reach.kind === 'node') return this.#context.requirements.empty
    const known = this.#reachSets.get(reach) ?? this.#context.requirements.intern(reach.requirements)
    this.#reachSets.set(reach, known)
    return known
  }

  #commonReach(devices: readonly PooledDevice[]): SetID {
    const { requirements } = this.#context
    return devices.reduce((set, { reach }) => requirements.merge(set, this.#setOf(reach)), requirements.empty)
  }

  #labelsOf(node: StateNode, index: number): Requirements {
    const known =
      this.#nodeLabels.get(index) ??
      mergeRequirements(
        labelRequirements(node.labels, this.#context.settings.vocabulary.aliases),
        requirementsOf(oneValue(labelHostname, node.hostname)),
      )
    this.#nodeLabels.set(index, known)
    return known
  }

  #typeOf(node: StateNode): InstanceType | undefined {
    const list = this.#context.snapshot.instanceTypes.get(node.nodePool)
    const name = node.labels[labelInstanceType]
    // A pool that may open no node now has some on their way all the same.
    const types = list?.kind === 'resolved' || list?.kind === 'held' ? list.types : []
    return types.find((type) => type.name === name)
  }

  #clashText(existing: SetID, incoming: SetID): string {
    const { requirements, settings } = this.#context
    const found = incompatibilities(
      requirements.get(existing),
      requirements.get(incoming),
      settings.vocabulary.wellKnown,
    )
    return incompatibilitiesText(found)
  }
}

export function isDeviceRefusal(answer: DeviceFit | DeviceRefusal): answer is DeviceRefusal {
  return 'kind' in answer
}
