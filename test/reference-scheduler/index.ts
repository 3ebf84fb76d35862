import type { NodePool } from '../../src/api/karpenter.ts'
import type { LabelVocabulary } from '../../src/api/label-rules.ts'
import type { Taint } from '../../src/api/kubernetes.ts'
import { goSort } from '../../src/model/go-sort.ts'
import { allocatableOf, type InstanceType, largestCapacity } from '../../src/model/instance-type.ts'
import { compareText } from '../../src/model/order.ts'
import { type PodInfo, podKey } from '../../src/model/pod.ts'
import { Quantity } from '../../src/model/quantity.ts'
import { oneValue } from '../../src/model/requirement.ts'
import {
  intersects,
  isCompatible,
  labelRequirements,
  mergeRequirements,
  type Requirements,
  requirementsOf,
} from '../../src/model/requirements.ts'
import { addResources, fits, type Resources, subtractResources, toResources } from '../../src/model/resources.ts'
import type { Snapshot, StateNode } from '../../src/model/snapshot.ts'
import { untoleratedTaints } from '../../src/model/taints.ts'
import { type DaemonGroup, groupByDaemons, toDaemons } from '../../src/scheduling/daemons.ts'
import { type HeldPort, portConflict } from '../../src/scheduling/host-ports.ts'
import { choosePools, simulatedRequirements } from '../../src/scheduling/node-pools.ts'
import {
  constraintsOf,
  fullRequirements,
  type PodConstraints,
  strictRequirements,
} from '../../src/scheduling/pod-constraints.ts'
import { volumeRequirements } from '../../src/scheduling/volume-requirements.ts'
import { relax } from './relax.ts'
import { ReferenceTopology } from './topology.ts'

/** What a plain scheduler decides; comparable with a Placement. */
export interface ReferencePlacement {
  readonly claims: readonly ReferenceClaim[]
  readonly existing: ReadonlyMap<string, readonly PodInfo[]>
  readonly failed: readonly PodInfo[]
}

interface ReferenceClaim {
  readonly pool: NodePool
  requirements: Requirements
  types: readonly { readonly type: InstanceType; readonly group: DaemonGroup }[]
  readonly pods: PodInfo[]
  total: Resources
  readonly ports: HeldPort[]
}

interface ReferenceNode {
  readonly state: StateNode
  requirements: Requirements
  remaining: Resources
  readonly pods: PodInfo[]
  readonly ports: HeldPort[]
}

interface Template {
  readonly pool: NodePool
  readonly taints: readonly Taint[]
  readonly requirements: Requirements
  readonly types: ReferenceClaim['types']
}

/**
 * The rules of scheduling.md in the plainest form: objects and lists, nothing remembered between checks. It is the oracle of the
 * solver's results and the measure of its speed. It knows no minValues, reservations, volume limits or deadlines.
 */
