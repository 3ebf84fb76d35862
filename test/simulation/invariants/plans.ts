import type { Pod } from '../../../src/api/kubernetes.ts'
import { labelZone } from '../../../src/api/labels.ts'
import { addPod, type NodeState } from '../../../src/embedded/scheduler/node-state.ts'
import type { PlacementWorld } from '../../../src/embedded/scheduler/filters.ts'
import { place } from '../../../src/embedded/scheduler/placement.ts'
import { spreadStates } from '../../../src/embedded/scheduler/topology-spread.ts'
import type { PlacementObserver } from '../../../src/operator/solver/index.ts'
import type { PodInfo } from '../../../src/model/pod.ts'
import type { Look, Watcher } from './look.ts'
import { plannedState, standingStates, toPod, worldOf, zonesOf } from './planned-cluster.ts'

type Decided = Parameters<PlacementObserver>[0]

/**
 * I27: what the embedded scheduler, which shares no code with the solver, makes of every plan, on the very cluster that the plan was made
 * for, as if the planned nodes had joined: whether it would put each pod where the plan does, in some order, and how the pods are spread
 * then. A zone that nobody decided is open to both: pods that must be spread over zones may not be planned so.
 */
export function planWatcher(look: Look): Watcher {
  return {
    onPlacement(decided) {
      for (const { subject, message } of planErrors(decided)) look.report('I27', subject, message)
    },
  }
}

interface PlanError {
  readonly subject: string
  readonly message: string
}

interface Seat {
  readonly pod: Pod
  readonly state: NodeState
}

export function planErrors({ request, placement }: Decided): readonly PlanError[] {
  const errors: PlanError[] = []
  const { snapshot, displaced } = request
  const existing = standingStates(snapshot, new Set(displaced.map(({ uid }) => uid)))
  const byKey = new Map(existing.map((state) => [state.name, state]))
  const seats: Seat[] = []
  const take = (pods: readonly PodInfo[], state: NodeState): void => {
    for (const pod of pods) seats.push({ pod: toPod(pod), state })
  }
  for (const { node, pods } of placement.existing) {
    const state = byKey.get(node.key)
    if (state !== undefined) take(pods, state)
  }
  const planned: NodeState[] = []
  for (const [index, plan] of placement.newNodePlans.entries()) {
    const state = plannedState(plan, `plan-${index}-of-${plan.nodePool}`)
    if (state === undefined) {
      errors.push({ subject: plan.nodePool, message: 'a plan can become no node' })
      continue
    }
    planned.push(state)
    take(plan.pods, state)
    const zones = zonesOf(plan)
    const spread = plan.pods.find(isSpreadOverZones)
    if (spread !== undefined && zones.size > 1)
      errors.push({ subject: spread.name, message: `is planned to a node of any zone of ${[...zones].join(', ')}` })
  }
  const world = worldOf([...existing, ...planned], snapshot)
  for (const { newestPod } of snapshot.daemonSets) if (newestPod !== undefined) runDaemon(newestPod, planned, world)
  for (const { pod, state } of refused(seats, world)) {
    errors.push({
      subject: pod.metadata.name,
      message: `is planned to ${nameOf(state)}, where kube-scheduler would not put it: ${refusal(pod, state, world)}`,
    })
  }
  return errors.length > 0 ? errors : skews(seats, world)
}

/**
 * Whom the scheduler refuses in every order: it goes round until nobody finds the planned place any more. Pods that must be spread come
 * first: whoever is counted without being held to it could only stand in their way.
 */
function refused(seats: readonly Seat[], world: PlacementWorld): readonly Seat[] {
  const sit = (left: readonly Seat[]): readonly Seat[] =>
    left.filter((seat) => {
      if (!takes(seat, world)) return true
      addPod(seat.state, seat.pod)
      return false
    })
  let spread: readonly Seat[] = seats.filter(isSpread)
  let others: readonly Seat[] = seats.filter((seat) => !isSpread(seat))
  for (;;) {
    const before = spread.length + others.length
    for (let left = sit(spread); left.length < spread.length; left = sit(spread)) spread = left
    others = sit(others)
    const after = spread.length + others.length
    if (after === 0 || after === before) return [...spread, ...others]
  }
}

function isSpread({ pod }: Seat): boolean {
  return (pod.spec.topologySpreadConstraints ?? []).length > 0
}

/** Planned nodes hold their daemons before they hold anybody else. */
function runDaemon(info: PodInfo, planned: readonly NodeState[], world: PlacementWorld): void {
  const pod = toPod(info)
  // Its affinity names the node that this copy of it runs on.
  const { affinity: _itsNode, ...spec } = pod.spec
  const alone: Pod = { ...pod, spec }
  for (const state of planned) if (takes({ pod: alone, state }, { ...world, states: [state] })) addPod(state, alone)
}

function takes({ pod, state }: Seat, world: PlacementWorld): boolean {
  const found = place(nominated(pod, state), world)
  return found.kind === 'placed' && found.node === state
}

function nominated(pod: Pod, { name }: NodeState): Pod {
  return { ...pod, status: { ...pod.status, nominatedNodeName: name } }
}

function refusal(pod: Pod, state: NodeState, world: PlacementWorld): string {
  const counts = spreadStates(pod, world.states, 'DoNotSchedule').map(
    ({ constraint: { topologyKey, maxSkew }, counts: found }) =>
      `${topologyKey} ${JSON.stringify(Object.fromEntries(found))} maxSkew ${maxSkew}`,
  )
  // On this node alone every reason but the spread is its own.
  const alone = place(nominated(pod, state), { ...world, states: [state] })
  return [alone.kind === 'unschedulable' ? alone.message : '', ...counts].filter((text) => text !== '').join('; ')
}

function nameOf({ name, node }: NodeState): string {
  return `${name} in ${node.metadata.labels?.[labelZone] ?? 'no zone'}`
}

/** Over the domains that are eligible for the pod and have nodes, once all pods are in their places. */
function skews(seats: readonly Seat[], { states }: PlacementWorld): readonly PlanError[] {
  const errors: PlanError[] = []
  const seen = new Set<string>()
  for (const { pod, state } of seats) {
    const { topologySpreadConstraints = [] } = pod.spec
    // Pods of one workload in one domain are judged once.
    const key = JSON.stringify([pod.metadata.labels, pod.spec.nodeSelector, pod.spec.affinity, state.name])
    if (topologySpreadConstraints.length === 0 || seen.has(key)) continue
    seen.add(key)
    for (const { constraint, counts, matchesItself } of spreadStates(pod, states, 'DoNotSchedule')) {
      const here = counts.get(state.node.metadata.labels?.[constraint.topologyKey] ?? '') ?? 0
      const skew = here - Math.min(...counts.values())
      if (matchesItself && skew > constraint.maxSkew)
        errors.push({
          subject: pod.metadata.name,
          message: `the plan leaves a skew of ${skew} over ${constraint.topologyKey}, ${constraint.maxSkew} is allowed`,
        })
    }
  }
  return errors
}

function isSpreadOverZones({ topologySpreadConstraints, labels }: PodInfo): boolean {
  return topologySpreadConstraints.some(
    ({ topologyKey, whenUnsatisfiable, labelSelector }) =>
      topologyKey === labelZone &&
      whenUnsatisfiable === 'DoNotSchedule' &&
      Object.entries(labelSelector?.matchLabels ?? {}).every(([key, value]) => labels[key] === value),
  )
}
