import type { NodePool } from '../../src/api/karpenter.ts'
import type { LabelVocabulary } from '../../src/api/label-rules.ts'
import type { Taint } from '../../src/api/kubernetes.ts'
import { capacityTypeReserved, labelCapacityType } from '../../src/api/labels.ts'
import { goSort } from '../../src/model/go-sort.ts'
import { allocatableOf, type InstanceType, type Offering } from '../../src/model/instance-type.ts'
import { compareText } from '../../src/model/order.ts'
import { type PodInfo, podKey } from '../../src/model/pod.ts'
import { Quantity } from '../../src/model/quantity.ts'
import { anyValue, oneOf, oneValue } from '../../src/model/requirement.ts'
import {
  intersects,
  isCompatible,
  labelRequirements,
  mergeRequirements,
  type Requirements,
  requirementsOf,
} from '../../src/model/requirements.ts'
import {
  addResources,
  fits,
  maxResources,
  noResources,
  type Resources,
  subtractResources,
  toResources,
} from '../../src/model/resources.ts'
import type { Snapshot, StateNode } from '../../src/model/snapshot.ts'
import { untoleratedTaints } from '../../src/model/taints.ts'
import { type DaemonGroup, groupByDaemons, toDaemons } from '../../src/scheduling/daemons.ts'
import { type HeldPort, portConflict } from '../../src/scheduling/host-ports.ts'
import { choosePools, simulatedRequirements } from '../../src/scheduling/node-pools.ts'
import {
  constraintsOf,
  fullRequirements,
  neededDespite,
  type PodConstraints,
  strictRequirements,
  strictSelection,
} from '../../src/scheduling/pod-constraints.ts'
import { volumeRequirements } from '../../src/scheduling/volume-requirements.ts'
import { uniteVolumes, type VolumesByDriver, volumesOf } from '../../src/scheduling/volume-usage.ts'
import { relax } from './relax.ts'
import { ReferenceTopology } from './topology.ts'

/** What a plain scheduler decides; comparable with a Placement. */
export interface ReferencePlacement {
  readonly claims: readonly ReferenceClaim[]
  readonly existing: ReadonlyMap<string, readonly PodInfo[]>
  readonly failed: readonly PodInfo[]
  /** Wait for a reservation. */
  readonly deferred: readonly PodInfo[]
}

interface ReferenceClaim {
  readonly pool: NodePool
  requirements: Requirements
  /** That labels exist of which the requirements say only what they are not. */
  existing: Requirements
  types: readonly { readonly type: InstanceType; readonly group: DaemonGroup }[]
  readonly pods: PodInfo[]
  total: Resources
  readonly ports: HeldPort[]
  /** Reservations that it may launch into. */
  held: readonly string[]
}

interface ReferenceNode {
  readonly state: StateNode
  requirements: Requirements
  remaining: Resources
  readonly pods: PodInfo[]
  readonly ports: HeldPort[]
  volumes: VolumesByDriver
}

type Outcome = 'placed' | 'reserved' | 'refused'

interface Template {
  readonly pool: NodePool
  readonly taints: readonly Taint[]
  readonly requirements: Requirements
  readonly types: ReferenceClaim['types']
}

export interface ReferenceSettings {
  readonly vocabulary: LabelVocabulary
  readonly preferencePolicy?: 'Respect' | 'Ignore'
  readonly minValuesPolicy?: 'Strict' | 'BestEffort'
  /** Left out: reserved offerings are offerings like any other. */
  readonly reservations?: { readonly label: string; readonly mode: 'strict' | 'fallback' }
}

/**
 * The rules of scheduling in the plainest form: objects and lists, nothing remembered between checks. It is the oracle of the solver's
 * results and the measure of its speed. It knows no resource claims, promises or deadlines.
 */
export function referenceSolve(
  snapshot: Snapshot,
  batch: readonly PodInfo[],
  settings: ReferenceSettings,
): ReferencePlacement {
  return new ReferenceScheduler(snapshot, batch, settings).run(batch)
}

class ReferenceScheduler {
  readonly #snapshot: Snapshot
  readonly #vocabulary: LabelVocabulary
  readonly #policy: 'Respect' | 'Ignore'
  readonly #templates: readonly Template[]
  readonly #nodes: readonly ReferenceNode[]
  readonly #claims: ReferenceClaim[] = []
  readonly #limits = new Map<string, Resources>()
  readonly #topology: ReferenceTopology
  readonly #softTaints: boolean
  readonly #minValuesPolicy: 'Strict' | 'BestEffort'
  readonly #reservations: ReferenceSettings['reservations']
  /** Instances left by reservation. */
  readonly #left = new Map<string, number>()

