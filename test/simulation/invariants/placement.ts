import { isConditionTrue } from '../../../src/api/conditions.ts'
import type { Deployment, Node, Pod } from '../../../src/api/kubernetes.ts'
import { labelInstanceType, labelNodePool, labelZone, taintDisruptedKey } from '../../../src/api/labels.ts'
import { hour } from '../world.ts'
import { isActivePod, type Look, taintKeys, type Watcher } from './look.ts'

/** Machines of one type launched for one pod in an hour. Launches that found no capacity are judged by I20. */
const alikePerPodMax = 3
/** Of all types: pods that are planned together share machines, of which each serves others, too. */
const machinesPerPodMax = 6

/** I16: for one pod one launch at a time, and not one machine after the other. */
export function launchesPerPodWatcher(look: Look): Watcher {
  const claimsOf = new Map<string, { claim: string; at: number }[]>()
  /** By claim: the pool and type of its machine. */
  const launched = new Map<string, string>()
  return {
    onClaim(_type, claim) {
      if (!isConditionTrue(claim, 'Launched')) return
      const { name, labels = {} } = claim.metadata
      launched.set(name, `${labels[labelNodePool] ?? ''} ${labels[labelInstanceType] ?? ''}`)
    },
    onPod(type, { metadata }) {
      if (type === 'DELETED') claimsOf.delete(metadata.uid)
    },
    onEvent({ reason, message = '', involvedObject, source }) {
      const name = /nodeclaim\/([^,\s]+)/.exec(message)?.[1]
      if (reason !== 'Nominated' || source?.component !== 'karpenter' || name === undefined) return
      const { uid = '', namespace = '', name: podName = '' } = involvedObject
      const pod = look.pod(namespace, podName)
      if (pod === undefined || (pod.spec.nodeName ?? '') !== '') return
      const before = (claimsOf.get(uid) ?? []).filter(({ at }) => look.elapsed - at < hour)
      if (before.some(({ claim }) => claim === name)) return
      const other = before
        .map(({ claim }) => look.claim(claim))
        .find((claim) => claim !== undefined && isUnderWay(claim))
      if (other !== undefined && look.claim(name) !== undefined && isUnderWay(look.claim(name))) {
        look.report('I16', podName, `is promised to ${name} while ${other.metadata.name}, made for it, is on its way`)
      }
      const all = [...before, { claim: name, at: look.elapsed }]
      claimsOf.set(uid, all)
      const machines = all.flatMap(({ claim }) => launched.get(claim) ?? [])
      for (const [outcome, alike] of Map.groupBy(machines, (each) => each)) {
        if (alike.length <= alikePerPodMax) continue
        look.report('I16', podName, `${alike.length} machines of ${outcome} were launched for it in an hour`)
      }
      if (machines.length > machinesPerPodMax) {
        look.report('I16', podName, `${machines.length} machines were launched for it in an hour`)
      }
    },
  }

  function isUnderWay(claim: ReturnType<Look['claim']>): boolean {
    return claim !== undefined && claim.metadata.deletionTimestamp === undefined && !isConditionTrue(claim, 'Launched')
  }
}

