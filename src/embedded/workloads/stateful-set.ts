import type { PersistentVolumeClaim, Pod, PodTemplateSpec, StatefulSet, Unsaved, Volume } from '../../api/kubernetes.ts'
import { type Controller, done, source } from '../../kube/controller.ts'
import { hasCode } from '../../kube/errors.ts'
import { persistentVolumeClaims, pods, statefulSets } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { claim } from './claim.ts'
import { Expectations } from './expectations.ts'
import { ownedSource } from './ownership.ts'
import { patchChangedStatus } from './patch-status.ts'
import { deletePod, isActive, isReady, podCache, podFrom } from './pods.ts'
import { templateHash } from './template-hash.ts'

const hashLabel = 'controller-revision-hash'

interface Members {
  readonly first: number
  /** By ordinal from `first` on; a hole where there is none. */
  readonly pods: readonly (Pod | undefined)[]
  /** Pods outside of the wanted ordinals, highest first. */
  readonly surplus: readonly Pod[]
}

/** Keeps numbered pods with claims of their own: one after the other unless the set manages them in parallel. */
export function createStatefulSetController(deps: EmbeddedDeps): Controller {
  const { caches } = deps
  const cache = podCache(caches)
  const expectations = new Expectations(cache)
  return {
    name: 'embedded.statefulset',
    sources: [
      source(statefulSets, ({ before, after }) => [keyOf(after ?? before)]),
      ownedSource(pods, caches.of(statefulSets)),
    ],
    concurrency: 5,
    async reconcile(key) {
      const set = caches.of(statefulSets).get(key)
      if (set === undefined || set.metadata.deletionTimestamp !== undefined) return done
      const takes = (pod: Pod) => Number.isInteger(ordinalOf(set, pod))
      const owned = await claim(deps, { owner: set, owners: statefulSets, objects: cache, expectations, takes })
      const members = membersOf(set, owned)
      const revision = templateHash(set.spec.template)
      try {
        await step(deps, set, members, revision, expectations)
      } catch (error) {
        if (!hasCode(error, 'Forbidden', 'NotFound')) throw error
      }
      await writeStatus(deps, set, members, revision)
      return done
    },
  }
}

/** NaN for a pod that is named otherwise. */
function ordinalOf(set: StatefulSet, { metadata: { name } }: Pod): number {
  const prefix = `${set.metadata.name}-`
  const ordinal = name.slice(prefix.length)
  return name.startsWith(prefix) && /^\d+$/.test(ordinal) ? Number(ordinal) : Number.NaN
}

function membersOf(set: StatefulSet, owned: readonly Pod[]): Members {
  const replicas = set.spec.replicas ?? 1
  const first = set.spec.ordinals?.start ?? 0
  const isWanted = (pod: Pod) => ordinalOf(set, pod) >= first && ordinalOf(set, pod) < first + replicas
  const byOrdinal = new Map(owned.map((pod) => [ordinalOf(set, pod), pod]))
  return {
    first,
    pods: Array.from({ length: replicas }, (_, index) => byOrdinal.get(first + index)),
    surplus: owned.filter((pod) => !isWanted(pod)).toSorted((a, b) => ordinalOf(set, b) - ordinalOf(set, a)),
  }
}

async function step(
  deps: EmbeddedDeps,
  set: StatefulSet,
  { first, pods: members, surplus }: Members,
  revision: string,
  expectations: Expectations<Pod>,
): Promise<void> {
  const { uid } = set.metadata
  const parallel = set.spec.podManagementPolicy === 'Parallel'
  const remove = async (pod: Pod) => {
    expectations.deleted(uid, pod)
    await deletePod(deps, pod)
  }
  for (const [index, pod] of members.entries()) {
    const ordinal = first + index
    if (pod === undefined) {
      await createClaims(deps, set, ordinal)
      expectations.created(uid, await createPod(deps, set, ordinal, revision))
      if (!parallel) return
    } else if ((pod.spec.nodeName ?? '') === '' && pod.metadata.deletionTimestamp === undefined) {
      // Its claim may have been deleted since.
      await createClaims(deps, set, ordinal)
      if (!parallel) return
    } else if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') {
      if (pod.metadata.deletionTimestamp === undefined) await remove(pod)
      if (!parallel) return
    } else if (!parallel && !(isReady(pod) && isActive(pod))) return
  }
  for (const pod of surplus) {
    if (pod.metadata.deletionTimestamp === undefined) await remove(pod)
    if (!parallel) return
  }
  await update(set, { first, members }, revision, remove)
}

