import type { NodePool } from '../api/karpenter.ts'
import { awsVocabulary, type LabelVocabulary } from '../api/label-rules.ts'
import { annotationNodePoolHash, labelCapacityReservationID } from '../api/labels.ts'
import type { InstanceType } from '../model/instance-type.ts'
import type { PodInfo } from '../model/pod.ts'
import type { Snapshot } from '../model/snapshot.ts'
import { untoleratedTaints } from '../model/taints.ts'
import { AmountSpace } from './amounts.ts'
import { isEmptyBits } from './bitset.ts'
import type { CatalogIndex } from './catalog-index.ts'
import { sharedCatalogs } from './shared-catalogs.ts'
import { ClusterIndex, nodesPerSlice } from './cluster-index.ts'
import { groupByDaemons, toDaemons } from './daemons.ts'
import { type DefaultSpreadConstraint, withDefaultSpread } from './default-spread.ts'
import { ClaimOutcomes } from './finalize.ts'
import { SlicePace } from './slice-pace.ts'
import { NodeRoom } from './node-room.ts'
import {
  choosePools,
  type ExcludedPool,
  simulatedRequirements,
  templateAnnotations,
  templateLabels,
  type UnresolvedPool,
  unresolvedPool,
} from './node-pools.ts'
import { PodClasses } from './pod-class.ts'
import type { PreferencePolicy } from './pod-constraints.ts'
import type { RequirementSpace, SetID } from './requirement-space.ts'
import { runningPods } from './running-pods.ts'
import { AttemptMemo, TolerationMemo } from './settle.ts'
import { fitIndexOf, groupSlotsOf, type Template, templateCandidates } from './template.ts'
import { standingInverseGroups, TopologyCounts } from './topology/counting.ts'
import type { GroupOptions } from './topology/group-spec.ts'
import { GroupSpecs } from './topology/group-specs.ts'
import { DomainUniverse } from './topology/universe.ts'
import { volumeRequirements } from './volume-requirements.ts'

type MinValuesPolicy = 'Strict' | 'BestEffort'

/** Settings that hold for every solve on a snapshot. */
export interface SchedulingSettings {
  readonly vocabulary: LabelVocabulary
  readonly preferencePolicy: PreferencePolicy
  readonly minValuesPolicy: MinValuesPolicy
  /** Refuse pods with resource claims and leave DaemonSets with such out of the overhead. */
  readonly ignoreDRA: boolean
  readonly defaultSpread: readonly DefaultSpreadConstraint[]
  /** Label that names the capacity reservation of an offering. */
  readonly reservationLabel: string
  /** The nodepool-hash of a pool, for the claims made from it. */
  readonly nodePoolHash: (pool: NodePool) => string
}

export const defaultSettings: SchedulingSettings = {
  vocabulary: awsVocabulary,
  preferencePolicy: 'Respect',
  minValuesPolicy: 'Strict',
  ignoreDRA: true,
  defaultSpread: [],
  reservationLabel: labelCapacityReservationID,
  nodePoolHash: (pool) => pool.metadata.annotations?.[annotationNodePoolHash] ?? '',
}

/** A pool all of whose types its own requirements or minValues rule out: an event on the pool says so. */
export interface FilteredPool {
  readonly nodePool: NodePool
  readonly message: string
}

/** A snapshot made ready for solves: indexed once, shared by any number of them, changed by none. */
export interface SolveContext {
  readonly snapshot: Snapshot
  readonly settings: SchedulingSettings
  readonly pools: readonly NodePool[]
  readonly excludedPools: readonly ExcludedPool[]
  readonly unresolvedPools: readonly UnresolvedPool[]
  readonly filteredPools: readonly FilteredPool[]
  readonly templates: readonly Template[]
  readonly requirements: RequirementSpace
  readonly amounts: AmountSpace
  readonly classes: PodClasses
  readonly cluster: ClusterIndex
  readonly room: NodeRoom
  readonly counts: TopologyCounts
  readonly groupOptions: GroupOptions
  readonly groupSpecs: GroupSpecs
  readonly outcomes: ClaimOutcomes
  readonly tolerations: TolerationMemo
  readonly attemptsOnNodes: AttemptMemo
  readonly attemptsOnClaims: AttemptMemo
  readonly pace: SlicePace
  /** By node name, for pods that are bound. */
  readonly nodeByName: ReadonlyMap<string, number>
}