/** I27: where the plan puts pods, their spread over zones holds. The judge counts by itself; it shares no code with the solver. */
export function spreadWatcher(look: Look): Watcher {
  /** By workload: the claim that each pod was promised, since the last look. */
  const planned = new Map<string, Map<string, string>>()
  /** By workload, when the first of these promises was told. */
  const toldAt = new Map<string, number>()
  const disturbed = new Set<string>()

  function workloadOf(pod: Pod): string {
    return pod.metadata.labels?.['app'] ?? ''
  }

  function zoneOfClaim(name: string): string | undefined {
    const claim = look.claim(name)
    const values = claim?.spec.requirements.find(({ key, operator }) => key === labelZone && operator === 'In')?.values
    return claim?.metadata.labels?.[labelZone] ?? (values?.length === 1 ? values[0] : undefined)
  }

  function leaves(node: Node): boolean {
    const isDeleting = [node, look.claimOf(node)].some((each) => each?.metadata.deletionTimestamp !== undefined)
    return isDeleting || taintKeys(node).has(taintDisruptedKey)
  }

  return {
    onClaim(type, claim) {
      // EC2 refused a machine of the plan: its pods are planned anew while the others still wait for theirs.
      if (type === 'DELETED' && !isConditionTrue(claim, 'Launched'))
        for (const workload of planned.keys()) disturbed.add(workload)
    },
    onNode(_type, node, previous) {
      // Kept after all: until then its pods were planned elsewhere, and the others without them.
      if (previous === undefined || !leaves(previous) || leaves(node)) return
      for (const pod of look.pods) if (pod.spec.nodeName === node.metadata.name) disturbed.add(workloadOf(pod))
    },
    onPod(type, pod, previous) {
      const goes =
        type === 'DELETED' ||
        (pod.metadata.deletionTimestamp !== undefined && previous?.metadata.deletionTimestamp === undefined)
      const isBound = (pod.spec.nodeName ?? '') !== '' && (previous?.spec.nodeName ?? '') === ''
      // A pod that takes a place without having been promised one: not all of the plan was told.
      const isUntold = isBound && planned.get(workloadOf(pod))?.has(pod.metadata.uid) === false
      if (goes || isUntold) disturbed.add(workloadOf(pod))
    },
    onEvent(event) {
      const { reason, message = '', involvedObject, source } = event
      const name = /nodeclaim\/([^,\s]+)/.exec(message)?.[1]
      const pod = look.pod(involvedObject.namespace ?? '', involvedObject.name ?? '')
      if (reason !== 'Nominated' || source?.component !== 'karpenter' || name === undefined || pod === undefined) return
      if ((pod.spec.nodeName ?? '') !== '') return
      const workload = workloadOf(pod)
      const plan = planned.get(workload) ?? new Map<string, string>()
      planned.set(workload, plan.set(pod.metadata.uid, name))
      const firstAt = toldAt.get(workload) ?? look.elapsed
      toldAt.set(workload, firstAt)
      // The next pass may have moved pods of this one without telling again, as when half of its claims could not be written.
      if (look.elapsed > firstAt || look.isToldLate(event)) disturbed.add(workload)
    },
    tick() {
      for (const { metadata, spec } of look.list<Deployment>('apps/deployments')) {
        const constraint = spec.template.spec?.topologySpreadConstraints?.find(
          ({ topologyKey, whenUnsatisfiable }) => topologyKey === labelZone && whenUnsatisfiable === 'DoNotSchedule',
        )
        const plan = planned.get(metadata.name)
        planned.delete(metadata.name)
        toldAt.delete(metadata.name)
        const wasDisturbed = disturbed.delete(metadata.name)
        if (constraint === undefined || plan === undefined || wasDisturbed) continue
        // Limits that were cut amid a plan keep a part of it from being made; its pods wait until the rest can follow.
        if (look.now - look.allowances.policyEditedAt < hour) continue
        const skew = skewOf(metadata.name, plan)
        if (skew > constraint.maxSkew) look.report('I27', metadata.name, `the plan leaves a skew of ${skew}`)
      }
    },
  }

  /**
   * Over the zones that the plan fills; 0 while nobody can tell: a pod that runs on a node that leaves is planned anew with every pass, and
   * of a pod's nominations only the first in two minutes is told.
   */
  function skewOf(workload: string, plan: ReadonlyMap<string, string>): number {
    const zones: (string | undefined)[] = []
    const counts = new Map(look.cluster.aws.state.subnets.map(({ zone }) => [zone, 0]))
    const filled: (string | undefined)[] = []
    // Pods of a workload are alike: one that runs may have taken the place that another one was promised.
    const seats = [...plan.values()]
    for (const pod of look.pods) {
      if (workloadOf(pod) !== workload || !isActivePod(pod) || pod.metadata.deletionTimestamp !== undefined) continue
      const node = look.node(pod.spec.nodeName ?? '')
      const promised = plan.get(pod.metadata.uid)
      if (node === undefined && promised === undefined) return 0
      if (node === undefined) continue
      if (leaves(node)) return 0
      zones.push(node.metadata.labels?.[labelZone])
      if (promised === undefined) continue
      filled.push(node.metadata.labels?.[labelZone])
      const taken = seats.indexOf(look.claimOf(node)?.metadata.name ?? '')
      const left = taken === -1 ? seats.indexOf(promised) : taken
      if (left === -1) return 0
      seats.splice(left, 1)
    }
    for (const seat of seats) {
      zones.push(zoneOfClaim(seat))
      filled.push(zoneOfClaim(seat))
    }
    for (const zone of zones) {
      if (zone === undefined) return 0
      counts.set(zone, (counts.get(zone) ?? 0) + 1)
    }
    const least = Math.min(...counts.values())
    return Math.max(0, ...filled.map((zone) => (counts.get(zone ?? '') ?? 0) - least))
  }
}
