import { isConditionTrue } from '../../../src/api/conditions.ts'
import { labelInstanceType, labelNodePool } from '../../../src/api/labels.ts'
import { hour } from '../world.ts'
import { ClaimPlans } from './claim-plans.ts'
import type { Look, Watcher } from './look.ts'

/**
 * Machines of one type and image launched for one pod in an hour: with another image the next may well come up. Launches that found no
 * capacity are judged by I20.
 */
const alikePerPodMax = 3
/** Of all types: pods that are planned together share machines, of which each serves others, too. */
const machinesPerPodMax = 6

/** I16: for one pod one launch at a time, and not one machine after the other. */
export function launchesPerPodWatcher(look: Look): Watcher {
  const claimsOf = new Map<string, { claim: string; at: number }[]>()
  /** By claim: the pool and type of its machine, and its image. */
  const launched = new Map<string, { readonly type: string; readonly image: string }>()
  const claimPlans = new ClaimPlans()

  function promised(uid: string, podName: string, name: string): void {
    const before = (claimsOf.get(uid) ?? []).filter(({ at }) => look.elapsed - at < hour)
    if (before.some(({ claim }) => claim === name)) return
    const other = before.map(({ claim }) => look.claim(claim)).find((claim) => claim !== undefined && isUnderWay(claim))
    const { readsAreStale, twoLead } = look.allowances
    if (other !== undefined && isUnderWay(look.claim(name)) && !readsAreStale && !twoLead) {
      look.report('I16', podName, `is promised to ${name} while ${other.metadata.name}, made for it, is on its way`)
    }
    const all = [...before, { claim: name, at: look.elapsed }]
    claimsOf.set(uid, all)
    const machines = all.flatMap(({ claim }) => launched.get(claim) ?? [])
    for (const alike of Map.groupBy(machines, ({ type, image }) => `${type} ${image}`).values()) {
      const [first] = alike
      if (first === undefined || alike.length <= alikePerPodMax) continue
      look.report('I16', podName, `${alike.length} machines of ${first.type} were launched for it in an hour`)
    }
    if (machines.length > machinesPerPodMax) {
      look.report('I16', podName, `${machines.length} machines were launched for it in an hour`)
    }
  }

  function waits(namespace: string, name: string): boolean {
    const pod = look.pod(namespace, name)
    return pod !== undefined && (pod.spec.nodeName ?? '') === ''
  }

  return {
    onPlacement({ placement }) {
      claimPlans.decided(placement.newNodePlans)
    },
    onClaim(type, claim) {
      const { name, labels = {} } = claim.metadata
      const { imageID: image = '' } = claim.status ?? {}
      const planned = type === 'ADDED' ? claimPlans.take(claim) : undefined
      // Of several alike the events tell whose it is.
      const pods = planned?.alike === 1 ? planned.plan.pods : []
      for (const pod of pods) if (waits(pod.namespace, pod.name)) promised(pod.uid, pod.name, name)
      if (isConditionTrue(claim, 'Launched'))
        launched.set(name, { type: `${labels[labelNodePool] ?? ''} ${labels[labelInstanceType] ?? ''}`, image })
    },
    onPod(type, { metadata }) {
      if (type === 'DELETED') claimsOf.delete(metadata.uid)
    },
    // Nodes on their way that take more pods are told of in events alone.
    onEvent({ reason, message = '', involvedObject, source }) {
      const name = /nodeclaim\/([^,\s]+)/.exec(message)?.[1]
      if (reason !== 'Nominated' || source?.component !== 'karpenter' || name === undefined) return
      const { uid = '', namespace = '', name: podName = '' } = involvedObject
      if (waits(namespace, podName)) promised(uid, podName, name)
    },
  }

  function isUnderWay(claim: ReturnType<Look['claim']>): boolean {
    return claim !== undefined && claim.metadata.deletionTimestamp === undefined && !isConditionTrue(claim, 'Launched')
  }
}
