import type { ControllerRevision, Pod, PodTemplateSpec, StatefulSet, Volume } from '../../api/kubernetes.ts'
import { type Controller, done, type ReconcileResult, source } from '../../kube/controller.ts'
import { hasCode, type KubeError } from '../../kube/errors.ts'
import { controllerRevisions, pods, statefulSets } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { claim } from './claim.ts'
import { Expectations } from './expectations.ts'
import { Histories, type History, templateOf } from './history.ts'
import { ownedSource } from './ownership.ts'
import { patchChangedStatus } from './patch-status.ts'
import { deletePod, isActive, isAvailable, isReady, podCache, podFrom, requeueWhenAvailable } from './pods.ts'
import { afterRefusal, type WorkloadDeps } from './refused-pods.ts'
import { claimName, claimsSource, createClaims, goWithTheirOwners, hasOwnersThatWent } from './stateful-claims.ts'

/** Of a pod: the name of the revision that it was made from. */
const revisionLabel = 'controller-revision-hash'

interface Revisions {
  /** What pods below the partition are made from: the last one that all pods had. */
  readonly current: ControllerRevision
  /** That of the template as it is now. */
  readonly update: ControllerRevision
}

interface Members {
  readonly first: number
  /** By ordinal from `first` on; a hole where there is none. */
  readonly pods: readonly (Pod | undefined)[]
  /** Pods outside of the wanted ordinals, highest first. */
  readonly surplus: readonly Pod[]
}

/** Keeps numbered pods with claims of their own: one after the other unless the set manages them in parallel. */
export function createStatefulSetController(deps: WorkloadDeps): Controller {
  const { caches } = deps
  const cache = podCache(caches)
  const expectations = new Expectations(cache)
  const histories = new Histories(deps, statefulSets, 'controller.kubernetes.io/hash')
  return {
    name: 'embedded.statefulset',
    sources: [
      source(statefulSets, ({ before, after }) => [keyOf(after ?? before)]),
      ownedSource(pods, caches.of(statefulSets)),
      ownedSource(controllerRevisions, caches.of(statefulSets)),
      claimsSource(caches.of(statefulSets)),
    ],
    concurrency: 5,
    async reconcile(key) {
      const set = caches.of(statefulSets).get(key)
      if (set === undefined || set.metadata.deletionTimestamp !== undefined) return done
      const takes = (pod: Pod) => Number.isInteger(ordinalOf(set, pod))
      const owned = await claim(deps, { owner: set, owners: statefulSets, objects: cache, expectations, takes })
      const members = membersOf(set, owned)
      try {
        const history = await histories.of(set)
        const revisions = revisionsOf(set, history)
        let refusal: ReconcileResult | undefined
        try {
          await step(deps, set, members, revisions, expectations)
        } catch (error) {
          const tellAs = ({ message, details }: KubeError): string =>
            `create Pod ${details?.name ?? ''} in StatefulSet ${set.metadata.name} failed error: ${message}`
          refusal = afterRefusal(deps, set, { error, component: 'statefulset-controller', tellAs })
        }
        await writeStatus(deps, set, members, revisions)
        const used = new Set([
          ...owned.map(revisionName),
          ...Object.values(revisions).map(({ metadata }) => metadata.name),
        ])
        await histories.trim(set, history, ({ metadata }) => used.has(metadata.name))
        return refusal ?? requeueWhenAvailable(owned, set.spec.minReadySeconds, deps.clock.now())
      } catch (error) {
        // The namespace is going, or the set has just gone.
        if (!hasCode(error, 'Forbidden', 'NotFound')) throw error
      }
      return done
    },
  }
}

function revisionsOf(set: StatefulSet, { revisions, update }: History): Revisions {
  const name = set.status?.['currentRevision']
  return { current: revisions.find(({ metadata }) => metadata.name === name) ?? update, update }
}