/** Replaces pods of an old revision from the highest ordinal down, one at a time. */
async function update(
  set: StatefulSet,
  { first, members }: { readonly first: number; readonly members: readonly (Pod | undefined)[] },
  revision: string,
  remove: (pod: Pod) => Promise<void>,
): Promise<void> {
  const strategy = (set.spec as { updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } } })
    .updateStrategy
  if (strategy?.type === 'OnDelete') return
  const partition = strategy?.rollingUpdate?.partition ?? 0
  for (let ordinal = first + members.length - 1; ordinal >= Math.max(first, partition); ordinal -= 1) {
    const pod = members[ordinal - first]
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return
    if (pod.metadata.labels?.[hashLabel] !== revision) {
      await remove(pod)
      return
    }
    if (!isReady(pod)) return
  }
}

function claimName(set: StatefulSet, template: string, ordinal: number): string {
  return `${template}-${set.metadata.name}-${ordinal}`
}

async function createClaims({ client, caches }: EmbeddedDeps, set: StatefulSet, ordinal: number): Promise<void> {
  for (const template of set.spec.volumeClaimTemplates ?? []) {
    const name = claimName(set, template.metadata.name ?? 'data', ordinal)
    if (caches.of(persistentVolumeClaims).get({ namespace: set.metadata.namespace, name }) !== undefined) continue
    const claim: Unsaved<PersistentVolumeClaim> = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name,
        ...(set.metadata.namespace === undefined ? {} : { namespace: set.metadata.namespace }),
        labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
      },
      spec: template.spec,
    }
    try {
      await client.create(persistentVolumeClaims, claim)
    } catch (error) {
      if (!hasCode(error, 'AlreadyExists')) throw error
    }
  }
}

function createPod({ client }: EmbeddedDeps, set: StatefulSet, ordinal: number, revision: string): Promise<Pod> {
  const name = `${set.metadata.name}-${ordinal}`
  const claims: Volume[] = (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => ({
    name: metadata.name ?? 'data',
    persistentVolumeClaim: { claimName: claimName(set, metadata.name ?? 'data', ordinal) },
  }))
  const { spec } = set.spec.template
  const others = (spec.volumes ?? []).filter((volume) => !claims.some((claim) => claim.name === volume.name))
  const { serviceName = '' } = set.spec
  const identity = { hostname: name, ...(serviceName === '' ? {} : { subdomain: serviceName }) }
  const template: PodTemplateSpec = {
    ...set.spec.template,
    spec: { ...spec, ...identity, volumes: [...others, ...claims] },
  }
  const labels = {
    'statefulset.kubernetes.io/pod-name': name,
    'apps.kubernetes.io/pod-index': String(ordinal),
    [hashLabel]: revision,
  }
  return client.create(pods, podFrom(set, template, { name, labels }))
}

async function writeStatus(
  deps: EmbeddedDeps,
  set: StatefulSet,
  { pods: members, surplus }: Members,
  revision: string,
): Promise<void> {
  const present = [...members, ...surplus].filter((pod) => pod !== undefined)
  const updated = present.filter((pod) => pod.metadata.labels?.[hashLabel] === revision).length
  const ready = present.filter(isReady).length
  const name = `${set.metadata.name}-${revision}`
  const complete = updated === (set.spec.replicas ?? 1) && ready === updated && surplus.length === 0
  const before = set.status?.['currentRevision']
  const status = {
    replicas: present.length,
    readyReplicas: ready,
    availableReplicas: ready,
    updatedReplicas: updated,
    currentReplicas: complete ? updated : present.length - updated,
    currentRevision: complete || typeof before !== 'string' ? name : before,
    updateRevision: name,
    collisionCount: 0,
    observedGeneration: set.metadata.generation ?? 1,
  }
  await patchChangedStatus(deps, statefulSets, set, status)
}
