import type { NodePool } from '../api/karpenter.ts'
import { awsVocabulary, type LabelVocabulary } from '../api/label-rules.ts'
import { annotationNodePoolHash, labelCapacityReservationID } from '../api/labels.ts'
import type { PodInfo } from '../model/pod.ts'
import type { Sliced } from '../model/sliced.ts'
import type { Snapshot } from '../model/snapshot.ts'
import { untoleratedTaints } from '../model/taints.ts'
import { AmountSpace } from './amounts.ts'
import { ClusterIndex, nodesPerSlice } from './cluster-index.ts'
import { type Daemon, toDaemons } from './daemons.ts'
import { type DefaultSpreadConstraint, withDefaultSpread } from './default-spread.ts'
import { ClaimOutcomes } from './finalize.ts'
import { type FilteredPool, makeTemplates } from './make-templates.ts'
import { NodeRoom } from './node-room.ts'
import { choosePools, type ExcludedPool, type UnresolvedPool } from './node-pools.ts'
import { PodClasses } from './pod-class.ts'
import type { PreferencePolicy } from './pod-constraints.ts'
import type { RequirementSpace } from './requirement-space.ts'
import { type ResolvedPool, resolvePools } from './resolved-pools.ts'
import { runningPods } from './running-pods.ts'
import { AttemptMemo, TolerationMemo } from './settle.ts'
import { sharedCatalogs } from './shared-catalogs.ts'
import { SlicePace } from './slice-pace.ts'
import type { Template } from './template.ts'
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
): Sliced<SolveContext> {
  const { aliases, wellKnown } = settings.vocabulary
  const pace = new SlicePace()
  const { pools, excluded } = choosePools(snapshot.nodePools)
  const catalogs = sharedCatalogs(snapshot, pools, wellKnown, settings.reservationLabel)
  const { requirements } = catalogs
  const { resolved, unresolved, domainSources } = yield* resolvePools(pools, snapshot.instanceTypes, catalogs, aliases)
  const daemons = toDaemons(snapshot.daemonSets, { ignoreDRA: settings.ignoreDRA, aliases })
  const pending = [...snapshot.unboundPods, ...extraPods]
  const amounts = yield* observedAmounts({ resolved, daemons, nodes: snapshot.nodes, pending })
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
  const { minValuesPolicy, nodePoolHash } = settings
  const vocabulary = { wellKnown, aliases }
  const { templates, filteredPools } = yield* makeTemplates(resolved, {
    requirements,
    amounts,
    cluster,
    daemons,
    vocabulary,
    minValuesPolicy,
    nodePoolHash,
    pace,
  })
  const { volumes, now } = snapshot
  const roomOptions = { cluster, amounts, requirements, classes, daemons, aliases, volumes, now }
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
    unresolvedPools: unresolved,
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

/** The amounts that anything of a solve asks for or has. */
function* observedAmounts({
  resolved,
  daemons,
  nodes,
  pending,
}: {
  readonly resolved: readonly ResolvedPool[]
  readonly daemons: readonly Daemon[]
  readonly nodes: Snapshot['nodes']
  readonly pending: readonly PodInfo[]
}): Sliced<AmountSpace> {
  const amounts = new AmountSpace()
  for (const { catalog } of resolved) amounts.observeAll(catalog.amounts)
  for (const { pod } of daemons) amounts.observe(pod.requests)
  for (const [index, { allocatable, pods }] of nodes.entries()) {
    amounts.observe(allocatable)
    amounts.observe(runningPods(pods).amounts)
    if (index % nodesPerSlice === nodesPerSlice - 1) yield
  }
  for (const [index, { requests }] of pending.entries()) {
    amounts.observe(requests)
    if (index % podsPerSlice === podsPerSlice - 1) yield
  }
  amounts.settle()
  return amounts
}

/** Pods without a node looked at between two slices: about a millisecond. */
const podsPerSlice = 2_000
