import type { Pod } from '../../api/kubernetes.ts'
import { type Controller, done, requeueAfter, source } from '../../kube/controller.ts'
import {
  csiNodes,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  podDisruptionBudgets,
  pods,
  storageClasses,
} from '../../kube/kinds.ts'
import { keyOf, type ObjectKey } from '../../kube/resource.ts'
import { backOffMs } from '../../model/back-off.ts'
import type { EmbeddedDeps } from '../deps.ts'
import { podsByNode } from '../pods-by-node.ts'
import { carryOut } from './binding.ts'
import { likenessOf } from './likeness.ts'
import { addPod, holdsResources, type NodeState, toNodeState } from './node-state.ts'
import type { PlacementWorld } from './filters.ts'
import { place, type Unschedulable } from './placement.ts'
import { preempt, type Preemption } from './preemption.ts'
import { makeRoom, type SchedulerDeps } from './room-making.ts'
import { sayUnplaced } from './unplaced.ts'
import { byImportance, isWaiting, nominationOf, withoutNomination } from './waiting-pods.ts'

/** A pass waits this long for whatever else happens at the same moment, as a queue would. */
const gatherMs = 10

/** A pod of which the API server refuses a write is tried again so much later, as by kube-scheduler. */
const setBackMs = { baseMs: 1_000, maxMs: 10_000 }

/** Pods bound in one pass; more would hold up the process. */
const bindsMax = 200

const pass: readonly ObjectKey[] = [{ name: 'pass' }]
const none: readonly ObjectKey[] = []

/**
 * A pod scheduler of its own, written from Kubernetes' documentation: it judges what the node autoscaler promised, so it shares no code
 * with the autoscaler's solver. Whenever something changes that may help a pod, it goes through all that wait, the most important and
 * oldest first. A pod that finds no place pushes less important ones aside where that helps; until they are gone the node is kept for it by
 * its nomination. A node that somebody else nominated a pod for is tried before all others and keeps room for it, too; the pod loses
 * the nomination when it finds no place at all, as from Kubernetes 1.35 on.
 */
export function createScheduler(deps: SchedulerDeps): Controller {
  const { caches, clock } = deps
  caches.of(namespaces)
  caches.of(podDisruptionBudgets)
  /** Bound by us, though the cache has not seen it yet. */
  const assumed = new Map<string, Pod>()
  const setBack: SetBack = new Map()

  return {
    name: 'embedded.scheduler',
    sources: [
      source(pods, ({ before, after }) => {
        if (after === undefined || before === undefined) return pass
        const freed = holdsResources(before) && !holdsResources(after)
        const changed = before.spec !== after.spec && !sameSpec(before, after)
        return freed || changed || before.metadata.labels !== after.metadata.labels ? pass : none
      }),
      source(nodes, ({ before, after }) => {
        if (after === undefined || before === undefined) return pass
        return sameForScheduling(before, after) ? none : pass
      }),
      source(persistentVolumeClaims, () => pass),
      source(persistentVolumes, () => pass),
      source(storageClasses, () => pass),
      source(csiNodes, () => pass),
    ],
    concurrency: 1,
    async reconcile(_key, { signal }) {
      await clock.sleep(gatherMs, signal)
      const finished = await schedule(deps, assumed, setBack)
      if (!finished) return requeueAfter(gatherMs)
      const moments = [...setBack.values()].map(({ until }) => until)
      return moments.length === 0 ? done : requeueAfter(Math.max(gatherMs, Math.min(...moments) - clock.monotonicMs()))
    },
  }
}

function sameSpec(before: Pod, after: Pod): boolean {
  return (
    before.spec.nodeName === after.spec.nodeName &&
    (before.spec.schedulingGates?.length ?? 0) === (after.spec.schedulingGates?.length ?? 0) &&
    JSON.stringify(before.spec.containers) === JSON.stringify(after.spec.containers)
  )
}

function sameForScheduling(before: NodeState['node'], after: NodeState['node']): boolean {
  const relevant = ({ metadata, spec, status }: NodeState['node']) =>
    JSON.stringify([metadata.labels, spec.taints, spec.unschedulable, status?.allocatable])
  return relevant(before) === relevant(after)
}

/** By UID, pods of which a write was refused, how often in a row, and until when they are left alone, in monotonic time. */
type SetBack = Map<string, { readonly failures: number; readonly until: number }>

