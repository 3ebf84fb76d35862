import { sameWhenWritten } from '../../api/json.ts'
import type { DaemonSet, Node, Pod, PodSpec, Taint, Toleration } from '../../api/kubernetes.ts'
import { type Controller, done, type ReconcileResult, source } from '../../kube/controller.ts'
import { hasCode } from '../../kube/errors.ts'
import { controllerRevisions, daemonSets, nodes, pods } from '../../kube/kinds.ts'
import { keyOf } from '../../kube/resource.ts'
import { parseTimestamp } from '../../model/clock.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { isTolerated, matchesNodeSelection } from '../scheduler/node-selection.ts'
import { claim } from './claim.ts'
import { type DaemonPlace, decideDaemonRollout, surgeOf } from './daemon-rollout.ts'
import { Expectations } from './expectations.ts'
import { Histories, type History } from './history.ts'
import { ownedSource } from './ownership.ts'
import { patchChangedStatus } from './patch-status.ts'
import { deletePod, isAvailable, isReady, podCache, podFrom, requeueWhenAvailable } from './pods.ts'
import { afterRefusal, type WorkloadDeps } from './refused-pods.ts'

/** Of a pod: the hash of the revision that it was made from. */
const hashLabel = 'controller-revision-hash'
const generationAnnotation = 'deprecated.daemonset.template.generation'

/** What every daemon pod puts up with, so that it starts on nodes that are not ready for others yet. */
const daemonTolerations: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
]

/** Runs one pod of a template on each node that it may run on; the scheduler binds them. */
export function createDaemonSetController(deps: WorkloadDeps): Controller {
  const { caches, client, clock } = deps
  const cache = podCache(caches)
  const expectations = new Expectations(cache)
  const histories = new Histories(deps, daemonSets, hashLabel)
  const allSets = () => caches.of(daemonSets).list().map(keyOf)
  return {
    name: 'embedded.daemonset',
    sources: [
      source(daemonSets, ({ before, after }) => [keyOf(after ?? before)]),
      source(nodes, ({ before, after }) => (isSameForDaemons(before, after) ? [] : allSets())),
      ownedSource(pods, caches.of(daemonSets)),
      ownedSource(controllerRevisions, caches.of(daemonSets)),
    ],
    concurrency: 5,
    async reconcile(key) {
      const set = caches.of(daemonSets).get(key)
      if (set === undefined || set.metadata.deletionTimestamp !== undefined) return done
      const { uid } = set.metadata
      const history = await historyOf(set)
      if (history === 'refused') return done
      const hash = history.update.metadata.labels?.[hashLabel] ?? ''
      const owned = await claim(deps, { owner: set, owners: daemonSets, objects: cache, expectations })
      const byNode = groupByNode(owned)
      const remove = async (pod: Pod) => {
        expectations.deleted(uid, pod)
        await deletePod(deps, pod)
      }
      // Once one was refused no other is tried before the next look.
      let refusal: ReconcileResult | undefined
      const isUp = (pod: Pod) => isAvailable(pod, set.spec.minReadySeconds, clock.now())
      const surges = surgeOf(set, 1) > 0
      const counts = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 }
      const places: DaemonPlace[] = []
      for (const node of caches.of(nodes).list()) {
        const mine = byNode.get(node.metadata.name) ?? []
        const verdict = verdictOf(set, node)
        if (!verdict.runs) {
          counts.misscheduled += mine.length
          for (const pod of verdict.stays ? [] : mine) await remove(pod)
          continue
        }
        counts.desired += 1
        const isCurrent = ({ metadata }: Pod) => metadata.labels?.[hashLabel] === hash
        const staying = mine.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        for (const pod of staying) if (isFinished(pod)) await remove(pod)
        const alive = staying.filter((pod) => !isFinished(pod)).toSorted((a, b) => createdAt(a) - createdAt(b))
        const [first] = alive
        if (first === undefined) {
          // Where pods may surge, one that is going keeps no other away.
          if (mine.length > 0 && !surges) continue
          refusal ??= await create(set, node, hash)
          continue
        }
        const kept = surges ? [alive.find((pod) => !isCurrent(pod)), alive.find(isCurrent)] : [first]
        for (const pod of alive) if (!kept.includes(pod)) await remove(pod)
        counts.current += 1
        if (isReady(first)) counts.ready += 1
        if (isUp(first)) counts.available += 1
        if (isCurrent(first)) counts.updated += 1
        const [old, current] = surges ? kept : isCurrent(first) ? [undefined, first] : [first, undefined]
        places.push({ node, old, current })
      }
      for (const pod of owned) if (isLeftWaiting(pod)) await remove(pod)
      const { remove: replaced, surge } = decideDaemonRollout(set, places, { desired: counts.desired, isUp })
      for (const pod of replaced) await remove(pod)
      for (const node of surge) refusal ??= await create(set, node, hash)
      await writeStatus(deps, set, counts)
      const used = new Set([hash, ...owned.map(({ metadata }) => metadata.labels?.[hashLabel])])
      await histories.trim(set, history, ({ metadata }) => used.has(metadata.labels?.[hashLabel]))
      return refusal ?? requeueWhenAvailable(owned, set.spec.minReadySeconds, clock.now())
    },
  }

  /** For a node that went before the pod was bound to it: whoever clears away what ran on nodes that are gone does not find it. */
  function isLeftWaiting(pod: Pod): boolean {
    const name = pod.spec.nodeName === undefined ? pinnedTo(pod) : undefined
    return name !== undefined && caches.of(nodes).get({ name }) === undefined
  }

  /** Refused where the namespace is going, or the set has just gone. */
  async function historyOf(set: DaemonSet): Promise<History | 'refused'> {
    try {
      return await histories.of(set)
    } catch (error) {
      if (hasCode(error, 'Forbidden', 'NotFound')) return 'refused'
      throw error
    }
  }

  /** What comes of a refusal; undefined when the pod is made. */
  async function create(set: DaemonSet, node: Node, hash: string): Promise<ReconcileResult | undefined> {
    const template = { ...set.spec.template, spec: pinned(set.spec.template.spec, node.metadata.name) }
    const generation = set.metadata.annotations?.[generationAnnotation]
    const labels = { [hashLabel]: hash, ...(generation === undefined ? {} : { 'pod-template-generation': generation }) }
    try {
      expectations.created(set.metadata.uid, await client.create(pods, podFrom(set, template, { labels })))
      return undefined
    } catch (error) {
      return afterRefusal(deps, set, { error, component: 'daemonset-controller' })
    }
  }
}

