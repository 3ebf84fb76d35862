import { labelZone } from '../api/labels.ts'
import { type PodInfo } from '../model/pod.ts'
import { allows, anyValue } from '../model/requirement.ts'
import { compareText } from '../model/order.ts'
import type { Sliced } from '../model/sliced.ts'
import type { SolveContext } from './context.ts'
import { Topology } from './topology/topology.ts'

/** A zone, `flexible` where a pod could run in several, `none` where it can run in none. */
type EffectiveZone = string

/**
 * How many pending pods could only run in which zone, as the metric pending_pods_by_effective_zone_count has it: from what they
 * require, where their volumes are, and what topology allows, before anything is placed. Zones in byte order; in slices.
 */
export function* countByEffectiveZone(
  context: SolveContext,
  pods: readonly PodInfo[],
): Sliced<ReadonlyMap<EffectiveZone, number>> {
  const pending = pods.filter(({ phase, virtualBuffer }) => phase === 'Pending' && virtualBuffer === undefined)
  const classed = pods.map((pod) => ({ pod, podClass: context.classes.classOf(pod) }))
  const topology = new Topology(context, {
    pods: classed,
    classes: new Set(classed.map(({ podClass }) => podClass)),
    excludedNodes: new Set(),
    nodeOf: (pod) => context.nodeByName.get(pod.nodeName),
    hostName: (host) => context.cluster.hostnames[host] ?? '',
  })
  yield* topology.groups.begin()
  const zones = new Map<number, EffectiveZone>()
  const counts = new Map<EffectiveZone, number>()
  for (const [index, pod] of pending.entries()) {
    if (index % podsPerSlice === podsPerSlice - 1) yield
    const podClass = context.classes.classOf(pod)
    const zone = zones.get(podClass.id) ?? effectiveZone(pod, context, topology)
    zones.set(podClass.id, zone)
    counts.set(zone, (counts.get(zone) ?? 0) + 1)
  }
  return new Map([...counts].toSorted(([a], [b]) => compareText(a, b)))
}

const podsPerSlice = 1_000

function effectiveZone(pod: PodInfo, { classes, requirements }: SolveContext, topology: Topology): EffectiveZone {
  const podClass = classes.classOf(pod)
  const topologyZones = topology.validDomains(podClass, labelZone)
  if (topologyZones?.length === 0) return 'none'
  const strict = requirements.requirement(podClass.strict.set, labelZone) ?? anyValue(labelZone)
  const alternatives = podClass.volumeAlternatives.map(({ set }) => requirements.requirement(set, labelZone))
  const volumeZones = alternatives.every((zone) => zone !== undefined && !zone.complement)
    ? [...new Set(alternatives.flatMap((zone) => [...(zone?.values ?? [])]))]
    : undefined
  const stated = strict.complement || strict.values.size === 0 ? undefined : [...strict.values]
  const base = stated ?? volumeZones ?? topologyZones
  if (base === undefined) return 'flexible'
  const possible = base.filter(
    (zone) => allows(strict, zone) && (volumeZones?.includes(zone) ?? true) && (topologyZones?.includes(zone) ?? true),
  )
  const [only] = possible
  if (only === undefined) return 'none'
  return possible.length === 1 ? only : 'flexible'
}