  constructor(snapshot: Snapshot, batch: readonly PodInfo[], options: ReferenceSettings) {
    const { preferencePolicy = 'Respect', minValuesPolicy = 'Strict', reservations } = options
    this.#snapshot = snapshot
    this.#vocabulary = options.vocabulary
    this.#policy = preferencePolicy
    this.#minValuesPolicy = minValuesPolicy
    this.#reservations = reservations
    const { pools } = choosePools(snapshot.nodePools)
    this.#softTaints = pools.some((pool) =>
      pool.spec.template.spec.taints?.some(({ effect }) => effect === 'PreferNoSchedule'),
    )
    const { aliases, wellKnown } = options.vocabulary
    const daemons = toDaemons(snapshot.daemonSets, { ignoreDRA: true, aliases })
    this.#templates = pools.flatMap((pool) => {
      const list = snapshot.instanceTypes.get(pool.metadata.name)
      const requirements = simulatedRequirements(pool, aliases)
      const taints = pool.spec.template.spec.taints ?? []
      const usable = (list?.kind === 'resolved' ? list.types : []).filter(
        (type) => intersects(type.requirements, requirements) && this.#isOffered(type, requirements),
      )
      if (minValuesPolicy === 'Strict' && shortOfValues(requirements, usable).size > 0) return []
      const { groups, groupOf } = groupByDaemons(usable, { taints, requirements }, daemons, { wellKnown, aliases })
      const types = usable.flatMap((type, index) => {
        const group = groups[groupOf[index] ?? 0]
        return group === undefined ? [] : [{ type, group }]
      })
      return types.length === 0 ? [] : [{ pool, taints, requirements, types }]
    })
    for (const { types } of this.#templates) {
      for (const { offerings } of types.map(({ type }) => type)) {
        for (const { requirements, reservationCapacity } of offerings) {
          const id = this.#reservationOf(requirements)
          if (id === undefined || reservationCapacity === undefined) continue
          this.#left.set(id, Math.min(this.#left.get(id) ?? reservationCapacity, reservationCapacity))
        }
      }
    }
    for (const pool of pools) {
      if (pool.spec.limits === undefined) continue
      let left = toResources(pool.spec.limits)
      for (const node of snapshot.nodes) {
        if (node.nodePool === pool.metadata.name && !node.markedForDeletion)
          left = subtractResources(left, node.capacity)
      }
      this.#limits.set(pool.metadata.name, left)
    }
    this.#nodes = snapshot.nodes
      .filter((node) => !node.markedForDeletion)
      .toSorted((a, b) => Number(b.initialized) - Number(a.initialized) || compareText(a.name, b.name))
      .map((state) => {
        const labels = mergeRequirements(
          labelRequirements(state.labels, aliases),
          requirementsOf(oneValue('kubernetes.io/hostname', state.hostname)),
        )
        const expected = daemons.filter(
          (daemon) =>
            untoleratedTaints(state.taints, daemon.constraints.tolerations).length === 0 &&
            isCompatible(labels, daemon.requirements),
        )
        const present = state.pods.filter((pod) => pod.ownerReferences.some(({ kind }) => kind === 'DaemonSet'))
        const missing = subtractResources(
          addResources(...expected.map(({ pod }) => pod.requests)),
          addResources(...present.map(({ requests }) => requests)),
        )
        const reserved = new Map([...missing].filter(([, quantity]) => !quantity.isNegative))
        const used = addResources(...state.pods.map(({ requests }) => requests), reserved)
        return {
          state,
          requirements: labels,
          remaining: subtractResources(state.allocatable, used),
          pods: [],
          ports: state.pods.flatMap((pod) => pod.hostPorts.map((port) => ({ port, pod: podKey(pod) }))),
          volumes: uniteVolumes(...state.pods.map((pod) => volumesOf(pod, snapshot.volumes))),
        }
      })
    this.#topology = new ReferenceTopology(snapshot, { vocabulary: options.vocabulary, preferencePolicy, pools }, batch)
  }

  run(batch: readonly PodInfo[]): ReferencePlacement {
    for (const pod of batch.toSorted((a, b) => compareText(podKey(a), podKey(b)))) {
      const constraints = constraintsOf(pod)
      this.#topology.inverseOwned(pod, constraints)
      this.#topology.owned(pod, constraints)
    }
    const amount = (pod: PodInfo, name: string): Quantity => pod.requests.get(name) ?? Quantity.zero
    const queue = batch.toSorted(
      (a, b) =>
        amount(b, 'cpu').compare(amount(a, 'cpu')) ||
        amount(b, 'memory').compare(amount(a, 'memory')) ||
        a.createdAt - b.createdAt ||
        compareText(a.uid, b.uid),
    )
    const pushedAt = new Map<PodInfo, number>()
    const deferred = new Set<PodInfo>()
    for (;;) {
      const [head] = queue
      if (head === undefined || pushedAt.get(head) === queue.length) break
      queue.shift()
      const outcome = this.#place(head)
      deferred.delete(head)
      if (outcome === 'placed') continue
      if (outcome === 'reserved') deferred.add(head)
      queue.push(head)
      pushedAt.set(head, queue.length)
    }
    for (const claim of this.#claims) this.#finish(claim)
    return {
      claims: this.#claims,
      existing: new Map(this.#nodes.filter(({ pods }) => pods.length > 0).map(({ state, pods }) => [state.key, pods])),
      failed: queue.filter((pod) => !deferred.has(pod)),
      deferred: [...deferred],
    }
  }

  #place(pod: PodInfo): Outcome {
    if (pod.hasResourceClaims) return 'refused'
    const all = constraintsOf(pod)
    const terms = all.requiredNodeTerms
    let constraints = all
    for (let relaxed: PodConstraints | undefined = all; relaxed !== undefined; ) {
      constraints = relaxed
      const outcome = this.#placeAs(pod, constraints)
      if (outcome !== 'refused') return outcome
      relaxed = relax(constraints, { softTaints: this.#softTaints })?.constraints
    }
    const gaveUpMore = relax({ ...all, requiredNodeTerms: [] }, { softTaints: this.#softTaints }) !== undefined
    for (let first = 0; gaveUpMore && first < terms.length - 1; first += 1) {
      const outcome = this.#placeAs(pod, { ...constraints, requiredNodeTerms: terms.slice(first) })
      if (outcome !== 'refused') return outcome
    }
    return 'refused'
  }

  #placeAs(pod: PodInfo, constraints: PodConstraints): Outcome {
    this.#topology.owned(pod, constraints)
    if (this.#onNode(pod, constraints) || this.#onClaim(pod, constraints)) return 'placed'
    return this.#onNewClaim(pod, constraints)
  }

  #onNode(pod: PodInfo, constraints: PodConstraints): boolean {
    const { aliases } = this.#vocabulary
    const needed = this.#needed(pod, constraints)
    for (const node of this.#nodes) {
      if (untoleratedTaints(node.state.taints, constraints.tolerations).length > 0) continue
      if (!needed.every((key) => labelRequirements(node.state.labels, aliases).has(key))) continue
      if (portConflict(pod.hostPorts, podKey(pod), node.ports) !== undefined) continue
      if (!fits(pod.requests, node.remaining)) continue
      const volumes = uniteVolumes(node.volumes, volumesOf(pod, this.#snapshot.volumes))
      const limits = [...node.state.volumeLimits]
      if (limits.some(([driver, most]) => (volumes.get(driver)?.size ?? 0) > most)) continue
      const [requirements] = this.#settle(pod, constraints, node.requirements, new Set()).flat()
      if (requirements === undefined) continue
      node.requirements = requirements
      node.remaining = subtractResources(node.remaining, pod.requests)
      node.volumes = volumes
      node.pods.push(pod)
      node.ports.push(...pod.hostPorts.map((port) => ({ port, pod: podKey(pod) })))
      const { taints } = node.state
      this.#topology.record(pod, constraints, { isNew: false, requirements, existing: new Map(), taints })
      return true
    }
    return false
  }

  #onClaim(pod: PodInfo, constraints: PodConstraints): boolean {
    goSort(this.#claims, (a, b) => a.pods.length < b.pods.length)
    return this.#claims.some((claim) => this.#add(claim, pod, constraints, { isNew: false }) === 'placed')
  }

  #onNewClaim(pod: PodInfo, constraints: PodConstraints): Outcome {
    for (const template of this.#templates) {
      const limits = this.#limits.get(template.pool.metadata.name)
      if (limits?.get('nodes')?.isZero === true) continue
      const types = template.types.filter(({ type }) =>
        [...(limits ?? [])].every(([name, left]) => (type.capacity.get(name) ?? Quantity.zero).compare(left) <= 0),
      )
      if (types.length === 0) continue
      const name = `placeholder-${this.#claims.length}`
      const claim: ReferenceClaim = {
        pool: template.pool,
        requirements: mergeRequirements(
          template.requirements,
          requirementsOf(oneValue('kubernetes.io/hostname', name)),
        ),
        existing: new Map(),
        types,
        pods: [],
        total: new Map(),
        ports: [],
        held: [],
      }
      const outcome = this.#add(claim, pod, constraints, { isNew: true })
      if (outcome === 'reserved') return outcome
      if (outcome === 'refused') continue
      this.#claims.push(claim)
      if (limits !== undefined) {
        this.#limits.set(
          template.pool.metadata.name,
          subtractResources(limits, maxResources(...claim.types.map(({ type }) => type.capacity))),
        )
      }
      return 'placed'
    }
    return 'refused'
  }

  /** Of several volume alternatives the first that works out; of refusals the last one counts. */
  #add(
    claim: ReferenceClaim,
    pod: PodInfo,
    constraints: PodConstraints,
    { isNew }: { readonly isNew: boolean },
  ): Outcome {
    const taints = claim.pool.spec.template.spec.taints ?? []
    if (untoleratedTaints(taints, constraints.tolerations).length > 0) return 'refused'
    let last: Outcome = 'refused'
    for (const choices of this.#settle(pod, constraints, claim.requirements, this.#vocabulary.wellKnown)) {
      last = this.#addAs(choices, claim, pod, constraints, { isNew })
      if (last === 'placed') return last
    }
    return last
  }

  /** As the first of the choices that topology leaves, or the next ones where no node can be made of that. */
  #addAs(
    choices: readonly Requirements[],
    claim: ReferenceClaim,
    pod: PodInfo,
    constraints: PodConstraints,
    { isNew }: { readonly isNew: boolean },
  ): Outcome {
    const { wellKnown } = this.#vocabulary
    const taints = claim.pool.spec.template.spec.taints ?? []
    const needed = this.#needed(pod, constraints)
    const existing = mergeRequirements(claim.existing, requirementsOf(...needed.map(anyValue)))
    for (const [index, settled] of choices.entries()) {
      if (!isCompatible(settled, existing, wellKnown)) continue
      let requirements = settled
      const total = addResources(claim.total, pod.requests)
      const types = claim.types.filter(({ type, group }) => {
        if (portConflict(pod.hostPorts, podKey(pod), [...group.ports, ...claim.ports]) !== undefined) return false
        const need = addResources(total, group.overhead)
        const suits = [settled, existing].every((wanted) => intersects(type.requirements, wanted))
        return suits && this.#isOffered(type, settled, need)
      })
      if (types.length === 0) continue
      const short = shortOfValues(
        requirements,
        types.map(({ type }) => type),
      )
      if (short.size > 0) {
        if (!isNew || this.#minValuesPolicy === 'Strict') continue
        const lowered = new Map(requirements)
        for (const [key, minValues] of short) {
          const requirement = requirements.get(key)
          if (requirement !== undefined) lowered.set(key, { ...requirement, minValues })
        }
        requirements = lowered
      }
      const held = this.#reservable(claim, types, requirements, total)
      if (held === undefined && index === 0) return 'reserved'
      if (held === undefined) continue
      this.#exchange(claim, held)
      claim.requirements = requirements
      claim.existing = existing
      claim.types = types
      claim.total = total
      claim.pods.push(pod)
      claim.ports.push(...pod.hostPorts.map((port) => ({ port, pod: podKey(pod) })))
      this.#topology.record(pod, constraints, { isNew: true, requirements, existing, taints })
      return 'placed'
    }
    return 'refused'
  }

  /** Undefined where the pod has to wait for one that is taken. */
  #reservable(
    { held }: ReferenceClaim,
    types: ReferenceClaim['types'],
    requirements: Requirements,
    total: Resources,
  ): readonly string[] | undefined {
    if (this.#reservations === undefined) return []
    const compatible = types
      .flatMap(({ type, group }) => this.#usable(type, requirements, addResources(total, group.overhead)))
      .flatMap((offering) => this.#reservationOf(offering.requirements) ?? [])
    const ids = [...new Set(compatible)].filter((id) => held.includes(id) || (this.#left.get(id) ?? 0) > 0)
    const isRefused = ids.length === 0 && (compatible.length > 0 || held.length > 0)
    return isRefused && this.#reservations.mode === 'strict' ? undefined : ids.toSorted(compareText)
  }

  #exchange(claim: ReferenceClaim, held: readonly string[]): void {
    for (const id of held) if (!claim.held.includes(id)) this.#left.set(id, (this.#left.get(id) ?? 0) - 1)
    for (const id of claim.held) if (!held.includes(id)) this.#left.set(id, (this.#left.get(id) ?? 0) + 1)
    claim.held = held
  }

  #reservationOf(offered: Requirements): string | undefined {
    const isReserved = offered.get(labelCapacityType)?.values.has(capacityTypeReserved) === true
    if (!isReserved || this.#reservations === undefined) return undefined
    return [...(offered.get(this.#reservations.label)?.values ?? [])][0]
  }

  #finish(claim: ReferenceClaim): void {
    if (this.#reservations === undefined || claim.held.length === 0) return
    const { label } = this.#reservations
    claim.requirements = new Map([
      ...claim.requirements,
      [labelCapacityType, oneValue(labelCapacityType, capacityTypeReserved)],
      [label, oneOf(label, claim.held)],
    ])
  }

  /** Labels of which some value is needed, though the requirements may tell only what it must not be. */
  #needed({ nodeSelector }: PodInfo, constraints: PodConstraints): readonly string[] {
    const { aliases } = this.#vocabulary
    const { requirements: strict, needed } = strictSelection(nodeSelector, constraints, aliases)
    return [...needed, ...neededDespite(strict, fullRequirements(strict, constraints, this.#policy, aliases))]
  }

  /** What the target's requirements could become, for each volume alternative, in the order to try them. */
  #settle(
    pod: PodInfo,
    constraints: PodConstraints,
    target: Requirements,
    lenient: ReadonlySet<string>,
  ): readonly (readonly Requirements[])[] {
    const { aliases } = this.#vocabulary
    const strict = strictRequirements(pod.nodeSelector, constraints, aliases)
    const full = fullRequirements(strict, constraints, this.#policy, aliases)
    if (!isCompatible(target, full, lenient)) return []
    const merged = mergeRequirements(target, full)
    const volumes = volumeRequirements(pod, this.#snapshot.volumes, aliases) ?? []
    return (volumes.length === 0 ? [new Map()] : volumes).map((volume) => {
      if (!isCompatible(merged, volume, lenient)) return []
      // Of a node that is there the labels are known, whatever the pod says of them.
      const isThere = lenient.size === 0
      if (isThere && !isCompatible(target, volume)) return []
      if (isThere && !this.#topology.domainsOf(pod, constraints).every((key) => target.has(key))) return []
      const withVolume = mergeRequirements(merged, volume)
      return this.#topology
        .tighten(pod, constraints, strict, withVolume)
        .filter((tightened) => isCompatible(withVolume, tightened, lenient))
    })
  }

  #isOffered(type: InstanceType, requirements: Requirements, need: Resources = noResources): boolean {
    return type.offerings.some(this.#isUsable(type, requirements, need))
  }

  #usable(type: InstanceType, requirements: Requirements, need: Resources): readonly Offering[] {
    return type.offerings.filter(this.#isUsable(type, requirements, need))
  }

  /** Whether an offering can be had, and with the amounts that the type has there holds enough of everything. */
  #isUsable(type: InstanceType, requirements: Requirements, need: Resources): (offering: Offering) => boolean {
    let plain: Resources | undefined
    return (offering) =>
      offering.available &&
      isCompatible(requirements, offering.requirements, this.#vocabulary.wellKnown) &&
      fits(need, overridden(type, offering) ?? (plain ??= allocatableOf(type.capacity, type.overhead)))
  }
}

/** What pods may use where an offering has amounts of its own. */
function overridden(type: InstanceType, { capacityOverride, overheadOverride }: Offering): Resources | undefined {
  if (capacityOverride === undefined && overheadOverride === undefined) return undefined
  const { kubeReserved, systemReserved, evictionThreshold } = type.overhead
  return allocatableOf(new Map([...type.capacity, ...(capacityOverride ?? [])]), {
    kubeReserved: new Map([
      ...addResources(kubeReserved, systemReserved, evictionThreshold),
      ...(overheadOverride ?? []),
    ]),
    systemReserved: noResources,
    evictionThreshold: noResources,
  })
}

/** Keys of which the types have fewer values than the requirements want, with how many they have. */
function shortOfValues(requirements: Requirements, types: readonly InstanceType[]): ReadonlyMap<string, number> {
  const short = new Map<string, number>()
  for (const [key, { minValues }] of requirements) {
    const values = new Set(types.flatMap((type) => [...(type.requirements.get(key)?.values ?? [])]))
    if (minValues !== undefined && values.size < minValues) short.set(key, values.size)
  }
  return short
}