/** Empty for a pod of nobody's making. */
function revisionName({ metadata }: Pod): string {
  return metadata.labels?.[revisionLabel] ?? ''
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
  revisions: Revisions,
  expectations: Expectations<Pod>,
): Promise<void> {
  const { uid } = set.metadata
  const isUp = (pod: Pod) => isAvailable(pod, set.spec.minReadySeconds, deps.clock.now()) && isActive(pod)
  const parallel = set.spec.podManagementPolicy === 'Parallel'
  const remove = async (pod: Pod) => {
    expectations.deleted(uid, pod)
    await deletePod(deps, pod)
  }
  for (const [index, pod] of members.entries()) {
    const ordinal = first + index
    if (pod !== undefined && isActive(pod)) await goWithTheirOwners(deps, { set, pod, ordinal, surplus: false })
    if (pod === undefined) {
      if (hasOwnersThatWent(deps, set, ordinal)) return
      await createClaims(deps, set, ordinal)
      const revision = index < partitionOf(set) ? revisions.current : revisions.update
      expectations.created(uid, await createPod(deps, set, ordinal, revision))
      if (!parallel) return
    } else if ((pod.spec.nodeName ?? '') === '' && pod.metadata.deletionTimestamp === undefined) {
      // Its claim may have been deleted since.
      await createClaims(deps, set, ordinal)
      if (!parallel) return
    } else if (pod.status?.phase === 'Failed' || pod.status?.phase === 'Succeeded') {
      if (pod.metadata.deletionTimestamp === undefined) await remove(pod)
      if (!parallel) return
    } else if (!parallel && !isUp(pod)) return
  }
  for (const pod of surplus) {
    const settled = await goWithTheirOwners(deps, { set, pod, ordinal: ordinalOf(set, pod), surplus: true })
    if (settled && pod.metadata.deletionTimestamp === undefined) await remove(pod)
    if (!parallel) return
  }
  await update(set, members, revisions.update, { isUp, remove })
}

/** How many pods, from the first ordinal on, keep the revision that they have. Where pods are replaced by hand none is held back. */
function partitionOf({ spec: { updateStrategy } }: StatefulSet): number {
  return updateStrategy?.type === 'OnDelete' ? 0 : (updateStrategy?.rollingUpdate?.partition ?? 0)
}

/** Replaces pods of an old revision from the highest ordinal down, one at a time. */
async function update(
  set: StatefulSet,
  members: readonly (Pod | undefined)[],
  { metadata: { name } }: ControllerRevision,
  { isUp, remove }: { readonly isUp: (pod: Pod) => boolean; readonly remove: (pod: Pod) => Promise<void> },
): Promise<void> {
  if (set.spec.updateStrategy?.type === 'OnDelete') return
  for (const pod of members.slice(partitionOf(set)).toReversed()) {
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return
    if (revisionName(pod) !== name) {
      await remove(pod)
      return
    }
    if (!isUp(pod)) return
  }
}

function createPod(
  { client }: EmbeddedDeps,
  set: StatefulSet,
  ordinal: number,
  revision: ControllerRevision,
): Promise<Pod> {
  const name = `${set.metadata.name}-${ordinal}`
  const claims: Volume[] = (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => ({
    name: metadata.name ?? 'data',
    persistentVolumeClaim: { claimName: claimName(set, metadata.name ?? 'data', ordinal) },
  }))
  const kept = templateOf(revision) ?? set.spec.template
  const { spec } = kept
  const others = (spec.volumes ?? []).filter((volume) => !claims.some((claim) => claim.name === volume.name))
  const { serviceName = '' } = set.spec
  const identity = { hostname: name, ...(serviceName === '' ? {} : { subdomain: serviceName }) }
  const template: PodTemplateSpec = {
    ...kept,
    spec: { ...spec, ...identity, volumes: [...others, ...claims] },
  }
  const labels = {
    'statefulset.kubernetes.io/pod-name': name,
    'apps.kubernetes.io/pod-index': String(ordinal),
    [revisionLabel]: revision.metadata.name,
  }
  return client.create(pods, podFrom(set, template, { name, labels }))
}

async function writeStatus(
  deps: EmbeddedDeps,
  set: StatefulSet,
  { pods: members, surplus }: Members,
  {
    current,
    update: {
      metadata: { name: updateRevision },
    },
  }: Revisions,
): Promise<void> {
  const present = [...members, ...surplus].filter((pod) => pod !== undefined)
  const staying = present.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  const countOf = (revision: string) => staying.filter((pod) => revisionName(pod) === revision).length
  const ready = present.filter(isReady).length
  const updated = countOf(updateRevision)
  const complete =
    set.spec.updateStrategy?.type !== 'OnDelete' && updated === present.length && ready === present.length
  const currentRevision = complete ? updateRevision : current.metadata.name
  const status = {
    replicas: present.length,
    readyReplicas: ready,
    availableReplicas: present.filter((pod) => isAvailable(pod, set.spec.minReadySeconds, deps.clock.now())).length,
    updatedReplicas: updated,
    currentReplicas: countOf(currentRevision),
    currentRevision,
    updateRevision,
    collisionCount: 0,
    observedGeneration: set.metadata.generation ?? 1,
  }
  await patchChangedStatus(deps, statefulSets, set, status)
}