export function referenceSolve(
  snapshot: Snapshot,
  batch: readonly PodInfo[],
  options: { readonly vocabulary: LabelVocabulary; readonly preferencePolicy?: 'Respect' | 'Ignore' },
): ReferencePlacement {
  const scheduler = new ReferenceScheduler(snapshot, batch, {
    vocabulary: options.vocabulary,
    preferencePolicy: options.preferencePolicy ?? 'Respect',
  })
  return scheduler.run(batch)
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

  constructor(
    snapshot: Snapshot,
    batch: readonly PodInfo[],
    options: { readonly vocabulary: LabelVocabulary; readonly preferencePolicy: 'Respect' | 'Ignore' },
  ) {
    this.#snapshot = snapshot
    this.#vocabulary = options.vocabulary
    this.#policy = options.preferencePolicy
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
      const { groups, groupOf } = groupByDaemons(usable, { taints, requirements }, daemons, { wellKnown, aliases })
      const types = usable.flatMap((type, index) => {
        const group = groups[groupOf[index] ?? 0]
        return group === undefined ? [] : [{ type, group }]
      })
      return types.length === 0 ? [] : [{ pool, taints, requirements, types }]
    })
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
        }
      })
    this.#topology = new ReferenceTopology(
      snapshot,
      { vocabulary: options.vocabulary, preferencePolicy: options.preferencePolicy, pools },
      batch,
    )
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
    for (;;) {
      const [head] = queue
      if (head === undefined || pushedAt.get(head) === queue.length) break
      queue.shift()
      if (!this.#place(head)) {
        queue.push(head)
        pushedAt.set(head, queue.length)
      }
    }
    return {
      claims: this.#claims,
      existing: new Map(this.#nodes.filter(({ pods }) => pods.length > 0).map(({ state, pods }) => [state.key, pods])),
      failed: queue,
    }
  }

  #place(pod: PodInfo): boolean {
    if (pod.hasResourceClaims) return false
    let constraints: PodConstraints | undefined = constraintsOf(pod)
    while (constraints !== undefined) {
      this.#topology.owned(pod, constraints)
      if (this.#onNode(pod, constraints) || this.#onClaim(pod, constraints) || this.#onNewClaim(pod, constraints))
        return true
      constraints = relax(constraints, { softTaints: this.#softTaints })?.constraints
    }
    return false
  }

  #onNode(pod: PodInfo, constraints: PodConstraints): boolean {
    for (const node of this.#nodes) {
      if (untoleratedTaints(node.state.taints, constraints.tolerations).length > 0) continue
      if (portConflict(pod.hostPorts, podKey(pod), node.ports) !== undefined) continue
      if (!fits(pod.requests, node.remaining)) continue
      const merged = this.#settle(pod, constraints, node.requirements, new Set())
      const [requirements] = merged
      if (requirements === undefined) continue
      node.requirements = requirements
      node.remaining = subtractResources(node.remaining, pod.requests)
      node.pods.push(pod)
      node.ports.push(...pod.hostPorts.map((port) => ({ port, pod: podKey(pod) })))
      this.#topology.record(pod, constraints, requirements, node.state.taints)
      return true
    }
    return false
  }

  #onClaim(pod: PodInfo, constraints: PodConstraints): boolean {
    goSort(this.#claims, (a, b) => a.pods.length < b.pods.length)
    return this.#claims.some((claim) => this.#add(claim, pod, constraints))
  }

  #onNewClaim(pod: PodInfo, constraints: PodConstraints): boolean {
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
        types,
        pods: [],
        total: new Map(),
        ports: [],
      }
      if (!this.#add(claim, pod, constraints)) continue
      this.#claims.push(claim)
      if (limits !== undefined) {
        this.#limits.set(
          template.pool.metadata.name,
          subtractResources(limits, largestCapacity(claim.types.map(({ type }) => type))),
        )
      }
      return true
    }
    return false
  }

  #add(claim: ReferenceClaim, pod: PodInfo, constraints: PodConstraints): boolean {
    const taints = claim.pool.spec.template.spec.taints ?? []
    if (untoleratedTaints(taints, constraints.tolerations).length > 0) return false
    for (const requirements of this.#settle(pod, constraints, claim.requirements, this.#vocabulary.wellKnown)) {
      const total = addResources(claim.total, pod.requests)
      const types = claim.types.filter(({ type, group }) => {
        if (portConflict(pod.hostPorts, podKey(pod), [...group.ports, ...claim.ports]) !== undefined) return false
        const need = addResources(total, group.overhead)
        return (
          intersects(type.requirements, requirements) &&
          this.#isOffered(type, requirements) &&
          fits(need, allocatableOf(type.capacity, type.overhead))
        )
      })
      if (types.length === 0) continue
      claim.requirements = requirements
      claim.types = types
      claim.total = total
      claim.pods.push(pod)
      claim.ports.push(...pod.hostPorts.map((port) => ({ port, pod: podKey(pod) })))
      this.#topology.record(pod, constraints, requirements, taints)
      return true
    }
    return false
  }

  /** What the target's requirements would become, for each volume alternative that works out. */
  #settle(
    pod: PodInfo,
    constraints: PodConstraints,
    target: Requirements,
    lenient: ReadonlySet<string>,
  ): readonly Requirements[] {
    const { aliases } = this.#vocabulary
    const strict = strictRequirements(pod.nodeSelector, constraints, aliases)
    const full = fullRequirements(strict, constraints, this.#policy, aliases)
    if (!isCompatible(target, full, lenient)) return []
    const merged = mergeRequirements(target, full)
    const volumes = volumeRequirements(pod, this.#snapshot.volumes, aliases) ?? []
    return (volumes.length === 0 ? [new Map()] : volumes).flatMap((volume) => {
      if (!isCompatible(merged, volume, lenient)) return []
      const withVolume = mergeRequirements(merged, volume)
      const tightened = this.#topology.tighten(pod, constraints, strict, withVolume)
      if (tightened === undefined || !isCompatible(withVolume, tightened, lenient)) return []
      return [mergeRequirements(withVolume, tightened)]
    })
  }

  #isOffered(type: InstanceType, requirements: Requirements): boolean {
    return type.offerings.some(
      (offering) => offering.available && isCompatible(requirements, offering.requirements, this.#vocabulary.wellKnown),
    )
  }
}