function isSameForDaemons(before: Node | undefined, after: Node | undefined): boolean {
  if (before === undefined || after === undefined) return false
  const relevant = ({ metadata, spec }: Node) => JSON.stringify([metadata.labels, spec.taints])
  return relevant(before) === relevant(after)
}

function groupByNode(owned: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> {
  const groups = new Map<string, Pod[]>()
  for (const pod of owned) {
    const name = pod.spec.nodeName ?? pinnedTo(pod)
    if (name !== undefined) groups.set(name, [...(groups.get(name) ?? []), pod])
  }
  return groups
}

function pinnedTo(pod: Pod): string | undefined {
  const terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  return terms?.[0]?.matchFields?.find(({ key }) => key === 'metadata.name')?.values?.[0]
}

/** The template's spec for one node: affinity to its name in place of other terms, which have been checked already. */
function pinned(spec: PodSpec, nodeName: string): PodSpec {
  const required = {
    nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [nodeName] }] }],
  }
  const { affinity } = spec
  const own = spec.tolerations ?? []
  const added = [
    ...daemonTolerations,
    ...(spec.hostNetwork === true
      ? [{ key: 'node.kubernetes.io/network-unavailable', operator: 'Exists', effect: 'NoSchedule' } as const]
      : []),
  ].filter((toleration) => !own.some((known) => sameWhenWritten(known, toleration)))
  return {
    ...spec,
    affinity: {
      ...affinity,
      nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required },
    },
    tolerations: [...own, ...added],
  }
}

/** Whether the daemon runs on the node, and whether a pod that is there already may stay. */
function verdictOf({ spec }: DaemonSet, node: Node): { readonly runs: boolean; readonly stays: boolean } {
  const pod = { spec: spec.template.spec } as Pod
  if (!matchesNodeSelection(pod, node)) return { runs: false, stays: false }
  const tolerations = pinned(spec.template.spec, node.metadata.name).tolerations
  const refused = (taint: Taint) => taint.effect !== 'PreferNoSchedule' && !isTolerated(taint, tolerations)
  const taints = (node.spec.taints ?? []).filter(refused)
  // The not-ready taint of scheduling is for others: daemons make nodes ready.
  const keeping = taints.filter(({ key }) => !conditionTaints.includes(key))
  return { runs: keeping.length === 0, stays: !keeping.some(({ effect }) => effect === 'NoExecute') }
}

const conditionTaints = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']

type Counts = Record<'desired' | 'current' | 'misscheduled' | 'ready' | 'available' | 'updated', number>

function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Failed' || status?.phase === 'Succeeded'
}

function createdAt({ metadata }: Pod): number {
  return parseTimestamp(metadata.creationTimestamp) ?? 0
}

async function writeStatus(deps: EmbeddedDeps, set: DaemonSet, counts: Counts): Promise<void> {
  const status = {
    desiredNumberScheduled: counts.desired,
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    numberReady: counts.ready,
    numberAvailable: counts.available,
    numberUnavailable: counts.desired - counts.available,
    updatedNumberScheduled: counts.updated,
    observedGeneration: set.metadata.generation ?? 1,
  }
  await patchChangedStatus(deps, daemonSets, set, status)
}
