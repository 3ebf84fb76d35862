import type { NodePool } from '../../src/api/karpenter.ts'
import type { Taint } from '../../src/api/kubernetes.ts'
import { awsVocabulary, type LabelVocabulary } from '../../src/api/label-rules.ts'
import { goSort } from '../../src/model/go-sort.ts'
import { allocatableOf, type InstanceType, largestCapacity } from '../../src/model/instance-type.ts'
import { judgeMinValues } from '../../src/model/min-values.ts'
import { compareText } from '../../src/model/order.ts'
import { isOwnedByDaemonSet, type PodInfo } from '../../src/model/pod.ts'
import { Quantity } from '../../src/model/quantity.ts'
import { type RequirementEntry, toRequirement } from '../../src/model/requirement.ts'
import {
  intersects,
  isCompatible,
  mergeRequirements,
  type Requirements,
  requirementsOf,
  toRequirements,
} from '../../src/model/requirements.ts'
import {
  addResources,
  fits,
  noResources,
  type Resources,
  subtractResources,
  toResources,
} from '../../src/model/resources.ts'
import type { Snapshot, StateNode } from '../../src/model/snapshot.ts'
import { untoleratedTaints } from '../../src/model/taints.ts'
import { toPodInfo } from '../../src/model/to-pod-info.ts'
import {
  fullRequirements,
  labelsAsRequirements,
  requiredTerms,
  selectorRequirements,
  strictRequirements,
} from './pod-requirements.ts'
import { relax } from './relaxation.ts'
import { hostnameKey, ReferenceTopology } from './topology.ts'

export interface ReferenceOptions {
  readonly vocabulary?: LabelVocabulary
  readonly preferences?: 'Respect' | 'Ignore'
}

export interface ReferenceClaim {
  readonly nodePool: string
  readonly pods: PodInfo[]
  types: readonly InstanceType[]
  requirements: Requirements
  requests: Resources
}

export interface ReferencePlacement {
  readonly claims: readonly ReferenceClaim[]
  /** Pod UIDs by state-node key. */
  readonly existing: ReadonlyMap<string, readonly string[]>
  /** UIDs of the pods that found no place. */
  readonly failed: readonly string[]
}

interface Template {
  readonly pool: NodePool
  readonly requirements: Requirements
  readonly taints: readonly Taint[]
  readonly types: readonly InstanceType[]
  readonly daemons: ReadonlyMap<string, Resources>
}

interface Claim extends ReferenceClaim {
  readonly template: Template
}

interface Existing {
  readonly node: StateNode
  readonly pods: string[]
  requirements: Requirements
  remaining: Resources
}

/**
 * The greedy of scheduling.md in its plainest form: objects, nothing cached, everything looked at again for each pod. Leaves out what the
 * differential tests do not generate: volumes, host ports, reserved capacity, DRA and overrides of offerings.
 */
export function referenceSolve(
  snapshot: Snapshot,
  pods: readonly PodInfo[],
  options: ReferenceOptions = {},
): ReferencePlacement {
  return new ReferenceScheduler(snapshot, pods, options).solve()
}

class ReferenceScheduler {
  readonly #wellKnown: ReadonlySet<string>
  readonly #respect: boolean
  readonly #templates: readonly Template[]
  readonly #existing: readonly Existing[]
  readonly #claims: Claim[] = []
  readonly #remaining = new Map<string, Resources>()
  readonly #topology: ReferenceTopology
  readonly #pods: readonly PodInfo[]
  #hostnames = 0

