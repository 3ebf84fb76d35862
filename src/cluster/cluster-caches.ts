import type { DaemonSet, Pod } from '../api/kubernetes.ts'
import type { NodePool } from '../api/karpenter.ts'
import type { CloudProvider } from '../cloud/provider.ts'
import type { Cache, Caches } from '../kube/controller.ts'
import { nodeClaims, nodePools } from '../kube/karpenter-kinds.ts'
import * as kinds from '../kube/kinds.ts'
import type { DaemonSetInfo, DeviceObjects, SpreadOwners } from '../model/snapshot.ts'
import { derived, derivedMap } from './derived.ts'
import type { PodIndex } from './pod-index.ts'

export interface DerivedOptions {
  readonly caches: Caches
  readonly cloud: Pick<CloudProvider, 'nodeClassKinds'>
  readonly spreadOwners?: boolean
}

/** The kinds that cluster state is made from. */
export type WatchedCaches = ReturnType<typeof watchedCaches>

export function watchedCaches(caches: Caches) {
  const named = {
    pods: caches.of(kinds.pods),
    nodes: caches.of(kinds.nodes),
    nodeClaims: caches.of(nodeClaims),
    nodePools: caches.of(nodePools),
    daemonSets: caches.of(kinds.daemonSets),
    namespaces: caches.of(kinds.namespaces),
    podDisruptionBudgets: caches.of(kinds.podDisruptionBudgets),
    claims: caches.of(kinds.persistentVolumeClaims),
    volumes: caches.of(kinds.persistentVolumes),
    storageClasses: caches.of(kinds.storageClasses),
    csiNodes: caches.of(kinds.csiNodes),
  }
  const all: readonly Pick<Cache<Pod>, 'synced'>[] = Object.values(named)
  return { ...named, all }
}

/** Parts of a snapshot that follow from one cache each. */
export type Derived = ReturnType<typeof derivedFrom>

export function derivedFrom(options: DerivedOptions, watched: WatchedCaches, pods: PodIndex) {
  const { caches, cloud, spreadOwners = false } = options
  const managed = (pool: NodePool): boolean => {
    const { group, kind } = pool.spec.template.spec.nodeClassRef
    return cloud.nodeClassKinds.some((known) => known.group === group && known.kind === kind)
  }
  const claims = derivedMap(watched.claims)
  const volumes = derivedMap(watched.volumes)
  const storageClasses = derivedMap(watched.storageClasses)
  const csiNodes = derivedMap(watched.csiNodes)
  return {
    nodePools: derived(watched.nodePools, (pools) => pools.filter(managed)),
    daemonSets: (): readonly DaemonSetInfo[] =>
      watched.daemonSets.list().map((daemonSet: DaemonSet) => ({
        daemonSet,
        newestPod: pods.newestOfDaemonSet(daemonSet.metadata.uid),
      })),
    namespaces: derived(
      watched.namespaces,
      (list) => new Map(list.map((namespace) => [namespace.metadata.name, namespace.metadata.labels ?? {}])),
    ),
    volumes: () => ({
      claims: claims(),
      volumes: volumes(),
      storageClasses: storageClasses(),
      csiNodes: csiNodes(),
    }),
    spreadOwners: spreadOwners ? spreadOwnersFrom(caches) : (): SpreadOwners => noSpreadOwners,
  }
}

/** What Dynamic Resource Allocation works with; asks for its kinds. */
export function devicesFrom(caches: Caches): {
  readonly objects: () => DeviceObjects
  readonly caches: readonly Pick<Cache<Pod>, 'synced'>[]
} {
  const named = {
    claims: caches.of(kinds.resourceClaims),
    classes: caches.of(kinds.deviceClasses),
    slices: caches.of(kinds.resourceSlices),
  }
  const claims = derivedMap(named.claims)
  const classes = derivedMap(named.classes)
  const slices = derived(named.slices, (list) => list)
  return {
    objects: () => ({ claims: claims(), classes: classes(), slices: slices() }),
    caches: Object.values(named),
  }
}

const noSpreadOwners: SpreadOwners = {
  services: [],
  replicaSets: new Map(),
  replicationControllers: new Map(),
  statefulSets: new Map(),
}

function spreadOwnersFrom(caches: Caches): () => SpreadOwners {
  const services = caches.of(kinds.services)
  const replicaSets = derivedMap(caches.of(kinds.replicaSets))
  const replicationControllers = derivedMap(caches.of(kinds.replicationControllers))
  const statefulSets = derivedMap(caches.of(kinds.statefulSets))
  return () => ({
    services: services.list(),
    replicaSets: replicaSets(),
    replicationControllers: replicationControllers(),
    statefulSets: statefulSets(),
  })
}