/** Says whether it went through all that wait. */
async function schedule(deps: SchedulerDeps, assumed: Map<string, Pod>, setBack: SetBack): Promise<boolean> {
  const { caches, clock } = deps
  forgetSeen(deps, assumed)
  const now = clock.monotonicMs()
  const waiting = caches
    .of(pods)
    .list()
    .filter((pod) => isWaiting(pod) && !assumed.has(pod.metadata.uid))
    .toSorted(byImportance)
  const uids = new Set(waiting.map(({ metadata }) => metadata.uid))
  for (const uid of setBack.keys()) if (!uids.has(uid)) setBack.delete(uid)
  const ready = waiting.filter(({ metadata }) => (setBack.get(metadata.uid)?.until ?? now) <= now)
  if (ready.length === 0) return true
  const states = nodeStates(deps, assumed)
  const byName = new Map(states.map((state) => [state.name, state]))
  for (const pod of waiting) byName.get(nominationOf(pod))?.nominees.add(pod)
  const world = {
    states,
    caches,
    namespaces: (name: string) => caches.of(namespaces).get({ name })?.metadata.labels,
  }
  const { finished, left, freed } = await placeInTurn(deps, { assumed, setBack }, ready, world)
  // What the lapsed nominations held may serve those that came before them.
  if (finished && freed) return (await placeInTurn(deps, { assumed, setBack }, left, world)).finished
  return finished
}

interface Round {
  /** Whether each pod had its turn. */
  readonly finished: boolean
  /** Pods without a place and, by now, without a nomination. */
  readonly left: readonly Pod[]
  /** Whether any of them had had a nomination, for a node that is there. */
  readonly freed: boolean
}

async function placeInTurn(
  deps: SchedulerDeps,
  { assumed, setBack }: { readonly assumed: Map<string, Pod>; readonly setBack: SetBack },
  waiting: readonly Pod[],
  world: PlacementWorld,
): Promise<Round> {
  const refused = new Map<string, Refused>()
  const left: Pod[] = []
  let freed = false
  let binds = 0
  for (const pod of waiting) {
    if (binds >= bindsMax) return { finished: false, left, freed }
    const nominated = world.states.find(({ name }) => name === nominationOf(pod))
    const likeness = likenessOf(pod)
    const known = likeness === undefined ? undefined : refused.get(likeness)
    const placement = known?.placement ?? place(pod, world)
    if (placement.kind === 'unschedulable') {
      const preemption = known?.hopeless ?? preempt(pod, placement, world)
      if (likeness !== undefined) {
        refused.set(likeness, preemption.kind === 'none' ? { placement, hopeless: preemption } : { placement })
      }
      if (preemption.kind === 'underWay') continue
      if (preemption.kind === 'victims') {
        nominated?.nominees.delete(pod)
        const refusal = await makeRoom(deps, pod, { placement, preemption })
        if (refusal !== undefined) await putOff(pod, refusal)
        continue
      }
      const message = [placement.message, preemption.message].filter((text) => text !== '').join(' preemption: ')
      await sayUnplaced(deps, pod, { reason: 'Unschedulable', message })
      left.push(withoutNomination(pod))
      freed = nominated?.nominees.delete(pod) === true || freed
      continue
    }
    nominated?.nominees.delete(pod)
    const outcome = await carryOut(deps, pod, placement)
    if (outcome.kind === 'refused') {
      await putOff(pod, outcome.message)
      continue
    }
    setBack.delete(pod.metadata.uid)
    // Its room is kept for the rest of this pass; it is bound once its volumes are.
    if (outcome.kind === 'volumesFirst') addPod(placement.node, pod)
    if (outcome.kind !== 'bound') continue
    binds += 1
    const bound = { ...pod, spec: { ...pod.spec, nodeName: placement.node.name } }
    assumed.set(pod.metadata.uid, bound)
    addPod(placement.node, bound)
  }
  return { finished: true, left, freed }

  async function putOff(pod: Pod, message: string): Promise<void> {
    const failures = (setBack.get(pod.metadata.uid)?.failures ?? -1) + 1
    const until = deps.clock.monotonicMs() + backOffMs({ ...setBackMs, failures })
    setBack.set(pod.metadata.uid, { failures, until })
    await sayUnplaced(deps, pod, { reason: 'SchedulerError', message })
  }
}

/** What was found out about one pod, and holds for all that are like it until the end of a pass. */
interface Refused {
  readonly placement: Unschedulable
  /** Set when pushing others aside would not help either; where it would, each pod needs a room of its own. */
  readonly hopeless?: Extract<Preemption, { kind: 'none' }>
}

function nodeStates({ caches }: EmbeddedDeps, assumed: ReadonlyMap<string, Pod>): NodeState[] {
  const byNode = new Map<string, Pod[]>()
  for (const pod of assumed.values()) {
    const name = pod.spec.nodeName ?? ''
    byNode.set(name, [...(byNode.get(name) ?? []), pod])
  }
  const boundTo = podsByNode(caches)
  return caches
    .of(nodes)
    .list()
    .map((node) => {
      const { name } = node.metadata
      const bound = boundTo(name).filter(holdsResources)
      return toNodeState(node, [...bound, ...(byNode.get(name) ?? [])])
    })
}

/** Pods whose binding the cache knows by now, or that are gone. */
function forgetSeen({ caches }: EmbeddedDeps, assumed: Map<string, Pod>): void {
  for (const [uid, pod] of assumed) {
    const seen = caches.of(pods).get(keyOf(pod))
    if (seen === undefined || seen.metadata.uid !== uid || seen.spec.nodeName !== undefined) assumed.delete(uid)
  }
}