/** Everything in slices; see `prepare`. `extraPods` are pods to be placed that the snapshot does not hold. */
export function* prepareInSlices(
  snapshot: Snapshot,
  settings: SchedulingSettings,
  extraPods: readonly PodInfo[] = [],
): Generator<undefined, SolveContext, undefined> {
  const { vocabulary } = settings
  const { aliases, wellKnown } = vocabulary
  const pace = new SlicePace()
  const { pools, excluded } = choosePools(snapshot.nodePools)
  const { requirements, prepare, knows, catalogOf } = sharedCatalogs(
    snapshot,
    pools,
    wellKnown,
    settings.reservationLabel,
  )
  const unresolvedPools: UnresolvedPool[] = []
  const resolved: { pool: NodePool; catalog: CatalogIndex; set: SetID }[] = []
  const domainSources: { pool: NodePool; types: readonly InstanceType[] }[] = []
  for (const pool of pools) {
    const list = snapshot.instanceTypes.get(pool.metadata.name)
    const unresolved = unresolvedPool(pool.metadata.name, list)
    if (unresolved !== undefined) unresolvedPools.push(unresolved)
    const types = list?.kind === 'resolved' ? list.types : []
    const set = requirements.intern(simulatedRequirements(pool, aliases))
    const isNew = !knows(types)
    yield* prepare(types)
    resolved.push({ pool, catalog: catalogOf(types), set })
    const named = list?.kind === 'held' ? list.types : types
    if (named.length > 0) domainSources.push({ pool, types: named })
    if (isNew) yield
  }
  const daemons = toDaemons(snapshot.daemonSets, { ignoreDRA: settings.ignoreDRA, aliases })
  const amounts = new AmountSpace()
  for (const { catalog } of resolved) amounts.observeAll(catalog.amounts)
  for (const { pod } of daemons) amounts.observe(pod.requests)
  for (const [index, { allocatable, pods }] of snapshot.nodes.entries()) {
    amounts.observe(allocatable)
    amounts.observe(runningPods(pods).amounts)
    if (index % nodesPerSlice === nodesPerSlice - 1) yield
  }
  for (const [index, { requests }] of [...snapshot.unboundPods, ...extraPods].entries()) {
    amounts.observe(requests)
    if (index % podsPerSlice === podsPerSlice - 1) yield
  }
  amounts.settle()
  const classes = new PodClasses({
    requirements,
    amounts,
    aliases,
    preferencePolicy: settings.preferencePolicy,
    softTaints: pools.some(({ spec }) =>
      spec.template.spec.taints?.some(({ effect }) => effect === 'PreferNoSchedule'),
    ),
    volumeRequirements: (pod) => volumeRequirements(pod, snapshot.volumes, aliases),
    inject: (pod) => withDefaultSpread(pod, settings.defaultSpread, snapshot.spreadOwners),
  })
  const cluster = new ClusterIndex(snapshot.nodes, { requirements, aliases })
  if (pace.fills(snapshot.nodes.length)) yield
  yield* cluster.indexPods(classes)
  const templates: Template[] = []
  const filteredPools: FilteredPool[] = []
  for (const { pool, catalog, set } of resolved) {
    // That a pool may open no node now is no fault of its requirements.
    if (snapshot.instanceTypes.get(pool.metadata.name)?.kind === 'held') continue
    const candidates = templateCandidates(catalog, set)
    const minValues = [...requirements.get(set).values()].filter((requirement) => requirement.minValues !== undefined)
    const short =
      settings.minValuesPolicy === 'Strict' &&
      !isEmptyBits(candidates) &&
      minValues.some(({ key, minValues: least = 0 }) => catalog.distinctValues(key, candidates) < least)
    if (isEmptyBits(candidates) || short) {
      const cause = short ? ' due to minValues incompatibility' : ''
      filteredPools.push({
        nodePool: pool,
        message: `NodePool requirements filtered out all compatible available instance types${cause}`,
      })
      continue
    }
    const kept = new Set<number>()
    for (const [slot, { typeIndex }] of catalog.slots.entries()) {
      if (((candidates[slot >>> 5] ?? 0) & (1 << (slot & 31))) !== 0) kept.add(typeIndex)
    }
    const keptTypes = [...kept]
    const taints = pool.spec.template.spec.taints ?? []
    const { groups, groupOf } = groupByDaemons(
      keptTypes.flatMap((index) => catalog.types[index] ?? []),
      { taints, requirements: requirements.get(set) },
      daemons,
      { wellKnown, aliases },
    )
    const groupOfType = new Map(keptTypes.map((typeIndex, position) => [typeIndex, groupOf[position] ?? 0]))
    const groupOfSlot = catalog.slots.map(({ typeIndex }) => groupOfType.get(typeIndex) ?? 0)
    templates.push({
      index: templates.length,
      pool,
      name: pool.metadata.name,
      labels: templateLabels(pool),
      annotations: templateAnnotations(pool, settings.nodePoolHash(pool)),
      taints,
      taintsID: cluster.taintsID(taints),
      set,
      catalog,
      groups,
      groupOf: groupOfSlot,
      groupSlots: groupSlotsOf(catalog.size, groups.length, groupOfSlot),
      fit: fitIndexOf(catalog, groups, groupOfSlot, amounts),
      candidates,
      minValuesKeys: minValues.map(({ key }) => key),
    })
    if (pace.fills(workPerType * keptTypes.length * (1 + daemons.length))) yield
  }
  const roomOptions = { cluster, amounts, requirements, classes, daemons, aliases, volumes: snapshot.volumes }
  const room = new NodeRoom(roomOptions)
  yield* room.measure(roomOptions)
  const universe = new DomainUniverse(domainSources, aliases)
  const groupOptions = { policy: settings.preferencePolicy, aliases, namespaces: snapshot.namespaces }
  const standingInverse = yield* standingInverseGroups(cluster, groupOptions)
  return {
    snapshot,
    settings,
    pools,
    excludedPools: excluded,
    unresolvedPools,
    filteredPools,
    templates,
    requirements,
    amounts,
    classes,
    cluster,
    room,
    counts: new TopologyCounts(cluster, requirements, universe),
    groupOptions,
    groupSpecs: new GroupSpecs(groupOptions, standingInverse),
    outcomes: new ClaimOutcomes(),
    tolerations: new TolerationMemo(
      (tolerationsID, taintsID) =>
        untoleratedTaints(cluster.taints(taintsID), classes.tolerations(tolerationsID)).length === 0,
    ),
    attemptsOnNodes: new AttemptMemo(),
    attemptsOnClaims: new AttemptMemo(),
    pace,
    nodeByName: new Map(
      snapshot.nodes.flatMap(({ node }, index) => (node === undefined ? [] : [[node.metadata.name, index]])),
    ),
  }
}

/** What it takes to see which daemons a type would host, for each of them. */
const workPerType = 5

/** Pods without a node looked at between two slices: about a millisecond. */
const podsPerSlice = 2_000