  constructor(
    snapshot: Snapshot,
    pods: readonly PodInfo[],
    { vocabulary = awsVocabulary, preferences = 'Respect' }: ReferenceOptions,
  ) {
    this.#wellKnown = vocabulary.wellKnown
    this.#respect = preferences === 'Respect'
    const daemonPods = snapshot.daemonSets.map(({ daemonSet, newestPod }) => {
      const synthetic = toPodInfo({
        metadata: { name: daemonSet.metadata.name, ...daemonSet.spec.template.metadata },
        spec: daemonSet.spec.template.spec,
      })
      return { ...(newestPod ?? synthetic), affinity: daemonSet.spec.template.spec.affinity ?? newestPod?.affinity }
    })
    const pools = snapshot.nodePools
      .filter((pool) => pool.spec.replicas === undefined && isReady(pool))
      .toSorted((a, b) => (b.spec.weight ?? 0) - (a.spec.weight ?? 0) || compareText(b.metadata.name, a.metadata.name))
    const all = pools.map((pool) => this.#template(pool, snapshot, daemonPods))
    this.#templates = all.filter((template) => template.types.length > 0)
    for (const { pool } of all) {
      if (pool.spec.limits === undefined) continue
      const used = snapshot.nodes.filter((node) => node.nodePool === pool.metadata.name && !node.markedForDeletion)
      const limits = toResources(pool.spec.limits)
      this.#remaining.set(
        pool.metadata.name,
        subtractResources(limits, addResources(...used.map((node) => node.capacity))),
      )
    }
    const active = snapshot.nodes.filter((node) => !node.markedForDeletion)
    this.#existing = active
      .toSorted((a, b) => Number(b.initialized) - Number(a.initialized) || compareText(a.name, b.name))
      .map((node) => ({
        node,
        pods: [],
        requirements: mergeRequirements(
          labelsAsRequirements(node.labels),
          requirementsOf(toRequirement(hostnameKey, 'In', [node.hostname])),
        ),
        remaining: remainingOf(node, daemonPods),
      }))
    this.#pods = pods
    this.#topology = new ReferenceTopology({
      snapshot,
      pods,
      domains: domainsOf(all, snapshot),
      respectPreferences: this.#respect,
      excludedNodes: new Set(),
    })
  }

  solve(): ReferencePlacement {
    const queue = this.#pods.toSorted(queueOrder)
    const lastLength = new Map<string, number>()
    const failed = new Set<string>()
    for (;;) {
      const [pod] = queue
      if (pod === undefined || lastLength.get(pod.uid) === queue.length) break
      queue.shift()
      if (this.#place(pod)) {
        failed.delete(pod.uid)
        continue
      }
      failed.add(pod.uid)
      this.#topology.own(pod)
      queue.push(pod)
      lastLength.set(pod.uid, queue.length)
    }
    return {
      claims: this.#claims,
      existing: new Map(this.#existing.filter(({ pods }) => pods.length > 0).map(({ node, pods }) => [node.key, pods])),
      failed: [...failed].toSorted(compareText),
    }
  }

  #place(original: PodInfo): boolean {
    const hasSoftTaints = this.#templates.some(({ taints }) =>
      taints.some(({ effect }) => effect === 'PreferNoSchedule'),
    )
    for (let pod: PodInfo | undefined = original; pod !== undefined; pod = relax(pod, hasSoftTaints)) {
      if (pod !== original) this.#topology.own(pod)
      const current = pod
      if (this.#existing.some((existing) => this.#addToNode(existing, current))) return true
      goSort(this.#claims, (a, b) => a.pods.length < b.pods.length)
      if (this.#claims.some((claim) => this.#addToClaim(claim, current))) return true
      if (this.#templates.some((template) => this.#open(template, current))) return true
    }
    return false
  }

  #full(pod: PodInfo): Requirements {
    return this.#respect ? fullRequirements(pod) : strictRequirements(pod)
  }

  #addToNode(existing: Existing, pod: PodInfo): boolean {
    const { node } = existing
    if (untoleratedTaints(node.taints, pod.tolerations).length > 0) return false
    if (!fits(pod.requests, existing.remaining)) return false
    const full = this.#full(pod)
    if (!isCompatible(existing.requirements, full)) return false
    const merged = mergeRequirements(existing.requirements, full)
    const tight = this.#topology.tighten(pod, strictRequirements(pod), merged, node.taints)
    if (tight === undefined || !isCompatible(merged, tight)) return false
    existing.requirements = mergeRequirements(merged, tight)
    existing.remaining = subtractResources(existing.remaining, pod.requests)
    existing.pods.push(pod.uid)
    this.#topology.record(pod, existing.requirements, node.taints, new Set())
    return true
  }

  #addToClaim(claim: Claim, pod: PodInfo): boolean {
    const { template } = claim
    if (untoleratedTaints(template.taints, pod.tolerations).length > 0) return false
    const full = this.#full(pod)
    if (!isCompatible(claim.requirements, full, this.#wellKnown)) return false
    const merged = mergeRequirements(claim.requirements, full)
    const tight = this.#topology.tighten(pod, strictRequirements(pod), merged, template.taints)
    if (tight === undefined || !isCompatible(merged, tight, this.#wellKnown)) return false
    const requirements = mergeRequirements(merged, tight)
    const requests = addResources(claim.requests, pod.requests)
    const types = this.#filter(template, claim.types, requirements, requests)
    if (types.length === 0) return false
    claim.pods.push(pod)
    claim.types = types
    claim.requirements = requirements
    claim.requests = requests
    for (const name of requirements.get(hostnameKey)?.values ?? []) this.#topology.registerHostname(name)
    this.#topology.record(pod, requirements, template.taints, this.#wellKnown)
    return true
  }

  #open(template: Template, pod: PodInfo): boolean {
    const name = template.pool.metadata.name
    const remaining = this.#remaining.get(name)
    if (remaining?.get('nodes')?.isZero === true) return false
    const within = template.types.filter((type) =>
      [...(remaining ?? [])].every(([resource, left]) => {
        const wanted = type.capacity.get(resource) ?? Quantity.zero
        return wanted.compare(left) <= 0
      }),
    )
    this.#hostnames += 1
    const hostname = toRequirement(hostnameKey, 'In', [
      `hostname-placeholder-${String(this.#hostnames).padStart(4, '0')}`,
    ])
    const claim: Claim = {
      template,
      nodePool: name,
      pods: [],
      types: within,
      requirements: mergeRequirements(template.requirements, requirementsOf(hostname)),
      requests: noResources,
    }
    if (!this.#addToClaim(claim, pod)) return false
    this.#claims.push(claim)
    if (remaining !== undefined) this.#remaining.set(name, subtractResources(remaining, largestCapacity(claim.types)))
    return true
  }

  #filter(
    template: Template,
    types: readonly InstanceType[],
    requirements: Requirements,
    requests: Resources,
  ): readonly InstanceType[] {
    const kept = types.filter((type) => {
      if (!intersects(type.requirements, requirements)) return false
      const need = addResources(requests, template.daemons.get(type.name) ?? noResources)
      if (!fits(need, allocatableOf(type.capacity, type.overhead))) return false
      return type.offerings.some(
        (offering) => offering.available && isCompatible(requirements, offering.requirements, this.#wellKnown),
      )
    })
    return judgeMinValues(kept, requirements).kind === 'met' ? kept : []
  }

  #template(pool: NodePool, snapshot: Snapshot, daemonPods: readonly PodInfo[]): Template {
    const { nodeClassRef, requirements, taints = [] } = pool.spec.template.spec
    const labels = {
      ...pool.spec.template.metadata?.labels,
      'karpenter.sh/nodepool': pool.metadata.name,
      [`${nodeClassRef.group}/${nodeClassRef.kind.toLowerCase()}`]: nodeClassRef.name,
    }
    const merged = mergeRequirements(
      toRequirements(requirements as readonly RequirementEntry[], awsVocabulary.aliases),
      labelsAsRequirements(labels),
      labelsAsRequirements({ 'karpenter.sh/registered': 'true', 'karpenter.sh/initialized': 'true' }),
    )
    const list = snapshot.instanceTypes.get(pool.metadata.name)
    const bare: Template = { pool, requirements: merged, taints, types: [], daemons: new Map() }
    const types = this.#filter(bare, list?.kind === 'resolved' ? list.types : [], merged, noResources)
    const daemons = new Map(
      types.map((type) => [
        type.name,
        addResources(
          ...daemonPods.filter((daemon) => this.#runsOn(daemon, bare, type)).map((daemon) => daemon.requests),
        ),
      ]),
    )
    return { ...bare, types, daemons }
  }

  #runsOn(daemon: PodInfo, template: Template, type: InstanceType): boolean {
    const hard = template.taints.filter(({ effect }) => effect !== 'PreferNoSchedule')
    if (untoleratedTaints(hard, daemon.tolerations).length > 0) return false
    const terms = requiredTerms(daemon)
    const selector = selectorRequirements(daemon)
    const alternatives = terms.length === 0 ? [selector] : terms.map((term) => mergeRequirements(selector, term))
    return alternatives.some(
      (wanted) => isCompatible(template.requirements, wanted, this.#wellKnown) && intersects(type.requirements, wanted),
    )
  }
}

function queueOrder(a: PodInfo, b: PodInfo): number {
  const amount = (pod: PodInfo, name: string): Quantity => pod.requests.get(name) ?? Quantity.zero
  return (
    amount(b, 'cpu').compare(amount(a, 'cpu')) ||
    amount(b, 'memory').compare(amount(a, 'memory')) ||
    a.createdAt - b.createdAt ||
    compareText(a.uid, b.uid)
  )
}

function remainingOf(node: StateNode, daemonPods: readonly PodInfo[]): Resources {
  const available = subtractResources(node.allocatable, addResources(...node.pods.map((pod) => pod.requests)))
  const labels = labelsAsRequirements(node.labels)
  const wanted = daemonPods.filter(
    (daemon) =>
      untoleratedTaints(node.taints, daemon.tolerations).length === 0 &&
      isCompatible(labels, strictRequirements(daemon)),
  )
  const there = node.pods.filter(isOwnedByDaemonSet)
  const missing = subtractResources(
    addResources(...wanted.map((daemon) => daemon.requests)),
    addResources(...there.map((pod) => pod.requests)),
  )
  const floored = new Map([...missing].map(([name, amount]) => [name, amount.isNegative ? Quantity.zero : amount]))
  return subtractResources(available, floored)
}

function domainsOf(templates: readonly Template[], snapshot: Snapshot) {
  const domains = new Map<string, Map<string, (readonly Taint[])[]>>()
  const add = (key: string, domain: string, taints: readonly Taint[]): void => {
    const byDomain = domains.get(key) ?? new Map<string, (readonly Taint[])[]>()
    domains.set(key, byDomain)
    const known = byDomain.get(domain) ?? []
    byDomain.set(
      domain,
      taints.length === 0 ? [[]] : known.some((set) => set.length === 0) ? known : [...known, taints],
    )
  }
  for (const { pool, taints, requirements } of templates) {
    const list = snapshot.instanceTypes.get(pool.metadata.name)
    const hidden = new Set([
      'karpenter.sh/nodepool',
      'karpenter.sh/registered',
      'karpenter.sh/initialized',
      hostnameKey,
    ])
    for (const type of list?.kind === 'resolved' ? list.types : []) {
      for (const { key, values } of mergeRequirements(requirements, type.requirements).values()) {
        if (!hidden.has(key)) for (const value of values) add(key, value, taints)
      }
    }
    for (const { key, complement, values } of requirements.values()) {
      if (!complement && !hidden.has(key)) for (const value of values) add(key, value, taints)
    }
  }
  return domains
}

function isReady(pool: NodePool): boolean {
  return (
    pool.metadata.deletionTimestamp === undefined &&
    (pool.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false)
  )
}
